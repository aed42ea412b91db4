// clusters.h: the clusters of which a trace has lines. Processes of one directory are a cluster,
// and its run is judged by itself, even if others wrote into the same file.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace bully {

// A trace for each cluster, by their first starts, with the line numbers and files of the whole. A
// start says to which cluster the following lines of its process belong; starts that do not say it
// (of a simulation, or of an older version) are one cluster. A line without a start belongs to that
// of the process's id, if any is known by then, or else to the first.
std::vector<Trace> clusters_of(Trace trace);

}  // namespace bully
