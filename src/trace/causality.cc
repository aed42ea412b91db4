#include "trace/causality.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace bully {

namespace {

// A number alone would not do: a process that comes back under its id counts from 1 again.
bool same_message(const Record& a, const Record& b) {
  return a.from == b.from && a.to == b.to && a.type == b.type && a.number == b.number &&
         a.subject == b.subject && a.epoch == b.epoch;
}

std::size_t hash_of(const Record& record) {
  std::uint64_t mixed = record.from;
  for (const std::uint64_t part : {record.to, static_cast<std::uint64_t>(record.type),
                                   record.number.value_or(0), record.epoch.value_or(0)}) {
    mixed = (mixed ^ (mixed >> 29)) * 0x9E3779B97F4A7C15ULL + part;
  }
  return static_cast<std::size_t>(mixed ^ (mixed >> 32));
}

// Goes through the trace once, and keeps the sendings that have no receipt yet.
class Pairing {
 public:
  explicit Pairing(const Trace& trace) : records_(trace.records) {
    pairs_.partner.fill(records_.size());
    next_.fill(records_.size());
    previous_.fill(records_.size());
  }

  Causality run() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      follow_lives(i);
      const Record& record = records_[i];
      if (!is_about_message(record)) continue;
      if (record.event == TraceEvent::send) {
        open(i);
        if (record.type == MessageType::ping) sends_pings_.insert(record.from);
      } else if (!take(i)) {
        pairs_.unpaired.push_back(i);
      }
    }
    std::erase_if(pairs_.unpaired, [this](std::size_t i) {
      return is_about_ping(records_[i]) && !sends_pings_.contains(records_[i].from);
    });
    return std::move(pairs_);
  }

 private:
  struct Line {
    std::int64_t pid = 0;
    std::size_t last = no_record;  // its latest record
    std::size_t hears_from = 0;    // what was sent earlier went to its predecessor
  };

  // Sendings of one message, as all that is recorded of it tells: nearly always a single one. They
  // are linked by next_ and previous_, for a trace may have millions that are open.
  struct Open {
    mutable std::uint32_t first;
    mutable std::uint32_t last;
  };
  struct OpenHash {
    const Records& records;
    std::size_t operator()(const Open& open) const noexcept { return hash_of(records[open.first]); }
  };
  struct OpenEqual {
    const Records& records;
    bool operator()(const Open& a, const Open& b) const {
      return same_message(records[a.first], records[b.first]);
    }
  };
  using OpenSet = std::unordered_set<Open, OpenHash, OpenEqual>;
  static Open single(std::size_t i) {
    const auto index = static_cast<std::uint32_t>(i);
    return {index, index};
  }

  void open(std::size_t i) {
    const auto [found, is_new] = open_.insert(single(i));
    if (is_new) return;
    next_.set(found->last, i);
    previous_.set(i, found->last);
    found->last = static_cast<std::uint32_t>(i);
  }

  void close(OpenSet::const_iterator found, std::size_t i) {
    const std::size_t before = previous_[i];
    const std::size_t after = next_[i];
    if (before == no_record && after == no_record) {
      open_.erase(found);
      return;
    }
    if (before != no_record) next_.set(before, after);
    if (after != no_record) previous_.set(after, before);
    if (before == no_record) found->first = static_cast<std::uint32_t>(after);
    if (after == no_record) found->last = static_cast<std::uint32_t>(before);
  }

  // What was sent before its predecessor's last record a new life need not have heard: that one's
  // socket is closed. It may hear what was sent before its own `start`, since it listens before.
  void follow_lives(std::size_t i) {
    const Record& record = records_[i];
    Line& line = lines_[record.node];
    const bool new_life = record.event == TraceEvent::start || record.pid != line.pid;
    if (new_life) line.hears_from = line.last == no_record ? 0 : line.last + 1;
    line.pid = record.pid;
    line.last = i;
  }

  // Takes the sending of receipt or loss `i` out of the open ones. To one receiver messages arrive
  // in the order in which they were sent, so a receipt belongs to the earliest that can be meant;
  // but a ping may have been sent to a life that never saw it, by a monitor that was replaced
  // since.
  //
  // A sender says that it sends before it does. If it loses the processor in between, or meets a
  // full backlog, a new life hears what was meant for the old one: then its number is all that
  // tells which sending it was, and the latest is meant.
  bool take(std::size_t i) {
    const auto open = open_.find(single(i));
    if (open == open_.end()) return false;
    const Record record = records_[i];
    const bool is_receipt = record.event == TraceEvent::receive;
    const std::size_t hears_from = is_receipt ? lines_[record.to].hears_from : 0;
    const auto fits = [&](std::size_t sending) {
      return is_receipt ? sending >= hears_from : records_[sending].pid == record.pid;
    };
    const bool earliest = is_receipt && record.type != MessageType::ping;
    std::size_t found = earliest ? open->first : open->last;
    while (found != no_record && !fits(found)) found = earliest ? next_[found] : previous_[found];
    if (found == no_record && is_receipt && record.number) found = open->last;
    if (found == no_record) return false;
    pairs_.partner.set(i, found);
    pairs_.partner.set(found, i);
    close(open, found);
    return true;
  }

  const Records& records_;
  Causality pairs_;
  Indexes next_;
  Indexes previous_;
  OpenSet open_{0, OpenHash{records_}, OpenEqual{records_}};
  std::unordered_map<NodeId, Line> lines_;
  std::set<NodeId> sends_pings_;
};

}  // namespace

Causality pair_messages(const Trace& trace) {
  return Pairing(trace).run();
}

VectorClocks::VectorClocks(const Trace& trace, const Causality& pairs) {
  std::map<NodeId, std::size_t> lines;
  for (const Record& record : trace.records) lines.emplace(record.node, 0);
  for (auto& [node, line] : lines) {
    line = nodes_.size();
    nodes_.push_back(node);
  }
  const std::size_t width = nodes_.size();
  clocks_.resize(trace.records.size() * width);
  std::vector<std::size_t> previous(width, no_record);
  const auto merge = [&](std::size_t into, std::size_t from) {
    for (std::size_t k = 0; k < width; ++k) {
      std::uint32_t& mine = clocks_[into * width + k];
      mine = std::max(mine, clocks_[from * width + k]);
    }
  };
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    const std::size_t line = lines.at(record.node);
    line_.push_back(line);
    if (previous[line] != no_record) merge(i, previous[line]);
    // That a message was lost is learned from the kernel, not from the message.
    if (record.event == TraceEvent::receive && pairs.partner[i] != no_record) {
      merge(i, pairs.partner[i]);
    }
    ++clocks_[i * width + line];
    previous[line] = i;
  }
}

std::span<const std::uint32_t> VectorClocks::clock(std::size_t record) const {
  return {clocks_.data() + record * nodes_.size(), nodes_.size()};
}

bool VectorClocks::happened_before(std::size_t a, std::size_t b) const {
  const std::size_t line = line_[a];
  return a != b && clock(a)[line] <= clock(b)[line];
}

}  // namespace bully
