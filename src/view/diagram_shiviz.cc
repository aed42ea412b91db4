#include "view/diagram_shiviz.h"

#include <algorithm>
#include <vector>

#include "view/diagram_words.h"

namespace bully {

namespace {

using Clock = std::vector<std::size_t>;  // for each lane, how many of its events are known

std::string clock_text(const Diagram& diagram, const Clock& clock) {
  std::string shown = "{";
  for (std::size_t i = 0; i < clock.size(); ++i) {
    if (clock[i] == 0) continue;  // ShiViz wants it absent
    if (shown.size() > 1) shown += ", ";
    shown += '"' + std::to_string(diagram.lanes[i]) + "\":" + std::to_string(clock[i]);
  }
  return shown + '}';
}

// A receipt tells only of itself; what is done about it stands in events of its own.
std::string words_of_record(const Diagram& diagram, const Diagram::Step& step, std::size_t i,
                            Language language) {
  Diagram::Step alone;
  alone.lane = step.lane;
  alone.restart = step.restart && i == 0;
  alone.records = {step.records[i]};
  alone.before = step.before;
  alone.after = step.after;
  const Record& record = step.records[i];
  if (record.event == TraceEvent::state) alone.after.state = record.state;
  if (record.event == TraceEvent::receive) alone.received = step.received;
  if (record.event == TraceEvent::lost) alone.lost = step.lost;
  if (record.event == TraceEvent::send) {
    const auto before =
        std::count_if(step.records.begin(), step.records.begin() + static_cast<std::ptrdiff_t>(i),
                      [](const Record& r) { return r.event == TraceEvent::send; });
    alone.sent = {step.sent[static_cast<std::size_t>(before)]};
  }
  return sentence_of(diagram, alone, language);
}

}  // namespace

std::string diagram_shiviz(const Diagram& diagram, Language language) {
  std::vector<Clock> clocks(diagram.lanes.size(), Clock(diagram.lanes.size()));
  std::vector<Clock> at_sending(diagram.messages.size());
  std::string shown;
  // Record by record in the order of time: a step's later records may stand after other steps.
  struct Place {
    std::int64_t t_ns;
    std::size_t step;
    std::size_t record;
  };
  std::vector<Place> places;
  for (std::size_t s = 0; s < diagram.steps.size(); ++s) {
    for (std::size_t r = 0; r < diagram.steps[s].records.size(); ++r) {
      places.push_back({diagram.steps[s].records[r].t_ns, s, r});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.t_ns < b.t_ns; });
  for (const auto& [t_ns, s, r] : places) {
    const Diagram::Step& step = diagram.steps[s];
    Clock& clock = clocks[step.lane];
    ++clock[step.lane];
    if (step.records[r].event == TraceEvent::receive) {
      const Clock& sent = at_sending[*step.received];
      for (std::size_t i = 0; i < sent.size(); ++i) clock[i] = std::max(clock[i], sent[i]);
    }
    if (step.records[r].event == TraceEvent::send) {
      const auto sends_before =
          std::count_if(step.records.begin(), step.records.begin() + static_cast<std::ptrdiff_t>(r),
                        [](const Record& record) { return record.event == TraceEvent::send; });
      at_sending[step.sent[static_cast<std::size_t>(sends_before)]] = clock;
    }
    shown += std::to_string(diagram.lanes[step.lane]) + ' ' + clock_text(diagram, clock) + '\n' +
             words_of_record(diagram, step, r, language) + '\n';
  }
  return shown;
}

}  // namespace bully
