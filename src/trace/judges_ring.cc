// What an election on a ring owes: its links are FIFO, each process hears from one neighbour, only
// the numbers of those that take part go round, and not more often than the bound allows.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "trace/judges.h"

namespace bully {

namespace {

// Whether it carries a number round in an election, as all do but those that ask for one.
bool carries_number(const Record& record) {
  return is_about_election(record) && record.epoch && record.subject;
}

// Whether it asks for an election: its sender takes part in none until that begins.
bool asks_for_one(const Record& record) {
  return is_about_election(record) && record.epoch && !record.subject;
}

// [DKR82] Links are FIFO: what one process sends to another arrives in the order of sending.
class LinksAreFifo final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
    const Record& record = walk_.at(i);
    const std::size_t sending = walk_.pairs.partner[i];
    if (record.event != TraceEvent::receive || !is_about_election(record)) return;
    if (sending == no_record) return;
    const std::uint64_t link =
        walk_.census.life_of[sending] * walk_.census.lives.size() + walk_.census.life_of[i];
    const auto [latest, is_first] = latest_.try_emplace(link, Arrival{sending, i});
    if (is_first) return;
    if (latest->second.sending > sending) {
      walk_.breach(RunProperty::fifo, Manner::overtaken, record.node, record.from,
                   {sending, latest->second.sending, latest->second.receipt, i});
    } else {
      latest->second = {sending, i};
    }
  }

 private:
  struct Arrival {
    std::size_t sending = 0;
    std::size_t receipt = 0;
  };
  // Of each sender's life and receiver's: of what has arrived, the one that was sent last.
  std::unordered_map<std::uint64_t, Arrival> latest_;
};

// [DKR82] Each process hears only from its anticlockwise neighbour. Where a second one speaks up in
// the same election, the ring has changed: whoever goes on with that election is wrong.
class EachHearsOneNeighbour final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
    const Record& record = walk_.at(i);
    Member& member = members_[walk_.census.life_of[i]];
    // After many in vain it may forget the latest epoch, and take part in that one anew.
    if (record.event == TraceEvent::send && asks_for_one(record)) member = {};
    if (!carries_number(record)) return;
    if (record.event == TraceEvent::send) {
      go_on(member, i);
    } else if (record.event == TraceEvent::receive) {
      hear(member, i);
    }
  }

 private:
  struct Member {
    std::optional<std::uint64_t> epoch;  // of the election in which it takes part
    std::size_t heard = no_record;       // its neighbour's first message in it
    std::size_t second = no_record;      // somebody else's
  };

  void hear(Member& member, std::size_t i) {
    const Record& record = walk_.at(i);
    if (member.epoch && *record.epoch < *member.epoch) return;
    if (record.epoch != member.epoch) {
      // An election begins with numbers, and ends with the leader's.
      if (record.type != MessageType::leader) member = {*record.epoch, i, no_record};
    } else if (member.heard == no_record) {
      member.heard = i;
    } else if (walk_.at(member.heard).from != record.from && member.second == no_record) {
      member.second = i;
    }
  }

  void go_on(Member& member, std::size_t i) {
    const Record& record = walk_.at(i);
    if (!member.epoch || *record.epoch > *member.epoch) {
      member = {*record.epoch, no_record, no_record};
    } else if (record.epoch == member.epoch && member.second != no_record) {
      walk_.breach(RunProperty::one_neighbour, Manner::heard_two, record.node,
                   walk_.at(member.second).from, {member.heard, member.second, i});
      member.heard = member.second = no_record;  // once is enough
    }
  }

  std::unordered_map<std::size_t, Member> members_;  // by life
};

// [DKR82] Every process is responsible for a number, at first its own id: no other goes round.
class EachNumberIsAnId final : public Judge {
 public:
  using Judge::Judge;

  void see(std::size_t i) override {
    const Record& record = walk_.at(i);
    if (record.event != TraceEvent::send || !carries_number(record)) return;
    if (*record.subject == record.node) {
      own_.insert({*record.epoch, record.node});
    } else {
      passed_on_.try_emplace({*record.epoch, *record.subject}, i);
    }
  }

  // Whose first lines are missing, or whose trace is, may have said its number there.
  void end() override {
    for (const Life& life : walk_.census.lives) {
      if (!life.begins) headless_.insert(life.node);
    }
    headless_.insert(walk_.census.names_only.begin(), walk_.census.names_only.end());
    for (const auto& [number, i] : passed_on_) {
      if (own_.contains(number) || headless_.contains(number.second)) continue;
      walk_.breach(RunProperty::own_numbers, Manner::foreign_number, walk_.at(i).node,
                   number.second, {i});
    }
  }

 private:
  using Number = std::pair<std::uint64_t, NodeId>;  // in which epoch, and whose
  std::set<Number> own_;
  std::map<Number, std::size_t> passed_on_;  // where first
  std::set<NodeId> headless_;
};

// [DKR82, CR79] An election that nothing disturbs takes no more messages than the worst case.
class BoundIsKept final : public Judge {
 public:
  using Judge::Judge;

  void end() override {
    for (std::size_t k = 0; k < walk_.report.elections.size(); ++k) {
      const Election& election = walk_.report.elections[k];
      const Figures& figures = walk_.report.figures[k];
      if (!figures.exceeds_bound || !figures.textbook) continue;
      walk_.breach(RunProperty::within_bound, Manner::more_than_bound,
                   election.detections.front().node, *election.winner,
                   {election.first_record, election.last_record});
    }
  }
};

constexpr std::array judges = {
    JudgeRow{Jurisdiction::ring, appoint<LinksAreFifo>},
    JudgeRow{Jurisdiction::ring, appoint<EachHearsOneNeighbour>},
    JudgeRow{Jurisdiction::ring, appoint<EachNumberIsAnId>},
    JudgeRow{Jurisdiction::ring, appoint<BoundIsKept>},
};

}  // namespace

std::span<const JudgeRow> ring_judges() {
  return judges;
}

}  // namespace bully
