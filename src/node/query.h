// query.h: asks the nodes of a directory for their status.
//
// It waits for all of them together, not for each in turn. Read next: ../trace/status.h.
#pragma once

#include <optional>
#include <vector>

#include "node/clock.h"
#include "node/directory.h"
#include "trace/status.h"

namespace bully {

// The status of every name in `directory`, from the lowest id. Waits `patience` at most. Those in
// `unasked` are not asked, and have no answer: whoever asks a stopped node again and again fills
// its backlog.
std::vector<PeerStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked = {});

// The status of node `id`, asked over this connection; nothing where it does not reply in time.
std::optional<NodeStatus> ask_over(Descriptor connection, NodeId id, Duration wait);

// The status of one live node in `directory` that is not `self`, whichever replies; of a peer that
// speaks only the example's protocol, its id and algorithm. Nothing where nobody lives, or a few
// that were asked stay silent, which takes them a third of a second.
std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self);

}  // namespace bully
