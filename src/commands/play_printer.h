// play_printer.h: a play as a student sees it: what the lesson says, what the processes do,
// pictures of the moments it stops at, and whether it kept what it promised.
//
// Every record of the play goes to the printer too: it is the log. It decides nothing.
// Read next: ../sim/stage.h for the play, ../view/narration.h for the layout.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/stage.h"
#include "view/arrows.h"
#include "view/log.h"
#include "view/narration.h"
#include "view/rounds.h"

namespace bully {

struct PlayStyle {
  LogStyle log;
  bool quiet = false;         // no log and no steps
  std::int64_t start_ns = 0;  // what the log's time column counts from
  std::string file;           // what a broken expectation is said to stand in
  Log::Output output;
};

class PlayPrinter : public Audience, public Sink {
 public:
  explicit PlayPrinter(PlayStyle style);

  // Before the first step, and after the last.
  void begin(const Scenario& scenario);
  void end(const Performance& performance);

  void record(const Record& record) override;
  void flush() override;

  void on_step(const ScenarioStep& step) override;
  void on_say(ScriptLanguage language, std::string_view words) override;
  void on_frame(std::string_view label, const std::vector<Actor>& cast) override;
  void on_late_frame(std::string_view label) override;
  void on_caught_up(const std::vector<Actor>& cast) override;
  void on_passed_over(const ScenarioStep& step, PassedOver why, std::string_view what) override;
  void on_kept(const ScenarioStep& step) override;
  void on_broken(const ScenarioStep& step, std::string_view what) override;

 private:
  void finish_explanation();
  void finish_founding();
  void print(const std::string& text);
  void print_line(std::string_view sign, std::string_view color, const std::string& words);

  PlayStyle style_;
  Log log_;
  bool blank_ = false;     // the last line printed was empty
  bool founding_ = false;  // the cast is starting: what it says meanwhile is no part of the lesson
  std::string explanation_;  // lines of the script that make one paragraph
  ArrowBook arrows_;
  // For frames of moments that a stage did not stop at: what has happened since it lost step, and
  // how all stood then.
  std::vector<std::string> late_frames_;
  bool out_of_step_ = false;
  std::vector<Record> since_;
  std::map<NodeId, Standing> standings_;
  std::map<NodeId, Standing> standings_before_;
};

}  // namespace bully
