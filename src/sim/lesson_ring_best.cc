// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_best_lesson = R"lesson(
title en: The ring's best case: in order of their ids
title pt: O melhor caso do anel: em ordem de id
algorithm ring
detector eof

en: Eight processes stand on the ring by id. After one round a single one is active: each of the
en: others has a larger one at its side.
pt: Oito processos estão no anel em ordem de id. Após uma rodada só um está ativo: cada um dos outros
pt: tem um maior ao seu lado.
nodes 1..9
leave 9
suspect all
run
expect coordinator 8
expect messages V 16 V2 8 L 8 all 32
en: Best case 4n: 32. The bully's best is n - 1, but only if the highest survivor notices first.
pt: Melhor caso 4n: 32. O do valentão é n - 1, mas só se o maior sobrevivente perceber primeiro.
)lesson";

}  // namespace bully
