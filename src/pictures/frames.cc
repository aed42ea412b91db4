// frames.cc: one frame after the other, with its arrows and words.
#include "pictures/frames.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "pictures/diagram_steps.h"
#include "pictures/svg.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

// More messages that go to another than the next process are none of a ring.
constexpr int most_looks = 100;
// In a new arrangement at least three processes have another next one; a false suspicion changes
// one, a cut is known.
constexpr std::size_t least_changed = 3;

std::size_t place_of(const Frame& frame, std::size_t lane) {
  const auto found = std::ranges::find(frame.places, lane, &Diagram::Place::lane);
  return static_cast<std::size_t>(found - frame.places.begin());
}

Frame::Arrow arrow_of(const Diagram& diagram, const Frame& frame, std::size_t i,
                      Frame::Stage stage) {
  const Diagram::Message& message = diagram.messages[i];
  return {place_of(frame, message.from),
          place_of(frame, message.to),
          {i},
          short_name_of(message.type, message.values),
          stage};
}

void add_arrow(Frame& frame, Frame::Arrow arrow) {
  const auto found = std::ranges::find_if(frame.arrows, [&](const Frame::Arrow& other) {
    return other.from == arrow.from && other.to == arrow.to;
  });
  if (found == frame.arrows.end()) {
    frame.arrows.push_back(std::move(arrow));
    return;
  }
  found->messages.push_back(arrow.messages.front());
  found->words += "; " + arrow.words;
  found->stage = std::min(found->stage, arrow.stage);
}

// A message of these roles goes from each process to the next.
bool goes_round(const Diagram& diagram, const Diagram::Message& message) {
  return message.type->role >= Role::claims && diagram.algorithm->speaks(message.type);
}

}  // namespace

std::vector<std::size_t> clockwise_order(const Diagram& diagram) {
  const std::size_t count = diagram.lanes.size();
  std::vector<std::size_t> order;
  const auto is_placed = [&](std::size_t lane) { return std::ranges::count(order, lane) > 0; };
  // The first process to which `lane` sends, among the placed processes or the others.
  const auto receiver_of = [&](std::size_t lane, bool placed) {
    for (const Diagram::Message& message : diagram.messages) {
      if (message.from != lane || message.to == lane || is_placed(message.to) != placed) continue;
      if (goes_round(diagram, message)) return message.to;
    }
    return count;
  };
  // Round the ring, as far as it is known.
  std::size_t next = 0;
  while (next < count && receiver_of(next, false) == count) ++next;
  while (next < count) {
    order.push_back(next);
    next = receiver_of(next, false);
  }
  // The others joined later, or send nothing: before the process that each sends to, or by id.
  for (std::size_t lane = count; lane-- > 0;) {
    if (is_placed(lane)) continue;
    const std::size_t to = receiver_of(lane, true);
    order.insert(
        std::ranges::find_if(
            order, [=](std::size_t other) { return to == count ? other > lane : other == to; }),
        lane);
  }
  std::rotate(order.begin(), std::ranges::find(order, 0U), order.end());
  return order;
}

void lay_arrows(const Diagram& diagram, Frame& frame) {
  frame.arrows.clear();
  for (const std::size_t i : frame.under_way) {
    const bool is_new = frame.steps > 0 && diagram.messages[i].sent == frame.steps - 1;
    const Frame::Stage stage = is_new ? Frame::Stage::sent : Frame::Stage::under_way;
    add_arrow(frame, arrow_of(diagram, frame, i, stage));
  }
}

// True if `to` is the next process after `from` that runs, on this side of a cut.
static bool is_next(const Frame& frame, std::size_t from, std::size_t to) {
  const auto may_take = [&](std::size_t place) {
    const bool runs = frame.places[place].node.condition == Condition::running;
    return place == to || (runs && !frame.is_cut(place, from));
  };
  return frame.next_of(from, may_take) == to;
}

// If message `i` and the first ones that others send from then on do not go to the next process,
// the ring has been arranged anew.
static void rearrange(const Diagram& diagram, Frame& frame, std::size_t i) {
  const Diagram::Message& first = diagram.messages[i];
  if (!goes_round(diagram, first) || frame.looks >= most_looks) return;
  if (is_next(frame, place_of(frame, first.from), place_of(frame, first.to))) return;
  ++frame.looks;
  std::map<std::size_t, std::size_t> next;
  for (const Diagram::Message& message : std::span(diagram.messages).subspan(i)) {
    if (!goes_round(diagram, message) || message.from == message.to) continue;
    next.try_emplace(place_of(frame, message.from), place_of(frame, message.to));
    if (next.size() == frame.places.size()) break;
  }
  const auto is_changed = [&](const auto& one) { return !is_next(frame, one.first, one.second); };
  const auto changed = static_cast<std::size_t>(std::ranges::count_if(next, is_changed));
  if (changed < least_changed || 2 * changed < next.size()) return;
  std::vector<std::size_t> rearranged(frame.places.size());
  for (std::size_t place = 0; place < rearranged.size(); ++place) {
    const auto found = next.find(place);
    rearranged[place] = found == next.end() ? frame.after(place) : found->second;
  }
  frame.rearranged = std::move(rearranged);
}

// Makes frame k, which has k steps behind it, frame k + 1.
static void take_step(const Diagram& diagram, Frame& frame) {
  const Diagram::Step& step = diagram.steps[frame.steps++];
  std::vector<bool> alive(diagram.lanes.size());
  for (Diagram::Place& place : frame.places) {
    const bool acts = place.lane == step.lane;
    place.mark = acts ? Diagram::Mark::acts : Diagram::Mark::none;
    if (acts) place.node = step.after;
    note_stop(place.node, place.lane, step.stopped);
    alive[place.lane] = place.node.is_alive();
  }
  // A process that ends, or has no trace, takes the messages in flight to it with it.
  std::erase_if(frame.under_way, [&](std::size_t i) {
    const Diagram::Message& message = diagram.messages[i];
    return i == step.ended || (!message.ended && !alive[message.to]);
  });
  std::ranges::copy(step.sent, std::back_inserter(frame.under_way));
  frame.sides = step.sides;
  for (const std::size_t i : step.sent) {
    const Diagram::Message& message = diagram.messages[i];
    if (diagram.counts(message)) ++frame.sent[message.type];
    rearrange(diagram, frame, i);
  }
  frame.arrows.clear();
  frame.ended.reset();
  if (!step.ended) return;
  const bool is_lost = diagram.messages[*step.ended].lost;
  frame.ended =
      arrow_of(diagram, frame, *step.ended, is_lost ? Frame::Stage::lost : Frame::Stage::received);
}

void each_frame(const Diagram& diagram, const std::function<void(const Frame&)>& handle,
                const std::set<std::size_t>& drawn) {
  Frame frame;
  for (const std::size_t lane : clockwise_order(diagram)) {
    frame.places.push_back({.lane = lane, .node = diagram.before[lane]});
  }
  frame.sides = diagram.sides;
  handle(frame);
  while (frame.steps < diagram.steps.size()) {
    take_step(diagram, frame);
    if (drawn.empty() || drawn.contains(frame.steps)) lay_arrows(diagram, frame);
    handle(frame);
  }
}

FrameWords words_of(const Diagram& diagram, const Frame& frame, Language language) {
  const std::string heading = text(Text::html_step, language, {frame.steps, diagram.steps.size()});
  if (frame.steps == 0) return {heading, text(Text::html_beginning, language, {}), ""};
  const Diagram::Step& step = diagram.steps[frame.steps - 1];
  return {heading + " · " + milliseconds_text(step.t_ns, language) + ' ' +
              text(Text::diagram_milliseconds, language, {}),
          sentence_of(diagram, step, language), rule_of(step, language)};
}

std::vector<LineBeside> lines_beside(const Snapshot& node, Language language) {
  std::string state = state_words(node, language);
  if (node.is_alive() && node.coordinator.value_or(node.id) != node.id) {
    state = text(Text::diagram_follows, language, {*node.coordinator});
    state += stopped_words(node, language);
  }
  std::vector<LineBeside> lines = {{state}};
  if (const std::size_t comma = state.find(", "); comma != std::string::npos) {
    lines = {{state.substr(0, comma + 1)}, {state.substr(comma + 2)}};
  }
  if (const std::string values = variables_words(node.variables); !values.empty()) {
    lines.push_back({values, true});
  }
  return lines;
}

// Adds `words` to the lines, in parts that end with `ends.front()`; a part that is too wide in
// smaller parts, each of which ends with the next of `ends`.
static void add_words(std::string_view words, std::string_view ends,
                      std::vector<std::string>& lines) {
  constexpr double ems = 5;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(ends.front()), words.size() - 1) + 1;
    std::string part(words.substr(0, end));
    words.remove_prefix(end);
    if (text_width(part, 1) > ems && ends.size() > 1) {
      add_words(part, ends.substr(1), lines);
      continue;
    }
    const bool is_first = lines.back().empty();
    if (!is_first && text_width(lines.back() + part, 1) > ems) lines.emplace_back();
    if (lines.back().empty() && part.front() == ' ') part.erase(0, 1);
    lines.back() += part;
  }
}

std::vector<std::string> lines_on_arrow(std::string_view words) {
  std::vector<std::string> lines = {""};
  add_words(words, "; ,", lines);
  for (std::string& line : lines) {
    if (line.ends_with(' ')) line.pop_back();
  }
  return lines;
}

}  // namespace bully
