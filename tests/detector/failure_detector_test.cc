// failure_detector_test.cc: the machine that decides for a monitor, by a file of steps, with a
// clock that never waits. Intervals and timeouts are 1000 ms.
//
//   3 of 1 2 3 4                a monitor of process 3, and all processes that have names
//   3 of 1 2 3 4 by chang-roberts eof pace=100
//   gone 4, busy 4, here 4      no process is behind the name; a ping cannot be sent; neither
//   unable 4                    no descriptor is left for a ping to it
//   watch 4, lead 4, lead 3     the node waits for 4; follows it; is itself coordinator
//   watch nobody
//   after 500                   the clock goes on, and the machine acts when it is due
//   4 follows 5, 4 elects       4's reply to its latest ping that is open
//   4 closes, 4 breaks          the ping is closed without a reply, after it was read, or before
//   4 ends                      the kernel reports the end of 4
//
// Behind an arrow is all that the machine does meanwhile, in order: "ping 4"; "hold 4", a ping that
// stays open; "ahead 4"; "down 4", "hung 4", "deposed 4" and "found 4". "nothing" is nothing at
// all.
#include "detector/failure_detector.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/list.h"
#include "fixture/said.h"
#include "support/process.h"

using namespace bully;

namespace {

using namespace std::chrono_literals;

class Bench : private PingNetwork {
 public:
  Bench(NodeId self, std::vector<NodeId> ids, FailureDetector::Options options)
      : ids_(ids), peers_(std::move(ids)), detector_(with(self, options), *this) {}

  void take(const std::vector<std::string>& words) {
    did_.clear();
    const std::string& verb = words.at(words.size() > 1 && is_id(words[0]) ? 1 : 0);
    const NodeId id = parse_id(words[0]).value_or(words.size() > 1 ? number(words[1]) : 0);
    if (verb == "gone" || verb == "busy" || verb == "unable" || verb == "here") {
      outcomes_[id] = verb == "gone"     ? PingOutcome::gone
                      : verb == "busy"   ? PingOutcome::busy
                      : verb == "unable" ? PingOutcome::unable
                                         : PingOutcome::sent;
    } else if (verb == "watch" || verb == "lead") {
      WatchTarget target{.as_coordinator = verb == "lead"};
      if (is_id(words[1])) target.whom = id;
      detector_.watch(target, now_);
    } else if (verb == "after") {
      const Time until = now_ + std::chrono::milliseconds(number(words[1]));
      while (detector_.next_deadline() <= until) {
        now_ = std::max(now_, detector_.next_deadline());
        detector_.tick(now_);
      }
      now_ = until;
    } else if (verb == "follows" || verb == "elects") {
      PingReply reply{id};
      if (verb == "follows") reply.coordinator = number(words.at(2));
      detector_.on_reply(taken(id), reply, now_);
    } else if (verb == "closes") {
      detector_.on_closed(taken(id));
    } else if (verb == "breaks") {
      const std::uint64_t number = latest(id);
      open_.erase(number);
      detector_.on_broken(number, now_);
    } else {
      REQUIRE_MESSAGE(verb == "ends", verb);
      detector_.on_ended(now_);
    }
  }
  std::string did() const { return did_.empty() ? "nothing" : joined(did_, ", "); }

 private:
  static bool is_id(const std::string& word) { return parse_id(word).has_value(); }
  static NodeId number(const std::string& word) { return parse_id(word).value_or(0); }
  static FailureDetector::Options with(NodeId self, FailureDetector::Options options) {
    options.id = self;
    options.ping_interval = options.ping_timeout = 1000ms;
    return options;
  }

  std::uint64_t latest(NodeId id) const {
    std::uint64_t number = 0;
    for (const auto& [open, to] : open_) {
      if (to == id) number = open;
    }
    REQUIRE_MESSAGE(number > 0, "no ping to " << id << " is open");
    return number;
  }

  // It is over with this reply, unless it is held.
  std::uint64_t taken(NodeId id) {
    const std::uint64_t number = latest(id);
    if (!held_.contains(number)) open_.erase(number);
    return number;
  }

  PingOutcome send(const Ping& ping) override {
    const auto known = outcomes_.find(ping.to);
    const PingOutcome outcome = known == outcomes_.end() ? PingOutcome::sent : known->second;
    if (outcome != PingOutcome::sent) return outcome;
    open_[ping.number] = ping.to;
    if (ping.kind == Ping::Kind::held) held_.insert(ping.number);
    constexpr std::array<std::string_view, 3> words = {"ping ", "hold ", "ahead "};
    did_.push_back(std::string(words.at(static_cast<std::size_t>(ping.kind))) +
                   std::to_string(ping.to));
    return outcome;
  }
  void close(const Ping& ping) override { open_.erase(ping.number); }
  void report(const DetectorReport& report) override {
    if (const auto* suspected = std::get_if<Suspected>(&report)) {
      did_.push_back(std::string(suspicion_name(suspected->reason)) + ' ' +
                     std::to_string(suspected->peer));
    } else {
      did_.push_back("found " + std::to_string(std::get<PeerFound>(report).peer));
    }
  }
  const Peers& peers() override { return peers_; }
  std::vector<NodeId> living() override {
    std::vector<NodeId> living = ids_;
    std::erase_if(living, [this](NodeId id) {
      const auto known = outcomes_.find(id);
      return known != outcomes_.end() && known->second == PingOutcome::gone;
    });
    return living;
  }
  Duration extra_patience() override { return {}; }

  std::vector<NodeId> ids_;
  FixedPeers peers_;
  std::map<NodeId, PingOutcome> outcomes_;
  std::map<std::uint64_t, NodeId> open_;
  std::set<std::uint64_t> held_;
  std::vector<std::string> did_;
  Time now_{0};
  FailureDetector detector_;
};

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream rest(text);
  std::vector<std::string> words;
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

std::unique_ptr<Bench> bench_of(const std::vector<std::string>& words) {
  FailureDetector::Options options{.algorithm = &default_algorithm()};
  std::vector<NodeId> ids;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (const auto id = parse_id(words[i])) {
      ids.push_back(*id);
    } else if (words[i] == "eof") {
      options.detector = Detector::eof;
    } else if (words[i].starts_with("pace=")) {
      options.pace = std::chrono::milliseconds(std::stoi(words[i].substr(5)));
    } else if (words[i] != "by") {
      options.algorithm = &algorithm_named(words[i]);
    }
  }
  return std::make_unique<Bench>(parse_id(words[0]).value(), ids, options);
}

}  // namespace

TEST_CASE("a monitor's decisions, sentence by sentence") {
  std::unique_ptr<Bench> bench;
  std::size_t checked = 0;
  take_lines("tests/detector/failure_detector.steps", [&](const std::string& line) {
    const std::size_t arrow = line.find("→");
    const std::vector<std::string> words = words_in(line.substr(0, arrow));
    if (words.empty() || words[0] == "#" || words[0] == "==") return;
    if (words.size() > 1 && words[1] == "of") {
      bench = bench_of(words);
      return;
    }
    REQUIRE(bench);
    bench->take(words);
    if (arrow == std::string::npos) return;
    std::string expected = line.substr(arrow + std::string_view("→").size());
    expected.erase(0, expected.find_first_not_of(' '));
    CHECK(bench->did() == expected);
    ++checked;
  });
  CHECK(checked > 30);
}
