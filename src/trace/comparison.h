// comparison.h: what the same elections took with each algorithm, side by side.
//
// Plain figures, and what can be said of them: from which number of processes on one algorithm
// overtakes another. It holds no election (../sim/compare.h does) and has no words for people
// (../view/compare_table.h, compare_plot.h and compare_svg.h have them). Read next: those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bully {

// Of several runs.
struct Spread {
  std::uint64_t least = 0;
  std::uint64_t median = 0;
  std::uint64_t most = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<std::uint64_t> sample);

// How the ring stands.
enum class ElectionCase : std::uint8_t {
  best,    // by id, as real processes do; the highest follower notices
  worst,   // in the algorithm's own worst order; the lowest notices
  random,  // in an order drawn by chance, the same for all algorithms; and so is who notices
};
inline constexpr std::size_t election_case_count = 3;
std::string_view election_case_name(ElectionCase election_case);

// Who notices that the coordinator has crashed.
enum class Noticing : std::uint8_t {
  as_case,  // as the case has it
  highest,  // the highest follower
  lowest,
  all,  // all at once
};

// Elections among so many processes, the coordinator that crashed counted in.
struct ComparedPoint {
  std::size_t nodes = 0;
  std::uint64_t runs = 0;
  Spread messages;
  Spread time;              // from the detection until the last one follows, in message delays
  Spread textbook;          // the messages that the textbook counts for exactly these elections
  std::uint64_t bound = 0;  // the most that it allows for any
  // What must not be: so many of the runs.
  std::uint64_t disagreed = 0;
  std::uint64_t over_bound = 0;  // in messages of some type
  std::uint64_t miscounted = 0;  // in messages of some type, compared with the textbook's count
  bool is_right() const { return disagreed + over_bound + miscounted == 0; }
};

struct ComparedSeries {
  std::string_view algorithm;
  std::vector<ComparedPoint> points;  // by the number of processes
};

struct ComparedCase {
  ElectionCase election_case = ElectionCase::worst;
  Noticing noticing = Noticing::as_case;
  std::uint64_t runs = 1;              // for each number of processes
  std::vector<ComparedSeries> series;  // all with the same numbers of processes
};

struct Comparison {
  std::vector<ComparedCase> cases;
  bool is_right() const;
};

// What is compared: the median of the runs.
enum class Quantity : std::uint8_t { messages, time };
const Spread& spread_in(const ComparedPoint& point, Quantity quantity);

// How two algorithms of a case end up, among the numbers of processes that were tried.
struct Overtaking {
  std::size_t less = 0;  // the series that takes less in the end
  std::size_t more = 0;
  bool as_much = false;  // in the end neither takes less
  // From this number of processes on; nothing where it does for all of them.
  std::optional<std::size_t> from = std::nullopt;
};
// One for each two series, in their order.
std::vector<Overtaking> overtakings(const ComparedCase& compared, Quantity quantity);

}  // namespace bully
