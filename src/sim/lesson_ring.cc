// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const ring_lesson = R"lesson(
title en: The ring, step by step: four processes, 1 to 4
title pt: O anel, passo a passo: quatro processos, 1 a 4
algorithm ring
detector eof

en: Four processes on a ring, 1 to 4. Each hears only its anticlockwise neighbour and sends only to
en: its clockwise one. Their coordinator, 5, has just left, and all have noticed.
pt: Quatro processos em um anel, 1 a 4. Cada um ouve só o vizinho anti-horário e envia só ao horário.
pt: O coordenador, 5, acaba de partir, e todos já perceberam.
nodes 1..5
leave 5
hold

en: Every process starts active, responsible for a number d, at first its own id. It sends d on.
pt: Todo processo começa ativo, responsável por um número d, de início o seu próprio id. Ele envia d.
suspect all
expect state active at 1..4
expect d 1 e nothing f nothing at 1
expect messages V 4 all 4
frame (a) each sends d

en: What arrives is e, the value of the nearest active neighbour. It is not d: pass e on, wait for f.
pt: O que chega é e, o valor do vizinho ativo mais próximo. Não é d: passe e adiante, espere por f.
deliver VALUE
expect d 1 e 4 f nothing at 1
expect d 2 e 1 f nothing at 2
expect d 3 e 2 f nothing at 3
expect d 4 e 3 f nothing at 4
expect messages V 4 V2 4
frame (b) each passes e on

en: Now f, the value of the second nearest. Where e is the largest of d, e and f, it is taken over:
en: so does 1, and stays active. All others become relays. Mind that 1 now carries 4's number.
pt: Agora f, o valor do segundo mais próximo. Onde e é o maior entre d, e e f, ele é assumido: é o
pt: caso de 1, que fica ativo. Todos os outros viram relés. Note que 1 agora leva o número de 4.
deliver SECOND
expect d 4 e 4 f 3 at 1
expect d 2 e 1 f 4 at 2
expect d 3 e 2 f 1 at 3
expect d 4 e 3 f 2 at 4
expect state active at 1
expect state relay at 2..4
frame (c) one stays active

en: Relays pass messages on, unread and unchanged.
pt: Relés passam as mensagens adiante, sem ler e sem mudar.
deliver VALUE from 1 to 2
frame (d) 2 has passed it on
deliver VALUE from 2 to 3
deliver VALUE from 3 to 4
frame (e) once round

en: It comes back to 1: e = d. So 1 is the only active process left, and d is the id of the leader.
en: 1 itself is not the leader! A last lap tells everyone.
pt: Ele volta a 1: e = d. Então 1 é o único processo ativo, e d é o id do líder. O próprio 1 não é o
pt: líder! Uma última volta avisa a todos.
deliver VALUE from 4 to 1
expect coordinator 4 at 1
expect state follower at 1
deliver LEADER from 1 to 2
deliver LEADER from 2 to 3
expect state follower at 1..3
expect state relay at 4
frame (f) the announcing lap

en: 4 learns that it is the leader itself. The lap ends where it began.
pt: 4 descobre que o líder é ele mesmo. A volta termina onde começou.
deliver LEADER from 3 to 4
expect state coordinator at 4
run
expect coordinator 4
frame (g) agreed
en: Two laps of VALUE, one of SECOND, one of LEADER: 4n = 16 messages. It cannot be had for less.
pt: Duas voltas de VALOR, uma de SEGUNDO, uma de LÍDER: 4n = 16 mensagens. Por menos não se consegue.
expect messages V 8 V2 4 L 4 all 16

en: The same without stops: 4 leaves, and three are left.
pt: O mesmo sem paradas: 4 parte, e restam três.
count
leave 4
suspect all
run
expect coordinator 3
expect messages V 6 V2 3 L 3 all 12
)lesson";

}  // namespace bully
