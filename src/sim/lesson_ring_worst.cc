// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_worst_lesson = R"lesson(
title en: The ring's worst case, for 8 processes down to 2
title pt: O pior caso do anel, de 8 processos até 2
algorithm ring
detector eof

en: Of any neighbouring active processes at least one gives way in each round, so there are at most
en: ⌊log₂n⌋ rounds. Each puts one VALUE and one SECOND on every link; a last VALUE comes back to where
en: it began, and LEADER goes round: 2n⌊log₂n⌋ + 2n. Here every other process stays, each time.
pt: De ativos vizinhos, ao menos um cede em cada rodada; há no máximo ⌊log₂n⌋ rodadas. Cada uma põe um
pt: VALOR e um SEGUNDO em cada enlace; um último VALOR volta aonde começou, e LÍDER dá a volta:
pt: 2n⌊log₂n⌋ + 2n. Aqui, a cada vez, um sim, um não permanece ativo.
nodes 1..9
leave 9
ring 1 3 2 7 4 6 5 8
suspect all
run
expect coordinator 8
expect messages V 32 V2 24 L 8 all 64

en: From eight to seven the bound falls from 64 to 42: there is a round less.
pt: De oito para sete o limite cai de 64 para 42: há uma rodada a menos.
count
leave 8
ring 1 2 3 4 6 5 7
suspect all
run
expect coordinator 7
expect messages V 21 V2 14 L 7 all 42

count
leave 7
ring 1 2 3 5 4 6
suspect all
run
expect coordinator 6
expect messages V 18 V2 12 L 6 all 36

count
leave 6
ring 1 2 4 3 5
suspect all
run
expect coordinator 5
expect messages V 15 V2 10 L 5 all 30

count
leave 5
ring 1 3 2 4
suspect all
run
expect coordinator 4
expect messages V 12 V2 8 L 4 all 24

count
leave 4
ring 1 2 3
suspect all
run
expect coordinator 3
expect messages V 6 V2 3 L 3 all 12

count
leave 3
ring 1 2
suspect all
run
expect coordinator 2
expect messages V 4 V2 2 L 2 all 8
)lesson";

}  // namespace bully
