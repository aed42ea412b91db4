// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const all_at_once_lesson = R"lesson(
title en: All notice at once
title pt: Todos percebem ao mesmo tempo
detector off
nodes 1..8

en: All seven survivors notice the crash at the same moment, and all hold an election.
pt: Os sete sobreviventes percebem a falha no mesmo instante, e todos fazem eleição.
crash 8
suspect all
run

en: It costs no more than the worst case: n² - n - 1 = 55, as each holds one election, not several.
pt: Não custa mais que o pior caso: n² - n - 1 = 55, pois cada um faz uma só eleição.
expect messages E 28 ANSWER 21 COORDINATOR 6 all 55
expect coordinator 7
)lesson";

}  // namespace bully
