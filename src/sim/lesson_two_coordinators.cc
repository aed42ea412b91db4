// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const two_coordinators_lesson = R"lesson(
title en: Two coordinators through a stop
title pt: Dois coordenadores por causa de uma parada
nodes 1..4

en: The coordinator, 4, is stopped (Ctrl-Z). It is not dead, but the others cannot know: timeouts
en: are all they have. They take it for failed, and elect 3.
pt: O coordenador, 4, é parado (Ctrl-Z). Não morreu, mas os outros não têm como saber: só têm
pt: os tempos limite. Eles o dão como falho e elegem 3.
pause 4
run
expect coordinator 3 at 1..3

en: 4 has noticed nothing: by its own account it is still coordinator, and so is 3.
pt: 4 não percebeu nada: por sua conta ainda é coordenador, e 3 também.
expect coordinators 3 4

en: Continued, it cannot trust what it knew: it starts over, and as the highest it wins.
pt: Ao continuar, não pode confiar no que sabia: recomeça e, como maior, vence.
resume 4
run
expect coordinator 4
expect coordinators 4
)lesson";

}  // namespace bully
