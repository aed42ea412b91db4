// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const worst_case_lesson = R"lesson(
title en: The worst case: the lowest notices
title pt: O pior caso: o menor percebe
detector off
nodes 1..8

en: 1 asks seven processes; each that lives answers, and asks all that are above itself.
pt: 1 consulta sete processos; cada um que vive responde e consulta todos acima de si.
crash 8
suspect 1
run
expect messages E 28 ANSWER 21 COORDINATOR 6 all 55
expect coordinator 7
en: The detector of rank k pays (n-k)² + n - 2; for k = 1 that is n² - n - 1: it grows as n².
pt: Quem detecta com posto k paga (n-k)² + n - 2; com k = 1 são n² - n - 1: cresce como n².
)lesson";

}  // namespace bully
