#include "view/arrows.h"

#include <algorithm>

namespace bully {

void ArrowBook::record(const Record& record) {
  if (is_about_ping(record)) return;
  if (record.event == TraceEvent::send) {
    entries_.push_back({.arrow = {record.type, record.from, record.to, false, record.subject},
                        .number = record.number.value_or(0)});
    return;
  }
  if (record.event != TraceEvent::receive && record.event != TraceEvent::lost) return;
  // From the latest: a process that was started again counts its messages from one again.
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return !entry.arrived && entry.arrow.from == record.from && entry.arrow.to == record.to &&
           entry.arrow.type == record.type && entry.number == record.number.value_or(0);
  });
  if (found == entries_.rend()) return;
  found->arrived = true;
  found->arrow.lost = record.event == TraceEvent::lost;
}

std::vector<Arrow> ArrowBook::take() {
  const auto is_new = [](const Entry& entry) { return entry.arrived && !entry.shown; };
  const bool any_new = std::any_of(entries_.begin(), entries_.end(), is_new);
  std::vector<Arrow> arrows;
  for (Entry& entry : entries_) {
    if (entry.shown || entry.arrived != any_new) continue;
    arrows.push_back(entry.arrow);
    entry.shown = true;
  }
  forget_finished();
  return arrows;
}

void ArrowBook::clear() {
  for (Entry& entry : entries_) entry.shown = entry.shown || entry.arrived;
  forget_finished();
}

void ArrowBook::forget_finished() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.arrived && entry.shown; });
}

}  // namespace bully
