// listing.cc: peers by id, or in the order of a file.
#include "node/listing.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

namespace bully {

// The ids in a file; or nothing, and errno says why, or `wrong` is a word that is no id.
static std::optional<std::vector<NodeId>> order_in(const std::string& path, std::string& wrong) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    errno = EISDIR;  // it can be opened, and looks empty
    return std::nullopt;
  }
  std::vector<NodeId> order;
  for (std::string word; file >> word;) {
    const std::optional<NodeId> id = parse_id(word);
    if (!id) {
      wrong = word;
      return std::nullopt;
    }
    order.push_back(*id);
  }
  return order;
}

Listing::Listing(const Directory& directory, std::string ring)
    : directory_(directory), ring_(std::move(ring)) {
  if (ring_.empty()) return;
  std::string wrong;
  auto order = order_in(ring_, wrong);
  if (!wrong.empty()) throw WrongRing(ring_, not_an_id(wrong));
  if (!order) throw SetupError(errno, "read " + ring_, Advice::choose_ring);
  order_ = *std::move(order);
}

// A ring that listed the directory again for each dead name would take seconds for a thousand.
std::span<const NodeId> Listing::ids() const {
  if (std::exchange(is_listed_, true)) return listed_;
  listed_ = directory_.ids();
  if (ring_.empty()) return listed_;
  std::string ignored;
  if (auto order = order_in(ring_, ignored)) order_ = *std::move(order);
  clockwise_ = ring_through(order_, listed_);
  return listed_;
}

NodeId Listing::next_of(NodeId id) const {
  const std::span<const NodeId> listed = ids();
  if (order_.empty()) return Peers::next_of(id);
  return next_on_ring(clockwise_, listed, id);
}

}  // namespace bully
