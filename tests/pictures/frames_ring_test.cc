// frames_ring_test.cc: what people see of an election on a ring: each message on its way is on the
// right arrow at the right time, and is told in the textbook's words.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fixture/labels.h"
#include "fixture/recorded_run.h"
#include "history/figures.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "pictures/frames_svg.h"
#include "pictures/style.h"
#include "pictures/svg.h"
#include "support/log_text.h"
#include "support/messages.h"
#include "support/process.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"
#include "words/names.h"

namespace bully {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto en = Language::english;
constexpr auto pt = Language::portuguese;

struct Wanted {
  std::string_view algorithm = "dolev-klawe-rodeh";
  std::vector<NodeId> ring;  // clockwise; one more, higher than all, has just left
  std::uint64_t seed = 1;
  bool crash = false;  // one of them in mid-election
};

// One election from a calm state, which the lowest begins.
Trace run_of(const Wanted& wanted) {
  WorldOptions options;
  options.seed = wanted.seed;
  options.fifo = true;
  options.delay = {Delay::Shape::uniform, milliseconds(1), milliseconds(30)};
  const Algorithm& algorithm = *find_algorithm(wanted.algorithm);
  recorded::Recorder recorder(algorithm);
  World world(options, &recorder, algorithm.make);
  std::vector<NodeId> all = wanted.ring;
  const NodeId gone = *std::ranges::max_element(all) + 1;
  all.push_back(gone);
  world.arrange(wanted.ring);
  world.preset(all);
  world.crash(gone);
  world.suspect(*std::ranges::min_element(all));
  if (wanted.crash) {
    world.run_for(milliseconds(20));
    world.crash(wanted.ring[wanted.seed % wanted.ring.size()]);
  }
  world.run_until_quiescent(seconds(100));
  CHECK(world.agreed());
  return recorded::trace_of(recorder.records);
}

Diagram diagram_of(const Trace& trace) {
  return make_diagram(trace, {0, trace.records.size()}, false);
}

// The step with which a message is no longer on its way, or the number of steps.
std::size_t end_of(const Diagram& diagram, const Diagram::Message& message) {
  if (message.ended) return *message.ended;
  for (std::size_t i = *message.sent; i < diagram.steps.size(); ++i) {
    const Diagram::Step& step = diagram.steps[i];
    if (step.lane == message.to && !step.after.is_alive()) return i;
  }
  return diagram.steps.size();
}

std::vector<Frame> frames_of(const Diagram& diagram) {
  std::vector<Frame> frames;
  each_frame(diagram, [&](const Frame& frame) { frames.push_back(frame); });
  return frames;
}

void check_frames(const Diagram& diagram) {
  const std::vector<std::size_t> lanes = clockwise_order(diagram);
  const std::vector<Frame> frames = frames_of(diagram);
  REQUIRE(frames.size() == diagram.steps.size() + 1);
  for (const Frame& frame : frames) {
    CAPTURE(frame.steps);
    std::vector<std::size_t> shown(diagram.messages.size(), 0);
    for (const Frame::Arrow& arrow : frame.arrows) {
      for (const std::size_t i : arrow.messages) {
        ++shown[i];
        CHECK(diagram.messages[i].from == lanes[arrow.from]);
        CHECK(diagram.messages[i].to == lanes[arrow.to]);
      }
      CHECK(std::ranges::is_sorted(arrow.messages));
    }
    for (std::size_t i = 0; i < diagram.messages.size(); ++i) {
      const Diagram::Message& message = diagram.messages[i];
      const bool on_its_way =
          *message.sent < frame.steps && frame.steps <= end_of(diagram, message);
      CHECK(shown[i] == (on_its_way ? 1 : 0));
    }
    if (frame.steps == diagram.steps.size()) continue;
    // Links are FIFO: what comes next is the first of its arrow.
    const Diagram::Step& next = diagram.steps[frame.steps];
    if (next.event != TraceEvent::receive) continue;
    const bool is_first = std::ranges::any_of(frame.arrows, [&](const Frame::Arrow& arrow) {
      return arrow.messages.front() == *next.ended;
    });
    CHECK(is_first);
  }
}

TEST_CASE(
    "diagram: each message is on one arrow, in the right frames, and each frame can be asked for") {
  for (const char* algorithm : {"dolev-klawe-rodeh", "chang-roberts", "bully"}) {
    CAPTURE(algorithm);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      const bool crash = seed % 2 == 0;
      const Diagram diagram = diagram_of(run_of({algorithm, {1, 5, 3, 7, 2}, seed, crash}));
      REQUIRE(diagram.algorithm->name == algorithm);
      REQUIRE(diagram.messages.size() >= 10);
      check_frames(diagram);
    }
  }
}

TEST_CASE("ring picture: the processes stand in the order in which they send") {
  for (const std::vector<NodeId>& ring :
       {std::vector<NodeId>{1, 3, 2, 4}, {1, 2, 3}, {1, 2}, {1, 8, 2, 7, 3, 6, 4, 5}}) {
    const Diagram diagram = diagram_of(run_of({"dolev-klawe-rodeh", ring, 3, false}));
    std::vector<NodeId> order;
    for (const std::size_t lane : clockwise_order(diagram)) order.push_back(diagram.lanes[lane]);
    // The one that left stands where its neighbour had thought it to be.
    std::erase(order, *std::ranges::max_element(order));
    CHECK(order == ring);
  }
}

// Where words of a frame stand, of which this part is left of their x.
Box box_of_words(const Shape& text, double part_left) {
  constexpr double font = FramePainter::font;
  return box_of(text, text_width(text.words, font), part_left, font * 10 / 12, font);
}

// Where the words and the processes of a frame stand.
std::vector<Box> boxes_of(const std::string& svg) {
  std::vector<Box> boxes;
  for (const Shape& text : shapes_in(svg, "text")) {
    const std::string& kind = text.kind();
    if (kind.starts_with("id") || kind == "title") continue;
    const bool is_left = kind.ends_with("left");
    const bool is_middle = kind.ends_with("middle") || kind == "channel";
    const double part_left = is_left ? 1 : is_middle ? 0.5 : 0;
    boxes.push_back(box_of_words(text, part_left));
  }
  for (const Shape& circle : shapes_in(svg, "circle")) {
    if (!circle.kind().starts_with("process")) continue;
    const double radius = circle.at("r");
    boxes.push_back({circle.at("cx") - radius, circle.at("cy") - radius, 2 * radius, 2 * radius});
  }
  return boxes;
}

TEST_CASE("ring picture: a message runs along a link, also after the ring has been arranged anew") {
  const Diagram diagram = diagram_of(recorded::trace_of(
      recorded::played("algorithm chang-roberts\nlinks fifo\nnodes 1..5\nleave 5\nsuspect 2\nrun\n"
                       "leave 4\nring 1 3 2\nsuspect 1\nrun\n")));
  std::size_t sent = 0;
  each_frame(diagram, [&](const Frame& frame) {
    const auto is_there = [&frame](std::size_t place) { return frame.is_there(place); };
    for (const Frame::Arrow& arrow : frame.arrows) {
      if (arrow.stage != Frame::Stage::sent || !is_there(arrow.to)) continue;
      CAPTURE(frame.steps);
      CHECK(frame.next_of(arrow.from, is_there) == arrow.to);
      ++sent;
    }
  });
  CHECK(sent > 15);
}

TEST_CASE("ring picture: a slow process that is passed over, and a cut, arrange no ring anew") {
  for (const char* disturbance : {"slow 4 by 1000\n", "partition 1 2 from 3 4 5 6\n"}) {
    const Diagram diagram = diagram_of(recorded::trace_of(
        recorded::played("algorithm chang-roberts\nnodes 1..6\nring 1 4 2 6 3 5\nsuspect 1\nrun\n" +
                         std::string(disturbance) + "suspect 1\nrun 3s\n")));
    CHECK(diagram.messages.size() > 15);
    each_frame(diagram, [](const Frame& frame) { CHECK(frame.rearranged.empty()); });
  }
}

TEST_CASE("ring picture: each arrow of a frame has its words, and no labels overlap") {
  for (const std::vector<NodeId>& ring : {std::vector<NodeId>{1, 2},
                                          {1, 2, 3},
                                          {1, 3, 2, 4},
                                          {101, 419, 202, 303},
                                          {1, 3, 2, 4, 5, 8, 6},
                                          {1, 2, 3, 4, 5, 6, 7, 8}}) {
    for (const bool crash : {false, true}) {
      CAPTURE(ring.size());
      CAPTURE(crash);
      const Diagram diagram = diagram_of(run_of({"chang-roberts", ring, 2, crash}));
      for (const Language language : {en, pt}) {
        FramePainter painter{.diagram = diagram, .language = language};
        const std::vector<Frame> frames = frames_of(diagram);
        for (const Frame& frame : frames) painter.fit(frame);
        painter.measure();
        for (const Frame& frame : frames) {
          Svg drawn;
          std::size_t rows = 0;
          std::size_t messages = 0;
          for (const Frame::Arrow& arrow : frame.arrows) {
            painter.message(drawn, frame, arrow);
            rows += lines_on_arrow(arrow.words).size();
            messages += std::min<std::size_t>(arrow.messages.size(), 3);
          }
          for (std::size_t i = 0; i < frame.places.size(); ++i) {
            painter.process(drawn, frame.places[i], i);
          }
          CHECK(count_of(drawn.shapes(), "class=\"channel\"") == rows);
          CHECK(count_of(drawn.shapes(), "class=\"link ") == messages);
          const std::string svg = drawn.picture("", "", "", painter.width(), painter.height());
          check_apart(svg, boxes_of(svg));
        }
      }
    }
  }
}

TEST_CASE("ring picture: the words on an arrow are in short lines, none of them lost") {
  using Lines = std::vector<std::string>;
  CHECK(lines_on_arrow("C; PE") == Lines{"C; PE"});
  CHECK(lines_on_arrow("V2 4; V 1") == Lines{"V2 4;", "V 1"});
  CHECK(lines_on_arrow("T [1]; TC 3 [2,3,1]") == Lines{"T [1];", "TC 3", "[2,3,1]"});
  CHECK(lines_on_arrow("T [10,20,30]") == Lines{"T [10,", "20,30]"});
}

// Pairs of arrows between the same processes, whose words must not overlap; returns their number.
std::size_t check_opposite(const FramePainter& painter, const Frame& frame) {
  std::size_t pairs = 0;
  for (const Frame::Arrow& one : frame.arrows) {
    for (const Frame::Arrow& other : frame.arrows) {
      if (other.from != one.to || other.to != one.from || &other < &one) continue;
      CAPTURE(one.words);
      CAPTURE(other.words);
      Svg svg;
      painter.words_on(svg, frame, one);
      painter.words_on(svg, frame, other);
      std::vector<Box> boxes;
      for (const Shape& text : shapes_in(svg.shapes(), "text")) {
        boxes.push_back(box_of_words(text, 0.5));
      }
      for (const Box& box : boxes) {
        const auto overlaps = [&](const Box& each) { return each.overlaps(box); };
        CHECK(std::ranges::count_if(boxes, overlaps) == 1);
      }
      ++pairs;
    }
  }
  return pairs;
}

TEST_CASE("diagram: the words on opposite arrows of a frame do not overlap") {
  std::size_t pairs = 0;
  for (const std::string_view algorithm : {"garcia-molina", "bully"}) {
    for (const std::size_t count : {2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
      const Diagram diagram = diagram_of(run_of({algorithm, one_to(count), 3, true}));
      FramePainter painter{.diagram = diagram, .language = en};
      const std::vector<Frame> frames = frames_of(diagram);
      for (const Frame& frame : frames) painter.fit(frame);
      painter.measure();
      CAPTURE(count);
      for (const Frame& frame : frames) pairs += check_opposite(painter, frame);
    }
  }
  CHECK(pairs > 100);
}

TEST_CASE("ring picture: each format is drawn as its golden file has it") {
  const Trace trace = read_traces({"tests/golden/ring.jsonl"});
  const History history = history_of(trace);
  const std::vector<Election>& elections = history.elections().all();
  REQUIRE(elections.size() == 2);
  const Excerpt second{elections[1].first.record, elections[1].last.record + 1};
  const Diagram diagram = make_diagram(trace, second, false);
  CHECK(diagram_text(diagram, en) == golden("ring.text"));
  CHECK(diagram_svg(diagram, en) == golden("ring.svg"));
  CHECK(diagram_html(diagram, en) == golden("ring.html"));
}

TEST_CASE("diagram: on a ring each step has its sentence of the textbook") {
  std::set<std::string> rules;
  std::set<std::string> plain;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Diagram ring =
        diagram_of(run_of({"dolev-klawe-rodeh", {1, 3, 2, 4}, seed, seed % 2 == 0}));
    for (const Diagram::Step& step : ring.steps) rules.insert(rule_of(step, en));
    const Diagram other = diagram_of(run_of({"chang-roberts", {1, 3, 2, 4}, seed, false}));
    for (const Diagram::Step& step : other.steps) plain.insert(rule_of(step, en));
  }
  const auto has = [](const std::set<std::string>& all, Text part) {
    return std::ranges::any_of(
        all, [part](const std::string& rule) { return contains(rule, text(part, en)); });
  };
  for (const Text rule :
       {Text::rule_ring_suspect, Text::rule_ring_begin, Text::rule_ring_newer,
        Text::rule_ring_passes, Text::rule_ring_takes_over, Text::rule_ring_gives_way,
        Text::rule_ring_relays, Text::rule_ring_leader, Text::rule_ring_lap,
        Text::rule_ring_lap_ends, Text::rule_ring_passed_over, Text::rule_ring_void}) {
    CHECK_MESSAGE(has(rules, rule), text(rule, en));
    const bool is_plain = rule == Text::rule_ring_begin || rule == Text::rule_ring_passes;
    if (is_plain) CHECK(!has(plain, rule));
  }
  for (const Text rule : {Text::rule_plain_begin, Text::rule_plain_passes, Text::rule_plain_stops,
                          Text::rule_plain_leader, Text::rule_ring_lap}) {
    CHECK_MESSAGE(has(plain, rule), text(rule, en));
  }
  // No sentence of the bully's.
  rules.merge(plain);
  for (const std::string& rule : rules) {
    CHECK(!contains(rule, "ANSWER"));
    CHECK(!contains(rule, "COORDINATOR"));
  }
}

TEST_CASE("the log tells an election on a ring as the textbook does") {
  const auto message = [](TraceEvent event, MessageType type, NodeId from, NodeId to,
                          NodeId number) {
    const NodeId node = event == TraceEvent::receive ? to : from;
    Record record{.node = node, .event = event, .type = type, .from = from, .to = to};
    set_wire(record, number, 7);
    return record;
  };
  const auto state = [](NodeId node, std::string_view name, std::optional<NodeId> d,
                        std::optional<NodeId> e, std::optional<NodeId> f) {
    Record record{.node = node, .event = TraceEvent::state, .state = name};
    record.variables = {Variable{"d", d}, Variable{"e", e}, Variable{"f", f}};
    return record;
  };
  const std::vector<Record> records = {
      state(1, "active", 1, std::nullopt, std::nullopt),
      message(TraceEvent::send, messages::value, 1, 2, 1),
      message(TraceEvent::receive, messages::value, 4, 1, 4),
      state(1, "active", 1, 4, std::nullopt),
      message(TraceEvent::send, messages::second, 1, 2, 4),
      message(TraceEvent::receive, messages::second, 4, 1, 3),
      state(1, "active", 4, 4, 3),
      message(TraceEvent::send, messages::value, 1, 2, 4),
      state(1, "relay", 4, 5, 6),
      Record{.node = 1, .event = TraceEvent::timeout, .timer = "coordinator"},
      Record{.node = 1, .event = TraceEvent::suspect, .reason = "down", .coordinator = 2},
  };
  CHECK(log_text(records, en) ==
        "00:00      1  *  active: responsible for 1\n"
        "00:00      1  →  VALUE 1      to 2, election 7\n"
        "00:00      1  ←  VALUE 4      from 4\n"
        "00:00      1  →  SECOND 4     to 2\n"
        "00:00      1  ←  SECOND 3     from 4\n"
        "00:00      1  *  active: responsible for 4  d=4 e=4 f=3\n"
        "00:00      1  →  VALUE 4      to 2\n"
        "00:00      1  *  relay: gives way  d=4 e=5 f=6\n"
        "00:00      1  !  the election did not end in time\n"
        "00:00      1  !  neighbour 2 is down\n");
}

TEST_CASE("ps names the algorithm where it is not bully, and counts its messages") {
  NodeStatus one{{.id = 1, .condition = Condition::running, .state = "relay"}, 11};
  one.algorithm = "dolev-klawe-rodeh";
  one.sent[messages::value] = 3;
  one.sent[messages::ping] = 9;
  CHECK(ps_table({one}, en) ==
        "ID  PID  STATE  COORDINATOR  MONITOR  SENT V/V2/L/J/1  RECEIVED\n"
        " 1   11  relay  -            -        3/0/0/0/9        0/0/0/0/0\n"
        "sent and received, in this order: V VALUE, V2 SECOND, L LEADER, J JOIN, 1 PING\n"
        "algorithm: dolev-klawe-rodeh\n");
  NodeStatus other{{.id = 2, .condition = Condition::running, .state = "waiting"}, 12};
  other.algorithm = "bully";
  CHECK(ps_table({one, other}, pt).find("-/-/-/3/0/0/0/9") != std::string::npos);
}

TEST_CASE("each message and each state of each algorithm has its looks") {
  std::set<std::string> classes;
  for (const Algorithm& algorithm : algorithms()) {
    for (const MessageType type : algorithm.messages) {
      CHECK(has_word(word_key("message_", type->name)));
      classes.insert(css_of(type));
    }
    for (const StateKind& state : algorithm.states) {
      CHECK_MESSAGE(has_word(word_key("state_", state.name)), state.name);
    }
    for (const Rule* rule : algorithm.rules) {
      CHECK_MESSAGE(has_word(word_key("rule_", rule->key)), rule->key);
      CHECK_MESSAGE(rule->source.empty() == (rule->deviation > 0), rule->key);
    }
    CHECK(has_word(word_key("election_", algorithm.name)));
  }
  CHECK(classes.size() == known_messages().size() - 1);
  CHECK(is_in_election("unheard of"));
  CHECK(state_words("unheard of", en) == "unheard of");
  Algorithm unheard_of = default_algorithm();
  unheard_of.name = "unheard of";
  CHECK(title_of({.algorithm = &unheard_of}, en).starts_with("Election by unheard of"));
}

}  // namespace
}  // namespace bully
