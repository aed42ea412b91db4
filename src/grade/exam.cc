// exam.cc: the loop that waits for conditions.
#include "grade/exam.h"

#include <algorithm>
#include <chrono>

namespace bully {

constexpr Duration look_interval = std::chrono::milliseconds(20);

Exam::Names::Names(const std::string& path, const Guard& guard) : Registry(path, true) {
  guard.put_names_back(path);
}

Exam::Names::~Names() {
  for (const NodeId id : ids()) unlink(socket_path(id).c_str());
}

Exam::Exam(ExamSettings& its_settings, LocalCluster& its_cluster)
    : settings(its_settings),
      cluster(its_cluster),
      directory(settings.directory, cluster.guard()),
      links(directory),
      processes(*this),
      fakes(*this) {}

void Exam::serve(Time deadline) {
  std::vector<pollfd> polled = {{cluster.signals().fd(), POLLIN, 0}};
  processes.add_to(polled);
  fakes.add_to(polled);
  links.serve(polled, std::min(deadline, monotonic_now() + look_interval));
  cluster.rest({});
  processes.serve();
  fakes.serve();
  if (monotonic_now() >= settings.deadline) throw Unclear("out_of_time");
}

bool Exam::await(const std::function<bool()>& condition, Duration at_most) {
  const Time deadline = monotonic_now() + at_most;
  while (!condition()) {
    if (monotonic_now() >= deadline) return false;
    serve(deadline);
    processes.check();
  }
  return true;
}

void Exam::rest(Duration time) {
  await([] { return false; }, time);
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
  if (await(is_quiet, settings.longest_wait + time)) return;
  throw fault("false-suspicion", links.count_sent({.since = since}), settings.longest_wait + time);
}

}  // namespace bully
