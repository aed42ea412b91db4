// ping_reply.cc: the bytes of a reply.
#include "election/ping_reply.h"

namespace bully {

// On the wire a reply is like a ping, with the coordinator in the place of the number.
std::string encode(const PingReply& reply) {
  return encode(Message{.type = messages::ping, .from = reply.id, .number = reply.coordinator});
}

std::optional<PingReply> decode_ping_reply(std::string_view bytes) {
  const std::optional<Message> reply = decode(bytes);
  if (!reply || reply->type != messages::ping || reply->number > highest_id) return std::nullopt;
  return PingReply{.id = reply->from, .coordinator = reply->number};
}

}  // namespace bully
