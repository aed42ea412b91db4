// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const winner_dies_lesson = R"lesson(
title en: The winner dies halfway through its announcement
title pt: O vencedor morre no meio do anúncio
nodes 1..5
crash 5
hold

en: 3 notices that 5 is gone; 4 answers, wins, and begins to announce itself.
pt: 3 percebe que 5 se foi; 4 responde, vence e começa a se anunciar.
suspect 3
deliver E
deliver ANSWER
deliver gone to 4
expect coordinators 4

en: Its COORDINATOR reaches 1. Then 4 dies: 2 and 3 never hear of it.
pt: O COORDENADOR chega a 1. Então 4 morre: 2 e 3 nunca ficam sabendo.
deliver C to 1
crash 4
drop C
expect coordinator 4 at 1
expect coordinator 5 at 2
expect state waiting at 3
frame (three opinions)

en: 1 and 2 each follow a dead process, and their monitors find it so. 3 waits only for so long.
pt: 1 e 2 seguem mortos, e seus monitores percebem isso. 3 não espera para sempre.
run
expect coordinator 3
)lesson";

}  // namespace bully
