// bully_rules.h: a bully process's rules; the last seven are the deviations. Sentences: ../words.
#pragma once

#include <array>

#include "election/protocol.h"

namespace bully {

namespace rule {
inline constexpr Rule start{"start", "[Tan95]"};
inline constexpr Rule suspect{"suspect", "[Tan95, CDK]"};
inline constexpr Rule deposed{"deposed", "[CDK]"};
inline constexpr Rule outranked{"outranked", "[Tan95]"};
inline constexpr Rule ask{"ask", "[Tan95, CDK 1]"};
inline constexpr Rule highest{"highest", "[CDK 1]"};
inline constexpr Rule win{"win", "[Tan95, CDK 1, CDK 2]"};
inline constexpr Rule answer{"answer", "[Tan95]"};
inline constexpr Rule take_over{"take-over", "[Tan95]"};
inline constexpr Rule already_holding{"already-holding", "[Tan95]"};
inline constexpr Rule job_done{"job-done", "[Tan95, CDK 3]"};
inline constexpr Rule another_answer{"another-answer", "[Tan95]"};
inline constexpr Rule coordinator{"coordinator", "[CDK 5]"};
inline constexpr Rule no_answer{"no-answer", "[CDK 2]"};
inline constexpr Rule no_coordinator{"no-coordinator", "[CDK 3]"};
inline constexpr Rule gone{"gone", "", 1};
inline constexpr Rule answerer_gone{"answerer-gone", "", 2};
inline constexpr Rule successor_known{"successor-known", "", 3};
inline constexpr Rule won_already{"won-already", "", 4};
inline constexpr Rule nobody_lost{"nobody-lost", "", 5};
inline constexpr Rule never_lower{"never-lower", "", 6};
inline constexpr Rule never_told{"never-told", "", 7};

inline constexpr std::array of_bully = {&start,
                                        &suspect,
                                        &deposed,
                                        &outranked,
                                        &ask,
                                        &highest,
                                        &win,
                                        &answer,
                                        &take_over,
                                        &already_holding,
                                        &job_done,
                                        &another_answer,
                                        &coordinator,
                                        &no_answer,
                                        &no_coordinator,
                                        &gone,
                                        &answerer_gone,
                                        &successor_known,
                                        &won_already,
                                        &nobody_lost,
                                        &never_lower,
                                        &never_told};
}  // namespace rule

}  // namespace bully
