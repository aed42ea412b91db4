// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_crash_lesson = R"lesson(
title en: A relay dies, and a process joins, in mid-election
title pt: Um relé morre, e um processo entra, no meio da eleição
algorithm ring
detector eof

en: The literature's ring is whole: nobody dies, nobody joins. A running service is not so lucky.
pt: O anel da literatura é inteiro: ninguém morre, ninguém entra. Um serviço real não tem essa sorte.
nodes 1..6
leave 6
hold
suspect all
deliver VALUE
deliver SECOND
expect state active at 1
expect state relay at 2..5
deliver VALUE from 1 to 2
frame 5 is on its way

en: 3 dies, and the number 5 with it: it was on its way there. Without more, all would wait for ever.
pt: 3 morre, e com ele o número 5, que estava a caminho dele. Sem mais nada, todos esperariam sempre.
crash 3
frame 3 is dead

en: During an election each process watches its clockwise neighbour. So 2 notices, and says all that
en: it had said to 3 to the next one, 4. There a second voice speaks up: the ring has changed, and 4
en: holds another election, with a newer epoch.
pt: Durante a eleição cada processo vigia o vizinho horário. Então 2 percebe, e diz ao próximo, 4,
pt: tudo o que dissera a 3. Ali fala uma segunda voz: o anel mudou, e 4 faz outra eleição, com uma
pt: época mais nova.
suspect 2
deliver from 2 to 4
expect state active at 4
run
expect coordinator 5

en: Once more; and this time 9 starts, in mid-election. It does not know the epoch: it asks its
en: neighbour, with JOIN, for an election in which it takes part.
pt: De novo; e desta vez 9 inicia, no meio da eleição. Ele não sabe a época: pede ao vizinho, com
pt: ENTRAR, uma eleição de que ele participe.
leave 5
hold
suspect all
deliver VALUE
start 9
expect state joining at 9
frame 9 asks to join
deliver JOIN
expect state active at 1
run
expect coordinator 9
expect coordinators 9
)lesson";

}  // namespace bully
