// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const answerer_dies_lesson = R"lesson(
title en: The answerer dies
title pt: Quem respondeu morre
detector off
nodes 1 3 4
crash 4
hold

en: 1 asks; 3 answers: "stop your election". So 1 stops, and then 3 dies before it has won.
pt: 1 pergunta; 3 responde: "pare a sua eleição". 1 para, e então 3 morre antes de vencer.
suspect 1
deliver E
deliver ANSWER
crash 3
expect state waiting at 1
frame (waiting for the dead)

en: Without a bound on this wait, 1 would wait for ever. It waits a second, and asks again.
pt: Sem limite para essa espera, 1 esperaria para sempre. Ele espera um segundo e pergunta de novo.
run
expect coordinator 1
expect messages E 5 ANSWER 1 COORDINATOR 0 all 6
)lesson";

}  // namespace bully
