#include "sim/explorer_liveness.h"

#include <algorithm>

namespace bully {

namespace {

class Walk {
 public:
  Walk(const FreeGraph& graph, const std::function<bool(std::uint32_t)>& agreed,
       const std::function<bool(const std::vector<std::uint32_t>&)>& is_fair)
      : graph_(graph), agreed_(agreed), is_fair_(is_fair), rank_(graph.begins.size() - 1) {}

  LivenessFindings run() {
    for (std::uint32_t root = 0; root < rank_.size(); ++root) {
      if (rank_[root] == 0) walk_from(root);
    }
    findings_.bytes =
        rank_.capacity() * sizeof(rank_[0]) + most_on_path_ * sizeof(Visit) + most_open_ * 4;
    return std::move(findings_);
  }

 private:
  // A state's rank is 0 before the visit; then the order of the visit; when its component is
  // known, one of the two ranks below, which tell what is known of it.
  static constexpr std::uint32_t reaches = 0xFFFF'FFFF;
  static constexpr std::uint32_t never_reaches = 0xFFFF'FFFE;

  struct Visit {
    std::uint32_t state;
    std::uint32_t lowest;  // the lowest rank that is reachable, as far as seen
    std::uint32_t next;    // edge to look at
    bool reaches = false;  // agreement, as far as seen
    bool loops = false;    // an edge to itself
  };

  void enter(std::uint32_t state) {
    rank_[state] = ++last_rank_;
    open_.push_back(state);
    path_.push_back({state, last_rank_, graph_.begins[state], agreed_(state)});
    most_on_path_ = std::max<std::uint64_t>(most_on_path_, path_.capacity());
    most_open_ = std::max<std::uint64_t>(most_open_, open_.capacity());
  }

  // The recursion of the textbook's algorithm, with its own stack.
  void walk_from(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      if (visit.next < graph_.begins[visit.state + std::uint64_t{1}]) {
        const std::uint32_t target = graph_.targets[visit.next++];
        if (rank_[target] == 0) {
          enter(target);
          continue;
        }
        if (target == visit.state) visit.loops = true;
        if (rank_[target] == reaches) visit.reaches = true;
        if (rank_[target] < never_reaches) visit.lowest = std::min(visit.lowest, rank_[target]);
        continue;
      }
      leave();
    }
  }

  void leave() {
    const Visit visit = path_.back();
    path_.pop_back();
    if (!path_.empty()) {
      Visit& parent = path_.back();
      parent.lowest = std::min(parent.lowest, visit.lowest);
      parent.reaches = parent.reaches || visit.reaches;
    }
    if (visit.lowest == rank_[visit.state]) close_component(visit);
  }

  void close_component(const Visit& visit) {
    const auto first = std::find(open_.rbegin(), open_.rend(), visit.state).base() - 1;
    const bool cyclic = open_.end() - first > 1 || visit.loops;
    for (auto state = first; state != open_.end(); ++state) {
      rank_[*state] = visit.reaches ? reaches : never_reaches;
      if (!visit.reaches && findings_.hopeless.value_or(*state) >= *state) {
        findings_.hopeless = *state;
      }
    }
    if (cyclic) {
      std::vector<std::uint32_t> component(first, open_.end());
      std::sort(component.begin(), component.end());
      const bool earlier = findings_.trap.empty() || component.front() < findings_.trap.front();
      if (earlier && is_fair_(component)) findings_.trap = std::move(component);
    }
    open_.erase(first, open_.end());
  }

  const FreeGraph& graph_;
  const std::function<bool(std::uint32_t)>& agreed_;
  const std::function<bool(const std::vector<std::uint32_t>&)>& is_fair_;
  std::vector<std::uint32_t> rank_;
  std::uint32_t last_rank_ = 0;
  std::vector<Visit> path_;          // from the root to where the walk is
  std::vector<std::uint32_t> open_;  // visited, component not known yet
  std::uint64_t most_on_path_ = 0;
  std::uint64_t most_open_ = 0;
  LivenessFindings findings_;
};

}  // namespace

LivenessFindings check_liveness(
    const FreeGraph& graph, const std::function<bool(std::uint32_t)>& agreed,
    const std::function<bool(const std::vector<std::uint32_t>&)>& is_fair) {
  return Walk(graph, agreed, is_fair).run();
}

}  // namespace bully
