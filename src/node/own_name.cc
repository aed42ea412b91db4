#include "node/own_name.h"

#include <sys/socket.h>

namespace bully {

OwnName::Leads OwnName::look(Time now, Duration patience) {
  const auto named = socket_at(directory_.socket_path(id_));
  const bool is_own = directory_.is_published(id_);
  if (is_own || !named || named != asked_) forget();
  if (is_own) return Leads::here;
  if (named && !asked_) {
    asked_ = named;
    deadline_ = now + patience + crowd_time(directory_.living_count());
    next_try_ = now;
  }
  if (named && deadline_ == never) return Leads::here;
  if (named && now < deadline_ && (now < next_try_ || ask(now))) return Leads::untold;
  forget();
  return Leads::elsewhere;
}

bool OwnName::ask(Time now) {
  Connection connection = connect_to(directory_.socket_path(id_));
  next_try_ = connection.reach == Reach::busy ? now + busy_interval : never;
  if (connection.reach != Reach::reached) return connection.reach == Reach::busy;
  question_ = std::move(connection.descriptor);
  number_ = static_cast<std::uint64_t>(now.count());  // no other question of ours has it
  send_once(question_, encode(Message{.type = messages::status, .from = id_, .number = number_}));
  shutdown(question_.get(), SHUT_WR);
  return true;
}

void OwnName::hear(const Message& message) {
  if (!question_ || message.from != id_ || message.number != number_) return;
  question_.reset();
  deadline_ = never;
}

void OwnName::forget() {
  asked_.reset();
  question_.reset();
  deadline_ = next_try_ = never;
}

}  // namespace bully
