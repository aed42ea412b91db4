// words.cc: what people read of the election by the lowest id, in English and in Portuguese.
#include "toy/lowest.h"

namespace bully::toy {

std::span<const OwnWord> lowest_words() {
  static constexpr std::array all = std::to_array<OwnWord>({
      {"election_lowest", {"Lowest-id election", "Eleição do menor"}},
      {"message_claim", {"CLAIM", "PRETENSÃO"}},
      {"message_object", {"OBJECT", "OBJEÇÃO"}},
      {"message_lowest", {"LOWEST", "MENOR"}},
      {"state_member", {"member", "membro"}},
      {"state_claimant", {"claimant", "pretendente"}},
      {"state_bystander", {"bystander", "espectador"}},
      {"state_chief", {"chief", "chefe"}},

      {"log_state_claimant", {"claimant: claims the office", "pretendente: reivindica o cargo"}},
      {"log_state_bystander",
       {"bystander: leaves the office to {0}", "espectador: cede o cargo a {0}"}},
      {"log_state_chief", {"LOWEST: {0} has won", "MENOR: {0} venceu"}},
      {"log_time_up_claimant",
       {"no lower process objected in time", "nenhum processo menor objetou a tempo"}},
      {"log_time_up_bystander", {"no LOWEST came in time", "nenhum MENOR chegou a tempo"}},
      {"log_watched_down_bystander", {"its rival {0} is down", "seu rival {0} caiu"}},
      {"log_watched_hung_bystander", {"its rival {0} does not react", "seu rival {0} não reage"}},

      {"rule_toy_start",
       {"A process that starts or comes back claims the office.",
        "Um processo que entra ou volta reivindica o cargo."}},
      {"rule_toy_miss",
       {"A process that misses its chief, or the rival for whom it stands by, claims the office.",
        "Um processo que sente falta de seu chefe, ou do rival a quem cedeu, reivindica o cargo."}},
      {"rule_toy_claim",
       {"It sends CLAIM to everyone, with the chief that it misses.",
        "Ele envia PRETENSÃO a todos, com o nome do chefe que lhe falta."}},
      {"rule_toy_object",
       {"A process that gets a CLAIM from a higher one objects.",
        "Um processo que recebe PRETENSÃO de um maior objeta."}},
      {"rule_toy_tell",
       {"It is the chief, and says so to the process that claims.",
        "Ele é o chefe, e o diz ao processo que reivindica o cargo."}},
      {"rule_toy_join_in",
       {"It misses the same chief, or has waited too long as well: it claims the office itself.",
        "O chefe que falta é o seu, ou ele também já esperou demais: ele mesmo reivindica o "
        "cargo."}},
      {"rule_toy_stand_by",
       {"A lower process claims or objects: it stands by.",
        "Um processo menor pretende ou objeta: ele fica como espectador."}},
      {"rule_toy_unmoved",
       {"It follows a process that is lower still, and leaves the objection to that one.",
        "Ele segue um processo ainda menor, e deixa que este faça a objeção."}},
      {"rule_toy_win",
       {"Nobody lower is left to object: it is the chief, and sends LOWEST to all others.",
        "Não resta nenhum menor que possa objetar: ele é o chefe, e envia MENOR aos outros."}},
      {"rule_toy_follow",
       {"A process that gets LOWEST from a lower one takes it as its chief.",
        "Um processo que recebe MENOR de um menor toma-o por chefe."}},
      {"rule_toy_look",
       {"The chief finds a process without one, and says who is.",
        "O chefe descobre um processo sem chefe, e diz quem é."}},
      {"rule_toy_never_higher",
       {"A chief higher than itself is not accepted: it claims the office.",
        "Um chefe maior que ele não é aceito: ele reivindica o cargo."}},
      {"rule_toy_again",
       {"Its rival has not become chief in time: it claims the office again.",
        "O rival não se tornou chefe a tempo: ele reivindica o cargo outra vez."}},

      {"check_yields_down",
       {"no process stands by for a higher one", "nenhum processo cede a um maior"}},
      {"check_one_chief", {"there is never more than one chief", "nunca há mais de um chefe"}},
      {"verify_one_chief", {"there are two chiefs", "há dois chefes"}},
      {"verify_when_one_chief", {"a process became chief", "um processo tornou-se chefe"}},
      {"verify_yields_down",
       {"a node stands by for a higher node", "um processo cede a outro maior que ele"}},
  });
  return all;
}

}  // namespace bully::toy
