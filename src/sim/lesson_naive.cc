// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const naive_lesson = R"lesson(
title en: One election per ELECTION received: why "unless it is already holding one"
title pt: Uma eleição por ELEIÇÃO recebida: por que "a menos que já esteja em uma"
detector off
protocol naive
nodes 1..8

en: The same eight processes as in worst-case, where 55 messages were enough. But these hold a new
en: election for each ELECTION that they receive, although they are holding one already.
pt: Os mesmos oito processos de worst-case, onde 55 mensagens bastaram. Mas estes fazem uma nova
pt: eleição a cada ELEIÇÃO recebida, mesmo que já estejam em uma.
crash 8
suspect 1
run
expect messages E 127 ANSWER 63 COORDINATOR 192 all 382
expect coordinator 7
en: The right one wins, at seven times the price; and each further process doubles it.
pt: Vence o processo certo, por sete vezes o preço; e cada processo a mais o dobra.
)lesson";

}  // namespace bully
