// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const flapping_lesson = R"lesson(
title en: Flapping: the strongest comes and goes
title pt: Vaivém: o mais forte vem e vai
nodes 1..4

en: 4 crashes, 3 is elected; 4 returns, and takes the office; and so on. Each time the coordinator
en: changes twice, though 3 would have served well. Routers delay the return, or forbid it.
pt: 4 falha, 3 é eleito; 4 volta e toma o cargo; e assim por diante. A cada vez o coordenador muda
pt: duas vezes, embora 3 servisse bem. Roteadores atrasam essa volta, ou a proíbem.
crash 4
run
expect coordinator 3
count
restart 4
run
expect coordinator 4
expect messages COORDINATOR 3 all 3
crash 4
run
expect coordinator 3
count
restart 4
run
expect coordinator 4
expect messages COORDINATOR 3 all 3
en: The bully insists on its right, but each time all agree again, and at the least cost: n - 1.
pt: O valentão insiste no seu direito, mas todos voltam a concordar, pelo menor custo: n - 1.
)lesson";

}  // namespace bully
