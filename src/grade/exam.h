// exam.h: an exam, in which checks test a program: processes of the program and fake processes in
// one private directory, with control of the links between all of them. It waits until they act.
//
// Read next: exam_checks.h.
#pragma once

#include "grade/exam_links.h"
#include "grade/fakes.h"
#include "grade/processes.h"

namespace bully {

class Exam final : private Waiter {
 public:
  // Both must outlive it. Throws SetupError.
  Exam(ExamSettings& settings, LocalCluster& cluster);

  const ExamSettings& settings() const { return settings_; }
  MeasuredWaits& waits() const { return settings_.waits; }

  // --- Waits; all of them serve the links meanwhile: see Waiter ---

  bool await(const std::function<bool()>& condition, Duration at_most) override;
  void rest(Duration time);
  // The first of these; nothing if none came in time.
  std::optional<Record> await_sent(const Sendings& wanted, Duration at_most);
  std::optional<Record> await_election(NodeId id, std::size_t since, Duration at_most) {
    return await_sent({.from = id, .since = since}, at_most);
  }
  // Waits until no message of an election has passed for `time`. Throws a Finding if that never
  // comes.
  void await_quiet(Duration time);

 private:
  // The directory, in which fakes take names. At the end, when all processes have ended and their
  // names are back, it removes these; a private directory itself belongs to its maker.
  struct Names : Registry {
    Names(const std::string& path, const Guard& guard);
    ~Names();
  };

  void serve(Time deadline);

  ExamSettings& settings_;
  LocalCluster& cluster_;
  Names directory_;

 public:
  // Their end is in the opposite order.
  ExamLinks links;
  Processes processes;
  Fakes fakes;
};

}  // namespace bully
