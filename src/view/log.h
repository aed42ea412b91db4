// log.h: records as lines for a student: time, process, event, and the other process.
//
// Real processes and the simulator show their log through this unit. Sends of one kind to several
// processes become one line.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/layout.h"
#include "election/record.h"
#include "words/words.h"

namespace bully {

struct LogStyle {
  Language language = Language::english;
  bool color = false;
  bool explain = false;    // each rule's sentence, below the event that fires it
  bool simulated = false;  // the processes are simulated, and have no PIDs
  std::size_t margin = 0;  // the columns that its user puts before each line

  std::string say(Text words, Values values = {}) const { return text(words, language, values); }
  std::string paint(Color shade, std::string_view words) const {
    return colored(shade, words, color);
  }
};

using TimeColumn = std::function<std::string(std::int64_t t_ns)>;
// The wall clock's present lead over CLOCK_MONOTONIC.
std::int64_t wall_clock_offset();
// The time of day with milliseconds, for records of CLOCK_MONOTONIC that are shown soon after they
// were made. It follows a wall clock that is set, or that went on while the machine slept, but
// ignores changes below a second: the lines of one election stay in step.
TimeColumn time_of_day(const std::function<std::int64_t()>& offset_now = wall_clock_offset);
// The seconds since `start_ns`, with milliseconds: "0.500s". For virtual time, and for plays.
TimeColumn seconds_since(std::int64_t start_ns);

class Log : public Sink {
 public:
  // Takes lines, each with its newline; several at a time if they belong together.
  using Output = std::function<void(std::string_view lines)>;

  Log(LogStyle style, TimeColumn time, Output output);

  void record(const Record& record) override;
  void flush() override;
  // The input that the next record drops: from outside, and of any length.
  void dropping(std::string_view bytes);
  // A line without a record, by `node` now; or of no node.
  void remark(std::int64_t t_ns, std::optional<NodeId> node, std::string_view words);

 private:
  // A node by the lines of the log so far, with the facts that the next line need not repeat.
  struct Shown : Snapshot {
    std::optional<std::uint64_t> told_epoch = std::nullopt;
    bool observed = false;  // by a recorder, and known from its links alone
    bool has_just_started = false;
    bool has_just_returned = false;  // so it and its waker said, in two records
    bool starts_over = false;        // it was stopped, and has entered no other state since
    NodeId heard_from = 0;           // the sender of the latest message
  };

  void line(const Record& record, std::string_view sign, Color color, std::string_view words);
  void line(std::string_view time, std::string_view node, std::string_view sign, Color color,
            std::string_view words);
  void message_line(const Record& record, std::string_view sign, std::string who);
  void state_line(const Record& record);
  void win_line(const Record& record, Shown& known);
  void reason_line(const Record& record, Shown& known);
  void suspicion_line(const Record& record);
  void rule_line(const Record& record);
  void wait_line(const Record& record);

  LogStyle style_;
  TimeColumn time_;
  Output output_;
  std::string dropped_;  // as it is shown
  std::string lines_;    // made and not yet written
  // Sends of one kind in a row, and the lost ones among them.
  std::vector<Record> sends_;
  std::vector<Record> losses_;
  std::map<NodeId, Shown> known_;
  // The rule of the last record: a rule that fires for each of several peers is shown once.
  std::string_view last_rule_;
};

}  // namespace bully
