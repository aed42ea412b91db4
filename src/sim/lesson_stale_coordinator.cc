// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const stale_coordinator_lesson = R"lesson(
title en: A COORDINATOR that comes too late
title pt: Um COORDENADOR que chega tarde
nodes 1..4
crash 4
hold

en: 3 wins the election after 4. Its COORDINATOR reaches 2 at once, but is slow on the way to 1.
pt: 3 vence a eleição depois de 4. Seu COORDENADOR chega logo a 2, mas demora a chegar a 1.
suspect 3
deliver gone to 3
deliver C from 3 to 2
en: Meanwhile 4 comes back and takes over. All follow 4, even 3.
pt: Enquanto isso 4 volta e assume. Todos seguem 4, até 3.
restart 4
deliver C from 4
expect coordinator 4
en: Now the old announcement arrives at 1. It cannot tell old from new: it follows 3.
pt: Agora o anúncio antigo chega a 1. Ele não distingue o velho do novo: segue 3.
deliver C from 3 to 1
expect coordinator 3 at 1
frame (1 is misled)

en: 3 is alive, so no timeout would ever help. But 3 says in its reply to a ping whom it follows.
pt: 3 está vivo, e nenhum tempo limite ajudaria. Mas 3 diz, na resposta ao ping, a quem segue.
run
expect coordinator 4
)lesson";

}  // namespace bully
