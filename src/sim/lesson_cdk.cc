// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const cdk_lesson = R"lesson(
title en: The five steps of Coulouris, Dollimore and Kindberg
title pt: Os cinco passos de Coulouris, Dollimore e Kindberg
detector off
nodes 1..4

en: Step 1. A process that recovers and has the highest id does not ask: it sends COORDINATOR.
pt: Passo 1. Um processo que volta e tem o maior id não pergunta: ele envia COORDENADOR.
crash 4
run
count
restart 4
run
expect coordinator 4
expect messages COORDINATOR 3 all 3
frame (1)

en: Step 2. 4 stops dead. 3 asks it, hears nothing in time, and becomes coordinator.
pt: Passo 2. 4 congela. 3 pergunta, não recebe resposta a tempo e se torna coordenador.
pause 4
count
suspect 3 hung
run
expect coordinator 3 at 1..3
expect messages E 1 COORDINATOR 2 all 3
frame (2)
resume 4
run
expect coordinator 4

en: Step 3. 3 answers 2 and dies. 2 waits for a COORDINATOR; none comes: it holds a new election.
pt: Passo 3. 3 responde a 2 e morre. 2 espera um COORDENADOR que não vem: faz nova eleição.
crash 4
hold
suspect 2
deliver E to 3
deliver ANSWER to 2
expect state waiting at 2
crash 3
expire 2 coordinator
expect state candidate at 2
frame (3)
run
expect coordinator 2

en: Step 4. A process that gets an ELECTION from a lower one answers, and holds an election itself.
pt: Passo 4. Quem recebe ELEIÇÃO de um menor responde e faz a sua própria eleição.
restart 3
run
expect coordinator 3
hold
count
suspect 1
deliver E from 1 to 2
expect state candidate at 2
expect messages E 5 ANSWER 1 all 6
frame (4)

en: Step 5. A process that gets a COORDINATOR takes its sender as coordinator.
pt: Passo 5. Quem recebe COORDENADOR passa a seguir quem o enviou.
run
expect coordinator 3
expect state follower at 1 2
frame (5)
)lesson";

}  // namespace bully
