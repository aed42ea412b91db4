// flights.h: the messages that are on their way, in the order in which they will arrive.
//
// A calendar: one queue per moment at which something arrives, first sent first delivered. A
// message takes 16 bytes and its share of a queue's chunk, because ten thousand processes that all
// hold an election have fifty million of them on their way at once. Knows nothing of faults,
// clocks or protocols. Read next: world.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "election/message.h"

namespace bully {

// A node as the simulator counts them: the first one is 0, whatever its id.
using NodeIndex = std::uint32_t;

// One message on its way, or the news, on its way back, that there was nobody to take it.
struct Flight {
  static constexpr NodeIndex most_nodes = (1U << 24U) - 1;
  static constexpr std::uint32_t most_epochs = (1U << 16U) - 1;
  static constexpr std::uint32_t most_subjects = (1U << 27U) - 1;
  static constexpr std::uint32_t most_types = (1U << 4U) - 1;

  std::uint64_t to : 24 = 0;
  std::uint64_t from : 24 = 0;
  std::uint64_t epoch : 16 = 0;    // 1 + the message's epoch, or 0
  std::uint32_t number = 0;        // the sender's count of messages
  std::uint32_t type : 4 = 0;      // a MessageType
  std::uint32_t refused : 1 = 0;   // `from` is not there: this is for the one who wrote to it
  std::uint32_t subject : 27 = 0;  // 1 + the index of the node that is the message's subject, or 0

  MessageType message_type() const { return static_cast<MessageType>(type); }
};
static_assert(sizeof(Flight) == 16 && message_type_count <= Flight::most_types);

class Flights {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // When the next message arrives, in nanoseconds. REQUIRES: !empty().
  std::int64_t next_at() const { return calendar_.begin()->first; }
  // Takes the message that arrives next. REQUIRES: !empty().
  Flight pop();
  void push(std::int64_t at_ns, const Flight& flight);

  struct Arrival {
    std::int64_t at_ns;
    Flight flight;
  };
  // Takes out every message that `wanted` is true of, in the order of arrival. Looks at all.
  std::vector<Arrival> take(const std::function<bool(const Flight&)>& wanted);
  // All of them, in the order of arrival, left where they are.
  std::vector<Arrival> all() const;

 private:
  static constexpr std::uint32_t chunk_flights = 8;
  static constexpr std::uint32_t none = UINT32_MAX;

  // Queues grow by chunks, and emptied chunks serve again: memory follows the messages on their
  // way, not those that ever were.
  struct Chunk {
    std::array<Flight, chunk_flights> flights;
    std::uint32_t next;
  };
  struct Queue {
    std::uint32_t first = none;  // chunk from which messages are taken
    std::uint32_t last = none;   // chunk to which messages are added
    std::uint32_t taken = 0;     // messages already taken from the first chunk
    std::uint32_t added = 0;     // messages in the last chunk, those already taken included
  };

  std::uint32_t new_chunk();

  std::map<std::int64_t, Queue> calendar_;
  std::deque<Chunk> chunks_;
  std::uint32_t free_ = none;
  std::size_t size_ = 0;
  // The queue that was last added to: many messages in a row arrive together.
  std::int64_t recent_at_ = -1;
  Queue* recent_ = nullptr;
};

}  // namespace bully
