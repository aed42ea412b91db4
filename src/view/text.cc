#include "view/text.h"

#include <array>
#include <cstdlib>

#include "trace/harmless.h"

namespace bully {

namespace {

struct Entry {
  Text name;
  std::string_view english;
  std::string_view portuguese;
};

// In the order of enum Text; checked below.
constexpr std::array<Entry, text_count> entries = {{
    {Text::election, "ELECTION", "ELEIÇÃO"},
    {Text::answer, "ANSWER", "PARAR ELEIÇÃO"},
    {Text::coordinator, "COORDINATOR", "COORDENADOR"},
    {Text::ping, "PING", "PING"},

    {Text::state_down, "down", "fora"},
    {Text::state_follower, "follower", "seguidor"},
    {Text::state_candidate, "candidate", "candidato"},
    {Text::state_waiting, "waiting", "aguardando"},
    {Text::state_coordinator, "coordinator", "coordenador"},

    {Text::log_start, "joins as process {0} (PID {1})", "entra como processo {0} (PID {1})"},
    {Text::log_stop, "leaves", "sai"},
    {Text::log_crash, "crashed (SIGKILL)", "caiu (SIGKILL)"},
    {Text::log_to, "to {0}", "para {0}"},
    {Text::log_from, "from {0}", "de {0}"},
    {Text::log_more, "{0} … {1} ({2} processes)", "{0} … {1} ({2} processos)"},
    {Text::log_gone, "to {0}: nobody there any more", "para {0}: não há mais ninguém"},
    {Text::log_deadline, "to {0}: given up, it does not take messages",
     "para {0}: desistiu, não recebe mensagens"},
    {Text::log_no_answer_in_time, "nobody higher answered in time",
     "ninguém maior respondeu a tempo"},
    {Text::log_no_coordinator_in_time, "no COORDINATOR came in time",
     "nenhum COORDENADOR chegou a tempo"},
    {Text::log_suspects_down, "coordinator {0} is down", "o coordenador {0} caiu"},
    {Text::log_suspects_hung, "coordinator {0} does not react", "o coordenador {0} não reage"},
    {Text::log_suspects_deposed, "{0} says that it follows another coordinator",
     "{0} diz que segue outro coordenador"},
    {Text::log_itself_deposed, "a higher process is alive", "há um processo maior vivo"},
    {Text::log_candidate, "candidate: holds an election", "candidato: inicia uma eleição"},
    {Text::log_waiting, "waiting: someone higher takes over", "aguardando: alguém maior assume"},
    {Text::log_won, "COORDINATOR: {0} has won", "COORDENADOR: {0} venceu"},
    {Text::log_follows, "follows coordinator {0}", "segue o coordenador {0}"},
    {Text::log_drop, "dropped what came in: {0}", "descartou o que chegou: {0}"},
    {Text::log_monitor_replaced, "its monitor had died; the new one is PID {0}",
     "seu monitor havia morrido; o novo é o PID {0}"},
    {Text::log_monitor_missing, "its monitor died, and another cannot be forked just now",
     "seu monitor morreu, e não é possível criar outro agora"},
    {Text::log_published_again, "its socket had been removed; it has published itself again",
     "seu socket havia sido removido; publicou-se de novo"},
    {Text::log_cannot_publish, "its socket was removed and cannot be made again: {0}",
     "seu socket foi removido e não pode ser refeito: {0}"},
    {Text::log_trace_ended, "the trace ends here, it cannot be written: {0}",
     "o rastro termina aqui, não pode ser gravado: {0}"},
    {Text::log_unshown, "(lines that could not be shown in time: {0})",
     "(linhas que não puderam ser mostradas a tempo: {0})"},

    {Text::drop_empty, "no data at all", "nenhum dado"},
    {Text::drop_malformed, "not a message", "não é uma mensagem"},
    {Text::drop_oversize, "longer than any message", "mais longo que qualquer mensagem"},
    {Text::drop_deadline, "the message took too long", "a mensagem demorou demais"},
    {Text::drop_reset, "the connection was reset", "a conexão foi desfeita"},
    {Text::drop_crowded, "too many were waiting", "havia demais esperando"},
    {Text::drop_self, "it claims to be from this very process", "diz ser deste próprio processo"},

    {Text::ps_id, "ID", "ID"},
    {Text::ps_pid, "PID", "PID"},
    {Text::ps_status, "STATUS", "SITUAÇÃO"},
    {Text::ps_state, "STATE", "ESTADO"},
    {Text::ps_coordinator, "COORDINATOR", "COORDENADOR"},
    {Text::ps_monitor, "MONITOR", "MONITOR"},
    {Text::ps_sent, "SENT {0}", "ENVIADAS {0}"},
    {Text::ps_received, "RECEIVED {0}", "RECEBIDAS {0}"},
    {Text::ps_dropped, "DROPPED", "DESCARTADAS"},
    {Text::ps_ok, "ok", "ok"},
    {Text::ps_no_answer, "no answer", "sem resposta"},
    {Text::ps_stale, "stale", "morto"},
    {Text::ps_nobody, "no node in {0}", "nenhum nó em {0}"},
    {Text::ps_counts_note, "E: ELECTION   PE: ANSWER   C: COORDINATOR   1: ping",
     "E: ELEIÇÃO   PE: PARAR ELEIÇÃO   C: COORDENADOR   1: ping"},

    {Text::advice_choose_directory,
     "give a directory that is yours and can be written, with --dir=DIR or BULLY_DIR",
     "indique um diretório seu e que possa ser escrito, com --dir=DIR ou BULLY_DIR"},
    {Text::advice_shorten_directory,
     "the path is too long for a socket's address: give a shorter one with --dir=DIR",
     "o caminho é longo demais para o endereço de um socket: indique um mais curto com --dir=DIR"},
    {Text::advice_tighten_directory,
     "others may write to it: run `chmod 700` on it, or give another with --dir=DIR",
     "outros podem escrever nele: use `chmod 700`, ou indique outro com --dir=DIR"},
    {Text::advice_make_parent, "the directory that is to hold it does not exist: make it first",
     "o diretório que deve contê-lo não existe: crie-o antes"},
    {Text::advice_free_disk, "the disk is full: make room, or give another place with --dir=DIR",
     "o disco está cheio: libere espaço, ou indique outro lugar com --dir=DIR"},
    {Text::advice_id_in_use,
     "a live process has this id: choose another id, or end that process first",
     "um processo vivo tem esse id: escolha outro id, ou encerre antes aquele processo"},
    {Text::advice_name_in_the_way, "this is no socket: move it away, or choose another id",
     "isso não é um socket: tire-o dali, ou escolha outro id"},
    {Text::advice_raise_descriptors, "too many files are open: raise the limit (`ulimit -n`)",
     "há arquivos abertos demais: aumente o limite (`ulimit -n`)"},
    {Text::advice_raise_processes,
     "too many processes are running: end some, or raise the limit (`ulimit -u`)",
     "há processos demais: encerre alguns, ou aumente o limite (`ulimit -u`)"},
    {Text::advice_choose_trace, "give a file that can be written with --trace=FILE or BULLY_TRACE",
     "indique um arquivo que possa ser gravado com --trace=ARQUIVO ou BULLY_TRACE"},
    {Text::advice_try_again,
     "another process holds its lock: is it stopped? continue or end it, and try again",
     "outro processo tem a trava: está parado? continue-o ou encerre-o, e tente de novo"},

    {Text::usage_unknown_option, "unknown option {0}", "opção desconhecida {0}"},
    {Text::usage_unexpected_argument, "unexpected argument '{0}'", "argumento inesperado '{0}'"},
    {Text::usage_unknown_command, "'{0}' is neither a command nor a process id",
     "'{0}' não é um comando nem um id de processo"},
    {Text::usage_needs_value, "option {0} needs a value", "a opção {0} precisa de um valor"},
    {Text::usage_takes_no_value, "option {0} takes no value", "a opção {0} não aceita valor"},
    {Text::usage_not_a_duration,
     "{0}: '{1}' is not a duration from {2} to {3}; write it like 250ms or 1.5s",
     "{0}: '{1}' não é uma duração de {2} a {3}; escreva como 250ms ou 1.5s"},
    {Text::usage_not_an_id, "'{0}' is not a process id: a whole number from 0 to {1}",
     "'{0}' não é um id de processo: um número inteiro de 0 a {1}"},
    {Text::usage_not_one_of, "{0}: '{1}' is none of {2}", "{0}: '{1}' não é nenhum de {2}"},
    {Text::usage_try_help, "try `{0} --help`", "tente `{0} --help`"},

    {Text::help_usage, "Usage:", "Uso:"},
    {Text::help_usage_options, "[options]", "[opções]"},
    {Text::help_intro,
     "Runs one process of a bully election [Garcia-Molina 1982]. Start several, each in a\n"
     "terminal; the highest id becomes coordinator. Kill it, and the others elect another.",
     "Executa um processo de uma eleição pelo algoritmo do valentão [Garcia-Molina 1982].\n"
     "Inicie vários, cada um em um terminal; o maior id torna-se coordenador. Mate-o, e os\n"
     "outros elegem um novo."},
    {Text::help_node_options, "The election:", "A eleição:"},
    {Text::help_output_options, "What is shown:", "O que se mostra:"},
    {Text::help_other_options, "Other options:", "Outras opções:"},
    {Text::help_commands, "Commands:", "Comandos:"},
    {Text::help_environment, "Environment:", "Ambiente:"},
    {Text::help_exit,
     "Exit status: 0 after Ctrl-C or SIGTERM; 1 if the node cannot run; 2 for wrong usage.",
     "Código de saída: 0 após Ctrl-C ou SIGTERM; 1 se o nó não pode executar; 2 para uso errado."},
    {Text::help_default, "[{0}]", "[{0}]"},
    {Text::help_duration, "TIME is a number with its unit, like 250ms or 1.5s. Defaults in [ ].",
     "TEMPO é um número com sua unidade, como 250ms ou 1.5s. Padrões entre [ ]."},
    {Text::option_dir, "where the nodes' sockets are", "onde ficam os sockets dos nós"},
    {Text::option_detector,
     "how the coordinator's death is noticed: ping, each interval; or eof, at once, too",
     "como se nota a morte do coordenador: ping, a cada intervalo; ou eof, também na hora"},
    {Text::option_ping_interval, "from one ping of the coordinator to the next",
     "de um ping do coordenador ao próximo"},
    {Text::option_ping_timeout, "a coordinator silent for so long is hung",
     "um coordenador em silêncio por esse tempo está travado"},
    {Text::option_answer_timeout, "how long a candidate waits for an ANSWER",
     "quanto um candidato espera por um PARAR ELEIÇÃO"},
    {Text::option_coordinator_timeout, "how long it then waits for the COORDINATOR",
     "quanto espera depois pelo COORDENADOR"},
    {Text::option_pace, "a pause before each message is handled, to follow by eye",
     "uma pausa antes de tratar cada mensagem, para acompanhar a olho"},
    {Text::option_trace, "append what happens to FILE, as JSON Lines",
     "acrescenta o que acontece a ARQUIVO, em JSON Lines"},
    {Text::option_trace_pings, "pings too", "os pings também"},
    {Text::option_lang, "the language: en or pt-BR", "o idioma: en ou pt-BR"},
    {Text::option_color, "colours: auto, always or never", "cores: auto, always ou never"},
    {Text::option_quiet, "show nothing but errors", "não mostra nada além de erros"},
    {Text::option_version, "show the version and exit", "mostra a versão e termina"},
    {Text::option_help, "show this and exit", "mostra isto e termina"},
    {Text::option_json, "an array of objects instead of a table",
     "um array de objetos em vez de uma tabela"},
    {Text::command_ps, "show the nodes of the directory, and whom they follow",
     "mostra os nós do diretório, e quem cada um segue"},
    {Text::command_node, "run a node; ID is its PID unless given",
     "executa um nó; ID é seu PID se não for dado"},
    {Text::command_guard, "clean up after a script, however it ends",
     "limpa o que um script deixa, termine como terminar"},
    {Text::help_environment_dir, "the directory, where --dir is not given",
     "o diretório, quando --dir não é dado"},
    {Text::help_environment_trace, "the trace, where --trace is not given",
     "o rastro, quando --trace não é dado"},
    {Text::help_environment_lang, "the language, where --lang is not given",
     "o idioma, quando --lang não é dado"},
    {Text::help_environment_color, "no colours, where --color is not given",
     "sem cores, quando --color não é dado"},
    {Text::help_ps_intro,
     "Asks every node of the directory for its status, and shows a line for each.\n"
     "ok: it replied. no answer: it listens, but is stopped, or no node of ours.\n"
     "stale: no process is behind the name any more.",
     "Pergunta a cada nó do diretório sua situação, e mostra uma linha para cada um.\n"
     "ok: respondeu. sem resposta: escuta, mas está parado, ou não é um nó nosso.\n"
     "morto: não há mais processo por trás do nome."},
    {Text::help_guard_usage, "bully guard PID [COMMAND…]", "bully guard PID [COMANDO…]"},
    {Text::help_guard_intro,
     "Makes a private directory, prints its path, and goes on in the background. The script with\n"
     "this PID opens the FIFO `guard` in there for writing; each process that it starts writes "
     "its\n"
     "own PID to it, with a NUL byte at the end. Once no process has the FIFO open any more, the\n"
     "guard ends these processes, runs COMMAND in the directory, and removes the directory.",
     "Cria um diretório privado, mostra seu caminho e continua em segundo plano. O script com "
     "esse\n"
     "PID abre para escrita o FIFO `guard` que está ali; cada processo que ele inicia escreve "
     "nele\n"
     "o próprio PID, com um byte NUL no fim. Quando nenhum processo tiver mais o FIFO aberto, o\n"
     "guarda encerra esses processos, executa COMANDO no diretório e remove o diretório."},
    {Text::option_sweep, "remove the names of dead nodes from DIR, at the start and at the end",
     "remove de DIR os nomes de nós mortos, no início e no fim"},
    {Text::usage_no_pid, "the PID of a script is missing", "falta o PID de um script"},

    {Text::log_lost_on_its_way, "to {0}: lost on its way", "para {0}: perdida no caminho"},
    {Text::log_partitioned, "to {0}: the network does not carry it there",
     "para {0}: a rede não a leva até lá"},
    {Text::frame_follows, "follows {0}", "segue {0}"},
    {Text::frame_paused, ", stopped", ", parado"},
    {Text::play_kept, "holds", "cumpre-se"},
    {Text::play_founded, "all follow {0}", "todos seguem {0}"},
    {Text::play_not_possible, "passed over: real processes cannot be made to",
     "pulado: não há como impor isso a processos reais"},
    {Text::play_not_reached, "passed over: real processes did not stop at that moment",
     "pulado: processos reais não param naquele instante"},
    {Text::play_not_comparable, "not judged: on real processes delays decide the count; {0}",
     "não julgado: com processos reais os atrasos decidem a conta; {0}"},
    {Text::play_frames_after,
     "Real processes do not wait for a picture. These frames are drawn from the trace of what "
     "they have just done, message by message, round by round.",
     "Processos reais não esperam por um retrato. Estes quadros são desenhados a partir do rastro "
     "do que acabaram de fazer, mensagem por mensagem, rodada por rodada."},
    {Text::play_summary, "{0} kept, {1} broken", "{0} cumpridas, {1} descumpridas"},
    {Text::play_summary_real, "{0} kept, {1} broken, {2} passed over",
     "{0} cumpridas, {1} descumpridas, {2} puladas"},
    {Text::play_interrupted, "interrupted: all processes are ended",
     "interrompido: todos os processos foram encerrados"},
    {Text::help_scenario_intro,
     "Plays a lesson, all of them, or a script of your own, and checks what it expects. Without\n"
     "one, names the lessons.\n"
     "Exit status: 0 all expectations kept, 1 one was broken, 2 wrong usage or script.",
     "Encena uma lição, todas elas, ou um roteiro seu, e verifica o que ele espera. Sem nenhum,\n"
     "lista as lições.\n"
     "Código de saída: 0 tudo cumprido, 1 algo descumprido, 2 uso ou roteiro errado."},
    {Text::help_scenario_usage, "bully scenario [NAME|FILE|all]",
     "bully scenario [NOME|ARQUIVO|all]"},
    {Text::help_simulate_intro,
     "Runs many elections in virtual time under random faults, and judges each: when the faults "
     "have\nstopped, all processes that live must follow the highest of them.\n"
     "Exit status: 0 every run agreed, 1 one did not, 2 wrong usage or interrupted.",
     "Executa muitas eleições em tempo virtual sob falhas aleatórias, e julga cada uma: quando as "
     "falhas\ncessam, todos os processos vivos devem seguir o maior deles.\n"
     "Código de saída: 0 todas concordaram, 1 alguma não, 2 uso errado ou interrompido."},
    {Text::option_real, "play on real processes, in a directory of their own",
     "encenar com processos reais, em um diretório só deles"},
    {Text::option_list, "name the lessons that are built in", "listar as lições embutidas"},
    {Text::option_play_trace, "append what happens to FILE as JSON Lines",
     "anexar o que acontece a FILE, em JSON Lines"},
    {Text::option_play_quiet, "show no log, only what the lesson says and shows",
     "sem log, só o que a lição diz e mostra"},
    {Text::command_scenario, "play a lesson, or a script of your own",
     "encenar uma lição, ou um roteiro seu"},
    {Text::command_simulate, "many elections under random faults, in virtual time",
     "muitas eleições sob falhas aleatórias, em tempo virtual"},
    {Text::usage_no_such_scenario,
     "'{0}' is neither a lesson nor a file that can be read; --list names the lessons",
     "'{0}' não é lição nem arquivo que possa ser lido; --list mostra as lições"},
    {Text::usage_list_alone, "--list goes without a scenario", "--list não leva roteiro"},
    {Text::usage_not_a_number, "{0} takes a number from {2} to {3}, not '{1}'",
     "{0} aceita um número de {2} a {3}, não '{1}'"},
    {Text::usage_not_a_share, "{0} takes a share from 0% to 100%, such as 5%, not '{1}'",
     "{0} aceita uma parcela de 0% a 100%, como 5%, não '{1}'"},
    {Text::usage_seed_alone, "--seed plays one run: it goes without --seeds and --csv",
     "--seed encena uma só execução: não leva --seeds nem --csv"},
    {Text::usage_trace_needs_seed, "--trace is of one run: give its --seed",
     "--trace é de uma só execução: indique seu --seed"},
    {Text::usage_longest_below_delay, "--delay-longest is shorter than --delay",
     "--delay-longest é menor que --delay"},
    {Text::help_faults, "Faults, in each run:", "Falhas, em cada execução:"},
    {Text::help_network, "Network and timeouts:", "Rede e tempos limite:"},
    {Text::option_nodes, "processes, with ids 1 to N", "processos, com ids de 1 a N"},
    {Text::option_seeds, "runs", "execuções"},
    {Text::option_first_seed, "seed of the first run", "semente da primeira execução"},
    {Text::option_seed, "play the run of this seed, with its log",
     "encenar a execução desta semente, com seu log"},
    {Text::option_crashes, "processes that crash", "processos que falham"},
    {Text::option_restarts, "crashed processes that start again", "processos que voltam"},
    {Text::option_pauses, "processes that stop for a while", "processos que param por um tempo"},
    {Text::option_loss, "share of the messages that is lost", "parcela das mensagens que se perde"},
    {Text::option_faults_last, "faults happen within this time", "as falhas ocorrem neste tempo"},
    {Text::option_bound, "then agreement must come within this time",
     "depois, deve haver acordo neste tempo"},
    {Text::option_delay, "a message takes so long, at least", "uma mensagem leva ao menos isto"},
    {Text::option_delay_longest, "and at most so long", "e no máximo isto"},
    {Text::option_delay_shape, "how delays are spread", "como os atrasos se distribuem"},
    {Text::option_sim_detector, "how a coordinator's death is noticed",
     "como se percebe a morte do coordenador"},
    {Text::option_csv, "a line for each run, for plots, instead of the table",
     "uma linha por execução, para gráficos, em vez da tabela"},
    {Text::option_simulate_quiet, "show neither log nor progress", "sem log e sem andamento"},
    {Text::sweep_progress, "{0} of {1} runs, {2} without agreement",
     "{0} de {1} execuções, {2} sem acordo"},
    {Text::sweep_interrupted, "interrupted after {0} of {1} runs",
     "interrompido após {0} de {1} execuções"},
    {Text::sweep_failed_seed, "seed {0} did not end in agreement; to see it again:",
     "a semente {0} não terminou em acordo; para vê-la de novo:"},
    {Text::sweep_agreed, "agreement {0} after the faults", "acordo {0} após as falhas"},
    {Text::sweep_did_not_agree, "no agreement within {0} after the faults",
     "nenhum acordo em {0} após as falhas"},

    {Text::usage_no_such_node, "{0}: '{1}' is none of the nodes 1 to {2}",
     "{0}: '{1}' não é nenhum dos nós de 1 a {2}"},
    {Text::command_verify, "try every order in which an election can happen",
     "experimenta toda ordem em que uma eleição pode ocorrer"},
    {Text::help_verify_intro,
     "Explores every interleaving of deliveries, timeouts, suspicions, crashes and restarts\n"
     "of the very code that the processes run, within bounds, and judges each state. Nodes\n"
     "are 1 to N. A violation is shown with a shortest way that leads there.",
     "Explora toda intercalação de entregas, prazos vencidos, suspeitas, quedas e reinícios\n"
     "do mesmo código que os processos executam, dentro de limites, e julga cada estado. Os nós\n"
     "são 1 a N. Uma violação é mostrada com um caminho mais curto que leva a ela."},
    {Text::help_verify_exit,
     "Exit status: 0 if all holds; 1 if something is violated; 2 if a bound ended the search.",
     "Código de saída: 0 se tudo vale; 1 se algo é violado; 2 se um limite encerrou a busca."},
    {Text::help_verify_bounds, "What may happen:", "O que pode acontecer:"},
    {Text::help_verify_search, "The search:", "A busca:"},
    {Text::option_verify_nodes, "how many nodes there are [3]", "quantos nós há [3]"},
    {Text::option_verify_crashes, "how many crashes there may be in all",
     "quantas quedas pode haver ao todo"},
    {Text::option_verify_restarts, "how many restarts of crashed nodes there may be in all",
     "quantos reinícios de nós caídos pode haver ao todo"},
    {Text::option_timing, "whether timeouts are always right, or may come too early",
     "se os prazos sempre estão certos, ou podem vencer cedo demais"},
    {Text::option_false_alarms, "asynchronous: how many wrong timeouts and suspicions in all",
     "assíncrono: quantos prazos e suspeitas errados ao todo"},
    {Text::option_delivery,
     "the next message: any, each sender's oldest, or the oldest; as the algorithm asks unless "
     "given",
     "a próxima mensagem: qualquer, a mais antiga de cada um, ou a mais antiga; se não for dado, "
     "como o algoritmo pede"},
    {Text::option_beginning, "all follow the highest, or one who has left, or none has started yet",
     "todos seguem o maior, ou um que partiu, ou nenhum iniciou ainda"},
    {Text::option_detectors, "whose monitors report, all unless given; such as 1,3",
     "de quem são os monitores que avisam, todos se não for dado; como 1,3"},
    {Text::option_max_states, "give up after so many states", "desiste após tantos estados"},
    {Text::option_no_reduction, "tell states apart that have the same future",
     "distingue também estados com o mesmo futuro"},
    {Text::option_brief, "one line, unless something is violated",
     "uma linha, a menos que algo seja violado"},
    {Text::option_counterexample, "write a counterexample to FILE, for `bully scenario` to play",
     "grava um contraexemplo em ARQUIVO, para `bully scenario` executar"},
    {Text::option_verify_trace, "append a counterexample to FILE as a trace, JSON Lines",
     "acrescenta um contraexemplo a ARQUIVO como rastro, JSON Lines"},
    {Text::verify_synchronous, "nodes {0}, crashes {1}, restarts {2}, synchronous",
     "nós {0}, quedas {1}, reinícios {2}, síncrono"},
    {Text::verify_asynchronous,
     "nodes {0}, crashes {1}, restarts {2}, asynchronous, false alarms {3}",
     "nós {0}, quedas {1}, reinícios {2}, assíncrono, alarmes falsos {3}"},
    {Text::verify_starting, "none has started", "nenhum iniciou"},
    {Text::verify_pair_order, "each sender's messages in order", "mensagens de cada um em ordem"},
    {Text::verify_arrival_order, "messages in the order of arrival",
     "mensagens na ordem de chegada"},
    {Text::verify_brief, "{0}: {1}; {2} states in {3} s", "{0}: {1}; {2} estados em {3} s"},
    {Text::verify_states, "states", "estados"},
    {Text::verify_transitions, "transitions", "transições"},
    {Text::verify_quiescent, "quiescent", "em repouso"},
    {Text::verify_depth, "depth", "profundidade"},
    {Text::verify_messages, "messages", "mensagens"},
    {Text::verify_messages_value, "at most {0} sent in a run; allowed {1}",
     "no máximo {0} enviadas em uma execução; permitidas {1}"},
    {Text::verify_rate, "rate", "ritmo"},
    {Text::verify_rate_value, "{0} states/s", "{0} estados/s"},
    {Text::verify_memory, "memory", "memória"},
    {Text::verify_memory_value, "{0} KiB: {1} bytes a state, and {2} to find it",
     "{0} KiB: {1} bytes por estado, e {2} para achá-lo"},
    {Text::verify_verdict, "verdict", "veredito"},
    {Text::verify_holds, "holds in every run", "vale em toda execução"},
    {Text::verify_violated, "violated: {0}: {1}", "violado: {0}: {1}"},
    {Text::verify_unfinished, "unfinished: {0}: {1}", "inacabado: {0}: {1}"},
    {Text::verify_bound_states, "the bound --max-states was reached",
     "o limite --max-states foi atingido"},
    {Text::verify_bound_in_flight, "more messages were in flight than any election needs",
     "havia mais mensagens a caminho do que uma eleição precisa"},
    {Text::verify_interrupted, "you ended the search; so far nothing is violated",
     "você encerrou a busca; até aqui nada foi violado"},
    {Text::verify_agreement, "at rest, not all live nodes follow the highest of them",
     "em repouso, nem todos os nós vivos seguem o maior deles"},
    {Text::verify_never_lower, "a node follows one that is lower than itself",
     "um nó segue outro menor que ele"},
    {Text::verify_reachable, "from there, agreement can no longer be reached",
     "dali não se chega mais a um acordo"},
    {Text::verify_progress, "the election can go on for ever", "a eleição pode não terminar nunca"},
    {Text::verify_one_coordinator, "two live nodes hold the office, though timeouts were right",
     "dois nós vivos ocupam o cargo, embora os prazos estivessem certos"},
    {Text::verify_message_count, "more messages were sent than allowed",
     "foram enviadas mais mensagens que o permitido"},
    {Text::verify_counterexample, "A shortest way there:", "Um caminho mais curto até lá:"},
    {Text::verify_again, "and then, again and again:", "e então, repetidamente:"},
    {Text::verify_deliver, "deliver {0} from {1} to {2}", "entrega {0} de {1} a {2}"},
    {Text::verify_answer_expires, "{0} gets no ANSWER in time",
     "{0} não recebe PARAR ELEIÇÃO a tempo"},
    {Text::verify_coordinator_expires, "{0} hears of no coordinator in time",
     "{0} não ouve de um coordenador a tempo"},
    {Text::verify_suspects, "{0} suspects: {1}", "{0} suspeita: {1}"},
    {Text::verify_starts, "{0} starts", "{0} inicia"},
    {Text::verify_crashes, "{0} crashes", "{0} cai"},
    {Text::verify_false_alarm, "(false alarm)", "(alarme falso)"},
    {Text::verify_crash_after, ", and crashes after {0} of its sends",
     ", e cai após {0} de seus envios"},
    {Text::verify_progress_line, "{0} states, {1} of them to go on from, depth {2}",
     "{0} estados, {1} deles por explorar, profundidade {2}"},
    {Text::option_json_object, "an object instead of a report", "um objeto em vez de um relatório"},
    {Text::command_check, "judge a recorded run: was each election right?",
     "julga uma execução gravada: cada eleição foi correta?"},
    {Text::help_check_intro,
     "Judges what the nodes recorded with --trace: the properties that an election by its\n"
     "algorithm must have, and for each election who\n"
     "noticed, who won, how long it took, and its messages beside the textbook's count.\n"
     "Without TRACE, that of BULLY_TRACE. Several traces are merged by time.",
     "Julga o que os nós gravaram com --trace: as propriedades que uma eleição por\n"
     "seu algoritmo deve ter e, para cada eleição, quem\n"
     "notou, quem venceu, quanto demorou, e suas mensagens ao lado da contagem do livro.\n"
     "Sem RASTRO, o de BULLY_TRACE. Vários rastros são unidos pelo tempo."},
    {Text::help_check_exit, "Exit status: 0 right, 1 violated, 2 cannot tell (or wrong usage).",
     "Código de saída: 0 correta, 1 violada, 2 não se pode dizer (ou uso errado)."},
    {Text::check_needs_trace, "which trace? give a file, or set BULLY_TRACE",
     "qual rastro? indique um arquivo, ou defina BULLY_TRACE"},
    {Text::check_right, "RIGHT", "CORRETA"},
    {Text::check_violated, "VIOLATED", "VIOLADA"},
    {Text::check_cannot_tell, "CANNOT TELL", "NÃO SE PODE DIZER"},
    {Text::check_summary, "{0} nodes, {1} elections, {2} lines",
     "{0} nós, {1} eleições, {2} linhas"},
    {Text::check_cut, "the last line of {0} was cut off, and is left out",
     "a última linha de {0} foi cortada, e fica de fora"},
    {Text::check_highest_live, "the coordinator that all follow is the highest live node",
     "o coordenador que todos seguem é o maior nó vivo"},
    {Text::check_never_lower, "nobody follows a lower one", "ninguém segue um menor"},
    {Text::check_answered, "each ELECTION that reaches a live higher node is answered",
     "cada ELEIÇÃO que chega a um nó maior vivo é respondida"},
    {Text::check_ends, "each election ends", "cada eleição termina"},
    {Text::check_sent, "no receipt without its sending", "nenhum recebimento sem seu envio"},
    {Text::check_took_office_unasked, "{0} became coordinator without asking {1}, higher and live",
     "{0} tornou-se coordenador sem perguntar a {1}, maior e vivo"},
    {Text::check_answered_in_vain,
     "{0} became coordinator although {1}, higher and live, had answered",
     "{0} tornou-se coordenador embora {1}, maior e vivo, tivesse respondido"},
    {Text::check_all_follow_a_lower, "all follow {0}, although {1} is higher and live",
     "todos seguem {0}, embora {1} seja maior e esteja vivo"},
    {Text::check_follows_below_itself, "{0} follows {1}, who is lower than itself",
     "{0} segue {1}, que é menor que ele mesmo"},
    {Text::check_follows_another, "{0} heard COORDINATOR from a higher one, and followed {1}",
     "{0} ouviu COORDENADOR de um maior, e seguiu {1}"},
    {Text::check_stayed_with_a_lower, "{0} went on following a lower one than coordinator {1}",
     "{0} continuou a seguir um menor que o coordenador {1}"},
    {Text::check_not_answered, "{0} did not answer the ELECTION of {1}",
     "{0} não respondeu à ELEIÇÃO de {1}"},
    {Text::check_ignored_coordinator, "{0} heard COORDINATOR from {1}, and did not follow",
     "{0} ouviu COORDENADOR de {1}, e não o seguiu"},
    {Text::check_never_decided, "{0} held an election until it left, and nothing came of it",
     "{0} ficou em eleição até sair, e ela não terminou"},
    {Text::check_not_sent, "{0} received a message that {1} did not send",
     "{0} recebeu uma mensagem que {1} não enviou"},
    {Text::check_doubt_empty, "the trace is empty", "o rastro está vazio"},
    {Text::check_doubt_mid_election, "the trace ends before the last election does",
     "o rastro termina antes da última eleição"},
    {Text::check_doubt_names_only, "nodes that take part have no trace here: {0}",
     "nós que participam não têm rastro aqui: {0}"},
    {Text::check_doubt_no_beginning, "the first lines of nodes are missing: {0}",
     "faltam as primeiras linhas de nós: {0}"},
    {Text::check_doubt_end_of_answer, "the trace ends where this node should answer: {0}",
     "o rastro termina onde este nó deveria responder: {0}"},
    {Text::check_doubt_cut_line, "the line that was cut off may be a sending of {0}",
     "a linha cortada pode ser um envio de {0}"},
    {Text::check_election, "Election {0}", "Eleição {0}"},
    {Text::check_noticed, "noticed", "notou"},
    {Text::check_won, "won", "venceu"},
    {Text::check_time, "time", "tempo"},
    {Text::check_messages, "messages", "mensagens"},
    {Text::check_also, "also", "também"},
    {Text::check_by_down, "{0}: coordinator {1} is down", "{0}: o coordenador {1} caiu"},
    {Text::check_by_hung, "{0}: coordinator {1} does not react",
     "{0}: o coordenador {1} não reage"},
    {Text::check_by_deposed, "{0}: {1} follows another coordinator",
     "{0}: {1} segue outro coordenador"},
    {Text::check_by_start, "{0} starts", "{0} inicia"},
    {Text::check_by_resumed, "{0} goes on after a stop", "{0} continua após uma parada"},
    {Text::check_by_nobody, "nobody: a late message set it off",
     "ninguém: uma mensagem atrasada a iniciou"},
    {Text::check_by_leaving, "coordinator {0} leaves", "o coordenador {0} sai"},
    {Text::check_by_crash, "coordinator {0} crashes", "o coordenador {0} cai"},
    {Text::check_winner, "{0}, coordinator of {1}", "{0}, coordenador de {1}"},
    {Text::check_winner_alone, "{0}, alone", "{0}, sozinho"},
    {Text::check_no_winner, "nobody: all had left", "ninguém: todos haviam saído"},
    {Text::check_not_ended, "not yet: the trace ends here", "ainda ninguém: o rastro termina aqui"},
    {Text::check_detect, "detect {0}", "detectar {0}"},
    {Text::check_elect, "elect {0}", "eleger {0}"},
    {Text::check_announce, "announce {0}", "anunciar {0}"},
    {Text::check_total, "all", "total"},
    {Text::check_sent_row, "sent", "enviadas"},
    {Text::check_delivered_row, "delivered", "entregues"},
    {Text::check_textbook_row, "textbook", "livro"},
    {Text::check_textbook_none, "the textbook has no count for this case",
     "o livro não tem contagem para este caso"},
    {Text::check_two_coordinators, "two coordinators, {0} and {1}, for {2}",
     "dois coordenadores, {0} e {1}, por {2}"},
    {Text::diagram_title, "{0}: {1} processes, {2} messages, coordinator {3}",
     "{0}: {1} processos, {2} mensagens, coordenador {3}"},
    {Text::diagram_title_open, "{0}: {1} processes, {2} messages, no coordinator yet",
     "{0}: {1} processos, {2} mensagens, ainda sem coordenador"},
    {Text::diagram_starts, "starts", "inicia"},
    {Text::diagram_restarts, "restarts", "reinicia"},
    {Text::diagram_leaves, "leaves", "sai"},
    {Text::diagram_crashed, "crashed", "caiu"},
    {Text::diagram_suspects_down, "suspects {0}: down", "suspeita de {0}: caiu"},
    {Text::diagram_suspects_hung, "suspects {0}: hung", "suspeita de {0}: travou"},
    {Text::diagram_suspects_deposed, "{0} is deposed", "{0} foi deposto"},
    {Text::diagram_deposed_itself, "is deposed", "foi deposto"},
    {Text::diagram_no_answer, "no answer in time", "sem resposta a tempo"},
    {Text::diagram_no_coordinator, "no coordinator in time", "sem coordenador a tempo"},
    {Text::diagram_drops, "drops input", "descarta entrada"},
    {Text::diagram_follows, "follows {0}", "segue {0}"},
    {Text::diagram_lost, "lost", "perdida"},
    {Text::diagram_receives, "receives {0} from {1}", "recebe {0} de {1}"},
    {Text::diagram_loses, "cannot deliver {0} to {1}", "não consegue entregar {0} a {1}"},
    {Text::diagram_sends, "sends {0} to {1}", "envia {0} para {1}"},
    {Text::diagram_under_way, "still under way", "ainda a caminho"},
    {Text::diagram_from_before, "sent before, or by a process without a trace",
     "enviada antes, ou por um processo sem rastro"},
    {Text::diagram_legend, "Legend", "Legenda"},
    {Text::diagram_time_note, "Left: milliseconds since the first step. Time runs downwards, {0}.",
     "À esquerda: milissegundos desde o primeiro passo. O tempo corre para baixo, {0}."},
    {Text::diagram_by_steps, "one row for each step", "uma linha para cada passo"},
    {Text::diagram_to_scale, "to scale", "em escala"},
    {Text::diagram_not_there, "not there", "ausente"},
    {Text::diagram_milliseconds, "ms", "ms"},
    {Text::diagram_crash_note,
     "Crashes are shown where the others first find out: no process can record its own.",
     "Quedas aparecem onde os outros as descobrem: nenhum processo registra a sua."},
    {Text::html_first, "First step", "Primeiro passo"},
    {Text::html_back, "Back", "Voltar"},
    {Text::html_forward, "Forward", "Avançar"},
    {Text::html_last, "Last step", "Último passo"},
    {Text::html_step, "Step {0} of {1}", "Passo {0} de {1}"},
    {Text::html_beginning, "The beginning: how the processes stand before the first step.",
     "O começo: como estão os processos antes do primeiro passo."},
    {Text::html_rule, "The rule", "A regra"},
    {Text::html_nodes, "The processes", "Os processos"},
    {Text::html_under_way, "Messages under way", "Mensagens a caminho"},
    {Text::html_none, "none", "nenhuma"},
    {Text::html_keys, "Keys: ← → one step, Home and End to the ends.",
     "Teclas: ← → um passo, Home e End vão às pontas."},
    {Text::html_process, "Process", "Processo"},
    {Text::html_state, "State", "Estado"},
    {Text::html_follows, "Follows", "Segue"},
    {Text::html_unknown, "unknown", "desconhecido"},
    {Text::rule_start,
     "A process that was down and comes back holds an election: ELECTION to every higher process. "
     "[Tan95]",
     "Um processo que estava fora e volta inicia uma eleição: ELEIÇÃO a todo processo maior. "
     "[Tan95]"},
    {Text::rule_start_highest,
     "It has the highest id of all, so it does not ask: it becomes coordinator and sends "
     "COORDINATOR to all others. [Tan95, CDK 1]",
     "Tem o maior id de todos, então não pergunta: torna-se coordenador e envia COORDENADOR a "
     "todos os outros. [Tan95, CDK 1]"},
    {Text::rule_suspect,
     "A process that notices that the coordinator is gone holds an election: ELECTION to every "
     "higher process. [GM82, Tan95, CDK]",
     "Um processo que nota a falta do coordenador inicia uma eleição: ELEIÇÃO a todo processo "
     "maior. [GM82, Tan95, CDK]"},
    {Text::rule_suspect_highest,
     "The coordinator is gone, and nobody else is higher: it becomes coordinator and announces it. "
     "[CDK 1]",
     "O coordenador se foi, e ninguém mais é maior: torna-se coordenador e o anuncia. [CDK 1]"},
    {Text::rule_deposed,
     "It learns that its coordinator is not one any more: a COORDINATOR passed it by. It holds an "
     "election to find out.",
     "Descobre que seu coordenador já não o é: perdeu um COORDENADOR. Inicia uma eleição para "
     "saber quem é."},
    {Text::rule_election_begins,
     "A process that gets an ELECTION from a lower one sends ANSWER back, and then holds an "
     "election itself. [Tan95]",
     "Um processo que recebe ELEIÇÃO de um menor responde PARAR ELEIÇÃO, e então inicia ele mesmo "
     "uma eleição. [Tan95]"},
    {Text::rule_election_held,
     "It sends ANSWER back. It holds no further election, since it is already holding one. [Tan95]",
     "Responde PARAR ELEIÇÃO. Não inicia outra eleição, pois já está em uma. [Tan95]"},
    {Text::rule_election_over,
     "It sends ANSWER back. That election is over: a successor is known already, and its "
     "COORDINATOR is on its way to the sender.",
     "Responde PARAR ELEIÇÃO. Essa eleição acabou: já se conhece um sucessor, e seu COORDENADOR "
     "está a caminho de quem perguntou."},
    {Text::rule_election_coordinator,
     "The coordinator sends ANSWER back: it has won already, and need not ask again.",
     "O coordenador responde PARAR ELEIÇÃO: já venceu, e não precisa perguntar de novo."},
    {Text::rule_answer,
     "Someone higher answers: its job is done. It waits a bounded time for a COORDINATOR. [Tan95, "
     "CDK 3]",
     "Alguém maior responde: seu trabalho acabou. Espera um tempo limitado por um COORDENADOR. "
     "[Tan95, CDK 3]"},
    {Text::rule_answer_more,
     "One more ANSWER: it has left the election to a higher one already. [Tan95]",
     "Mais um PARAR ELEIÇÃO: já deixou a eleição para um maior. [Tan95]"},
    {Text::rule_coordinator,
     "A process that gets a COORDINATOR takes its sender as coordinator. [CDK 5]",
     "Um processo que recebe COORDENADOR toma quem o enviou por coordenador. [CDK 5]"},
    {Text::rule_follows_already, "It follows this coordinator already: nothing changes.",
     "Já segue este coordenador: nada muda."},
    {Text::rule_lower_coordinator,
     "Never a lower one: the biggest guy in town always wins. It holds an election, unless it "
     "already does. [Tan95]",
     "Nunca um menor: o mais forte sempre vence. Inicia uma eleição, a menos que já esteja em uma. "
     "[Tan95]"},
    {Text::rule_no_answer,
     "No one higher answers in time: it becomes coordinator, and sends COORDINATOR to all others. "
     "[CDK 2]",
     "Ninguém maior responde a tempo: torna-se coordenador, e envia COORDENADOR a todos os outros. "
     "[CDK 2]"},
    {Text::rule_no_coordinator,
     "Someone answered, but no COORDINATOR came in time: it holds a new election. [CDK 3]",
     "Alguém respondeu, mas nenhum COORDENADOR chegou a tempo: inicia uma nova eleição. [CDK 3]"},
    {Text::rule_answerer,
     "Twice answered, twice no COORDINATOR: it takes the highest that answered for the "
     "coordinator.",
     "Duas vezes respondido, duas vezes sem COORDENADOR: toma o maior que respondeu por "
     "coordenador."},
    {Text::rule_answerer_gone,
     "The process that answered is gone, so its COORDINATOR cannot come: it holds a new election "
     "without waiting for its timeout.",
     "O processo que respondeu se foi, e seu COORDENADOR não pode chegar: inicia uma nova eleição "
     "sem esperar pelo tempo limite."},
    {Text::rule_gone,
     "There is no process behind that address any more: it need not be waited for.",
     "Não há mais processo nesse endereço: não é preciso esperar por ele."},
    {Text::rule_gone_all,
     "All that were asked are gone: it becomes coordinator, and sends COORDINATOR to all others. "
     "[CDK 2]",
     "Todos a quem perguntou se foram: torna-se coordenador, e envia COORDENADOR a todos os "
     "outros. [CDK 2]"},
    {Text::rule_lost, "The message was not taken in time, and is given up.",
     "A mensagem não foi aceita a tempo, e é abandonada."},
    {Text::rule_crash,
     "A process may crash at any time, during an election too. [CDK] The others have just found "
     "out.",
     "Um processo pode cair a qualquer momento, também durante uma eleição. [CDK] Os outros acabam "
     "de descobrir."},
    {Text::rule_stop, "A process that leaves says so to nobody: the others have to notice.",
     "Um processo que sai não avisa ninguém: os outros têm de notar."},
    {Text::rule_drop, "What came in was no message: it is dropped, and nothing else happens.",
     "O que chegou não era uma mensagem: é descartado, e nada mais acontece."},
    {Text::rule_ping, "The monitor asks the coordinator, again and again, whether it is there.",
     "O monitor pergunta ao coordenador, sem parar, se ele está lá."},
    {Text::rule_unchanged,
     "Not for it to answer: only a higher process stops a lower one's election.",
     "Não lhe cabe responder: só um processo maior para a eleição de um menor."},
    {Text::rule_goes_on, "It goes on with what it had begun.", "Continua o que havia começado."},
    {Text::usage_too_large, "too large for {0}: {1}", "grande demais para {0}: {1}"},
    {Text::usage_draw_one,
     "draw one election with --election=K (K from 1 to {0}), or choose --format=html or text",
     "desenhe uma eleição com --election=K (K de 1 a {0}), ou escolha --format=html ou text"},
    {Text::usage_not_an_election, "--election: '{0}' is neither `all` nor a number from 1 to {1}",
     "--election: '{0}' não é `all` nem um número de 1 a {1}"},
    {Text::usage_no_trace, "no trace given: name a file, or set BULLY_TRACE",
     "nenhum rastro indicado: dê um arquivo, ou defina BULLY_TRACE"},
    {Text::diagram_cut, "the last line of {0} is cut off, and left out",
     "a última linha de {0} está cortada, e foi omitida"},
    {Text::command_diagram, "draw the space-time diagram of a recorded run",
     "desenha o diagrama espaço-tempo de uma execução gravada"},
    {Text::option_format, "what to draw it as", "em que formato desenhar"},
    {Text::option_election, "a single election, counted from 1, or all",
     "uma só eleição, contada a partir de 1, ou todas (all)"},
    {Text::option_pings, "pings, and input that was dropped, too",
     "também os pings e as entradas descartadas"},
    {Text::option_scale, "SVG: time to scale, or one row for each step",
     "SVG: tempo em escala, ou uma linha para cada passo"},
    {Text::help_diagram_intro,
     "Draws who sent what to whom, and when, on standard output: a line for each process,\nan "
     "arrow from each sending to its receipt. TRACE is a file that --trace made; several\nare "
     "merged by time. Without one, BULLY_TRACE is drawn. The formats ring and ring-svg draw "
     "an\nelection on a ring step by step, as the textbook does.",
     "Desenha na saída padrão quem enviou o quê a quem, e quando: uma linha por processo,\numa "
     "seta de cada envio a seu recebimento. RASTRO é um arquivo feito por --trace; vários\nsão "
     "reunidos pelo tempo. Sem nenhum, desenha-se BULLY_TRACE. Os formatos ring e "
     "ring-svg\ndesenham uma eleição em anel passo a passo, como o livro."},
    {Text::watch_sent, "SENT {0}", "ENVIOU {0}"},
    {Text::watch_received, "RECEIVED", "RECEBEU"},
    {Text::watch_dropped, "DROPPED", "DESCARTOU"},
    {Text::watch_nodes, "nodes: {0}", "nós: {0}"},
    {Text::watch_place, "in {0}", "em {0}"},
    {Text::watch_shown, "({0} to {1} shown)", "(de {0} a {1} na tela)"},
    {Text::watch_agree, "all follow {0}", "todos seguem {0}"},
    {Text::watch_disagree, "no agreement", "sem acordo"},
    {Text::watch_paused, "PAUSED", "EM PAUSA"},
    {Text::watch_pings, "with pings", "com pings"},
    {Text::watch_election, "last election: {0}", "última eleição: {0}"},
    {Text::watch_no_election, "no election seen yet", "nenhuma eleição vista ainda"},
    {Text::watch_keys, "q quit  space pause  p pings  ↑↓ jk select  K kill  S stop  C continue",
     "q sair  espaço pausa  p pings  ↑↓ jk escolher  K matar  S parar  C continuar"},
    {Text::watch_here, "is here (PID {0})", "está aqui (PID {0})"},
    {Text::watch_back, "came back (PID {0})", "voltou (PID {0})"},
    {Text::watch_killed, "was killed: it is gone without a word",
     "foi morto: sumiu sem dizer nada"},
    {Text::watch_gone, "is gone", "sumiu"},
    {Text::watch_silent, "does not answer: is it stopped?", "não responde: está parado?"},
    {Text::watch_answers, "answers again", "responde de novo"},
    {Text::watch_skips, "skips a line of the trace, and any more like it: {0}",
     "ignora uma linha do rastro, e outras assim: {0}"},
    {Text::watch_signalled, "{0} sent to {1} (PID {2})", "{0} enviado a {1} (PID {2})"},
    {Text::watch_not_signalled, "{0} could not be sent to {1}: {2}",
     "não foi possível enviar {0} a {1}: {2}"},
    {Text::watch_refused, "no signal: {0}", "nenhum sinal: {0}"},
    {Text::command_watch, "watch the nodes and their elections live",
     "acompanha ao vivo os nós e suas eleições"},
    {Text::option_interval, "how often to ask the nodes", "de quanto em quanto perguntar aos nós"},
    {Text::option_watch_pings, "count pings, too, and tell those that the trace has",
     "conta também os pings, e diz os que o rastro tem"},
    {Text::option_watch_trace, "follow this trace of theirs, too; may be repeated [$BULLY_TRACE]",
     "acompanha também este rastro deles; pode repetir-se [$BULLY_TRACE]"},
    {Text::help_watch_intro,
     "Shows each node, whom it follows and what it has sent, and below them the last election\n"
     "as it happens: message by message from the trace that the nodes write; without one, what\n"
     "changed since it last asked. Where the output is no terminal: a line for each change.",
     "Mostra cada nó, quem ele segue e o que enviou, e embaixo a última eleição enquanto\n"
     "acontece: mensagem por mensagem, a partir do rastro que os nós gravam; sem rastro, o que\n"
     "mudou desde a última pergunta. Se a saída não é um terminal: uma linha por mudança."},
    {Text::kill_sent, "SIG{0} to {1} (PID {2}): {3}", "SIG{0} em {1} (PID {2}): {3}"},
    {Text::kill_coordinator, "the coordinator", "o coordenador"},
    {Text::kill_lowest, "the lowest of {0}", "o menor de {0}"},
    {Text::kill_drawn, "drawn by lot from {0}", "sorteado entre {0}"},
    {Text::kill_all, "all {0} get it", "todos os {0} recebem"},
    {Text::kill_named, "the one you named", "o que você indicou"},
    {Text::kill_doubt_named, "; it does not answer, but is a bully",
     "; não responde, mas é um bully"},
    {Text::kill_doubt_forced, "; it has not shown to be a node (--force)",
     "; não mostrou ser um nó (--force)"},
    {Text::kill_no_node, "there is no node in {0}", "não há nó em {0}"},
    {Text::kill_nobody, "nobody in {0} has shown to be a node of bully: see `bully ps`",
     "ninguém em {0} mostrou ser um nó do bully: veja `bully ps`"},
    {Text::kill_no_coordinator,
     "there is no coordinator right now: is an election going on? Try again",
     "não há coordenador agora: há uma eleição em curso? Tente de novo"},
    {Text::kill_coordinator_gone, "coordinator {0} is dead already; the others are about to notice",
     "o coordenador {0} já está morto; os outros estão para detectar isso"},
    {Text::kill_pid_of_node, "{0} is the PID of node {1}", "{0} é o PID do nó {1}"},
    {Text::refused_unknown, "there is no node {0} in {1}", "não há nó {0} em {1}"},
    {Text::refused_dead, "{0} is dead already: only its name is left in {1}",
     "{0} já está morto: dele só resta o nome em {1}"},
    {Text::refused_silent, "{0} listens, but has not shown to be a node of bully: not signalled",
     "{0} escuta, mas não mostrou ser um nó do bully: não recebeu o sinal"},
    {Text::refused_unidentified,
     "{0} listens, but the system does not tell which process that is: it is not PID {0}",
     "{0} escuta, mas o sistema não diz que processo é: não é o PID {0}"},
    {Text::refused_contradicted,
     "{0} says that it is PID {2}, the kernel says {3}: a fake, or a node in a container",
     "{0} diz ser o PID {2}, o kernel diz {3}: é falso, ou um nó em um contêiner"},
    {Text::refused_foreign, "{0} lives in another PID namespace (a container): it has no PID here",
     "{0} está em outro espaço de PIDs (um contêiner): aqui não tem PID"},
    {Text::refused_reserved, "{0} is PID {3}, which never gets a signal from here",
     "{0} é o PID {3}, que nunca recebe sinais daqui"},
    {Text::advice_force,
     "if it is a program that speaks only the protocol of the example, use --force",
     "se é um programa que só fala o protocolo do exemplo, use --force"},
    {Text::advice_namespace, "a node in a container can be signalled only from within it",
     "um nó em um contêiner só pode receber sinais de dentro dele"},
    {Text::usage_only_one, "only one: '{0}' as well as '{1}'?", "só um: '{0}' além de '{1}'?"},
    {Text::usage_not_a_node, "'{0}' is not the id of a node", "'{0}' não é o id de um nó"},
    {Text::command_kill, "send a signal to a node, chosen by its part in the election",
     "envia um sinal a um nó, escolhido por seu papel na eleição"},
    {Text::option_lowest, "to the lowest one", "ao menor"},
    {Text::option_random, "to any one, chosen at random", "a um qualquer, por sorteio"},
    {Text::option_all, "to all of them", "a todos"},
    {Text::option_signal,
     "STOP halts the process without killing it, CONT continues it; upon TERM it leaves",
     "STOP suspende o processo sem matá-lo, CONT o retoma; com TERM ele sai"},
    {Text::option_force, "also to a process that has not identified itself as a node (see below)",
     "também a um processo que não se identificou como nó (veja abaixo)"},
    {Text::help_kill_intro,
     "Sends a signal to node ID, and says to which process and why. Without ID or one of the\n"
     "first three options: to the coordinator.",
     "Envia um sinal ao nó ID, e diz a que processo e por quê. Sem ID nem uma das três\n"
     "primeiras opções: ao coordenador."},
    {Text::help_kill_rules,
     "A process gets the signal only if it has shown that it is the node of this name: it\n"
     "replied, and the kernel says that the process with the PID in the reply listens there;\n"
     "or it is stopped, and the kernel says that it is a bully that listens there. Where the\n"
     "kernel does not say who listens (on some BSDs), the reply alone must do. A program that\n"
     "speaks only the protocol of the example does not reply: with --force the process that\n"
     "listens gets the signal; if the system does not say which that is, the one whose PID is\n"
     "ID, unless it is known to be another. A dead process of which only the name is left gets\n"
     "none, nor does one whose reply the kernel contradicts: a fake, or a node in a container.\n\n"
     "Exit status: 0; 1 if there was nobody to signal, or it was not possible; 2 for wrong usage.",
     "Um processo só recebe o sinal se mostrou ser o nó deste nome: respondeu, e o kernel diz\n"
     "que o processo com o PID da resposta escuta ali; ou está suspenso, e o kernel diz que é\n"
     "um bully que escuta ali. Onde o kernel não diz quem escuta (em alguns BSDs), vale só a\n"
     "resposta. Um programa que só fala o protocolo do exemplo não responde: com --force,\n"
     "recebe o sinal o processo que escuta; se o sistema não diz qual é, aquele cujo PID é ID,\n"
     "a menos que se saiba que é outro. Um processo morto, do qual só resta o nome, não recebe\n"
     "sinal, nem um cuja resposta o kernel contradiz: um falso, ou um nó em um contêiner.\n\n"
     "Código de saída: 0; 1 se não houve a quem enviar, ou não foi possível; 2 para uso errado."},
    {Text::option_algorithm, "the election that is held", "a eleição que se realiza"},
    {Text::log_foreign,
     "{0} sent a message of another algorithm: start it with the same --algorithm, or in another "
     "--dir",
     "{0} enviou uma mensagem de outro algoritmo: inicie-o com o mesmo --algorithm, ou em outro "
     "--dir"},
    {Text::drop_foreign, "of another algorithm", "de outro algoritmo"},
    {Text::message_value, "VALUE", "VALOR"},
    {Text::message_second, "SECOND", "SEGUNDO"},
    {Text::message_leader, "LEADER", "LÍDER"},
    {Text::message_join, "JOIN", "ENTRAR"},
    {Text::state_joining, "joining", "entrando"},
    {Text::state_active, "active", "ativo"},
    {Text::state_relay, "relay", "relé"},
    {Text::log_joining, "joining: asks its neighbour for an election",
     "entrando: pede uma eleição ao vizinho"},
    {Text::log_active, "active: responsible for {0}", "ativo: responsável por {0}"},
    {Text::log_relay, "relay: gives way", "relé: cede a vez"},
    {Text::log_epoch, "election {0}", "eleição {0}"},
    {Text::log_no_end_in_time, "the election did not end in time",
     "a eleição não terminou a tempo"},
    {Text::log_neighbour_down, "neighbour {0} is down", "o vizinho {0} caiu"},
    {Text::log_neighbour_hung, "neighbour {0} does not react", "o vizinho {0} não reage"},
    {Text::log_answerer_down, "{0}, which answered, is down", "{0}, que respondeu, caiu"},
    {Text::log_answerer_hung, "{0}, which answered, does not react any more",
     "{0}, que respondeu, já não reage"},
    {Text::election_bully, "Bully election", "Eleição do valentão"},
    {Text::election_ring, "Ring election", "Eleição em anel"},
    {Text::election_chang_roberts, "Chang-Roberts election", "Eleição de Chang e Roberts"},
    {Text::election_other, "Election by {0}", "Eleição por {0}"},
    {Text::ps_algorithm, "ALGORITHM", "ALGORITMO"},
    {Text::diagram_no_end, "no end in time", "sem fim a tempo"},
    {Text::ring_variables, "{0} beside each process: its variables",
     "{0} ao lado de cada processo: suas variáveis"},
    {Text::ring_on_arrows, "on each arrow: what is on its way, the first to arrive first",
     "em cada seta: o que está a caminho, primeiro o que chega primeiro"},
    {Text::ring_acts, "{0}: the one that acts in this step", "{0}: o que age neste passo"},
    {Text::ring_beside, "on its way, but not to a neighbour: {0}",
     "a caminho, mas não a um vizinho: {0}"},
    {Text::usage_not_a_ring,
     "--format={0} draws elections on a ring, and this is a run of {1}: choose --format=text, svg "
     "or html",
     "--format={0} desenha eleições em anel, e esta é uma execução de {1}: escolha --format=text, "
     "svg ou html"},
    {Text::usage_draw_ring_election,
     "draw one election with --election=K (K from 1 to {0}), or choose --format=ring or html",
     "desenhe uma eleição com --election=K (K de 1 a {0}), ou escolha --format=ring ou html"},
    {Text::rule_ring_start,
     "A process that starts or comes back does not know the latest election: with JOIN it asks its "
     "clockwise neighbour to hold one.",
     "Um processo que inicia ou volta não conhece a última eleição: com ENTRAR pede ao vizinho no "
     "sentido horário que inicie uma."},
    {Text::rule_ring_alone, "There is no other process on the ring: it is the leader.",
     "Não há outro processo no anel: ele é o líder."},
    {Text::rule_ring_suspect,
     "A process that notices that the coordinator is gone holds an election.",
     "Um processo que nota a falta do coordenador inicia uma eleição."},
    {Text::rule_ring_asked,
     "Its neighbour asks for an election: it holds one that is newer than either knows.",
     "Seu vizinho pede uma eleição: inicia uma mais nova que as que os dois conhecem."},
    {Text::rule_ring_newer,
     "The message belongs to an election that it did not know of: it takes part.",
     "A mensagem é de uma eleição que não conhecia: participa dela."},
    {Text::rule_ring_void,
     "Another process than its anticlockwise neighbour speaks up: the ring has changed, and the "
     "election is void. It holds a newer one.",
     "Fala um processo que não é seu vizinho no sentido anti-horário: o anel mudou, e a eleição "
     "não vale. Inicia uma mais nova."},
    {Text::rule_ring_low_leader,
     "A leader lower than itself: the ring was not whole, or its links not FIFO. It holds a newer "
     "election.",
     "Um líder menor que ele: o anel não estava inteiro, ou seus canais não eram FIFO. Inicia uma "
     "eleição mais nova."},
    {Text::rule_ring_begin,
     "Every process starts active: it sends d, at first its own id, to its clockwise neighbour, "
     "and waits for e. [DKR82]",
     "Todo processo começa ativo: envia d, a princípio seu próprio id, ao vizinho no sentido "
     "horário, e espera por e. [DKR82]"},
    {Text::rule_ring_passes,
     "e ≠ d: it passes e on, and waits for f, the value that the second nearest active "
     "anticlockwise neighbour carries. [DKR82]",
     "e ≠ d: passa e adiante, e espera por f, o valor que traz o segundo vizinho ativo mais "
     "próximo no sentido anti-horário. [DKR82]"},
    {Text::rule_ring_takes_over,
     "e is the largest of d, e and f: it takes it over (d := e), stays active, and sends d. "
     "[DKR82]",
     "e é o maior entre d, e e f: toma-o para si (d := e), continua ativo, e envia d. [DKR82]"},
    {Text::rule_ring_gives_way,
     "e is not the largest of d, e and f: it gives way, and becomes a relay. [DKR82]",
     "e não é o maior entre d, e e f: cede a vez, e torna-se um relé. [DKR82]"},
    {Text::rule_ring_relays, "A relay passes messages on, unread and unchanged. [DKR82]",
     "Um relé passa as mensagens adiante, sem lê-las e sem mudá-las. [DKR82]"},
    {Text::rule_ring_leader,
     "e = d: it is the only active process left, and d is the id of the leader. A last lap tells "
     "everyone who the leader is. [DKR82]",
     "e = d: é o único processo ativo que resta, e d é o id do líder. Uma última volta diz a todos "
     "quem é o líder. [DKR82]"},
    {Text::rule_plain_begin, "It sends its own id to its clockwise neighbour. [CR79]",
     "Envia seu próprio id ao vizinho no sentido horário. [CR79]"},
    {Text::rule_plain_passes,
     "A higher id is passed on: this process will not be the leader. [CR79]",
     "Um id maior é passado adiante: este processo não será o líder. [CR79]"},
    {Text::rule_plain_stops, "A lower id goes no further. [CR79]",
     "Um id menor não vai adiante. [CR79]"},
    {Text::rule_plain_leader,
     "Its own id has come back: no process stopped it, so all others are lower. It is the leader, "
     "and a last lap tells everyone. [CR79]",
     "Seu próprio id voltou: nenhum processo o deteve, então todos os outros são menores. É o "
     "líder, e uma última volta o diz a todos. [CR79]"},
    {Text::rule_ring_lap, "The announcing lap: it learns who the leader is, and passes it on.",
     "A volta do anúncio: descobre quem é o líder, e passa adiante."},
    {Text::rule_ring_lap_ends,
     "The announcing lap ends where it began: with the process that knows already.",
     "A volta do anúncio termina onde começou: no processo que já sabe."},
    {Text::rule_ring_stale, "The message belongs to an older election: it changes nothing.",
     "A mensagem é de uma eleição anterior: nada muda."},
    {Text::rule_ring_apart, "It takes no part in this election: the message changes nothing.",
     "Não participa desta eleição: a mensagem nada muda."},
    {Text::rule_ring_passed_over,
     "Its clockwise neighbour is gone or hung: it passes it over. The next one clockwise hears all "
     "that was said to it in this election.",
     "Seu vizinho no sentido horário se foi ou travou: é pulado. O seguinte ouve tudo o que lhe "
     "fora dito nesta eleição."},
    {Text::rule_ring_no_end,
     "No LEADER in time: somebody on the ring has died or left with what had been said to it. It "
     "asks for another election.",
     "Nenhum LÍDER a tempo: alguém no anel caiu ou saiu com o que lhe fora dito. Pede outra "
     "eleição."},
    {Text::rule_ring_deposed,
     "It learns that it has missed an election: with JOIN it asks for another.",
     "Descobre que perdeu uma eleição: com ENTRAR pede outra."},
    {Text::help_play_options, "The play:", "A encenação:"},
    {Text::option_play_algorithm, "another election than the script's, where its steps allow it",
     "outra eleição que não a do roteiro, se os passos dele permitem"},
    {Text::option_arrangement, "the order on the ring, clockwise, such as 1,3,2,4; else by id",
     "a ordem no anel, em sentido horário, como 1,3,2,4; senão por id"},
    {Text::usage_arrangement, "--arrangement names each of the nodes 1 to {1} once, not '{0}'",
     "--arrangement cita cada nó de 1 a {1} uma vez, não '{0}'"},
    {Text::usage_nodes_of_ring, "--arrangement has {0} nodes, and --nodes says {1}",
     "--arrangement tem {0} nós, e --nodes diz {1}"},
    {Text::verify_arrangement, "arranged {0}", "na ordem {0}"},
    {Text::verify_leaderless, "their coordinator has left", "o coordenador partiu"},
    {Text::verify_any_order, "messages overtake one another", "mensagens se ultrapassam"},
    {Text::verify_highest_wins,
     "a node follows one that is below a live one, though timeouts were right and none came back",
     "um nó segue um que está abaixo de um vivo, embora os prazos estivessem certos e nenhum "
     "voltasse"},
    {Text::verify_bound_numbers, "there are more messages or states of a node than can be numbered",
     "há mais mensagens ou estados de um nó do que se pode numerar"},

    // Clusters of one algorithm only.
    {Text::error_foreign,
     "node {0} in {1} takes part with --algorithm={2}: one with --algorithm={3} would not "
     "understand "
     "it",
     "o nó {0} em {1} participa com --algorithm={2}: um com --algorithm={3} não o entenderia"},
    {Text::advice_foreign,
     "start it with --algorithm={0}, or give another directory with --dir=DIR",
     "inicie-o com --algorithm={0}, ou dê outro diretório com --dir=DIR"},
    {Text::check_algorithm, "algorithm {0}", "algoritmo {0}"},
    {Text::check_fifo, "on every link, messages arrive in the order of sending",
     "em cada enlace, as mensagens chegam na ordem de envio"},
    {Text::check_one_neighbour, "in one election, a process hears from one neighbour only",
     "em uma eleição, um processo ouve um só vizinho"},
    {Text::check_own_numbers, "each number that goes round is the id of one that takes part",
     "cada número que circula é o id de um participante"},
    {Text::check_within_bound, "an election that nothing disturbs keeps within the bound",
     "uma eleição que nada perturba respeita o limite"},
    {Text::check_overtaken, "{0} received a message of {1} before one that was sent earlier",
     "{0} recebeu uma mensagem de {1} antes de outra enviada mais cedo"},
    {Text::check_heard_two, "{0} heard {1}, a second neighbour, and went on with that election",
     "{0} ouviu {1}, um segundo vizinho, e continuou a mesma eleição"},
    {Text::check_foreign_number, "{0} sent the number {1}, whose process does not take part",
     "{0} enviou o número {1}, cujo processo não participa"},
    {Text::check_more_than_bound,
     "the election that {0} noticed and {1} won took more messages than the bound",
     "a eleição que {0} notou e {1} venceu usou mais mensagens que o limite"},
    {Text::check_doubt_mixed, "nodes run different algorithms; they first start at: {0}",
     "nós executam algoritmos diferentes; iniciam primeiro em: {0}"},
    {Text::check_lost_row, "lost", "perdidas"},
    {Text::check_bound_row, "at most", "no máximo"},
    {Text::check_over_bound, "more than the bound for {0} nodes: something disturbed the election",
     "mais que o limite para {0} nós: algo perturbou a eleição"},

    {Text::command_compare, "all elections over the same faults: messages, time, a plot",
     "todas as eleições sob as mesmas falhas: mensagens, tempo, gráfico"},
    {Text::help_compare_intro,
     "Holds the same election with each algorithm, in virtual time: the coordinator of n "
     "processes\n"
     "crashes, and the others elect. Counts messages, and the time from the detection until the "
     "last\n"
     "one follows, in message delays (each message takes exactly one). Says from which n on one\n"
     "algorithm overtakes another.\n"
     "Exit status: 0 every election agreed, within its bound and as counted by the textbook; 1 "
     "one\n"
     "did not; 2 wrong usage.",
     "Faz a mesma eleição com cada algoritmo, em tempo virtual: o coordenador de n processos cai, "
     "e os\n"
     "demais elegem. Conta as mensagens, e o tempo da detecção até o último seguir, em atrasos de\n"
     "mensagem (cada mensagem leva exatamente um). Diz a partir de que n um algoritmo supera "
     "outro.\n"
     "Código de saída: 0 toda eleição terminou em acordo, dentro do limite e como o livro a "
     "conta;\n"
     "1 uma não; 2 uso errado."},
    {Text::help_compared, "What is compared:", "O que se compara:"},
    {Text::help_election, "The election:", "A eleição:"},
    {Text::option_compare_nodes, "processes, the one that crashes counted in: a range, or 4,8,16",
     "processos, contando o que cai: um intervalo, ou 4,8,16"},
    {Text::option_algorithms, "which, separated by commas", "quais, separados por vírgulas"},
    {Text::option_case, "how the ring stands, and who notices", "como está o anel, e quem nota"},
    {Text::option_fault, "who notices; case: the highest in the best, the lowest in the worst",
     "quem nota; case: o maior no melhor caso, o menor no pior"},
    {Text::option_runs, "runs of the random case, for each n",
     "execuções do caso aleatório, para cada n"},
    {Text::option_compare_seed, "seed of the random case", "semente do caso aleatório"},
    {Text::option_compare_format, "what to show it as", "em que formato mostrar"},
    {Text::option_simulate_arrangement, "how the ring stands: by id, or in each run another way",
     "como está o anel: por id, ou em cada execução de outro modo"},
    {Text::usage_not_nodes,
     "{0} takes numbers and ranges from {2} to {3}, such as 2..64 or 4,8,16, not '{1}'",
     "{0} aceita números e intervalos de {2} a {3}, como 2..64 ou 4,8,16, não '{1}'"},
    {Text::compare_title, "Elections compared: what does a crashed coordinator cost?",
     "Eleições comparadas: quanto custa a queda de um coordenador?"},
    {Text::compare_best, "Best case", "Melhor caso"},
    {Text::compare_worst, "Worst case", "Pior caso"},
    {Text::compare_random, "Random case", "Caso aleatório"},
    {Text::compare_ring_by_id, "the ring goes by id", "o anel segue os ids"},
    {Text::compare_ring_worst, "each ring stands in its worst order",
     "cada anel está em sua pior ordem"},
    {Text::compare_ring_random, "the same random ring for all; runs: {0}",
     "o mesmo anel ao acaso; execuções: {0}"},
    {Text::compare_by_highest, "the highest follower notices", "o maior seguidor nota"},
    {Text::compare_by_lowest, "the lowest process notices", "o menor processo nota"},
    {Text::compare_by_all, "all notice at once", "todos notam ao mesmo tempo"},
    {Text::compare_by_someone, "a random process notices", "nota alguém ao acaso"},
    {Text::compare_algorithm, "algorithm", "algoritmo"},
    {Text::compare_messages, "messages", "mensagens"},
    {Text::compare_textbook, "textbook", "livro"},
    {Text::compare_at_most, "at most", "no máximo"},
    {Text::compare_time, "time", "tempo"},
    {Text::compare_least, "least", "menor"},
    {Text::compare_median, "median", "mediana"},
    {Text::compare_most, "most", "maior"},
    {Text::compare_note_n,
     "n: processes, the crashed coordinator counted in; time: in message delays",
     "n: processos, contando o coordenador que caiu; tempo: em atrasos de mensagem"},
    {Text::compare_note_counted,
     "messages: those to the crashed one count, too; but a ring passes it over",
     "mensagens: as enviadas ao que caiu também contam; mas um anel o pula"},
    {Text::compare_note_equal,
     "each run took exactly the textbook's count for its ring and its detector",
     "cada execução gastou exatamente a contagem do livro para seu anel e quem notou"},
    {Text::compare_wrong,
     "n = {0}, {1}: of {2} runs {3} did not agree, {4} exceeded the bound, {5} took another count",
     "n = {0}, {1}: de {2} execuções, {3} sem acordo, {4} acima do limite, {5} com outra contagem"},
    {Text::compare_fewer_from, "{0} takes fewer messages than {1} from n = {2} on",
     "{0} gasta menos mensagens que {1} a partir de n = {2}"},
    {Text::compare_fewer_always, "{0} takes fewer messages than {1} at every n",
     "{0} gasta menos mensagens que {1} em todo n"},
    {Text::compare_fewer_nobody, "{0} and {1} end with as many messages",
     "{0} e {1} terminam com o mesmo número de mensagens"},
    {Text::compare_faster_from, "{0} is faster than {1} from n = {2} on",
     "{0} é mais rápido que {1} a partir de n = {2}"},
    {Text::compare_faster_always, "{0} is faster than {1} at every n",
     "{0} é mais rápido que {1} em todo n"},
    {Text::compare_faster_nobody, "{0} and {1} end equally fast",
     "{0} e {1} terminam igualmente rápidos"},
    {Text::compare_axis_messages, "messages", "mensagens"},
    {Text::compare_axis_time, "time, in message delays", "tempo, em atrasos de mensagem"},
    {Text::compare_axis_n, "n processes", "n processos"},
    {Text::compare_several, "several", "vários"},
    {Text::compare_scales, "both scales are logarithmic", "as duas escalas são logarítmicas"},
    {Text::compare_whiskers, "thin: least to most of the runs; lines: medians",
     "fino: do menor ao maior das execuções; linhas: medianas"},
    {Text::compare_more_rows, "n between these: --format=csv", "n entre estes: --format=csv"},
    {Text::sweep_agreed_of, "{0} of {1} runs ended in agreement",
     "{0} de {1} execuções terminaram em acordo"},
    {Text::sweep_time_to_agree, "time to agreement, ms", "tempo até o acordo, ms"},
    {Text::sweep_contested, "two coordinators, ms", "dois coordenadores, ms"},
    {Text::sweep_least, "least", "menor"},
    {Text::sweep_median, "median", "mediana"},
    {Text::sweep_most, "most", "maior"},
    {Text::sweep_at_worst, "one election of {0}, at worst: {1}",
     "uma eleição de {0}, no pior caso: {1}"},
    {Text::option_memory, "how much memory the records may take, in MiB",
     "quanta memória os registros podem ocupar, em MiB"},
    {Text::error_trace_too_large,
     "{0}: {1} MiB of trace would take about {2} MiB of memory, and {3} are allowed: judge it in "
     "parts, or allow more with --memory",
     "{0}: {1} MiB de rastro ocupariam cerca de {2} MiB de memória, e o permitido são {3}: "
     "verifique-o em partes, ou permita mais com --memory"},
    {Text::error_picture_too_large,
     "a picture of {0} records would take about {1} MiB of memory, and {2} are allowed",
     "uma figura de {0} registros ocuparia cerca de {1} MiB de memória, e o permitido são {2}"},
    {Text::advice_draw_less,
     "draw one election with --election=K (K from 1 to {0}), or allow more with --memory",
     "desenhe uma eleição com --election=K (K de 1 a {0}), ou permita mais com --memory"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < text_count; ++i) {
    if (entries[i].name != static_cast<Text>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "entries must stand in the order of enum Text");

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::optional<Language> language_named(std::string_view name) {
  const std::string_view language = name.substr(0, name.find_first_of("-_.@"));
  if (language == "pt") return Language::portuguese;
  if (language == "en" || language == "C" || language == "POSIX") return Language::english;
  return std::nullopt;
}

Language language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') {
      return language_named(value).value_or(Language::english);
    }
  }
  return Language::english;
}

std::string_view text(Text name, Language language) {
  const Entry& entry = entries.at(static_cast<std::size_t>(name));
  return language == Language::english ? entry.english : entry.portuguese;
}

std::string text(Text name, Language language, std::initializer_list<std::string_view> values) {
  const std::string_view words = text(name, language);
  std::string filled;
  // In one pass: what was filled in is never taken for a place.
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool is_place = words[at] == '{' && at + 2 < words.size() && words[at + 2] == '}';
    const auto i = is_place ? static_cast<std::size_t>(words[at + 1] - '0') : values.size();
    if (i < values.size()) {
      filled += harmless(values.begin()[i]);
      at += 2;
    } else {
      filled += words[at];
    }
  }
  return filled;
}

std::size_t width(std::string_view shown) {
  std::size_t columns = 0;
  for (const char c : shown) columns += is_continuation(c) ? 0U : 1U;
  return columns;
}

std::string padded(std::string_view shown, std::size_t columns) {
  const std::size_t used = width(shown);
  return std::string(shown) + std::string(columns > used ? columns - used : 0, ' ');
}

std::string right_aligned(std::string_view shown, std::size_t columns) {
  const std::size_t used = width(shown);
  return std::string(columns > used ? columns - used : 0, ' ') + std::string(shown);
}

}  // namespace bully
