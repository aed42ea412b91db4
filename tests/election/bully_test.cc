// bully_test.cc: a test for each sentence of the textbook, in its words, and for each deviation.
#include "election/bully.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/messages.h"
#include "support/script.h"

using namespace bully;
using bully::test::Process;

namespace {

// A process of the textbook's figure, eight processes 0 to 7, that follows 7; and 4 once it has
// lost 7.
Process following_7(NodeId id) {
  Process process(id, {0, 1, 2, 3, 4, 5, 6, 7});
  process.start();
  process.coordinator_from(7);
  return process;
}
Process candidate_4() {
  Process process = following_7(4);
  process.suspect(7);
  return process;
}

TEST_CASE("[Tan95] a process that comes back holds an election") {
  Process process(5, {4, 5, 6, 7});
  CHECK(process.state() == "down");
  CHECK(process.start() == "follow nobody, start answer, E>6, E>7");
  CHECK(process.state() == "candidate");
}

TEST_CASE(
    "[Tan95, WP 1] if the highest of all restarts, it asks nobody, and sends COORDINATOR to all") {
  Process process(7, {4, 5, 6, 7});
  CHECK(process.start() == "follow 7, C>4, C>5, C>6");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("a process that is alone is coordinator") {
  Process process(7, {});
  CHECK(process.start() == "follow 7");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("[Tan95, CDK] a process that notices a dead coordinator asks every higher process") {
  Process process = following_7(4);
  CHECK(process.suspect(7) == "follow nobody, start answer, E>5, E>6, E>7");
  CHECK(process.state() == "candidate");
  CHECK(process.coordinator() == std::nullopt);
}

TEST_CASE("[WP 2] if no one answers in time, the process becomes coordinator and says so") {
  Process process = following_7(5);
  process.suspect(7);
  CHECK(process.expire(Timer::answer) == "follow 5, C>0, C>1, C>2, C>3, C>4");
  CHECK(process.state() == "coordinator");
}

TEST_CASE("[Tan95] after an answer from a higher process, a process waits") {
  Process process = candidate_4();
  CHECK(process.answer_from(6) == "start coordinator");
  CHECK(process.state() == "waiting");
  CHECK(process.expire(Timer::answer).empty());
}

TEST_CASE("[WP 3] a process without a COORDINATOR in time holds a new election") {
  Process process = candidate_4();
  process.answer_from(6);
  CHECK(process.expire(Timer::coordinator) == "follow nobody, start answer, E>5, E>6, E>7");
  CHECK(process.state() == "candidate");
}

TEST_CASE("[Tan95] a process answers an ELECTION from a lower one, and then holds an election") {
  Process process = following_7(5);
  CHECK(process.election_from(4, 7) == "PE>4, follow nobody, start answer, E>6, E>7");
}

TEST_CASE("[Tan95] a process that already holds an election does not start another") {
  Process process = following_7(5);
  process.suspect(7);
  CHECK(process.election_from(4, 7) == "PE>4");
  process.answer_from(6);
  CHECK(process.state() == "waiting");
  CHECK(process.election_from(3, 7) == "PE>3");
}

TEST_CASE("[WP 5] a process takes the sender of a COORDINATOR as coordinator") {
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

TEST_CASE("DEVIATION 6: no process follows a lower one than itself") {
  Process follower = following_7(5);
  CHECK(follower.coordinator_from(4) == "follow nobody, start answer, E>6, E>7");
  Process coordinator(6, {4, 5, 6});
  coordinator.start();
  CHECK(coordinator.coordinator_from(5) == "follow 6, C>4, C>5");
  CHECK(coordinator.state() == "coordinator");
}

TEST_CASE("DEVIATION 3: a process that knows the successor answers, and holds no election") {
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

TEST_CASE("DEVIATION 4: a coordinator tells a process that asks it") {
  Process process(7, {5, 6, 7});
  process.start();
  CHECK(process.election_from(5) == "PE>5, C>5");
  CHECK(process.election_from(6, 7) == "PE>6, C>6");  // it was believed dead, and is not
}

TEST_CASE("DEVIATION 1: an election among crashed processes needs no timeout") {
  Process process = candidate_4();
  CHECK(process.gone(5).empty());
  CHECK(process.gone(7).empty());
  CHECK(process.gone(6) == "follow 4, C>0, C>1, C>2, C>3");
}

TEST_CASE("an answer of a process that has died since counts for nothing") {
  Process process = candidate_4();
  process.gone(6);
  CHECK(process.answer_from(6).empty());
  CHECK(process.state() == "candidate");
}

TEST_CASE("DEVIATION 2: a waiting process watches the highest that answered") {
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
    CHECK_FALSE(subject_of(std::get<Send>(process.actions.back()).message));
    process.answer_from(5);
    CHECK(std::get<StartTimer>(process.actions.back()).attempts == 0);  // nothing was waited for
    CHECK(process.coordinator_from(6) == "follow 6");
    CHECK(process.protocol().watched() == 6);
  }
}

TEST_CASE("DEVIATION 7: twice answered and never told, it takes the highest that answered") {
  Process process = candidate_4();
  process.answer_from(5);
  process.expire(Timer::coordinator);
  process.answer_from(6);
  process.answer_from(7);
  process.answer_from(5);
  CHECK(process.expire(Timer::coordinator) == "follow 7");
  CHECK(process.state() == "follower");
}

// Another process answers, and this one waits: with how many elections that ended without a
// COORDINATOR?
int attempts_at_answer(Process& process, NodeId from) {
  process.answer_from(from);
  return std::get<StartTimer>(process.actions.back()).attempts;
}

// 4 has held `count` elections without a COORDINATOR, and follows 7 because it answered last.
Process never_told(int count) {
  Process process = candidate_4();
  for (int i = 0; i < count; ++i) {
    if (process.state() == "follower") process.suspect(7);
    process.answer_from(7);
    process.expire(Timer::coordinator);
  }
  return process;
}

TEST_CASE("elections without a COORDINATOR are counted, up to a bound, to wait ever longer") {
  for (int count = 2; count < 8; ++count) {
    Process process = never_told(count);
    process.suspect(7);
    CHECK(attempts_at_answer(process, 7) == std::min(count, 4));
    // A coordinator announces itself: the count begins anew, and so the second chance.
    process.coordinator_from(7);
    process.suspect(7);
    CHECK(attempts_at_answer(process, 7) == 0);
    CHECK(process.expire(Timer::coordinator) == "follow nobody, start answer, E>5, E>6, E>7");
  }
}

TEST_CASE("the count of elections without a COORDINATOR begins anew with one that is won") {
  Process process = never_told(3);
  process.suspect(7);
  process.expire(Timer::answer);
  REQUIRE(process.state() == "coordinator");
  process.suspect(4, Suspicion::deposed);
  CHECK(attempts_at_answer(process, 7) == 0);
}

TEST_CASE("an election that another asks for has a new cause: no more than one counts") {
  for (int count = 2; count < 6; ++count) {
    Process process = never_told(count);
    process.election_from(3);
    CHECK(attempts_at_answer(process, 7) == 1);
  }
  Process process = following_7(4);
  process.election_from(3);
  CHECK(attempts_at_answer(process, 7) == 0);
}

TEST_CASE("a process of a cluster that has long agreed follows its coordinator, and says nothing") {
  Process follower(4, {4, 5, 7});
  CHECK(follower.on(Preset{7}) == "follow 7");
  CHECK(follower.state() == "follower");
  Process coordinator(7, {4, 5, 7});
  CHECK(coordinator.on(Preset{7}) == "follow 7");
  CHECK(coordinator.state() == "coordinator");
  CHECK(coordinator.fired().empty());
}

TEST_CASE("a suspicion of someone whom the process does not follow is out of date") {
  Process process = following_7(4);
  process.coordinator_from(6);
  CHECK(process.suspect(7).empty());
  CHECK(process.coordinator() == 6);
}

TEST_CASE("an ELECTION names the lost process, or its sender if no process is lost") {
  Process process = following_7(4);
  process.suspect(7, Suspicion::hung);
  CHECK(subject_of(std::get<Send>(process.actions.back()).message) == 7);
  Process misled = following_7(4);
  misled.coordinator_from(6);
  misled.suspect(6, Suspicion::deposed);
  CHECK(subject_of(std::get<Send>(misled.actions.back()).message) == 4);
  Process returned(4, {4, 5});
  returned.start();
  CHECK(subject_of(std::get<Send>(returned.actions.back()).message) == 4);
}

TEST_CASE(
    "DEVIATION 5: a process that was away is answered by all, told by the coordinator, and "
    "disturbs no process") {
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

}  // namespace
