// damage.cc: whether all lines that a process wrote are there, each once and in its place.
//
// Each process counts its own lines, from 1 at its start (Record::n). Lines that others write about
// it have no number, and a trace of an older program has none at all: then nothing is known.
#include <algorithm>

#include "trace/checkers.h"

namespace bully {

void find_damage(const CheckedRun& run) {
  const auto number = [&run](std::size_t i) { return run.at(i).n; };
  const std::vector<Incarnation>& incarnations = run.timeline.incarnations;
  std::vector<std::vector<std::size_t>> numbered(incarnations.size());
  for (const auto& [i, record] : run.trace.records) {
    if (record.n > 0) numbered[run.timeline.incarnation_of[i]].push_back(i);
  }
  for (std::size_t k = 0; k < numbered.size(); ++k) {
    const std::vector<std::size_t>& lines = numbered[k];
    std::size_t place = 0;
    while (place < lines.size() && number(lines[place]) == place + 1) ++place;
    if (place == lines.size()) continue;
    const std::uint64_t due = place + 1;
    const std::uint64_t found = number(lines[place]);
    const bool comes_later = std::ranges::find(lines, due, number) != lines.end();
    Doubt what = "line_missing";
    if (found < due) {
      what = "line_repeated";
    } else if (comes_later) {
      what = "line_moved";
    }
    run.doubt({what, {incarnations[k].node}, {lines[place]}, std::min(found, due)});
  }
}

}  // namespace bully
