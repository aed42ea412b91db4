// exam.h: an exam, in which checks test a program: processes of the program and fake processes in
// one private directory, with control of the links between all of them. It waits until they act.
//
// Read next: exam_checks.h.
#pragma once

#include "grade/exam_links.h"
#include "grade/fakes.h"
#include "grade/lateness.h"
#include "grade/processes.h"
#include "node/registry.h"

namespace bully {

class Exam {
 public:
  // Both must outlive it. Throws SetupError.
  Exam(ExamSettings& its_settings, LocalCluster& its_cluster);

  MeasuredWaits& waits() const { return settings.waits; }

  // --- Waits, while all of the exam goes on. They throw a Finding if something happens to a
  // process that must not happen, or Unclear when the time for all checks is over. ---

  // True if the condition came true in time.
  bool await(const std::function<bool()>& condition, Duration at_most);
  void rest(Duration time);
  // The first of these; nothing if none came in time.
  std::optional<Record> await_sent(const Sendings& wanted, Duration at_most);
  std::optional<Record> await_election(NodeId id, std::size_t since, Duration at_most) {
    return await_sent({.from = id, .since = since}, at_most);
  }
  // True if such a message arrived in time.
  bool await_arrival(const Sendings& wanted, Duration at_most) {
    return await([&] { return links.has_arrived(wanted); }, at_most);
  }
  // Waits until no message of an election has passed for `time`. Throws a Finding if that never
  // comes.
  void await_quiet(Duration time);

  // For a check that judges another wait than the last that has expired.
  void judge(Duration wait) { judged_ = wait; }
  // The same for a check of suspicions: a busy machine delays the replies to pings.
  void judge_suspicions() {
    constexpr Duration usual = std::chrono::seconds(1);
    judge(std::max(usual, waits().detection.value_or(usual)));
  }
  // True if a step of this process, or of the silent one, was later than 20 ms, and than a tenth of
  // the judged wait; unless the program itself has kept the processors busy.
  bool was_machine_busy() const;

 private:
  // The directory, in which fakes take names. At the end, when all processes have ended and their
  // names are back, it removes these; a private directory itself belongs to its maker.
  struct Names : Registry {
    Names(const std::string& path, const Guard& guard);
    ~Names();
  };

  bool serve_until(const std::function<bool()>& condition, Duration at_most);
  void serve(Time deadline);

  Time began_ = monotonic_now();
  Duration used_before_;  // processor time, by the processes of earlier exams
  Duration judged_;

 public:
  // Their end is in the opposite order.
  ExamSettings& settings;
  LocalCluster& cluster;
  Lateness lateness;
  Names directory;
  ExamLinks links;
  Processes processes;
  Fakes fakes;
};

}  // namespace bully
