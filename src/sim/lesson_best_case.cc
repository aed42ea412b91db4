// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const best_case_lesson = R"lesson(
title en: The best case: the second highest notices
title pt: O melhor caso: o segundo maior percebe
detector off
nodes 1..8

en: 7 notices that 8 is gone. Nobody else is above it: one ELECTION, to the dead, and it has won.
pt: 7 percebe que 8 se foi. Não há outro acima dele: uma ELEIÇÃO, ao morto, e venceu.
crash 8
suspect 7
run
expect messages E 1 ANSWER 0 COORDINATOR 6 all 7
expect coordinator 7
en: n - 1 messages, and there is no way to do with fewer.
pt: n - 1 mensagens, e não há como gastar menos.
)lesson";

}  // namespace bully
