// log.h: records as lines that a student reads: when, who, what, and to or from whom.
//
// Real processes and the simulator show their log through this one unit. Sends of one kind to
// several processes become one line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "election/record.h"
#include "view/looks.h"

namespace bully {

struct LogStyle {
  Language language = Language::english;
  bool color = false;
};

// A record's `t` as the first column.
using TimeColumn = std::function<std::string(std::int64_t t_ns)>;
// How far the wall clock is ahead of CLOCK_MONOTONIC now.
std::int64_t wall_clock_offset();
// The time of day with milliseconds. For records of CLOCK_MONOTONIC, shown soon after they were
// made: it follows a wall clock that is set, and one that went on while the machine slept, as the
// other does not on Linux. Less than a second is left, so that the lines of one election stay in
// step.
TimeColumn time_of_day(const std::function<std::int64_t()>& offset_now = wall_clock_offset);
// The seconds since `start_ns`, with milliseconds: "0.500s". For virtual time, and for plays.
TimeColumn seconds_since(std::int64_t start_ns);

class Log : public Sink {
 public:
  // Whoever takes the lines: each with its newline, several at a time where they belong together.
  using Output = std::function<void(std::string_view lines)>;

  Log(LogStyle style, TimeColumn time, Output output);

  void record(const Record& record) override;
  // Shows what is held back to be shown together.
  void flush() override;
  // A line that no record stands for, said by `node` now; or of no node.
  void remark(std::int64_t t_ns, std::optional<NodeId> node, std::string_view words);

 private:
  // What a node's earlier lines said of it.
  struct Known {
    const StateLook* state = nullptr;
    std::optional<NodeId> number = std::nullopt;  // its first variable
    std::optional<std::uint64_t> epoch = std::nullopt;
  };

  void line(const Record& record, std::string_view sign, Color color, std::string_view words);
  void line(std::int64_t t_ns, std::string_view node, std::string_view sign, Color color,
            std::string_view words);
  void message_line(const Record& record, std::string_view sign, std::string who);
  void state_line(const Record& record);
  void timeout_line(const Record& record);
  void suspicion_line(const Record& record);
  std::string peers(const std::vector<NodeId>& ids) const;
  Text drop_reason(std::string_view reason) const;

  LogStyle style_;
  TimeColumn time_;
  Output output_;
  std::string lines_;  // made and not yet put out
  // Sends of one kind in a row, and those of them that were lost.
  std::vector<Record> sends_;
  std::vector<Record> losses_;
  std::map<NodeId, Known> known_;
};

}  // namespace bully
