// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ghost_lesson = R"lesson(
title en: Ghosts: names without a process, and processes that are silent
title pt: Fantasmas: nomes sem processo, e processos mudos
detector off
nodes 1..5

en: 4 and 5 have died and left their addresses behind. Whoever writes there is told at once that
en: nobody listens: the election is over long before an answer timeout.
pt: 4 e 5 morreram e deixaram seus endereços. Quem escreve a eles sabe na hora que ninguém escuta:
pt: a eleição termina muito antes do tempo limite de resposta.
crash 4
crash 5
suspect 1
run 100ms
expect coordinator 3
expect messages E 9 ANSWER 3 COORDINATOR 2 all 14

en: 3 is stopped: connections succeed, nobody answers. That costs one answer timeout, not more.
pt: 3 é parado: as conexões funcionam, ninguém responde. Custa um tempo limite, não mais.
pause 3
suspect 2 hung
run 600ms
expect coordinator 2 at 1 2
resume 3
run
expect coordinator 3
)lesson";

}  // namespace bully
