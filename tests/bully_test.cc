// bully_test.cc: a test for each sentence of the textbook, in its words, and for each deviation.
#include "election/bully.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "support/script.h"

using namespace bully;
using bully::test::Process;

namespace {

// A process of the textbook's figure, eight processes 0 to 7, that follows 7.
Process following_7(NodeId id) {
  Process process(id, {0, 1, 2, 3, 4, 5, 6, 7});
  process.start();
  process.coordinator_from(7);
  return process;
}

}  // namespace

TEST_CASE("[Tan95] a process that comes back holds an election") {
  Process process(5, {4, 5, 6, 7});
  CHECK(process.state() == "down");
  CHECK(process.start() == "follow nobody, start answer, E>6, E>7");
  CHECK(process.state() == "candidate");
}

TEST_CASE("[Tan95] if the highest of all restarts, it simply sends COORDINATOR to the others") {
  Process process(7, {4, 5, 6, 7});
  CHECK(process.start() == "follow 7, C>4, C>5, C>6");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("a process that is alone is coordinator") {
  Process process(7, {});
  CHECK(process.start() == "follow 7");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("[GM82, Tan95, CDK] who notices that the coordinator is gone asks every higher process") {
  Process process = following_7(4);
  CHECK(process.suspect(7) == "follow nobody, start answer, E>5, E>6, E>7");
  CHECK(process.state() == "candidate");
  CHECK(process.coordinator() == std::nullopt);
}

TEST_CASE("[CDK 1] who has the highest id becomes coordinator without asking") {
  Process process(6, {4, 5, 6});
  process.start();
  CHECK(process.state() == "coordinator");
}

TEST_CASE("[CDK 2] if no one answers in time, the process becomes coordinator and says so") {
  Process process = following_7(5);
  process.suspect(7);
  CHECK(process.expire(Timer::answer) == "follow 5, C>0, C>1, C>2, C>3, C>4");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("[Tan95] someone higher answers: the process's job is done, and it waits") {
  Process process = following_7(4);
  process.suspect(7);
  CHECK(process.answer_from(6) == "start coordinator");
  CHECK(process.state() == "waiting");
  CHECK(process.expire(Timer::answer).empty());
}

TEST_CASE("[CDK 3] if no COORDINATOR comes in time, it holds a new election") {
  Process process = following_7(4);
  process.suspect(7);
  process.answer_from(6);
  CHECK(process.expire(Timer::coordinator) == "follow nobody, start answer, E>5, E>6, E>7");
  CHECK(process.state() == "candidate");
}

TEST_CASE("[Tan95] who gets an ELECTION from a lower one answers, and then holds an election") {
  Process process = following_7(5);
  CHECK(process.election_from(4, 7) == "PE>4, follow nobody, start answer, E>6, E>7");
}

TEST_CASE("[Tan95] unless it is already holding one") {
  Process process = following_7(5);
  process.suspect(7);
  CHECK(process.election_from(4, 7) == "PE>4");
  process.answer_from(6);
  CHECK(process.state() == "waiting");
  CHECK(process.election_from(3, 7) == "PE>3");
}

TEST_CASE("[CDK 5] who gets a COORDINATOR takes its sender as coordinator") {
  for (const std::string_view state : {"follower", "candidate", "waiting"}) {
    Process process = following_7(4);
    if (state != "follower") process.suspect(7);
    if (state == "waiting") process.answer_from(5);
    REQUIRE(process.state() == state);
    CHECK(process.coordinator_from(6) == "follow 6");
    CHECK(process.state() == "follower");
    CHECK(process.coordinator() == 6);
  }
}

TEST_CASE("[Tan95] the biggest guy in town always wins: a coordinator gives way to a higher one") {
  Process process(6, {4, 5, 6});
  process.start();
  CHECK(process.coordinator_from(7) == "follow 7");
  CHECK(process.state() == "follower");
}

TEST_CASE("DEVIATION: nobody follows a lower process than itself") {
  Process follower = following_7(5);
  CHECK(follower.coordinator_from(4) == "follow nobody, start answer, E>6, E>7");
  Process coordinator(6, {4, 5, 6});
  coordinator.start();
  CHECK(coordinator.coordinator_from(5) == "follow 6, C>4, C>5");
  CHECK(coordinator.state() == "coordinator");
}

TEST_CASE("DEVIATION: a process that knows the successor answers, and holds no election") {
  Process follower = following_7(5);
  follower.coordinator_from(6);
  CHECK(follower.election_from(4, 7) == "PE>4");
  CHECK(follower.coordinator() == 6);
  Process winner = following_7(6);
  winner.suspect(7);
  winner.gone(7);
  REQUIRE(winner.state() == "coordinator");
  CHECK(winner.election_from(4, 7) == "PE>4");
}

TEST_CASE("DEVIATION: a coordinator that is asked tells the one who asks") {
  Process process(7, {5, 6, 7});
  process.start();
  CHECK(process.election_from(5) == "PE>5, C>5");
  CHECK(process.election_from(6, 7) == "PE>6, C>6");  // it was believed dead, and is not
}

TEST_CASE("DEVIATION: an election among crashed processes needs no timeout") {
  Process process = following_7(4);
  process.suspect(7);
  CHECK(process.gone(5).empty());
  CHECK(process.gone(7).empty());
  CHECK(process.gone(6) == "follow 4, C>0, C>1, C>2, C>3");
}

TEST_CASE("an answer of a process that has died since counts for nothing") {
  Process process = following_7(4);
  process.suspect(7);
  process.gone(6);
  CHECK(process.answer_from(6).empty());
  CHECK(process.state() == "candidate");
}

TEST_CASE(
    "DEVIATION: who waits watches the highest that answered, and no COORDINATOR of the dead") {
  for (const Suspicion reason : {Suspicion::down, Suspicion::hung}) {
    Process process = following_7(4);
    CHECK(process.protocol().watched() == 7);
    process.suspect(7);
    CHECK(process.protocol().watched() == std::nullopt);
    process.answer_from(5);
    CHECK(process.protocol().watched() == 5);
    process.answer_from(6);
    process.answer_from(5);
    CHECK(process.protocol().watched() == 6);
    CHECK(process.suspect(5, reason).empty());
    CHECK(process.suspect(6, Suspicion::deposed).empty());  // it may well follow another by now
    CHECK(process.state() == "waiting");
    CHECK(process.suspect(6, reason) == "follow nobody, start answer, E>5, E>6, E>7");
    CHECK(process.state() == "candidate");
    CHECK_FALSE(std::get<Send>(process.actions.back()).message.subject);
    process.answer_from(5);
    CHECK(std::get<StartTimer>(process.actions.back()).vain == 0);  // nothing was waited for
    CHECK(process.coordinator_from(6) == "follow 6");
    CHECK(process.protocol().watched() == 6);
  }
}

TEST_CASE("DEVIATION: twice answered and never told, it takes the highest that answered") {
  Process process = following_7(4);
  process.suspect(7);
  process.answer_from(5);
  process.expire(Timer::coordinator);
  process.answer_from(6);
  process.answer_from(7);
  process.answer_from(5);
  CHECK(process.expire(Timer::coordinator) == "follow 7");
  CHECK(process.state() == "follower");
}

TEST_CASE("elections in vain are counted for the world to wait longer, up to a bound") {
  Process process = following_7(4);
  std::vector<int> vain;
  for (int i = 0; i < 10; ++i) {
    process.suspect(process.coordinator().value_or(0));
    if (process.state() == "follower") continue;
    process.answer_from(6);
    vain.push_back(std::get<StartTimer>(process.actions.back()).vain);
    process.expire(Timer::coordinator);
    if (process.state() == "candidate") {
      process.answer_from(6);
      vain.push_back(std::get<StartTimer>(process.actions.back()).vain);
      process.expire(Timer::coordinator);
    }
  }
  CHECK(vain == std::vector<int>{0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4});
  process.coordinator_from(7);
  process.suspect(7);
  process.answer_from(6);
  CHECK(std::get<StartTimer>(process.actions.back()).vain == 0);
}

TEST_CASE("under a coordinator that never announces itself, joins do not make waits ever longer") {
  Process process = following_7(4);
  process.suspect(7);
  for (int i = 0; i < 5; ++i) {
    while (process.state() != "follower") {
      process.answer_from(7);
      CHECK(std::get<StartTimer>(process.actions.back()).vain <= 1);
      process.expire(Timer::coordinator);
    }
    CHECK(process.coordinator() == 7);
    process.election_from(3);
  }
}

TEST_CASE("a suspicion of someone whom the process does not follow is out of date") {
  Process process = following_7(4);
  process.coordinator_from(6);
  CHECK(process.suspect(7).empty());
  CHECK(process.coordinator() == 6);
}

TEST_CASE("an ELECTION says whose loss it is about; its sender's own name, if nobody is lost") {
  Process process = following_7(4);
  process.suspect(7, Suspicion::hung);
  CHECK(std::get<Send>(process.actions.back()).message.subject == 7);
  Process misled = following_7(4);
  misled.coordinator_from(6);
  misled.suspect(6, Suspicion::deposed);
  CHECK(std::get<Send>(misled.actions.back()).message.subject == 4);
  Process returned(4, {4, 5});
  returned.start();
  CHECK(std::get<Send>(returned.actions.back()).message.subject == 4);
}

TEST_CASE(
    "a process that was away is answered by all, told by the coordinator, and disturbs nobody") {
  Process follower = following_7(5);
  CHECK(follower.election_from(4, 4) == "PE>4");
  CHECK(follower.coordinator() == 7);
  Process coordinator(7, {4, 5, 7});
  coordinator.start();
  CHECK(coordinator.election_from(4, 4) == "PE>4, C>4");
}

TEST_CASE("a coordinator that learns of a higher live process holds an election") {
  Process process(6, {5, 6, 7});
  process.start();
  process.gone(7);
  REQUIRE(process.state() == "coordinator");
  CHECK(process.suspect(6, Suspicion::deposed) == "follow nobody, start answer, E>7");
}

TEST_CASE("a process keeps still before it is started") {
  Process process(6, {5, 6, 7});
  CHECK(process.election_from(5).empty());
  CHECK(process.coordinator_from(7).empty());
  CHECK(process.suspect(7).empty());
  CHECK(process.expire(Timer::answer).empty());
  CHECK(process.state() == "down");
}

// Every state against every event: what the process is afterwards. A cell that is wrong shows as
// the row and the column of this table.
TEST_CASE("table of state and event") {
  const std::vector<std::string> states = {"follower", "candidate", "waiting", "coordinator"};
  const auto in_state = [](const std::string& state) {
    Process process(4, {3, 4, 5, 6});
    process.start();
    if (state == "follower") process.coordinator_from(6);
    if (state == "waiting") process.answer_from(5);
    if (state == "coordinator") process.expire(Timer::answer);
    REQUIRE(process.state() == state);
    return process;
  };
  using Handler = std::string (*)(Process&);
  const std::vector<std::pair<Handler, std::vector<std::string>>> table = {
      {[](Process& p) { return p.start(); }, {"candidate", "candidate", "candidate", "candidate"}},
      {[](Process& p) { return p.election_from(3); },
       {"candidate", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.election_from(5); },
       {"follower", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.election_from(4); },
       {"follower", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.answer_from(5); },
       {"follower", "waiting", "waiting", "coordinator"}},
      {[](Process& p) { return p.answer_from(3); },
       {"follower", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.answer_from(9); },  // it was not asked
       {"follower", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.coordinator_from(5); },
       {"follower", "follower", "follower", "follower"}},
      {[](Process& p) { return p.coordinator_from(3); },
       {"candidate", "candidate", "waiting", "candidate"}},
      {[](Process& p) { return p.coordinator_from(4); },
       {"follower", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.gone(5) + p.gone(6); },
       {"follower", "coordinator", "waiting", "coordinator"}},
      {[](Process& p) { return p.expire(Timer::answer); },
       {"follower", "coordinator", "waiting", "coordinator"}},
      {[](Process& p) { return p.expire(Timer::coordinator); },
       {"follower", "candidate", "candidate", "coordinator"}},
      {[](Process& p) { return p.suspect(6); },
       {"candidate", "candidate", "waiting", "coordinator"}},
      {[](Process& p) { return p.suspect(5); },
       {"follower", "candidate", "candidate", "coordinator"}},
      {[](Process& p) { return p.suspect(4, Suspicion::deposed); },
       {"follower", "candidate", "waiting", "candidate"}},
      {[](Process& p) { return p.receive(MessageType::ping, 3); },
       {"follower", "candidate", "waiting", "coordinator"}},
  };
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (std::size_t column = 0; column < states.size(); ++column) {
      Process process = in_state(states[column]);
      table[row].first(process);
      CAPTURE(row);
      CAPTURE(states[column]);
      CHECK(process.state() == table[row].second[column]);
    }
  }
}

TEST_CASE("a saved state loads as the same state") {
  std::vector<Process> processes;
  processes.emplace_back(4, std::initializer_list<NodeId>{3, 4, 5, 6});
  processes.push_back(following_7(4));
  processes.push_back(following_7(4));
  processes.back().suspect(7);
  processes.push_back(processes.back());
  processes.back().answer_from(6);
  processes.push_back(processes[2]);
  processes.back().expire(Timer::answer);
  std::set<std::vector<std::uint64_t>> distinct;
  for (Process& process : processes) {
    std::vector<std::uint64_t> words;
    process.protocol().save(words);
    Bully loaded(4);
    loaded.load(words);
    CHECK(loaded == process.protocol());
    distinct.insert(words);
  }
  CHECK(distinct.size() == processes.size());
}

namespace {

// A cluster of processes joined by one queue of messages: each is delivered in the order of
// sending, and one to a dead process is known to be lost at once.
class Cluster {
 public:
  explicit Cluster(NodeId n) {
    for (NodeId id = 1; id <= n; ++id) ids_.push_back(id);
    for (const NodeId id : ids_) nodes_.emplace(id, Bully(id));
    for (const NodeId id : ids_) handle(id, Started{});
    run();
  }
  void crash(NodeId id) { nodes_.erase(id); }
  void suspect(NodeId detector, NodeId coordinator) {
    handle(detector, Suspected{coordinator, Suspicion::down});
  }
  void run() {
    while (!queue_.empty()) {
      const Send next = queue_.front();
      queue_.erase(queue_.begin());
      if (nodes_.contains(next.to)) handle(next.to, Received{next.message});
    }
  }
  bool all_follow(NodeId coordinator) const {
    for (const auto& [id, node] : nodes_) {
      if (node.coordinator() != coordinator) return false;
    }
    return true;
  }
  std::map<MessageType, std::uint64_t> sent;

 private:
  struct All : Peers {
    explicit All(const std::vector<NodeId>& all) : ids_(all) {}
    std::span<const NodeId> ids() const override { return ids_; }
    const std::vector<NodeId>& ids_;
  };
  void handle(NodeId id, const Event& event) {
    Actions actions;
    nodes_.at(id).handle(event, All(ids_), actions);
    for (const Action& action : actions) {
      const Send* send = std::get_if<Send>(&action);
      if (send == nullptr) continue;
      ++sent[send->message.type];
      if (nodes_.contains(send->to)) {
        queue_.push_back(*send);
      } else {
        handle(id, PeerGone{send->to});
      }
    }
  }
  std::vector<NodeId> ids_;
  std::map<NodeId, Bully> nodes_;
  std::vector<Send> queue_;
};

}  // namespace

TEST_CASE("the textbook's counts, exactly, for every detector") {
  for (const NodeId n : std::vector<NodeId>{3, 4, 5, 8, 12}) {
    for (NodeId k = 1; k < n; ++k) {
      Cluster cluster(n);
      cluster.sent.clear();
      cluster.crash(n);
      cluster.suspect(k, n);
      cluster.run();
      CAPTURE(n);
      CAPTURE(k);
      CHECK(cluster.all_follow(n - 1));
      CHECK(cluster.sent[MessageType::election] == (n - k) * (n - k + 1) / 2);
      CHECK(cluster.sent[MessageType::answer] == (n - k) * (n - k - 1) / 2);
      CHECK(cluster.sent[MessageType::coordinator] == n - 2);
    }
  }
}

TEST_CASE("the textbook's worst case, when all survivors detect at once") {
  for (const auto& [n, total] : std::map<NodeId, std::uint64_t>{{4, 11}, {8, 55}, {12, 131}}) {
    Cluster cluster(n);
    cluster.sent.clear();
    cluster.crash(n);
    for (NodeId k = 1; k < n; ++k) cluster.suspect(k, n);
    cluster.run();
    CHECK(cluster.all_follow(n - 1));
    std::uint64_t sum = 0;
    for (const auto& [type, count] : cluster.sent) sum += count;
    CHECK(sum == total);
  }
}
