// exam.cc: the loop that waits for conditions.
#include "grade/exam.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace bully {

constexpr Duration look_interval = std::chrono::milliseconds(20);
// An idle machine is as late now and then.
constexpr Duration least_lateness = std::chrono::milliseconds(20);

static Duration processor_of_ended_children() {
  struct rusage used {};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto time_of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return time_of(used.ru_utime) + time_of(used.ru_stime);
}

Exam::Names::Names(const std::string& path, const Guard& guard) : Registry(path, true) {
  guard.put_names_back(path);
}

Exam::Names::~Names() {
  for (const NodeId id : ids()) unlink(socket_path(id).c_str());
}

Exam::Exam(ExamSettings& its_settings, LocalCluster& its_cluster)
    : used_before_(processor_of_ended_children()),
      judged_(its_settings.longest_wait),
      settings(its_settings),
      cluster(its_cluster),
      lateness(cluster),
      directory(settings.directory, cluster.guard()),
      links(directory),
      processes(*this),
      fakes(*this) {}

void Exam::serve(Time deadline) {
  const Time due = std::min(deadline, monotonic_now() + look_interval);
  std::vector<pollfd> polled = {{cluster.signals().fd(), POLLIN, 0}};
  processes.add_to(polled);
  fakes.add_to(polled);
  links.serve(polled, due);
  cluster.rest({});
  processes.serve();
  fakes.serve();
  lateness.note(monotonic_now() - due);
  if (monotonic_now() >= settings.deadline) throw Unclear("out_of_time");
}

bool Exam::serve_until(const std::function<bool()>& condition, Duration at_most) {
  Time looked = monotonic_now();
  const Time deadline = looked + at_most;
  while (!condition()) {
    const Time now = monotonic_now();
    lateness.note(now - looked);  // it may have stood still between two looks as well
    if (now >= deadline) return false;
    serve(deadline);
    processes.check();
    looked = monotonic_now();  // a look at many processes takes time as well
  }
  return true;
}

bool Exam::await(const std::function<bool()>& condition, Duration at_most) {
  const bool came_true = serve_until(condition, at_most);
  if (!came_true) judged_ = at_most;
  return came_true;
}

void Exam::rest(Duration time) {
  serve_until([] { return false; }, time);
}

// Its processes are below this one, or have been.
bool Exam::was_machine_busy() const {
  if (lateness.most() <= std::max<Duration>(least_lateness, judged_ / 10)) return false;
  Duration processor = processor_of_ended_children() - used_before_;
  for (const ProcessState& one : processes_below_us()) processor += one.processor;
  return 2 * processor < std::thread::hardware_concurrency() * (monotonic_now() - began_);
}

std::optional<Record> Exam::await_sent(const Sendings& wanted, Duration at_most) {
  std::optional<Record> found;
  await([&] { return (found = links.sent(wanted)).has_value(); }, at_most);
  return found;
}

void Exam::await_quiet(Duration time) {
  const auto last = [this] {
    const auto& records = links.records();
    const auto found = std::find_if(records.rbegin(), records.rend(), is_about_message);
    return found == records.rend() ? Time(0) : Time(found->t_ns);
  };
  const Time began = monotonic_now();
  const auto is_quiet = [&] { return monotonic_now() - std::max(last(), began) >= time; };
  const std::size_t since = links.now();
  const Duration most = settings.longest_wait + time;
  if (await(is_quiet, most)) return;
  const std::size_t sent = links.count_sent({.since = since});
  // An election that went on at the beginning is over by the middle.
  const auto is_late = [&](const Record& one) { return Time(one.t_ns) > began + most / 2; };
  if (std::ranges::any_of(links.all_sent({Role::asks}), is_late)) {
    throw fault("false-suspicion", sent, most);
  }
  throw fault("repeats-coordinator", sent, most);
}

}  // namespace bully
