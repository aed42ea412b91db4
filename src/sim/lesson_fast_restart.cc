// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const fast_restart_lesson = R"lesson(
title en: A fast restart under the same id
title pt: Um reinício rápido com o mesmo id
nodes 1..4
crash 4
hold

en: 3 finds 4 gone and asks it all the same. Before it is told that nobody is there, a new 4 starts.
pt: 3 vê que 4 se foi e ainda assim pergunta. Antes de saber que ninguém está lá, um novo 4 começa.
suspect 3
restart 4
en: The news is about the old 4, and 3 takes it for news of the new one: two coordinators.
pt: A notícia é sobre o 4 antigo, e 3 a toma como sendo do novo: dois coordenadores.
deliver gone to 3
expect coordinators 3 4
deliver C from 4
deliver C from 3
expect coordinator 3 at 1 2
expect coordinator 4 at 3
frame (old news)

en: 3 follows the new 4, and says so when 1 and 2 ping it. They ask again, and find 4.
pt: 3 segue o novo 4 e diz isso quando 1 e 2 lhe enviam ping. Eles perguntam de novo e acham 4.
run
expect coordinator 4
expect coordinators 4
)lesson";

}  // namespace bully
