// exam_links.cc: notes messages, and delays them.
#include "grade/exam_links.h"

#include <algorithm>
#include <span>

#include "election/algorithm.h"

namespace bully {

// The sender of unreadable bytes is known if they begin as a message does.
static Finding unreadable(NodeId to, std::string_view bytes) {
  const std::size_t mark = bytes.find(';');
  std::string sender(mark == std::string::npos ? "" : bytes.substr(mark + 1));
  sender.resize(std::min(sender.size(), sender.find_first_not_of("0123456789")));
  if (sender.empty()) sender = "?";
  sender.erase(0, std::min(sender.find_first_not_of('0'), sender.size() - 1));
  return fault("wrong-bytes", sender, readable(bytes), to);
}

ExamLinks::ExamLinks(const Directory& directory)
    : LinkRecorder(default_algorithm().name, directory.identity(), *this),
      proxy_(directory, *this) {}

void ExamLinks::serve(std::vector<pollfd>& others, Time deadline) {
  if (!delayed_.empty()) deadline = std::min(deadline, delayed_.begin()->first);
  proxy_.serve(others, deadline);
  const Time now = monotonic_now();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    proxy_.deliver(delayed_.extract(delayed_.begin()).mapped());
  }
}

void ExamLinks::delay(Duration most, std::uint64_t seed) {
  longest_delay_ = most;
  chance_.seed(seed);
  proxy_.hold(most > Duration(0));  // a message held for no time would never arrive
}

void ExamLinks::on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) {
  if (message.type == messages::ping && way == Way::sent) ++pings_[{message.from, to}];
  if (!message.type.is_of_election()) return;
  if (message.from == to && message.type->role == Role::announces && way == Way::sent && is_of &&
      is_of(to, proxy_.sender_pid(ticket))) {
    to_oneself_.insert(ticket);
  }
  if (to_oneself_.contains(ticket)) return;
  LinkRecorder::on_message(message, to, way, ticket);
  if (way == Way::sent && longest_delay_ > Duration(0)) {
    std::uniform_int_distribution<std::int64_t> some(0, longest_delay_.count());
    delayed_.emplace(monotonic_now() + Duration(some(chance_)), ticket);
  }
  if (way == Way::delivered && on_arrival) on_arrival(message, to);
}

void ExamLinks::on_noise(NodeId to, std::string_view bytes) {
  if (wrong_bytes_ || expected_noise_.contains(std::string(bytes))) return;
  wrong_bytes_ = unreadable(to, bytes);
}

// No process sends itself a message but its own announcement, which is in no record; and each has
// the name under which others see it.
std::optional<Finding> ExamLinks::wrong_message() const {
  if (wrong_bytes_) return wrong_bytes_;
  const auto is_wrong = [this](const Record& record) {
    const bool is_known = introduced_.contains(record.from);
    return record.event == TraceEvent::send && (!is_known || record.from == record.to);
  };
  const auto found = std::ranges::find_if(records_, is_wrong);
  if (found == records_.end()) return std::nullopt;
  return fault("wrong-from", encode({.type = found->type, .from = found->from}), found->to);
}

bool Sendings::have(const Record& record) const {
  if (!is_about_message(record)) return false;
  const Role its = record.type->role;
  const bool is_wanted = role ? its == *role : its == Role::asks || its == Role::announces;
  return is_wanted && (!from || record.from == *from) && (!to || record.to == *to);
}

static auto are_sent(const Sendings& wanted) {
  return [&wanted](const Record& one) { return one.event == TraceEvent::send && wanted.have(one); };
}

std::optional<Record> ExamLinks::sent(const Sendings& wanted) const {
  const auto since = std::span(records_).subspan(wanted.since);
  const auto found = std::ranges::find_if(since, are_sent(wanted));
  return found == since.end() ? std::nullopt : std::optional(*found);
}

std::vector<Record> ExamLinks::all_sent(const Sendings& wanted) const {
  return list_of(std::span(records_).subspan(wanted.since), are_sent(wanted), std::identity());
}

std::size_t ExamLinks::count_sent(const Sendings& wanted) const {
  const auto since = std::span(records_).subspan(wanted.since);
  return static_cast<std::size_t>(std::ranges::count_if(since, are_sent(wanted)));
}

bool ExamLinks::has_arrived(const Sendings& wanted) const {
  return std::ranges::any_of(std::span(records_).subspan(wanted.since), [&](const Record& one) {
    return one.event == TraceEvent::receive && wanted.have(one);
  });
}

std::size_t ExamLinks::count_pings(std::optional<NodeId> from, std::optional<NodeId> to) const {
  std::size_t count = 0;
  for (const auto& [link, pings] : pings_) {
    if (from.value_or(link.first) == link.first && to.value_or(link.second) == link.second) {
      count += pings;
    }
  }
  return count;
}

std::optional<NodeId> ExamLinks::coordinator_of(NodeId id) const {
  std::optional<NodeId> coordinator;
  for (const Record& one : records_) {
    if (one.node != id) continue;
    if (one.event == TraceEvent::start) coordinator.reset();
    const bool says = one.event == TraceEvent::send || one.event == TraceEvent::receive;
    if (says && one.type->role == Role::announces && one.from >= id) coordinator = one.from;
  }
  return coordinator;
}

bool ExamLinks::agree(const Ids& ids) const {
  const NodeId highest = std::ranges::max(ids);
  return std::ranges::all_of(ids, [&](NodeId id) { return coordinator_of(id) == highest; });
}

}  // namespace bully
