// listing.cc: peers by id, or in the order of a file.
#include "node/listing.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

namespace bully {

// Throws SetupError or WrongRing.
static std::vector<NodeId> order_in(const std::string& path) {
  std::error_code ignored;
  // It is read again and again: a pipe would be empty then, or would keep the node waiting.
  const auto type = std::filesystem::status(path, ignored).type();
  const bool is_stream = type == std::filesystem::file_type::fifo ||
                         type == std::filesystem::file_type::character ||
                         type == std::filesystem::file_type::socket;
  if (is_stream) throw SetupError(ESPIPE, "read " + path, Advice::choose_ring);
  std::ifstream file(path);
  file.peek();  // a directory can be opened, but not read
  if (!file.is_open() || file.bad()) throw SetupError(errno, "read " + path, Advice::choose_ring);
  std::vector<NodeId> order;
  for (std::string word; file >> word;) {
    const std::optional<NodeId> id = parse_id(word);
    if (!id) throw WrongRing(path, not_an_id(word));
    if (std::ranges::count(order, *id) > 0) throw WrongRing(path, {"ring_id_twice", {word}});
    order.push_back(*id);
  }
  return order;
}

Listing::Listing(const Directory& directory, std::string ring)
    : directory_(directory), ring_(std::move(ring)) {
  if (!ring_.empty()) order_ = order_in(ring_);
}

// A ring that listed the directory again for each dead name would take seconds for a thousand.
std::span<const NodeId> Listing::ids() const {
  if (std::exchange(is_listed_, true)) return listed_;
  listed_ = directory_.ids();
  if (ring_.empty()) return listed_;
  try {
    // Its writer may have emptied it just now.
    if (auto order = order_in(ring_); !order.empty()) order_ = std::move(order);
  } catch (const std::exception&) {
    // The order stays as it was.
  }
  clockwise_ = ring_through(order_, listed_);
  return listed_;
}

NodeId Listing::next_of(NodeId id) const {
  const std::span<const NodeId> listed = ids();
  if (order_.empty()) return Peers::next_of(id);
  // A process that has left keeps its place, also if the file does not name it.
  if (std::ranges::find(clockwise_, id) == clockwise_.end()) {
    const auto unnamed = clockwise_.begin() + static_cast<std::ptrdiff_t>(order_.size());
    clockwise_.insert(std::lower_bound(unnamed, clockwise_.end(), id), id);
  }
  return next_on_ring(clockwise_, listed, id);
}

}  // namespace bully
