// grading.cc: the choice of the next check, and the result of all tries of a check.
#include "grade/grading.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <span>

#include "grade/attempt.h"
#include "grade/process_tree.h"
#include "node/directory.h"

namespace bully {

namespace {

// No check draws as many numbers from a seed.
constexpr std::uint64_t seeds_in_check = 100;
// A finding that may be chance must appear twice in three tries.
constexpr int most_tries = 3;
constexpr Duration until_ended = std::chrono::seconds(10);
constexpr Duration look_interval = std::chrono::milliseconds(10);

class Grading {
 public:
  Grading(const ExamSettings& settings, LocalCluster& cluster, const std::vector<ExamCheck>& chosen,
          GradingOptions options, const GradingProgress& progress)
      : settings_(settings), cluster_(cluster), options_(options), progress_(progress) {
    grade_.command = settings.command;
    grade_.seed = settings.seed;
    // A program with the standard directory built in has one place, and so has one with a given
    // one.
    if (!settings.directory.empty()) options_.jobs = 1;
    for (const ExamCheck& check : chosen) courses_.push_back({.check = check});
  }
  ~Grading() { end_jobs(jobs_); }
  Grading(const Grading&) = delete;
  Grading& operator=(const Grading&) = delete;

  Grade run() {
    const auto has_one_ended = [this] {
      return std::ranges::any_of(
          jobs_, [this](const Job& job) { return cluster_.status_of(job.grader).has_value(); });
    };
    try {
      while (grade_.results.size() < courses_.size()) {
        begin_all();
        report();
        if (jobs_.empty()) continue;
        cluster_.wait_until(has_one_ended, never);
        collect();
      }
    } catch (const Interrupted&) {
      grade_.is_complete = false;
      end_jobs(jobs_);
      for (Course& course : courses_) {
        if (course.is_over) continue;
        course.result.status = CheckStatus::inconclusive;
        course.result.unclear = "out_of_time";
        end(course);
      }
      report();
    }
    return std::move(grade_);
  }

 private:
  // A check on its way to a result.
  struct Course {
    ExamCheck check;
    CheckResult result = {};
    bool is_over = false;
    unsigned passes = 0;
    int tries = 0;     // since the last pass
    int failures = 0;  // of these
    Time began = never;
  };
  struct Job {
    pid_t grader;
    std::size_t course;
    std::string file;  // of its result
  };

  // --- Which check is next ---

  void begin_all() {
    for (Course& course : courses_) {
      if (!course.is_over) settle_if_hopeless(course);
    }
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      // Nothing else can run beside a check that measures: so its second try begins with its first.
      const bool is_doubled = courses_[i].check.measures && courses_[i].tries == 0;
      const std::ptrdiff_t wanted = is_doubled ? 2 : 1;
      while (jobs_.size() < options_.jobs && is_ready(i) &&
             std::ranges::count(jobs_, i, &Job::course) < wanted) {
        begin(i);
      }
    }
    show_running();
  }

  // Ends this check if a needed one is over and leaves its condition open. One that has failed, but
  // has measured the waits, is enough.
  void settle_if_hopeless(Course& course) {
    const auto is_lacking = [&](const Course& one) {
      const bool is_needed = std::ranges::count(course.check.kind.needs, one.check.kind.name) > 0;
      const MeasuredWaits& waits = settings_.waits;
      const auto& wait = one.check.kind.name == "waits-again" ? waits.coordinator : waits.answer;
      const bool has_measured = one.check.measures && wait.has_value();
      return is_needed && one.is_over && one.result.status != CheckStatus::passed && !has_measured;
    };
    const auto lacking = std::ranges::find_if(courses_, is_lacking);
    if (lacking == courses_.end()) return;
    const bool is_open = lacking->result.status == CheckStatus::inconclusive;
    course.result.status = is_open ? CheckStatus::inconclusive : CheckStatus::skipped;
    if (!is_open) course.result.lacks = lacking->check.kind.name;
    end(course);
  }

  // True if the checks on which it depends are over, and the checks that measure the waits, which
  // set all limits.
  bool is_ready(std::size_t i) const {
    if (courses_[i].is_over) return false;
    const auto& needs = courses_[i].check.kind.needs;
    // The checks come in an order in which each stands behind all that it needs.
    return std::ranges::none_of(std::span(courses_).first(i), [&](const Course& before) {
      const bool is_needed = std::ranges::count(needs, before.check.kind.name) > 0;
      return !before.is_over && (before.check.measures || is_needed);
    });
  }

  void begin(std::size_t i) {
    Course& course = courses_[i];
    if (course.began == never) course.began = monotonic_now();
    ExamSettings settings = settings_;
    settings.seed = grade_.seed + course.passes * seeds_in_check;
    const std::string file = cluster_.private_directory() + "/try." + std::to_string(++begun_);
    const pid_t grader = cluster_.fork_child([&] { attempt_here(course.check, settings, file); });
    jobs_.push_back({grader, i, file});
  }

  // --- The result of all tries ---

  void collect() {
    for (const Job& job : std::vector<Job>(jobs_)) {
      if (!cluster_.status_of(job.grader)) continue;
      std::erase_if(jobs_, [&](const Job& one) { return one.grader == job.grader; });
      // The other of two tries may have decided.
      if (!courses_[job.course].is_over) take(courses_[job.course], attempt_of(job));
    }
    // The guards of ended graders: orphans, of which this process has become the parent.
    for (const ProcessState& one : processes_below_us()) {
      const bool is_grader = std::ranges::count(jobs_, one.pid, &Job::grader) > 0;
      const bool is_left = one.letter == 'Z' && one.parent == getpid() && !is_grader;
      if (is_left) waitpid(one.pid, nullptr, WNOHANG);
    }
  }

  // Its program may have made the directory, or the machine, unfit for a check.
  static Attempt attempt_of(const Job& job) {
    try {
      return read_attempt(job.file);
    } catch (const std::exception& error) {
      Attempt none;
      none.result.status = CheckStatus::inconclusive;
      none.result.unclear = "set_up";
      none.result.refusal = error.what();
      return none;
    }
  }

  void take(Course& course, Attempt attempt) {
    // A try that the machine made late is no try while fewer can run at once.
    if (attempt.result.unclear == Unclear("busy") && options_.jobs > 1) {
      options_.jobs = std::clamp(static_cast<unsigned>(jobs_.size()), 1U, options_.jobs - 1);
      return;
    }
    const bool has_passed = attempt.result.status == CheckStatus::passed;
    if (course.check.measures && (has_passed || attempt.waits.answer)) {
      settings_.waits = attempt.waits;
    }
    course.result = std::move(attempt.result);
    ++course.tries;
    if (course.result.finding) ++course.failures;
    decide(course);
  }

  // One try shows it; but a program that starts in other checks may have been held up in this one.
  bool is_sure(const Finding& finding) const {
    const bool has_started = settings_.waits.start.has_value();
    return is_certain(finding.diagnosis) &&
           !(has_started && finding.diagnosis == Diagnosis("never-starts"));
  }

  void decide(Course& course) {
    CheckResult& result = course.result;
    const bool has_passed = result.status == CheckStatus::passed;
    const bool is_shown = result.finding && (course.failures > 1 || is_sure(*result.finding));
    // PIDs that begin again say nothing of the program, and do so once in a long while.
    const int most = most_tries + (result.unclear == Unclear("order_of_ids") ? 1 : 0);
    const bool is_over = (has_passed && course.failures == 0) || is_shown ||
                         result.unclear == Unclear("out_of_time") || course.tries >= most;
    if (!is_over) return;
    if (has_passed && ++course.passes < options_.repeat) {
      course.tries = course.failures = 0;
      return;
    }
    if (result.finding && !is_shown) {
      result.status = CheckStatus::inconclusive;
      result.unclear = "by_chance";
      result.finding.reset();
    }
    if (is_shown && result.finding->diagnosis == Diagnosis("orphan-monitor")) {
      settings_.kills_sessions = true;
    }
    end(course);
  }

  void end(Course& course) {
    course.is_over = true;
    course.result.kind = course.check.kind;
    course.result.took = course.began == never ? Duration(0) : monotonic_now() - course.began;
    const auto is_needless = [this](const Job& job) { return courses_[job.course].is_over; };
    std::vector<Job> needless = list_of(jobs_, is_needless, std::identity());
    std::erase_if(jobs_, is_needless);
    end_jobs(needless);
  }

  void report() {
    while (grade_.results.size() < courses_.size() && courses_[grade_.results.size()].is_over) {
      grade_.waits = settings_.waits;
      grade_.limits = limits_of(settings_.waits);
      grade_.results.push_back(std::move(courses_[grade_.results.size()].result));
      progress_.on_result(grade_, grade_.results.back());
    }
  }

  void show_running() {
    std::vector<std::string_view> names;
    for (const Job& job : jobs_) {
      const std::string_view name = courses_[job.course].check.kind.name;
      if (std::ranges::count(names, name) == 0) names.push_back(name);
    }
    progress_.on_running(names);
  }

  // At this signal a grader ends its processes first.
  static void end_jobs(std::vector<Job>& jobs) {
    const Time deadline = monotonic_now() + until_ended;
    while (!jobs.empty()) {
      std::erase_if(jobs,
                    [](const Job& job) { return waitpid(job.grader, nullptr, WNOHANG) != 0; });
      for (const Job& job : jobs) kill(job.grader, monotonic_now() < deadline ? SIGTERM : SIGKILL);
      if (!jobs.empty()) poll(nullptr, 0, poll_timeout(look_interval, {}));
    }
  }

  ExamSettings settings_;
  LocalCluster& cluster_;
  GradingOptions options_;
  const GradingProgress& progress_;
  Grade grade_;
  std::vector<Course> courses_;
  std::vector<Job> jobs_;
  std::uint64_t begun_ = 0;
};

}  // namespace

Grade grade(const ExamSettings& settings, LocalCluster& cluster,
            const std::vector<ExamCheck>& chosen, GradingOptions options,
            const GradingProgress& progress) {
  return Grading(settings, cluster, chosen, options, progress).run();
}

}  // namespace bully
