// listing.h: a node's peers, as a list of the directory, and their ring, that stay the same
// during an event.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "election/protocol.h"
#include "election/ring_order.h"
#include "node/directory.h"

namespace bully {

// A word of the file with the ring's order is no id.
struct WrongRing : std::exception {
  WrongRing(std::string file, Problem why) : path(std::move(file)), problem(std::move(why)) {}
  const char* what() const noexcept override { return path.c_str(); }

  std::string path;
  Problem problem;
};

class Listing : public Peers {
 public:
  // `ring`: a file with the order of the ring; empty: by id. Throws SetupError if it cannot be
  // read, or WrongRing.
  Listing(const Directory& directory, std::string ring);

  // From now on, as the directory and the file are at the next look.
  void renew() { is_listed_ = false; }
  std::span<const NodeId> ids() const override;
  NodeId next_of(NodeId id) const override;
  // The number of ids at the last look.
  std::size_t last_size() const { return listed_.size(); }

 private:
  const Directory& directory_;
  std::string ring_;
  mutable std::vector<NodeId> order_;      // of the file, as it could last be read
  mutable std::vector<NodeId> clockwise_;  // the same with a place for every id
  mutable std::vector<NodeId> listed_;
  mutable bool is_listed_ = false;
};

}  // namespace bully
