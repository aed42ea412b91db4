// invitation.h: the invitation election, one process's part in it.
//
// The second algorithm of the paper that gave the bully its name, for a world in which nothing is
// known about time: messages may take any time, processes may pause, the network may be cut
// [GM82, section 4]. There nobody can promise one coordinator for all. So processes form groups,
// each with a coordinator, and names are compared only within a group. A process on its own is a
// group of one; coordinators look for each other, and the one that finds another merges the groups:
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
// Whatever does not come in time makes a process a group of one again (Recovery): that is never
// wrong, since nobody else is in that group, and never the end, since it will be found.
//
// A group is named by who created it and by that one's count of groups. The count must never be
// repeated: the paper keeps it in storage that survives a crash; here it goes on from the process's
// life, which begins with the time and so is larger than what an earlier process of the id has
// reached (Started::life). c, the coordinator, is always the one that created the group.
//
// Check and Timeout are left to the caller, as pings are (protocol.h, duty 6): PeerFound is what
// Check's CALL AreYouCoordinator comes to, and Suspected what Timeout's CALL AreYouThere does. The
// reply to a ping names the group: a coordinator that is in another one than its follower says no.
//
// A CALL is a request and a reply, each with the group's name, which serves as the call's number:
// in each group a process calls another no more than once.
//
// Source: [GM82] H. Garcia-Molina, Elections in a Distributed Computing System, 1982.
#pragma once

#include "election/algorithm.h"

namespace bully {

namespace fields {
// ACCEPTED: the process is counted in.
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
  std::optional<NodeId> coordinator() const override;
  // Whom it follows, or will.
  std::optional<NodeId> watched() const override;
  std::optional<Group> group() const override;
  Variables variables() const override { return {Variable{"c", c()}, Variable{"d", d_}}; }
  void visit_fields(FieldVisitor& visit) override;

  State state() const { return state_; }
  // Those that have accepted, as far as a coordinator knows; and those that it has found.
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
  Group new_group();
  Message about(const Group& group, const MessageKind& kind) const;
  bool is_coordinator() const { return state_ == State::coordinator || state_ == State::merging; }
  bool is_normal() const { return state_ == State::normal || is_coordinator(); }
  std::optional<NodeId> c() const;
  bool has_created() const { return group_.creator == self_; }

  NodeId self_;
  State state_ = State::down;
  Group group_;                     // g
  std::uint64_t counter_ = 0;       // of the groups that it has created
  std::optional<std::uint64_t> d_;  // in normal: the task
  std::uint64_t task_ = 0;          // the last one that it knows of
  std::vector<NodeId> up_;          // Up: those that have accepted, sorted
  std::vector<NodeId> found_;       // coordinators with which it will merge, sorted
  std::optional<NodeId> callee_;    // whose reply it waits for
};

namespace properties {
// Safety [GM82]: any two that are normal and in the same group have the same coordinator and the
// same task.
extern const Property group_coordinator;
extern const Property group_task;
// Liveness [GM82]: in the end all live processes that can talk are in one group with a coordinator.
extern const Property one_group;
}  // namespace properties

Algorithm invitation_algorithm();

}  // namespace bully
