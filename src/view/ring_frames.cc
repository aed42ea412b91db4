#include "view/ring_frames.h"

#include <algorithm>
#include <optional>

#include "view/looks.h"

namespace bully {

namespace {

using Sent = Diagram::Message;
using Standing = Diagram::Standing;

// Each lane's receivers, the first one it sent to first.
std::vector<std::vector<std::size_t>> receivers_of(const Diagram& diagram) {
  std::vector<std::vector<std::size_t>> receivers(diagram.lanes.size());
  for (const Sent& message : diagram.messages) {
    std::vector<std::size_t>& known = receivers[message.from];
    if (!diagram.algorithm->speaks(message.type) || message.from == message.to) continue;
    if (std::find(known.begin(), known.end(), message.to) == known.end()) {
      known.push_back(message.to);
    }
  }
  return receivers;
}

class Order {
 public:
  explicit Order(const Diagram& diagram)
      : receivers_(receivers_of(diagram)), placed_(diagram.lanes.size(), false) {}

  std::vector<std::size_t> make() {
    for (std::size_t lane = 0; lane < receivers_.size() && order_.empty(); ++lane) {
      if (!receivers_[lane].empty()) follow_from(lane);
    }
    // Whoever is left joined later, or says nothing: before the one that it sends to, or by id.
    for (std::size_t lane = receivers_.size(); lane-- > 0;) {
      if (placed_[lane]) continue;
      auto next = order_.end();
      for (const std::size_t receiver : receivers_[lane]) {
        if (next == order_.end()) next = std::find(order_.begin(), order_.end(), receiver);
      }
      if (next == order_.end()) {
        next = std::find_if(order_.begin(), order_.end(), [=](std::size_t o) { return o > lane; });
      }
      order_.insert(next, lane);
      placed_[lane] = true;
    }
    std::rotate(order_.begin(), std::find(order_.begin(), order_.end(), 0U), order_.end());
    return std::move(order_);
  }

 private:
  // Round the ring from `lane`, as far as it is not known yet.
  void follow_from(std::size_t lane) {
    std::optional<std::size_t> next = lane;
    while (next) {
      placed_[*next] = true;
      order_.push_back(*next);
      const std::vector<std::size_t>& receivers = receivers_[*next];
      const auto found = std::find_if(receivers.begin(), receivers.end(),
                                      [this](std::size_t to) { return !placed_[to]; });
      next = found == receivers.end() ? std::nullopt : std::optional(*found);
    }
  }

  std::vector<std::vector<std::size_t>> receivers_;
  std::vector<bool> placed_;
  std::vector<std::size_t> order_;
};

// Takes and gives messages step by step.
class Channels {
 public:
  explicit Channels(const Diagram& diagram) : diagram_(diagram) {}

  void take(const Diagram::Step& step) {
    // A process that ends takes with it what was on its way to it.
    const bool ends = step.crash || !step.after.up;
    std::erase_if(under_way_, [&](std::size_t i) {
      const Sent& message = diagram_.messages[i];
      return i == step.received || i == step.lost ||
             (ends && message.to == step.lane && !message.received && !message.lost);
    });
    for (const std::size_t i : step.sent) {
      if (is_of_election(diagram_.messages[i].type)) under_way_.push_back(i);
    }
  }

  std::vector<RingArrow> arrows() const {
    std::vector<RingArrow> arrows;
    for (const std::size_t i : under_way_) {
      const Sent& message = diagram_.messages[i];
      const auto found = std::find_if(arrows.begin(), arrows.end(), [&](const RingArrow& arrow) {
        return arrow.from == message.from && arrow.to == message.to;
      });
      if (found == arrows.end()) {
        arrows.push_back({message.from, message.to, {i}});
      } else {
        found->messages.push_back(i);
      }
    }
    return arrows;
  }

 private:
  const Diagram& diagram_;
  std::vector<std::size_t> under_way_;  // in the order of sending
};

}  // namespace

std::vector<std::size_t> clockwise_order(const Diagram& diagram) {
  std::vector<std::size_t> order;
  if (diagram.algorithm->is_ring && !diagram.lanes.empty()) return Order(diagram).make();
  for (std::size_t lane = 0; lane < diagram.lanes.size(); ++lane) order.push_back(lane);
  return order;
}

std::vector<RingFrame> ring_frames(const Diagram& diagram) {
  const std::vector<std::size_t> order = clockwise_order(diagram);
  Channels channels(diagram);
  std::vector<Standing> standing = diagram.before;
  std::vector<RingFrame> frames;
  for (std::size_t steps = 0; steps <= diagram.steps.size(); ++steps) {
    if (steps > 0) {
      const Diagram::Step& step = diagram.steps[steps - 1];
      channels.take(step);
      standing[step.lane] = step.after;
    }
    RingFrame frame{.steps = steps, .standing = standing, .arrows = channels.arrows()};
    for (const std::size_t lane : order) {
      if (standing[lane].up) frame.ring.push_back(lane);
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool is_between_neighbours(const RingFrame& frame, const RingArrow& arrow) {
  const auto from = std::find(frame.ring.begin(), frame.ring.end(), arrow.from);
  if (from == frame.ring.end()) return false;
  const auto next = from + 1 == frame.ring.end() ? frame.ring.begin() : from + 1;
  return *next == arrow.to;
}

std::string variable_names(const Diagram& diagram) {
  const auto names_of = [](const Standing& standing) {
    std::string words;
    for (const auto& [name, value] : standing.variables) {
      if (!name.empty()) words.append(words.empty() ? "(" : ", ").append(name);
    }
    return words.empty() ? words : words + ')';
  };
  for (const Standing& standing : diagram.before) {
    if (has_variables(standing.variables)) return names_of(standing);
  }
  for (const Diagram::Step& step : diagram.steps) {
    if (has_variables(step.after.variables)) return names_of(step.after);
  }
  return "";
}

std::string channel_words(const Diagram& diagram, const RingArrow& arrow) {
  std::string words;
  for (const std::size_t i : arrow.messages) {
    const Sent& message = diagram.messages[i];
    words += (words.empty() ? "" : "; ") + short_name_of(message.type, message.subject);
  }
  return words;
}

}  // namespace bully
