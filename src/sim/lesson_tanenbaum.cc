// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const tanenbaum_lesson = R"lesson(
title en: Tanenbaum's figure 3-12, frame by frame
title pt: A figura 3-12 de Tanenbaum, quadro a quadro
detector off

en: Eight processes, 0 to 7. Process 7 was the coordinator and has just crashed.
pt: Oito processos, de 0 a 7. O processo 7 era o coordenador e acaba de falhar.
nodes 0..7
crash 7
hold

en: Process 4 is the first to notice. It sends ELECTION to all that are higher: 5, 6 and 7.
pt: O processo 4 é o primeiro a perceber. Ele envia ELEIÇÃO a todos os maiores: 5, 6 e 7.
suspect 4
expect messages E 3 all 3
frame (a)

en: 5 and 6 answer: they are higher and take over. 7 says nothing. So 4 stops: its job is done.
pt: 5 e 6 respondem: são maiores e assumem. 7 não diz nada. Então 4 para: sua parte terminou.
deliver E
expect messages E 6 ANSWER 2
deliver ANSWER
expect state waiting at 4
frame (b)

en: Now 5 and 6 each hold an election, 5 among 6 and 7, 6 with 7 alone.
pt: Agora 5 e 6 fazem cada um a sua eleição: 5 consulta 6 e 7, e 6 consulta apenas 7.
expect state candidate at 5 6
frame (c)

en: 6 answers 5: 5 stops too.
pt: 6 responde a 5: 5 também para.
deliver E
deliver ANSWER
expect state waiting at 4 5
expect messages E 6 ANSWER 3
frame (d)

en: 6 hears from no one. It has won, and tells everyone.
pt: Ninguém responde a 6. Ele venceu, e anuncia isso a todos.
expire 6 answer
expect coordinators 6
expect messages E 6 ANSWER 3 COORDINATOR 6 all 15
frame (e)
run
expect coordinator 6

en: If 7 is ever restarted, it sends COORDINATOR to all the others and bullies them into submission.
pt: Se 7 voltar, ele envia COORDENADOR a todos os outros e os submete, como um valentão.
count
restart 7
run
expect coordinator 7
expect messages COORDINATOR 7 all 7
)lesson";

}  // namespace bully
