// diagram_test.cc: the diagrams show all that a trace holds, once, and are what they claim to be.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "base/json.h"
#include "base/layout.h"
#include "fixture/drawn.h"
#include "fixture/labels.h"
#include "fixture/recorded_run.h"
#include "fixture/started.h"
#include "history/figures.h"
#include "pictures/diagram.h"
#include "pictures/frames.h"
#include "pictures/svg.h"
#include "support/markup.h"
#include "support/messages.h"
#include "support/pattern.h"
#include "support/process.h"
#include "trace/trace.h"

using namespace bully;

namespace {

constexpr auto en = Language::english;
constexpr auto pt = Language::portuguese;

// The election that the golden files show.
Diagram golden_election() {
  return drawn_election("election", 6);
}

// A run of up to six processes that do anything at all, in which only messages are in order.
Trace random_trace(unsigned seed, std::size_t events) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random()) % below; };
  const std::size_t nodes = 2 + pick(5);
  std::vector<std::uint64_t> sent(nodes, 0);
  std::vector<Record> under_way;
  std::string text;
  std::int64_t t_ns = 1000;
  for (std::size_t i = 0; i < nodes; ++i) {
    text += start_line(i + 1, 7, ++t_ns);
  }
  while (events-- > 0) {
    t_ns += static_cast<std::int64_t>(1 + pick(400000));
    Record record{.t_ns = t_ns, .node = 1 + pick(nodes), .pid = 7};
    const std::size_t what = pick(10);
    if (what < 4) {
      record.event = TraceEvent::send;
      constexpr std::array<MessageType, 3> types = {messages::election, messages::answer,
                                                    messages::coordinator};
      record.type = types.at(pick(3));
      record.from = record.node;
      record.to = 1 + (record.node - 1 + 1 + pick(nodes - 1)) % nodes;
      record.number = ++sent[record.node - 1];
      under_way.push_back(record);
    } else if (what < 8 && !under_way.empty()) {
      const std::size_t chosen = pick(under_way.size());
      record = under_way[chosen];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(chosen));
      record.t_ns = t_ns;
      const bool lost = pick(5) == 0;
      record.event = lost ? TraceEvent::lost : TraceEvent::receive;
      record.reason = "deadline";
      if (!lost) record.node = record.to;
    } else if (what == 8) {
      record.event = TraceEvent::state;
      constexpr std::array states = {"follower", "candidate", "waiting", "coordinator"};
      record.state = states.at(pick(4));
    } else {
      record.event = TraceEvent::suspect;
      record.coordinator = nodes;
      record.reason = "hung";
    }
    text += trace_line(record);
  }
  return parse_trace(text, "random");
}

std::size_t count(const Trace& trace, TraceEvent event) {
  std::size_t found = 0;
  for (const Record& record : trace.records) found += record.event == event ? 1U : 0U;
  return found;
}

void check_labels(const Diagram& diagram) {
  constexpr double rounding = 0.1;  // of the numbers in the picture
  for (const Language language : {en, pt}) {
    const auto svg = diagram_svg(diagram, language);
    REQUIRE(svg);
    const std::vector<Box> boxes = label_boxes(*svg);
    CHECK(boxes.size() >= diagram.lanes.size());
    check_apart(*svg, boxes, rounding);
  }
}

// The value of the page's constant `run`.
Json data_of(const std::string& html) {
  const std::string before = "const run = ";
  const std::size_t from = html.find(before) + before.size();
  const std::size_t to = html.find(";\n", from);
  const std::optional<Json> json = parse_json(html.substr(from, to - from));
  REQUIRE(json);
  return *json;
}

// Each frame of the page has its processes and its messages, and each message comes and goes.
void check_page(const Diagram& diagram, std::size_t receipts, std::size_t losses) {
  const Json data = data_of(diagram_html(diagram, en));
  std::size_t received = 0;
  std::size_t lost = 0;
  std::vector<std::string> lists;
  each_frame(diagram, [&](const Frame& frame) {
    std::array<std::string, 3> shown;  // picture, table, list
    for (const Json& number : data["frames"].elements.at(frame.steps)["parts"].elements) {
      const Json& part = data["parts"].elements.at(*number.as_unsigned());
      for (std::size_t i = 0; i < shown.size(); ++i) shown[i] += part.elements.at(i).text;
    }
    const auto& [picture, table, list] = shown;
    for (const std::string& all : shown) CHECK(markup_error("<g>" + all + "</g>") == "");
    CHECK(count_of(picture, "class=\"node ") == diagram.lanes.size());
    CHECK(count_of(table, "<tr ") == diagram.lanes.size());
    CHECK(count_of(table, " current\"") == (frame.steps > 0 ? 1 : 0));
    CHECK(count_of(list, "<li ") == frame.under_way.size());
    CHECK(count_of(picture, "class=\"way ") == frame.arrows.size() + (frame.ended ? 1 : 0));
    received += count_of(picture, "class=\"way ended received ");
    lost += count_of(picture, "class=\"way ended of-");
    lists.push_back(list);
  });
  CHECK(data["frames"].elements.size() == lists.size());
  CHECK(received == receipts);
  CHECK(lost == losses);
  for (const Diagram::Message& message : diagram.messages) {
    CHECK(count_of(lists.at(*message.sent + 1), sentence_of(diagram, message, en)) > 0);
  }
}

// Each format has as many of each as the trace has, beside those of its legend.
void check_formats(const Trace& trace, const Diagram& diagram) {
  const std::size_t sends = count(trace, TraceEvent::send);
  const std::size_t receipts = count(trace, TraceEvent::receive);
  const std::size_t losses = count(trace, TraceEvent::lost);
  const std::string shown = diagram_text(diagram, en);
  CHECK(count_of(shown, "▶") + count_of(shown, "◀") == receipts + 3);
  const auto crashes = static_cast<std::size_t>(std::ranges::count_if(
      diagram.steps, [](const Diagram::Step& step) { return step.event == TraceEvent::crash; }));
  const std::size_t crash_note = crashes > 0 ? 1 : 0;
  CHECK(count_of(shown, "✗") == losses + 1 + crashes + crash_note);
  std::size_t listed = 0;
  for (const Matched& match : all_matches(shown, "(E|PE|C)→([0-9]( [0-9])*)")) {
    listed += (match[2].size() + 1) / 2;
  }
  CHECK(listed == sends);

  const auto svg = diagram_svg(diagram, en);
  REQUIRE(svg);
  CHECK(count_of(*svg, "class=\"message ") == sends + 4);
  CHECK(count_of(*svg, " arrives\"") == receipts + 3);

  CHECK(diagram.messages.size() == sends);
  check_page(diagram, receipts, losses);
}

}  // namespace

TEST_CASE("diagram: each format is drawn as its golden file has it") {
  const Diagram diagram = golden_election();
  CHECK(diagram_text(diagram, en) == golden("election.text"));
  CHECK(diagram_text(diagram, pt) == golden("election.pt-BR.text"));
  CHECK(diagram_svg(diagram, en) == golden("election.svg"));
  CHECK(diagram_svg(diagram, pt) == golden("election.pt-BR.svg"));
  CHECK(diagram_html(diagram, en) == golden("election.html"));
}

TEST_CASE("diagram: five processes fit into 80 columns") {
  for (const Language language : {en, pt}) {
    const auto all = lines_in(diagram_text(golden_election(), language));
    for (std::size_t i = 2; i < all.size(); ++i) {
      if (all[i].starts_with("  ")) CHECK_MESSAGE(width(all[i]) <= 80, all[i]);
    }
  }
}

TEST_CASE("diagram: every send and receipt is in the picture exactly once") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Trace trace = random_trace(seed, 60);
    const Diagram diagram = draw(trace);
    std::vector<std::size_t> sent(diagram.messages.size(), 0);
    std::vector<std::size_t> ended(diagram.messages.size(), 0);
    std::size_t records = 0;
    for (const Diagram::Step& step : diagram.steps) {
      for (const std::size_t message : step.sent) ++sent[message];
      if (step.ended) ++ended[*step.ended];
      records += step.records.size();
    }
    CHECK(records == trace.records.size());
    // Each receipt and loss has its sending, once.
    History history(algorithm_of(trace));
    std::set<std::size_t> sendings;
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      const Record& record = trace.records[i];
      history.take(record, i);
      if (record.event != TraceEvent::receive && record.event != TraceEvent::lost) continue;
      REQUIRE(history.arrived());
      const std::size_t sending = history.arrived()->sent.record;
      CHECK(sendings.insert(sending).second);
      CHECK(trace.records[sending].number == record.number);
      CHECK(trace.records[sending].from == record.from);
    }
    for (const std::size_t times : sent) CHECK(times == 1);
    CHECK(*std::ranges::max_element(ended) <= 1);
    CHECK(static_cast<std::size_t>(std::ranges::count(ended, 1U)) ==
          count(trace, TraceEvent::receive) + count(trace, TraceEvent::lost));
    check_formats(trace, diagram);
  }
}

TEST_CASE("diagram: labels never overlap, and none leaves the picture") {
  check_labels(golden_election());
  for (unsigned seed = 1; seed <= 15; ++seed) {
    CAPTURE(seed);
    check_labels(draw(random_trace(seed, 80)));
  }
  check_labels(draw(read_traces({"tests/golden/election.jsonl"})));
}

TEST_CASE("diagram: the bar of a stopped process is hatched until it continues") {
  const auto hatched = [](const std::string& script) {
    const auto svg = diagram_svg(draw(recorded::trace_of(recorded::played(script))), en);
    std::vector<Shape> bars = shapes_in(*svg, "rect");
    std::erase_if(bars, [](const Shape& bar) { return bar.kind() != "lane stopped"; });
    return bars;
  };
  CHECK(hatched("nodes 1..3\nrun 1s\n").empty());
  const std::vector<Shape> bars = hatched("nodes 1..3\npause 3\nrun 1s\nresume 3\nrun\n");
  REQUIRE(bars.size() == 2);  // and one in the legend
  CHECK(bars[0].at("height") > 20);
  CHECK(bars[0].at("y") + bars[0].at("height") < bars[1].at("y"));
}

TEST_CASE("diagram: SVG is well-formed XML, and the page well-formed HTML") {
  for (const Language language : {en, pt}) {
    const Diagram diagram = golden_election();
    CHECK(markup_error(*diagram_svg(diagram, language)) == "");
    const std::string page = diagram_html(diagram, language);
    REQUIRE(page.starts_with("<!DOCTYPE html>\n"));
    CHECK(markup_error(page) == "");
    CHECK(page.find("http") == page.find("http://www.w3.org/2000/svg"));  // it loads nothing
  }
  CHECK(markup_error("<a><b></a></b>") == "</a> ends <b>");
  CHECK(markup_error("<a>&</a>") == "a bare &");
  CHECK(markup_error("<a x=1></a>") == "an attribute without quotes in <a>");
  CHECK(markup_error("<a>") == "<a> is never ended");
}

TEST_CASE("diagram: what is too large for a picture is refused, not cut") {
  const Diagram large = draw(random_trace(1, 6000));
  CHECK(!diagram_svg(large, en));
  CHECK(count_of(diagram_text(large, en), "\n") > 4000);
  const Diagram small = draw(random_trace(1, 20));
  CHECK(diagram_svg(small, en));
}

TEST_CASE("diagram: what crosses the edge of an excerpt is shown as such") {
  const Trace trace = random_trace(3, 60);
  const Diagram part = draw(trace, {30, 50});
  std::size_t from_before = 0;
  for (const Diagram::Message& message : part.messages) {
    CHECK((message.sent || message.ended));
    from_before += message.sent ? 0 : 1;
  }
  CHECK(from_before > 0);
  CHECK(diagram_text(part, en).find("○") != std::string::npos);
  CHECK(markup_error(*diagram_svg(part, en)) == "");
}
