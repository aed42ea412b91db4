// link_proxy.cc: takes over names, accepts connections, and passes messages on.
#include "wire/link_proxy.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "node/beyond_posix.h"
#include "node/links.h"

namespace bully {

namespace {

// The pause before trying a process with a full backlog again. No event reports when there is room;
// at first it is short, for a process that is only busy.
constexpr Duration min_pause = std::chrono::microseconds(50);
constexpr Duration max_pause = std::chrono::milliseconds(10);
// The pause before accepting again after no descriptor was free; and the time after which to give
// up: the longest that one connection may wait for that, whatever else gets through meanwhile.
constexpr Duration exhausted_pause = std::chrono::milliseconds(20);
constexpr Duration max_exhausted = std::chrono::seconds(2);
// So that a flood to one process does not delay the others.
constexpr int max_accepted_at_once = 64;
// The time for messages in flight when all names have been put back.
constexpr Duration leaving_patience = std::chrono::milliseconds(200);

// Reads the first bytes of a connection, and leaves them unread.
std::string peek(const Descriptor& source) {
  std::string some(max_list_message_bytes + 1, '\0');
  const ssize_t got = recv(source.get(), some.data(), some.size(), MSG_DONTWAIT | MSG_PEEK);
  some.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return some;
}

}  // namespace

// --- The proxy as a whole ---

LinkProxy::LinkProxy(const Directory& directory, LinkObserver& observer)
    : directory_(directory),
      observer_(observer),
      taken_names_(directory),
      allowed_(raise_descriptor_limit()),
      own_(count_open_descriptors(allowed_)) {
  look();
}

// When the names are back, no new connection comes; messages in flight arrive.
LinkProxy::~LinkProxy() {
  taken_names_.put_all_back();
  is_leaving_ = true;
  exhausted_until_ = Time(0);
  hold(false);
  const Time deadline = monotonic_now() + leaving_patience;
  const auto waits = [](const auto& listener) { return listener.second.next_try != never; };
  std::vector<pollfd> polled;
  int ready = 0;
  do {
    polled.clear();
    add_to(polled);
    ready = poll(polled.data(), static_cast<nfds_t>(polled.size()), 1);
    serve_calls(polled.data());
  } while (monotonic_now() < deadline && (ready > 0 || std::ranges::any_of(listeners_, waits)));
}

void LinkProxy::add_to(std::vector<pollfd>& polled) const {
  const bool accepts = may_accept() && monotonic_now() >= exhausted_until_;
  for (const auto& [id, listener] : listeners_) {
    const bool listens = accepts && listener.next_try == never;
    polled.push_back({listens ? listener.socket.get() : -1, POLLIN, 0});
  }
  const auto add = [&polled](const End& end, const Flow& from, const Flow& to) {
    const bool reads = !from.has_ended && from.bytes.size() < Flow::most_bytes;
    const int events = (reads ? POLLIN : 0) | (to.bytes.empty() ? 0 : POLLOUT);
    // For an end that is closed, poll reports only the outstanding events.
    const bool is_done = end.is_closed && events == 0;
    polled.push_back({is_done ? -1 : end.descriptor.get(), static_cast<short>(events), 0});
  };
  const End none;
  for (const LinkConnection& call : connections_) {
    const bool is_read = call.phase == Phase::reading || call.phase == Phase::through;
    add(is_read ? call.caller : none, call.there, call.back);
    add(call.process, call.back, call.there);
  }
}

void LinkProxy::serve(std::vector<pollfd>& others, Time deadline) {
  Time next = std::min(deadline, next_look_);
  for (const auto& [id, listener] : listeners_) next = std::min(next, listener.next_try);
  std::vector<pollfd> polled = others;
  add_to(polled);
  // poll(2) counts in milliseconds, and a full backlog may empty sooner.
  const Duration left = next - monotonic_now();
  const bool is_soon = left < std::chrono::milliseconds(1);
  if (is_soon) std::this_thread::sleep_for(left);
  const int timeout = is_soon ? 0 : poll_timeout(next, monotonic_now());
  if (poll_for(polled, timeout) < 0) return;
  std::copy_n(polled.begin(), others.size(), others.begin());
  serve_calls(polled.data() + others.size());
  if (monotonic_now() >= next_look_) look();
  const auto waited = [now = monotonic_now()](const auto& listener) {
    return listener.second.starved_since <= now - max_exhausted;
  };
  if (std::ranges::any_of(listeners_, waited)) {
    throw SetupError(EMFILE, "open a connection to pass on", Advice::raise_descriptors);
  }
}

void LinkProxy::serve_calls(const pollfd* ready) {
  std::vector<NodeId> called;
  for (auto& [id, listener] : listeners_) {
    if (ready->revents != 0) called.push_back(id);
    const bool is_empty = ready->fd >= 0 && ready->revents == 0;
    if (is_empty) listener.starved_since = never;
    ++ready;
  }
  std::ranges::stable_sort(called, {}, [&](NodeId id) { return listeners_.at(id).starved_since; });
  const auto learn = [&ready](End& end) {
    const short events = (ready++)->revents;
    if ((events & (POLLHUP | POLLERR)) != 0) end.is_closed = true;
    return events != 0;
  };
  for (LinkConnection& call : connections_) {
    const bool has_caller = learn(call.caller);
    const bool has_process = learn(call.process);
    if (has_caller || has_process) pump(call);
  }
  for (const NodeId id : called) {
    for (int i = 0; i < max_accepted_at_once && accept_one(id); ++i) {
    }
  }
  const Time now = monotonic_now();
  for (auto& [id, listener] : listeners_) {
    if (now >= listener.next_try) retry(id, listener);
  }
  std::erase_if(connections_, [](const LinkConnection& call) { return call.phase == Phase::over; });
}

// --- Connections ---

bool LinkProxy::accept_one(NodeId id) {
  LinkListener& listener = listeners_.at(id);
  if (!listener.socket || listener.next_try != never) return false;
  if (!may_accept()) {
    starve(listener);
    return false;
  }
  Descriptor fresh = accept_from(listener.socket);
  if (!fresh) {
    note_exhaustion(listener, errno);
    return false;
  }
  listener.starved_since = never;
  // Earlier messages to it go first.
  for (LinkConnection& call : connections_) {
    if (call.to == id && !call.there.is_finished) pump(call);
  }
  LinkConnection& call =
      connections_.emplace_back(LinkConnection{.to = id, .caller = {std::move(fresh)}});
  if (holds_) {
    call.phase = Phase::reading;
  } else {
    wait_for_process(call);
  }
  pump(call);
  return true;
}

// A connection waits for a descriptor, which may be free in a moment.
void LinkProxy::starve(LinkListener& listener) {
  listener.starved_since = std::min(listener.starved_since, monotonic_now());
}

// The same, if that is the error: then the system has fewer than were set aside.
void LinkProxy::note_exhaustion(LinkListener& listener, int error) {
  if (error != EMFILE && error != ENFILE) return;
  exhausted_until_ = monotonic_now() + exhausted_pause;
  observer_.on_trouble(error);
  starve(listener);
}

void LinkProxy::wait_for_process(LinkConnection& call) {
  LinkListener& listener = listeners_[call.to];
  call.phase = Phase::waits;
  if (listener.next_try == never) reach(call, listener);
}

// In the order in which they wait, up to the first that has to keep waiting.
void LinkProxy::retry(NodeId id, LinkListener& listener) {
  for (LinkConnection& call : connections_) {
    if (call.to != id || call.phase != Phase::waits) continue;
    reach(call, listener);
    if (call.phase == Phase::waits) return;
    pump(call);
  }
  listener.next_try = never;
}

// REQUIRES: it is the first connection that waits for this process.
void LinkProxy::reach(LinkConnection& call, LinkListener& listener) {
  Connection onward =
      connect_to(is_leaving_ ? directory_.socket_path(call.to) : taken_names_.own_socket(call.to));
  if (onward.reach == Reach::busy) {
    note_exhaustion(listener, errno);
    listener.pause = std::clamp(2 * listener.pause, min_pause, max_pause);
    listener.next_try = monotonic_now() + listener.pause;
    return;
  }
  if (onward.reach != Reach::reached) {
    if (listener.is_alive()) return end(call.to, listener);
    return give_up(call);
  }
  listener.starved_since = never;
  listener.pause = Duration(0);
  call.process.descriptor = std::move(onward.descriptor);
  call.phase = Phase::through;
}

void LinkProxy::pump(LinkConnection& call) {
  if (call.phase == Phase::reading) {
    const std::size_t read_before = call.there.bytes.size();
    call.there.take_from(call.caller);
    classify(call, std::string_view(call.there.bytes).substr(read_before));
    if (call.is_classified && call.phase == Phase::reading) wait_for_process(call);
  }
  if (call.phase == Phase::through) pass_on(call);
}

void LinkProxy::pass_on(LinkConnection& call) {
  const std::size_t read_before = call.there.bytes.size();
  call.there.take_from(call.caller);
  if (!call.is_classified) classify(call, std::string_view(call.there.bytes).substr(read_before));
  call.there.give_to(call.process, call.caller);
  if (call.message && !call.is_delivered && call.there.bytes.empty()) {
    call.is_delivered = true;
    observer_.on_message(*call.message, call.to, LinkObserver::Way::delivered, call.ticket);
  }
  const bool has_reader = !call.there.is_finished || !call.caller.is_closed;
  if (has_reader) call.back.take_from(call.process);
  read_reply(call);
  if (has_reader) call.back.give_to(call.caller, call.process);
  const bool is_sent = call.there.is_finished || call.process.is_closed;
  if (has_reader && !(call.back.is_finished && is_sent)) return;
  call.phase = Phase::over;
  read_reply(call);
  call.process.descriptor.reset();  // now: any later bytes are passed on after its end
}

void LinkProxy::read_reply(LinkConnection& call) {
  if (!call.message || call.message->type != messages::ping || call.is_answered) return;
  const auto reply = decode_ping_reply(call.back.bytes);
  if (!reply && call.phase != Phase::over) return;
  call.is_answered = true;
  observer_.on_pinged(call.message->from, call.to, reply);
}

// `bytes`: those since the last time.
void LinkProxy::classify(LinkConnection& call, std::string_view bytes) {
  call.beginning.append(bytes.substr(0, max_list_message_bytes + 1 - call.beginning.size()));
  const std::size_t longest = longest_message(call.beginning);
  const bool may_go_on = !call.there.has_ended && call.beginning.size() <= longest;
  call.message = decode_received(call.beginning);
  // A list is complete only at the connection's end.
  if (call.message && call.message->type->list != nullptr && may_go_on) call.message.reset();
  if (!call.message && may_go_on) return;
  call.is_classified = true;
  if (!call.message) {
    if (!call.beginning.empty()) observer_.on_noise(call.to, call.beginning);
    return;
  }
  call.ticket = ++last_ticket_;
  if (call.message->type.is_of_election()) begin_if_new(call.message->from);
  observer_.on_message(*call.message, call.to, LinkObserver::Way::sent, call.ticket);
  if (call.message->type.is_of_election()) report_if_gone(call.message->from);
  const bool is_held = call.phase == Phase::reading && holds_;
  if (is_held && call.message->type.is_of_election()) call.phase = Phase::held;
}

void LinkProxy::give_up(LinkConnection& call) {
  if (!call.is_classified) {
    call.there.has_ended = true;
    classify(call, peek(call.caller.descriptor));
  }
  if (call.message) {
    observer_.on_message(*call.message, call.to, LinkObserver::Way::refused, call.ticket);
  }
  call.phase = Phase::over;
}

// --- Waiting messages ---

void LinkProxy::hold(bool holds) {
  holds_ = holds;
  if (holds) return;
  for (LinkConnection& call : connections_) {
    const bool waits = call.phase == Phase::reading || call.phase == Phase::held;
    if (waits) wait_for_process(call);
    if (waits) pump(call);
  }
}

LinkProxy::LinkConnection* LinkProxy::held(std::uint64_t ticket) {
  const auto found = std::ranges::find_if(connections_, [ticket](const LinkConnection& call) {
    return call.phase == Phase::held && call.ticket == ticket;
  });
  return found == connections_.end() ? nullptr : &*found;
}

// It goes behind messages that already wait for the process.
void LinkProxy::deliver(std::uint64_t ticket) {
  LinkConnection* const call = held(ticket);
  if (call == nullptr) return;
  LinkConnection moved = std::move(*call);
  call->phase = Phase::over;
  connections_.push_back(std::move(moved));
  wait_for_process(connections_.back());
  pump(connections_.back());
}

void LinkProxy::drop(std::uint64_t ticket) {
  if (LinkConnection* const call = held(ticket)) call->phase = Phase::over;
}

pid_t LinkProxy::sender_pid(std::uint64_t ticket) const {
  const auto found = std::ranges::find(connections_, ticket, &LinkConnection::ticket);
  return found == connections_.end() ? 0 : listener_pid(found->caller.descriptor);
}

// --- Bytes, without waiting ---

// True if the other side has closed it; half-closing does not count.
bool LinkProxy::End::has_been_closed() {
  pollfd polled{descriptor.get(), 0, 0};
  is_closed = is_closed || (poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0);
  return is_closed;
}

void LinkProxy::Flow::take_from(End& source) {
  char some[4096];
  while (!has_ended && bytes.size() < most_bytes) {
    const ssize_t got = recv(source.descriptor.get(), some, sizeof some, MSG_DONTWAIT);
    if (got > 0) bytes.append(some, static_cast<std::size_t>(got));
    // Usually there is no more, but the last bytes may have come with the end.
    if (got == sizeof some || (got > 0 && source.has_been_closed())) continue;
    has_ended = got == 0 || (got < 0 && !would_block());
    return;
  }
}

// REQUIRES: the content of `bytes` has been read from `source`.
void LinkProxy::Flow::give_to(const End& target, const End& source) {
  while (!bytes.empty()) {
    const ssize_t gone = send_some(target.descriptor, bytes);  // which does not wait
    if (gone < 0 && would_block()) return;
    if (gone < 0) has_ended = true;  // no process reads it any more
    bytes.erase(0, gone < 0 ? bytes.size() : static_cast<std::size_t>(gone));
  }
  if (!has_ended || std::exchange(is_finished, true) || source.is_closed) return;
  shutdown(target.descriptor.get(), SHUT_WR);
}

}  // namespace bully
