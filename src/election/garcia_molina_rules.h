// garcia_molina_rules.h: a process's rules in the election of 1982; the last three are the
// deviations. Sentences: ../words.
#pragma once

#include <array>

#include "election/protocol.h"

namespace bully {

namespace rule {
inline constexpr Rule gm_recovery{"gm-recovery", "[GM82]"};
inline constexpr Rule gm_timeout{"gm-timeout", "[GM82]"};
inline constexpr Rule gm_check{"gm-check", "[GM82]"};
inline constexpr Rule gm_ask{"gm-ask", "[GM82]"};
inline constexpr Rule gm_there{"gm-there", "[GM82]"};
inline constexpr Rule gm_give_up{"gm-give-up", "[GM82]"};
inline constexpr Rule gm_halt{"gm-halt", "[GM82]"};
inline constexpr Rule gm_halted{"gm-halted", "[GM82]"};
inline constexpr Rule gm_up{"gm-up", "[GM82]"};
inline constexpr Rule gm_election_point{"gm-election-point", "[GM82]"};
inline constexpr Rule gm_new_coordinator{"gm-new-coordinator", "[GM82]"};
inline constexpr Rule gm_not_halted_by{"gm-not-halted-by", "[GM82]"};
inline constexpr Rule gm_hand_out{"gm-hand-out", "[GM82]"};
inline constexpr Rule gm_ready{"gm-ready", "[GM82]"};
inline constexpr Rule gm_not_named_by{"gm-not-named-by", "[GM82]"};
inline constexpr Rule gm_normal{"gm-normal", "[GM82]"};
inline constexpr Rule gm_on_timeout{"gm-on-timeout", "[GM82]"};
inline constexpr Rule gm_again{"gm-again", "[GM82]"};
inline constexpr Rule gm_gone{"gm-gone", "", 1};
inline constexpr Rule gm_follows_nobody{"gm-follows-nobody", "", 9};
inline constexpr Rule gm_doubt{"gm-doubt", "", 10};

inline constexpr std::array of_garcia_molina = {&gm_recovery,
                                                &gm_timeout,
                                                &gm_check,
                                                &gm_ask,
                                                &gm_there,
                                                &gm_give_up,
                                                &gm_halt,
                                                &gm_halted,
                                                &gm_up,
                                                &gm_election_point,
                                                &gm_new_coordinator,
                                                &gm_not_halted_by,
                                                &gm_hand_out,
                                                &gm_ready,
                                                &gm_not_named_by,
                                                &gm_normal,
                                                &gm_on_timeout,
                                                &gm_again,
                                                &gm_gone,
                                                &gm_follows_nobody,
                                                &gm_doubt};
}  // namespace rule

}  // namespace bully
