// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_bit_reversed_lesson = R"lesson(
title en: The ring's worst case at 64, 32 and 16: bit-reversed
title pt: O pior caso do anel com 64, 32 e 16: bits invertidos
algorithm ring
detector eof

en: Where a process stands is its number read from the last bit to the first. So every other process
en: gives way in the first round, of the rest every other in the second, and so on: as many rounds as
en: there can be. The bully's worst case would take 4,159 messages here, with the dead counted in.
pt: O lugar de um processo é o seu número lido do último bit ao primeiro. Assim, um sim, um não cede
pt: na primeira rodada, o mesmo entre os restantes na segunda, e assim por diante: tantas rodadas
pt: quantas pode haver. O pior caso do valentão seriam aqui 4.159 mensagens, contando o que partiu.
nodes 1..65
leave 65
ring 1 33 17 49 9 41 25 57 5 37 21 53 13 45 29 61 3 35 19 51 11 43 27 59 7 39 23 55 15 47 31 63 2 34 18 50 10 42 26 58 6 38 22 54 14 46 30 62 4 36 20 52 12 44 28 60 8 40 24 56 16 48 32 64
suspect all
run
expect coordinator 64
expect messages V 448 V2 384 L 64 all 896

count
leave 33..64
ring 1 17 9 25 5 21 13 29 3 19 11 27 7 23 15 31 2 18 10 26 6 22 14 30 4 20 12 28 8 24 16 32
suspect all
run
expect coordinator 32
expect messages V 192 V2 160 L 32 all 384

count
leave 17..32
ring 1 9 5 13 3 11 7 15 2 10 6 14 4 12 8 16
suspect all
run
expect coordinator 16
expect messages V 80 V2 64 L 16 all 160
)lesson";

}  // namespace bully
