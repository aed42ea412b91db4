// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_reordered_lesson = R"lesson(
title en: Links that reorder elect wrongly
title pt: Enlaces que trocam a ordem elegem errado
algorithm ring
links reorder
detector eof

en: An active process tells e from f by their order alone. So links must be FIFO. Here they are not.
pt: Um processo ativo distingue e de f só pela ordem. Os enlaces têm de ser FIFO. Aqui não são.
nodes 1..5
leave 5
hold
suspect 1
deliver VALUE from 1 to 2

en: 2 has woken up: it has sent its own 2, and passed 1 on. The second message overtakes the first,
en: so that 3 takes it for its neighbour's value. It happens again from 3 to 4, and from 4 to 1.
pt: 2 acordou: enviou o seu próprio 2, e passou 1 adiante. A segunda mensagem ultrapassa a primeira,
pt: e 3 a toma pelo valor do vizinho. Acontece de novo de 3 a 4, e de 4 a 1.
expect d 2 e 1 f nothing at 2
deliver SECOND from 2 to 3
expect d 3 e 1 f nothing at 3
deliver SECOND from 3 to 4
deliver SECOND from 4 to 1

en: 1 gets its own number: e = d. It takes itself for the only active process left, and for the
en: leader, although 2, 3 and 4 are alive. In the textbook, that is the end of it.
pt: 1 recebe o seu próprio número: e = d. Ele se toma pelo único ativo que resta, e pelo líder, embora
pt: 2, 3 e 4 estejam vivos. No livro, é assim que termina.
expect d 1 e 1 f nothing at 1
expect coordinators 1
frame the wrong leader

en: A service must do better. 2 hears that somebody lower leads: something was wrong with the ring,
en: and it holds another election, with a newer epoch. What is left of the old one is stale.
pt: Um serviço tem de fazer melhor. 2 ouve que alguém menor lidera: algo estava errado com o anel, e
pt: ele faz outra eleição, com uma época mais nova. O que resta da antiga está vencido.
deliver LEADER from 1 to 2
expect state active at 2
frame 2 does not believe it
run
expect coordinator 4
expect coordinators 4
)lesson";

}  // namespace bully
