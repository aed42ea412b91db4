// elections.cc: the elections of the table among a few processes to which anything may happen:
// messages lost, doubled, out of order and forged, false suspicions, timers at any time, crashes.
// The bytes choose what. At every step each process must be sound by itself; and when the trouble
// is over and the world does its duties again, all must soon follow the highest.
//
// The processes are made and asked through the interface alone, so that an algorithm that is added
// to the table is tried as well.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <random>

#include "election/algorithm.h"
#include "fuzz/targets.h"

namespace bully::fuzz {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t max_members = 5;
constexpr std::size_t max_troubles = 300;
constexpr std::size_t max_in_flight = 128;
constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<NodeId, 8> id_choice = {1, 2, 3, 4, 5, 0, 4711, highest_id};
constexpr std::array<std::uint64_t, 12> number_choice = {
    0, 1, 2, 3, 4, 5, 7, 4711, 1ULL << 32U, 1ULL << 63U, top - 1, top};

// When the trouble is over: by then all must agree. A wait in vain is longer than the one before
// it, up to 2^6 times the first.
constexpr Milliseconds longest_recovery = std::chrono::minutes(20);
constexpr std::size_t max_recovery_steps = 50'000;
constexpr Milliseconds travel(5);  // of a message
constexpr Milliseconds answer_timeout(500);
constexpr Milliseconds coordinator_timeout(1000);
constexpr Milliseconds ping_interval(1000);
constexpr Milliseconds never = Milliseconds::max();

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }
  // Below `limit`; 0 where there is nothing to choose by.
  std::size_t choose(std::size_t limit) {
    if (bytes_.empty() || limit == 0) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte % limit;
  }

 private:
  std::string_view bytes_;
};

struct Member {
  NodeId id = 0;
  std::unique_ptr<Protocol> protocol = nullptr;  // none: it is down
  std::array<Milliseconds, timer_count> deadlines = {never, never};
  std::size_t said = 0;  // messages, since it started
};

class Ground : private Peers {
 public:
  Ground(const Algorithm& algorithm, Bytes& bytes) : algorithm_(algorithm), bytes_(bytes) {
    const std::size_t count = 1 + bytes_.choose(max_members);
    const std::size_t first = bytes_.choose(id_choice.size());
    for (std::size_t i = 0; i < count; ++i) {
      members_.push_back({.id = id_choice[(first + i) % id_choice.size()]});
      names_.push_back(members_.back().id);
    }
    std::ranges::sort(names_);
    const bool preset = bytes_.choose(2) == 1;
    for (Member& member : members_) {
      if (preset) start(member, Preset{names_.back()});
    }
  }

  void trouble();
  void recover();

 private:
  std::span<const NodeId> ids() const override { return names_; }

  void start(Member& member, const Event& event);
  void deliver(std::size_t which, bool twice);
  void forge();
  std::optional<std::uint64_t> some_number();
  void give(Member& member, const Event& event);
  void check_twin(const Member& member, const Event& event, const Actions& actions,
                  std::span<const std::uint64_t> before);
  void check(const Member& member, const Actions& actions, std::optional<NodeId> followed) const;
  void carry_out(Member& member, const Actions& actions);

  Member* find(NodeId id);
  Member& some_member() { return members_[bytes_.choose(members_.size())]; }
  bool agreed();
  void look(Member& member);
  void watch(Member& member);
  Milliseconds next_alarm() const;
  void ring_alarms();

  const Algorithm& algorithm_;
  Bytes& bytes_;
  std::vector<Member> members_;
  std::vector<NodeId> names_;  // of all that ever started: the dead leave theirs behind
  std::deque<Send> in_flight_;
  Milliseconds now_{0};
  Milliseconds next_pings_ = ping_interval;
  std::minstd_rand jitter_{1};
};

Member* Ground::find(NodeId id) {
  const auto found =
      std::ranges::find_if(members_, [id](const Member& member) { return member.id == id; });
  return found == members_.end() ? nullptr : &*found;
}

void Ground::start(Member& member, const Event& event) {
  if (!member.protocol) {
    member = {.id = member.id, .protocol = algorithm_.make(member.id)};
    require(member.protocol->id() == member.id, "a process knows its id");
    require(!member.protocol->coordinator(), "a process that is down follows nobody");
  }
  give(member, event);
}

// Whatever a process does, its saved state makes another that does the same.
void Ground::check_twin(const Member& member, const Event& event, const Actions& actions,
                        std::span<const std::uint64_t> before) {
  const std::unique_ptr<Protocol> twin = algorithm_.make(member.id);
  twin->load(before);
  std::vector<std::uint64_t> words;
  twin->save(words);
  require(std::equal(words.begin(), words.end(), before.begin(), before.end()),
          "what is loaded is what was saved");
  Actions done;
  twin->handle(event, *this, done);
  require(done == actions, "a process that was saved and loaded does the same");
  twin->save(words);
  std::vector<std::uint64_t> expected;
  member.protocol->save(expected);
  require(words == expected, "a process that was saved and loaded becomes the same");
  require(twin->state_name() == member.protocol->state_name(), "and so is its state");
  require(twin->coordinator() == member.protocol->coordinator(), "and its coordinator");
  require(twin->watched() == member.protocol->watched(), "and whom it watches");
  require(twin->variables() == member.protocol->variables(), "and its variables");
}

void Ground::check(const Member& member, const Actions& actions,
                   std::optional<NodeId> followed) const {
  const Protocol& protocol = *member.protocol;
  const std::optional<NodeId> coordinator = protocol.coordinator();
  require(!coordinator || *coordinator >= member.id, "no process follows a lower one");
  require((coordinator == member.id) == (protocol.state_name() == "coordinator"),
          "who follows himself is coordinator");
  require(!protocol.state_name().empty(), "a state has a name");
  std::size_t sent = 0;
  bool has_changed = false;
  for (const Action& action : actions) {
    has_changed = has_changed || std::holds_alternative<Changed>(action);
    if (const auto* send = std::get_if<Send>(&action)) {
      ++sent;
      require(send->to != member.id, "nobody sends to himself");
      require(send->message.from == member.id, "nobody sends in another's name");
      require(algorithm_.speaks(send->message.type), "nobody speaks another algorithm's words");
      require(decode(encode(send->message)) == send->message, "each message can be sent");
    }
  }
  require(has_changed || followed == coordinator, "whom the process follows changes with notice");
  require(sent <= member.said + 4 * (names_.size() + 1), "the number of messages is bounded");
}

void Ground::give(Member& member, const Event& event) {
  const std::optional<NodeId> followed = member.protocol->coordinator();
  std::vector<std::uint64_t> before;
  member.protocol->save(before);
  Actions actions;
  member.protocol->handle(event, *this, actions);
  check(member, actions, followed);
  check_twin(member, event, actions, before);
  carry_out(member, actions);
  const auto waits = std::ranges::count_if(member.deadlines, [](auto end) { return end != never; });
  const bool is_settled = !is_in_election(member.protocol->state_name());
  require(waits <= 1 && (waits == 0 || !is_settled), "a process waits for one thing at a time");
  require(waits == 1 || member.protocol->watched(), "who waits for nothing watches another");
}

void Ground::carry_out(Member& member, const Actions& actions) {
  for (const Action& action : actions) {
    if (const auto* send = std::get_if<Send>(&action)) {
      ++member.said;
      in_flight_.push_back(*send);
      if (in_flight_.size() > max_in_flight) in_flight_.pop_front();
    }
    if (const auto* start = std::get_if<StartTimer>(&action)) {
      Milliseconds length = answer_timeout;
      if (start->timer == Timer::coordinator) length = coordinator_timeout * (1 << start->attempts);
      length += length * static_cast<int>(jitter_() % 256) / 1024;
      member.deadlines[static_cast<std::size_t>(start->timer)] = now_ + length;
    }
    if (const auto* stop = std::get_if<StopTimer>(&action)) {
      member.deadlines[static_cast<std::size_t>(stop->timer)] = never;
    }
  }
}

void Ground::deliver(std::size_t which, bool twice) {
  const Send sent = in_flight_[which];
  if (!twice) in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
  Member* receiver = find(sent.to);
  Member* sender = find(sent.message.from);
  if (receiver != nullptr && receiver->protocol) {
    give(*receiver, Received{sent.message});
  } else if (sender != nullptr && sender->protocol) {
    give(*sender, PeerGone{sent.to});
  }
}

// Some are of the kind that might be believed: near one that is on its way.
std::optional<std::uint64_t> Ground::some_number() {
  const std::size_t choice = bytes_.choose(number_choice.size() + 4);
  if (choice < number_choice.size()) return number_choice[choice];
  if (choice == number_choice.size() || in_flight_.empty()) return std::nullopt;
  const std::uint64_t seen = in_flight_.back().message.get(fields::epoch).value_or(0);
  return seen + (choice - number_choice.size()) - 2;
}

void Ground::forge() {
  Member& to = some_member();
  if (!to.protocol) return;
  const std::span<const MessageType> types = algorithm_.messages;
  Message message{.type = types[bytes_.choose(types.size())]};
  message.from = id_choice[bytes_.choose(id_choice.size())];
  FieldValues::Places places = {some_number(), some_number()};
  for (const Field* field : message.type->fields) {
    if (field != nullptr && field->place > 1) places.at(field->place) = some_number();
  }
  message.values = FieldValues::from_wire(message.type, message.from, places);
  // An id beyond the limit reaches no process.
  if (const auto read = decode(encode(message))) give(to, Received{*read});
}

void Ground::trouble() {
  constexpr std::array suspicions = {Suspicion::down, Suspicion::hung, Suspicion::deposed};
  for (std::size_t left = max_troubles; left > 0 && !bytes_.at_end(); --left) {
    const std::size_t kind = bytes_.choose(12);
    if (kind <= 4) {
      if (!in_flight_.empty()) deliver(bytes_.choose(in_flight_.size()), kind == 4);
      continue;
    }
    if (kind == 5) {
      forge();
      continue;
    }
    if (kind == 6 && !in_flight_.empty()) {
      const std::size_t lost = bytes_.choose(in_flight_.size());
      in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(lost));
      continue;
    }
    Member& member = some_member();
    if (kind >= 10) {
      start(member, Started{});
    } else if (member.protocol) {
      const NodeId other = id_choice[bytes_.choose(id_choice.size())];
      if (kind == 7) {
        const auto timer = static_cast<Timer>(bytes_.choose(timer_count));
        member.deadlines[static_cast<std::size_t>(timer)] = never;
        give(member, Expired{timer});
      }
      if (kind == 8) {
        // Of itself a process learns only that it is deposed.
        const std::size_t reason = bytes_.choose(suspicions.size());
        give(member, Suspected{other, suspicions.at(other == member.id ? 2 : reason)});
      }
      if (kind == 9) {
        bytes_.choose(2) == 0 ? member.protocol.reset() : give(member, PeerGone{other});
      }
    }
  }
}

bool Ground::agreed() {
  std::optional<NodeId> highest;
  for (const Member& member : members_) {
    if (member.protocol && (!highest || member.id > *highest)) highest = member.id;
  }
  return std::ranges::all_of(members_, [&](const Member& member) {
    return !member.protocol || member.protocol->coordinator() == highest;
  });
}

// What a coordinator finds of the others.
void Ground::look(Member& member) {
  const auto finds = algorithm_.finds;
  if (finds == nullptr) return;
  const auto found = std::ranges::find_if(members_, [&](const Member& other) {
    return other.protocol && other.id != member.id &&
           finds(reply_of(*member.protocol), reply_of(*other.protocol));
  });
  if (found != members_.end()) give(member, PeerFound{found->id});
}

// What its monitor finds.
void Ground::watch(Member& member) {
  if (!member.protocol || !member.protocol->watched()) return;
  const NodeId watched = *member.protocol->watched();
  const Member* peer = find(watched);
  if (watched == member.id) {
    look(member);
    const bool higher = std::ranges::any_of(
        members_, [&](const Member& other) { return other.protocol && other.id > member.id; });
    if (higher) give(member, Suspected{watched, Suspicion::deposed});
  } else if (peer == nullptr || !peer->protocol) {
    give(member, Suspected{watched, Suspicion::down});
  } else if (peer->protocol->coordinator() && peer->protocol->coordinator() != watched) {
    give(member, Suspected{watched, Suspicion::deposed});
  }
}

// When the next thing happens that only time brings.
Milliseconds Ground::next_alarm() const {
  Milliseconds next = next_pings_;
  for (const Member& member : members_) {
    if (!member.protocol) continue;
    next = std::min(next, *std::ranges::min_element(member.deadlines));
  }
  return next;
}

// What is due, a timer at a time.
void Ground::ring_alarms() {
  if (now_ >= next_pings_) {
    next_pings_ = now_ + ping_interval;
    for (Member& member : members_) watch(member);
    return;
  }
  for (Member& member : members_) {
    for (std::size_t i = 0; i < timer_count; ++i) {
      if (!member.protocol || member.deadlines[i] > now_) continue;
      member.deadlines[i] = never;
      give(member, Expired{static_cast<Timer>(i)});
      return;
    }
  }
}

// From now on the world does its duties, and nothing happens but what the processes do.
void Ground::recover() {
  Milliseconds agreed_since = never;
  for (std::size_t left = max_recovery_steps; left > 0; --left) {
    if (!in_flight_.empty() || !agreed()) {
      agreed_since = never;
    } else if (agreed_since == never) {
      agreed_since = now_;
    } else if (now_ - agreed_since > 2 * ping_interval) {
      return;  // it lasts
    }
    if (!in_flight_.empty() && next_alarm() > now_) {
      now_ += travel;
      deliver(0, false);
    } else {
      now_ = std::max(now_, next_alarm());
      ring_alarms();
    }
    if (now_ > longest_recovery) break;
  }
  require(false, "when the trouble is over, all soon follow the highest");
}

}  // namespace

void fuzz_elections(std::string_view bytes) {
  Bytes choices(bytes);
  const std::size_t which = choices.choose(algorithms().size());
  Ground ground(algorithms()[which], choices);
  ground.trouble();
  ground.recover();
}

}  // namespace bully::fuzz
