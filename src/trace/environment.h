// environment.h: the part of a record that is of no election: how long its process waits, and how
// others saw it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "election/record.h"

namespace bully {

// How a process learns that another is gone.
enum class Detector : std::uint8_t {
  ping,  // by a ping each interval
  eof,   // and by the kernel, which reports the end of a process at once
  off,   // not at all
};
inline constexpr std::array<std::string_view, 3> detector_names = {"ping", "eof", "off"};

// A process's means to detect that another is gone, and the length of its waits. An empty detector
// means unknown: a recorder wrote the start of a program that it saw from outside.
struct Waits {
  std::string_view detector = {};  // in detector_names
  std::int64_t ping_interval_ns = 0;
  std::int64_t ping_timeout_ns = 0;
  // 0: the process is controlled, and its waits have no end.
  std::int64_t answer_timeout_ns = 0;
  std::int64_t coordinator_timeout_ns = 0;
  std::int64_t pace_ns = 0;  // before each message

  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Waits&) const = default;
};

struct Environment {
  Waits waits = {};  // start
  // start: the node writes no trace. A recorder saw its links, and nothing else is known of it.
  bool observed = false;
  // coordinator: as its own reply to a ping says. All else of an observed node is inferred.
  bool from_reply = false;

  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Environment&) const = default;
};

inline Environment environment_of(const Record& record) {
  return record.environment == nullptr ? Environment() : *record.environment;
}

// Of a start, with the waits that a node's options give, or the simulator's.
std::shared_ptr<const Environment> make_environment(const auto& options, Detector detector) {
  const Waits waits = {.detector = detector_names.at(static_cast<std::size_t>(detector)),
                       .ping_interval_ns = options.ping_interval.count(),
                       .ping_timeout_ns = options.ping_timeout.count(),
                       .answer_timeout_ns = options.answer_timeout.count(),
                       .coordinator_timeout_ns = options.coordinator_timeout.count(),
                       .pace_ns = options.pace.count()};
  return std::make_shared<const Environment>(Environment{.waits = waits});
}

}  // namespace bully
