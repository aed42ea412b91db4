// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const return_of_the_highest_lesson = R"lesson(
title en: The highest comes back
title pt: A volta do maior
detector off
nodes 1..5

en: 5 crashes, 1 notices, and 4 wins the election.
pt: 5 falha, 1 percebe, e 4 vence a eleição.
crash 5
suspect 1
run
expect coordinator 4

en: 5 comes back. It is the highest: four COORDINATOR messages, and it has its office again.
pt: 5 volta. É o maior: quatro mensagens COORDENADOR, e o cargo é seu outra vez.
count
restart 5
run
expect messages COORDINATOR 4 all 4
expect coordinator 5

en: When a lower one comes back, it holds an election like anyone, and learns who is coordinator.
pt: Quando volta um menor, ele faz uma eleição como qualquer outro e descobre o coordenador.
crash 2
restart 2
run
expect coordinator 5
)lesson";

}  // namespace bully
