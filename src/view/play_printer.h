// play_printer.h: a play as text for a student: the lesson's words, the processes' steps, pictures
// of the moments at which it stops, and the result of its expectations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "election/record.h"
#include "history/history.h"
#include "values/scenario.h"
#include "view/log.h"
#include "view/play_frames.h"

namespace bully {

struct PlayStyle {
  LogStyle log = {};
  bool answers = false;  // of the question at the end
  Log::Output output = {};
  Log::Output effects = {};                       // the lines of the log, if not as all else
  std::int64_t began_ns = 0;                      // by the clock of the records
  std::function<void(const Step&)> on_step = {};  // before its text appears
  std::function<void()> on_part = {};             // around a paragraph and around a frame
  std::function<void()> on_broken = {};           // before the text of a broken expectation
  bool script = true;                             // the lines of the script
  bool verdicts = true;                           // expectations that hold, and their number
  std::size_t frame_rows = 0;                     // of a frame, if its words fit; 0: any number
};

// Prints a play; decides nothing. Its records and its steps come from the stage and the player.
class PlayPrinter : public Listener, public Sink {
 public:
  // Both outlive it.
  PlayPrinter(const Scenario& scenario, const PlayStyle& style);

  // Before the first step, and after the last.
  void begin();
  void end(const PlayResult& result);

  void record(const Record& record) override;
  void flush() override { log_.flush(); }
  void on_step(const Step& step) override;
  void on_say(Language language, std::string_view words) override;
  void on_frame(const Texts& label, std::span<const Snapshot> nodes,
                const MessageCounts& sent) override;
  void on_kept(const Step& step) override;
  void on_broken(const Step& step, std::span<const Problem> wrong) override;

 private:
  void finish_founding();
  void finish_explanation();
  void print(const std::string& text);
  void begin_part() const {
    if (style_.on_part) style_.on_part();
  }
  void print_verdict(bool is_right, const std::string& words);
  void print_line(std::string_view sign, Color color, const std::string& words);
  std::string say(Text key, Values values = {}) const {
    return text(key, style_.log.language, values);
  }

  const Scenario& scenario_;
  const PlayStyle& style_;
  Log log_;
  bool blank_ = false;       // the last line printed was empty
  bool founding_ = false;    // the processes are starting: this is no part of the lesson
  std::string explanation_;  // lines of the script that make one paragraph
  ArrowBook arrows_;
  History history_;
  std::size_t records_ = 0;
};

}  // namespace bully
