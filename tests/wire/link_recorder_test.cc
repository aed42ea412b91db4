// link_recorder_test.cc: `bully record` among real processes: nodes of ours, and programs that know
// only the example's bytes and nothing of a recorder.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/list.h"
#include "fixture/cluster.h"
#include "fixture/session.h"
#include "support/legacy_peer.h"
#include "support/messages.h"
#include "trace/trace.h"
#include "wire/link_recorder.h"

namespace bully {
namespace {

const Arguments quick = {"--ping-interval=50ms", "--ping-timeout=500ms", "--answer-timeout=300ms",
                         "--coordinator-timeout=400ms"};

std::vector<Record> records_in(const std::string& path) {
  const Trace trace = parse_trace(contents(path), "trace");
  std::vector<Record> records;
  for (const Record& record : trace.records) records.push_back(record);
  return records;
}

// A recorder of a directory.
class RunningRecorder {
 public:
  explicit RunningRecorder(std::string directory, const Arguments& more = {},
                           std::function<void()> in_child = nullptr)
      : directory_(std::move(directory)) {
    const Arguments words = {"record", "--lang=en", "--dir=" + directory_,
                             "--trace=" + trace_path()};
    process_ = Child({.arguments = words + more,
                      .output = output_path(),
                      .errors = output_path(),
                      .in_child = std::move(in_child)});
    CHECK(wait_until([&] { return std::filesystem::exists(directory_ + ".aside"); }));
  }
  ~RunningRecorder() { end(SIGINT); }

  std::string trace_path() const { return scratch_.path() + "/trace"; }
  std::string output() const { return contents(output_path()); }
  pid_t pid() const { return process_.pid(); }
  Outcome end(int signal) { return process_.end_by(signal); }
  // Until it ends by itself.
  Outcome wait() { return process_.end(); }

  // What it has recorded until now.
  std::vector<Record> records() const { return records_in(trace_path()); }
  std::size_t count(const std::function<bool(const Record&)>& matches) const {
    const auto all = records();
    return static_cast<std::size_t>(std::ranges::count_if(all, matches));
  }
  // Whether it stands in for so many processes.
  bool knows(std::size_t processes) const {
    return wait_until([&] {
      return count([](const Record& record) { return record.event == TraceEvent::start; }) ==
             processes;
    });
  }
  // Whether it sees that from now on `id` follows `coordinator`.
  bool sees(NodeId id, NodeId coordinator) const {
    return wait_until([&] {
      std::optional<NodeId> followed;
      for (const Record& record : records()) {
        if (record.node == id && record.coordinator) followed = record.coordinator;
      }
      return followed == coordinator;
    });
  }
  // Whether it sees that of 1 to `last`.
  bool all_see(NodeId last, NodeId coordinator) const {
    for (NodeId id = 1; id <= last; ++id) {
      if (!sees(id, coordinator)) return false;
    }
    return true;
  }
  // `bully check` of what it has recorded.
  Finished check() const { return run_bully({"check", "--lang=en", trace_path()}); }

 private:
  std::string output_path() const { return scratch_.path() + "/output"; }

  Scratch scratch_;
  std::string directory_;
  Child process_;
};

// Nodes, from 1 on, each as soon as the one before is known.
void start_nodes(Cluster& cluster, const RunningRecorder& recorder, NodeId last) {
  for (NodeId id = 1; id <= last; ++id) {
    cluster.start(id);
    REQUIRE(recorder.knows(id));
  }
}

// Nothing is left of a stand-in: the names are the processes' own, and there is no place aside.
bool is_whole(const Cluster& cluster) {
  return wait_until([&] { return !std::filesystem::exists(cluster.directory() + ".aside"); }) &&
         cluster.agrees_in_time();
}

// `verdict`: what `bully check` says of a record.
bool is_not_judged(const Finished& verdict) {
  return verdict.outcome.exit_code == 2 && verdict.output.starts_with("INCONCLUSIVE") &&
         contains(verdict.output, "bully grade") && !contains(verdict.output, "coordinator of");
}

// Messages of elections that have been received, or sent, by who sent what to whom.
std::vector<std::string> messages_in(const std::vector<Record>& records,
                                     TraceEvent event = TraceEvent::receive) {
  std::vector<std::string> found;
  for (const Record& record : records) {
    if (record.event != event || is_about_ping(record)) continue;
    found.push_back(std::string(record.type->code) + ' ' + std::to_string(record.from) + ' ' +
                    std::to_string(record.to));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("What our nodes say is recorded as they record it themselves, and not judged") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    Cluster cluster(quick + Arguments{detector});
    RunningRecorder recorder(cluster.directory());
    // A message to a process that has just appeared may still go past its stand-in.
    start_nodes(cluster, recorder, 5);
    REQUIRE(recorder.all_see(4, 5));
    cluster.kill(5);
    REQUIRE_MESSAGE(recorder.all_see(3, 4), recorder.output());
    {
      const auto missing = [](const auto& in, const auto& from) {
        std::vector<std::string> those;
        std::set_difference(from.begin(), from.end(), in.begin(), in.end(),
                            std::back_inserter(those));
        return those;
      };
      const auto recorded = recorder.records();
      const auto seen = messages_in(recorded);
      auto records = recorded;
      // A node reads a moment later what the recorder has passed on to it.
      CHECK(wait_until([&] {
        records = records_in(cluster.scratch("trace"));
        return missing(messages_in(records), seen).empty();
      }));
      const auto own = messages_in(records);
      CAPTURE(joined(seen, ", "));
      CAPTURE(joined(own, ", "));
      // One that already runs may have asked another before that had its stand-in.
      std::erase_if(records, [&](const Record& record) {
        const auto stand_in = std::ranges::find(recorded, record.to, &Record::node);
        return stand_in == recorded.end() || record.t_ns > stand_in->t_ns;
      });
      CHECK(missing(messages_in(records, TraceEvent::send), missing(seen, own)).empty());
      CHECK(!seen.empty());
    }
    cluster.start(5);
    REQUIRE(recorder.all_see(4, 5));
    CHECK(recorder.end(SIGINT).exit_code == 0);
    CAPTURE(recorder.output());
    CHECK(is_whole(cluster));
    CHECK(is_not_judged(recorder.check()));
    CHECK(!contains(contents(cluster.scratch("log")), "its socket"));
  }
}

TEST_CASE("When it is asked to end, a recorder writes which processes are still there") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    Cluster cluster(quick);
    RunningRecorder recorder(cluster.directory());
    start_nodes(cluster, recorder, 4);
    REQUIRE(recorder.all_see(3, 4));
    cluster.kill(4);
    REQUIRE(recorder.all_see(2, 3));
    CHECK(cluster.end_by(SIGTERM, 1).exit_code == 0);
    REQUIRE(wait_until([&] {
      return recorder.count([](const Record& one) { return one.event == TraceEvent::leave; }) == 1;
    }));
    CHECK(recorder.end(signal).exit_code == (signal == SIGINT ? 0 : 128 + signal));
    std::vector<Record> records = recorder.records();
    REQUIRE(records.size() > 2);
    records.erase(records.begin(), records.end() - 2);
    std::ranges::sort(records, {}, &Record::node);
    for (const Record& record : records) CHECK(record.event == TraceEvent::end);
    CHECK(records[0].node == 2);
    CHECK(records[1].node == 3);
  }
}

TEST_CASE("A student's program in Python is recorded") {
  check_session("tests/wire/record.session");
}

TEST_CASE("After SIGKILL of the recorder all names are back, and the cluster agrees") {
  RunningCluster cluster(1, 4, quick);
  std::minstd_rand random(1);
  const unsigned rounds = from_environment("BULLY_SOAK_ROUNDS", 10);
  for (unsigned round = 0; round < rounds; ++round) {
    CAPTURE(round);
    RunningRecorder recorder(cluster.directory());
    const auto moment = std::chrono::microseconds(random() % 100'000);
    const Time killed = monotonic_now() + moment;
    wait_until([&] { return monotonic_now() >= killed; });
    recorder.end(SIGKILL);
    REQUIRE(is_whole(cluster));
  }
  CHECK(!contains(contents(cluster.scratch("log")), "its socket"));
}

TEST_CASE("[PyBully] Programs that speak only the example's bytes, and ping as fast as they can") {
  Cluster cluster;  // for its directory
  RunningRecorder recorder(cluster.directory(), {"--quiet"});
  std::vector<std::unique_ptr<LegacyPeer>> peers;
  for (NodeId id = 1; id <= 4; ++id) {
    peers.push_back(std::make_unique<LegacyPeer>(cluster.directory(), LegacyOptions{.id = id}));
    REQUIRE(recorder.knows(id));
    // Of two that announce themselves at once, the example may hear the lower one last.
    const auto follows = [id](const auto& peer) { return peer->coordinator() == id; };
    REQUIRE(wait_until([&] { return std::ranges::all_of(peers, follows); }));
  }
  REQUIRE(recorder.all_see(3, 4));  // three of them flood the fourth
  const std::uint64_t received = peers[3]->received();
  REQUIRE(wait_until([&] { return peers[3]->received() > received + 10'000; }));
  peers[3]->kill();
  CHECK(recorder.all_see(2, 3));
  CHECK(recorder.end(SIGINT).exit_code == 0);
  CHECK(is_not_judged(recorder.check()));
  // They go on without the recorder.
  CHECK(wait_until([&] { return peers[0]->coordinator() == 3; }));
  const std::uint64_t before = peers[0]->pings_sent();
  CHECK(wait_until([&] { return peers[0]->pings_sent() > before + 100; }));
}

// What a recorder that may open `most` files says.
Finished limited_recording(const Cluster& cluster, rlim_t most, const char* language = "en") {
  const Scratch scratch;
  const std::string words = std::string("--lang=") + language;
  return run_bully(
      {"record", words, "--dir=" + cluster.directory(), "--trace=" + scratch.path() + "/trace"},
      [most] { limit_descriptors(most); });
}

// What `ulimit -n` must allow, as the error says.
rlim_t demanded_limit(const std::string& errors) {
  const std::size_t at = errors.find("ulimit -n ");
  return at == std::string::npos ? 0 : std::stoul(errors.substr(at + 10));
}

TEST_CASE("A recorder that may open too few files takes no name, and says what to do") {
  RunningCluster cluster(1, 20);
  const auto sockets = [&] {
    std::vector<std::optional<SocketIdentity>> found;
    for (const NodeId id : cluster.live()) found.push_back(socket_at(cluster.socket_path(id)));
    return found;
  };
  const auto before = sockets();
  for (const auto& [language, word] : {std::pair("en", "files"), std::pair("pt-BR", "arquivos")}) {
    const Finished refused = limited_recording(cluster, 32, language);
    CAPTURE(refused.errors);
    CHECK(refused.outcome.exit_code == 1);
    CHECK(std::ranges::count(refused.errors, '\n') == 2);  // what, and what to do
    for (const char* part : {"20", "32", word}) CHECK(contains(refused.errors, part));
    CHECK(demanded_limit(refused.errors) > 32);
  }
  CHECK(!std::filesystem::exists(cluster.directory() + ".aside"));
  CHECK(before == sockets());
  cluster.kill_and_agree(20);
}

TEST_CASE("A recorder that may just open enough files records an election of all in time") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    RunningCluster cluster(1, 20, {detector});
    const rlim_t enough = demanded_limit(limited_recording(cluster, 32).errors);
    CAPTURE(enough);
    CHECK(demanded_limit(limited_recording(cluster, enough - 1).errors) == enough);
    RunningRecorder recorder(cluster.directory(), {}, [&] { limit_descriptors(enough); });
    REQUIRE(recorder.knows(20));
    cluster.kill_and_agree(20);
    CHECK(recorder.all_see(18, 19));
    CHECK(recorder.end(SIGINT).exit_code == 0);
    CHECK(is_whole(cluster));
  }
}

TEST_CASE("A recorder with too many processes gives all names back") {
  RunningCluster cluster(1, 4);
  const rlim_t enough = demanded_limit(limited_recording(cluster, 16).errors);
  RunningRecorder recorder(cluster.directory(), {}, [&] { limit_descriptors(enough); });
  REQUIRE(recorder.knows(4));
  cluster.start_range(5, 20);
  CHECK(recorder.wait().exit_code == 1);
  CAPTURE(recorder.output());
  CHECK(demanded_limit(recorder.output()) > enough);
  CHECK(is_whole(cluster));
  cluster.kill_and_agree(20);
}

}  // namespace bully
