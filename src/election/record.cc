// record.cc: questions to a record, and snapshots from records.
#include "election/record.h"

#include "election/algorithm.h"

namespace bully {

Snapshot snapshot_of(const Protocol& protocol) {
  return {.id = protocol.id(),
          .condition = Condition::running,
          .state = std::string(protocol.state_name()),
          .coordinator = protocol.coordinator(),
          .variables = protocol.variables()};
}

PingReply reply_of(const Protocol& protocol) {
  return {protocol.id(), protocol.coordinator()};
}

PingReply reply_of(const Snapshot& node) {
  return {node.id, node.coordinator};
}

Snapshot crashed_snapshot(NodeId id) {
  return {.id = id, .condition = Condition::crashed, .state = "down"};
}

bool Snapshot::is_coordinator() const {
  return is_coordinating(state) || (state.empty() && coordinator == id);
}

std::optional<NodeId> winner_in(MessageType type, NodeId from, const FieldValues& values) {
  if (type->role == Role::announces) return from;
  return type->role == Role::spreads ? values.shown(type) : std::nullopt;
}

void learn(Snapshot& snapshot, const Record& record) {
  snapshot.id = record.node;
  switch (record.event) {
    case TraceEvent::end:
    case TraceEvent::partition:
    case TraceEvent::heal: return;
    case TraceEvent::crash: snapshot = crashed_snapshot(record.node); return;
    case TraceEvent::leave: snapshot = {.id = record.node}; return;
    case TraceEvent::pause: snapshot.condition = Condition::stopped; return;
    case TraceEvent::resume: snapshot.condition = Condition::running; return;
    case TraceEvent::start: snapshot = {.id = record.node}; break;
    default: break;
  }
  // A stopped process may have made this record before, and a message may be lost after its sender
  // is gone.
  if (snapshot.condition != Condition::stopped && record.event != TraceEvent::lost) {
    snapshot.condition = Condition::running;
  }
  if (record.event == TraceEvent::coordinator) snapshot.coordinator = record.coordinator;
  if (record.event != TraceEvent::state) return;
  snapshot.state = record.state;
  snapshot.variables = record.variables;
  // No further record says that it follows itself, or in an election no process.
  if (is_coordinating(record.state)) snapshot.coordinator = record.node;
  if (!is_settled(record.state)) snapshot.coordinator.reset();
}

bool is_of_step(const Record& record) {
  switch (record.event) {
    case TraceEvent::drop:
    case TraceEvent::leave: return false;
    case TraceEvent::lost: return record.reason == "oversize" && !is_about_ping(record);
    default: return !is_about_ping(record) && !is_act_on(record);
  }
}

bool begins_step(const Record& record) {
  switch (record.event) {
    case TraceEvent::start:
    case TraceEvent::timeout:
    case TraceEvent::suspect: return true;
    case TraceEvent::receive: return !is_about_ping(record);
    case TraceEvent::step: return record.reason != "gone";
    default: return false;
  }
}

}  // namespace bully
