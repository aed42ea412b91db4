// invitation.h: one process's part in the invitation election.
//
// The second algorithm of the paper that gave the bully its name, assumes nothing about time:
// messages may take any time, processes may pause, the network may be cut [GM82, section 4]. Under
// such conditions no algorithm can promise one coordinator for all. So processes form groups, each
// with a coordinator, and any promise holds only within a group. A lone process is a group of one.
// Coordinators look for each other, and a coordinator that finds others merges the groups:
//
//   coordinator ──► merging ──────► inviting ─────────► reorganization ──► coordinator
//   it looks for    it has found    it invites them,    Ready to each      of a group that
//   others          some: may the   and its members,    that has           has not been before
//                   highest begin   to a new group      accepted
//        │
//        │ invited by another, as its members are, and they by it
//        ▼
//      invited ───────────────► reorganization ───────► normal
//      it says that it accepts  and waits for Ready     a member of the new group
//
// Inviting and invited are both Election in the paper; a coordinator, merging or not, and a member
// are Normal.
//
// A process that times out becomes a group of one again (Recovery). That is always safe, since the
// group has no other member. It is never final, since another coordinator will find it.
//
// A group's name is its creator and the creator's count of groups. The count must never repeat. The
// paper keeps it in storage that survives a crash. Here it goes on from Started::incarnation, which
// comes from the time and so exceeds every count of an earlier process of the id. The coordinator c
// is always the group's creator.
//
// Check and Timeout are left to the caller, as pings are (protocol.h, duty 6): PeerFound reports
// the result of CALL AreYouCoordinator of Check, and Suspected a failed CALL AreYouThere of
// Timeout. The reply to a ping names the replier's group: a coordinator in another group than its
// follower's counts as deposed.
//
// A CALL is a request and a reply. Each carries the group's name, which serves as the call's
// number: in each group a process calls another at most once.
//
// Source: [GM82] H. Garcia-Molina, Elections in a Distributed Computing System, 1982.
#pragma once

#include "election/algorithm.h"

namespace bully {

namespace fields {
// ACCEPTED: the process accepted in time, and belongs to the group.
inline constexpr Field in_time{"in-time", Field::Meaning::flag, 2};
inline constexpr Field group_task{
    .key = "task", .meaning = Field::Meaning::tally, .place = 2, .is_shown = true};
}  // namespace fields

namespace messages {
inline constexpr MessageKind invitation{
    "IV", "invitation", Role::asks, {&fields::creator, &fields::count}};
inline constexpr MessageKind accept{"AC", "accept", Role::asks, {&fields::creator, &fields::count}};
inline constexpr MessageKind accepted{
    "ACR", "accepted", Role::answers, {&fields::creator, &fields::count, &fields::in_time}};
inline constexpr MessageKind group_ready{
    "GR", "group-ready", Role::asks, {&fields::creator, &fields::count, &fields::group_task}};
inline constexpr MessageKind group_done{
    "GRR", "group-done", Role::answers, {&fields::creator, &fields::count}};
}  // namespace messages

class Invitation : public Protocol {
 public:
  enum class State : std::uint8_t {
    down,
    coordinator,
    merging,
    inviting,
    invited,
    reorganization,
    normal
  };
  static constexpr std::array<StateKind, 7> states = {{{"down", StateRole::down},
                                                       {"coordinator", StateRole::coordinating},
                                                       {"merging", StateRole::coordinating},
                                                       {"inviting", StateRole::asking},
                                                       {"invited", StateRole::waiting},
                                                       {"reorganization", StateRole::waiting},
                                                       {"normal", StateRole::following}}};

  explicit Invitation(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const override { return is_normal() ? c() : std::nullopt; }
  // The coordinator that it follows or will follow.
  std::optional<NodeId> watched() const override;
  std::optional<Group> group() const override;
  Variables variables() const override { return {Variable{"c", c()}, Variable{"d", d_}}; }
  void visit_fields(FieldVisitor& visit) override;

  State state() const { return state_; }
  // The processes that have accepted, as far as a coordinator knows; and the coordinators that it
  // has found.
  std::span<const NodeId> up() const { return up_; }
  std::span<const NodeId> found() const { return found_; }

 private:
  void on(const Started& event, Context context);
  void on(const Preset& event, Context context);
  void on(const Received& event, Context context);
  void on(const PeerGone& event, Context context);
  void on(const Expired& event, Context context);
  void on(const Suspected& event, Context context);
  void on(const PeerFound& event, Context context);

  void on_invitation(const Group& group, Context context);
  void on_accept(NodeId from, const Group& group, Context context);
  void on_ready(const Message& ready, const Group& group, Context context);
  void on_accepted(bool in_time, Context context);

  void recover(Context context);
  void merge(Context context);
  void reorganize(Context context);
  void call_next(Context context);
  void enter(State state, const Group& group, Context context);
  Group new_group() { return {self_, ++counter_}; }
  Message about(const Group& group, const MessageKind& kind) const;
  bool is_coordinator() const { return state_ == State::coordinator || state_ == State::merging; }
  bool is_normal() const { return state_ == State::normal || is_coordinator(); }
  std::optional<NodeId> c() const;
  bool has_created() const { return group_.creator == self_; }

  NodeId self_;
  State state_ = State::down;
  Group group_;                     // g
  std::uint64_t counter_ = 0;       // the number of groups that it has created
  std::optional<std::uint64_t> d_;  // in normal: the task
  std::uint64_t task_ = 0;          // the last known
  std::vector<NodeId> up_;          // Up: the processes that have accepted, sorted
  std::vector<NodeId> found_;       // coordinators with which it will merge, sorted
  std::optional<NodeId> callee_;    // the process whose reply it waits for
};

namespace properties {
// Safety [GM82]: any two normal processes of one group have the same coordinator and the same task.
extern const Property group_coordinator;
extern const Property group_task;
// Liveness [GM82]: in the end all live processes that can talk are in one group with a coordinator.
extern const Property one_group;
}  // namespace properties

Algorithm invitation_algorithm();

}  // namespace bully
