// status_reply.h: a status query and its reply, on the wire. This unit sends neither.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/protocol.h"
#include "values/status.h"

namespace bully {

namespace fields {
// The event that a controlled node should handle before it replies: see query_with().
inline constexpr Field about{"about", Field::Meaning::id};
inline constexpr Field event{"event", Field::Meaning::number, 1};
}  // namespace fields

namespace messages {
// A status query: no message of an election, and not among known_messages().
inline constexpr MessageKind status{"S", "status", Role::none, {&fields::about, &fields::event}};
}  // namespace messages

// A status query to a controlled node, which first handles `event`: an Expired, Suspected,
// PeerFound or PeerGone; any other is left out. And the event in a query.
Message query_with(const Event& event);
std::optional<Event> event_in(const Message& question);

// Unknown values are null.
std::string encode(const NodeStatus& status);
std::optional<NodeStatus> decode_status(std::string_view json);

// A JSON array with an object for each peer.
std::string encode(const std::vector<NodeStatus>& peers);

}  // namespace bully
