// endless_election.h: an election that sends more messages than any of this many processes needs.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "election/message.h"

namespace bully {

// Thrown by a world of processes (../sim, ../node): rules that answer a message, or the news that
// its receiver is gone, with a message again would keep it busy forever.
struct EndlessElection : std::exception {
  struct Sent {
    Message message;
    NodeId to;
  };

  EndlessElection(std::uint64_t count, std::vector<Sent> sent)
      : events(count), latest(std::move(sent)) {}
  const char* what() const noexcept override { return "an election does not end"; }

  std::uint64_t events;      // sent messages and handled events
  std::vector<Sent> latest;  // oldest first
};

}  // namespace bully
