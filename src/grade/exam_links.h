// exam_links.h: the links between all processes of an exam. They show each message, its sender, its
// receiver and its time, and can make messages late. The state of a process they do not show.
//
// Read next: exam.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grade/findings.h"
#include "node/directory.h"
#include "wire/link_recorder.h"

namespace bully {

// Several processes, by their ids.
using Ids = std::vector<NodeId>;

// Messages of one role that were sent since a moment of the exam, perhaps of one sender or to one
// receiver. Without a role: questions and announcements, a sign that the sender takes part in an
// election.
struct Sendings {
  std::optional<Role> role = {};
  std::optional<NodeId> from = {};
  std::optional<NodeId> to = {};
  std::size_t since = 0;  // see ExamLinks::now()

  bool have(const Record& record) const;
};

class ExamLinks final : private LinkRecorder, private Sink {
 public:
  // Takes the name of every process in `directory`, now and later. Throws SetupError. The
  // destructor puts all names back. `directory` must outlive this object.
  explicit ExamLinks(const Directory& directory);

  // --- Messages ---

  // Passes on all that is ready; waits for it, or for any of `others`, until `deadline`.
  void serve(std::vector<pollfd>& others, Time deadline);
  // True if this process is present, and its messages pass here.
  bool has_proxy(NodeId id) const { return proxy_.has_proxy(id); }
  void look() { proxy_.look(); }
  // From now on each message of an election takes longer: by chance, and by `most` at most.
  void delay(Duration most, std::uint64_t seed);
  // True if this PID belongs to the process `id`: a winner may announce itself to itself as well.
  std::function<bool(NodeId id, pid_t pid)> is_of;
  // Called with each message of an election that has arrived.
  std::function<void(const Message& message, NodeId to)> on_arrival;

  // --- Knowledge ---

  // A process that may be there. A message from any other is a wrong one.
  void introduce(NodeId id) { introduced_.insert(id); }
  // Bytes that are no message, and not the program's.
  void expect_noise(std::string_view bytes) { expected_noise_.emplace(bytes); }
  // Writes down an act on a process.
  void note(NodeId id, TraceEvent act) { LinkRecorder::record({.node = id, .event = act}); }

  const std::vector<Record>& records() const { return records_; }
  std::size_t now() const { return records_.size(); }
  // The first of these; nothing if there is none yet.
  std::optional<Record> sent(const Sendings& wanted) const;
  std::vector<Record> all_sent(const Sendings& wanted) const;
  std::size_t count_sent(const Sendings& wanted) const;
  // True if such a message has arrived.
  bool has_arrived(const Sendings& wanted) const;
  // The one from which it has last received, or itself sent, an announcement. A message from a
  // lower process does not count.
  std::optional<NodeId> coordinator_of(NodeId id) const;
  // True if that is the highest of these for all of them.
  bool agree(const Ids& ids) const;
  // From this process, to this one, or from one to the other.
  std::size_t count_pings(std::optional<NodeId> from, std::optional<NodeId> to) const;
  // Unreadable bytes from a process, or a message in the name of its receiver or of nobody, as a
  // Finding; or nothing.
  std::optional<Finding> wrong_message() const;

 private:
  void record(const Record& record) override { records_.push_back(record); }
  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override;
  // Announcements alone decide which process is followed.
  void on_pinged(NodeId, NodeId, const std::optional<PingReply>&) override {}
  void on_noise(NodeId to, std::string_view bytes) override;

  std::vector<Record> records_;
  std::multimap<Time, std::uint64_t> delayed_;  // tickets of messages, by when they go on
  Duration longest_delay_{0};
  std::mt19937_64 chance_;
  std::set<NodeId> introduced_;
  std::map<std::pair<NodeId, NodeId>, std::size_t> pings_;  // by sender and receiver
  std::optional<Finding> wrong_bytes_;
  std::set<std::string> expected_noise_;
  std::set<std::uint64_t> to_oneself_;  // tickets
  // The last member: messages in flight arrive at its end, and are noted in the others.
  LinkProxy proxy_;
};

}  // namespace bully
