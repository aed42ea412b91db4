// A lesson: see lessons.h. The language is described in scenario.h.
#include "sim/lesson_texts.h"

namespace bully {

const char* const short_timeout_lesson = R"lesson(
title en: A timeout that is too short
title pt: Um tempo limite curto demais
nodes 1..4

en: The network is slow today: each message takes 400 ms, so that an answer needs 800 ms. But nobody
en: waits longer than 500 ms for one. Now 1 suspects 4, wrongly.
pt: A rede está lenta hoje: cada mensagem leva 400 ms, e uma resposta precisa de 800 ms. Mas ninguém
pt: espera por ela mais de 500 ms. Agora 1 suspeita de 4, sem razão.
slow 2 by 400
slow 3 by 400
slow 4 by 400
suspect 1
run 600ms
en: Three higher processes are alive; their answers are still on the way, and 1 has "won".
pt: Três processos maiores estão vivos; as respostas ainda estão a caminho, e 1 já "venceu".
expect coordinator 1 at 1
expect coordinator 4 at 4

en: The network recovers. Whoever follows the wrong process learns it by its next ping, and a
en: coordinator that finds a higher process alive holds an election: nobody stays misled.
pt: A rede se recupera. Quem segue o processo errado descobre isso no próximo ping, e um coordenador
pt: que encontra um maior vivo faz uma eleição: ninguém fica enganado.
slow 2 by 1
slow 3 by 1
slow 4 by 1
run
expect coordinator 4
expect coordinators 4
)lesson";

}  // namespace bully
