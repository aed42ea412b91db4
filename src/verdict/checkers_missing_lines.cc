// checkers_missing_lines.cc: whether all lines that a process wrote are there, each once and in its
// place.
//
// Each process counts its own lines, from 1 at its start (Record::n). Lines that others write about
// it have no number, and a trace of an older program has none at all: then nothing is known.
#include <algorithm>

#include "verdict/checkers.h"

namespace bully {

// The names of the doubts end the keys of their words: check_doubt_line_missing.
void find_damage(const CheckedRun& run) {
  // A life's lines: the number that is due, and the reason for doubt, once another has come.
  struct Count {
    std::uint64_t due = 1;
    std::optional<Reason> damage = std::nullopt;
  };
  std::vector<Count> counts(run.timeline.incarnations.size());
  for (const auto& [i, record] : run.trace.records) {
    if (record.n == 0) continue;
    auto& [due, damage] = counts[run.timeline.incarnation_of[i]];
    if (damage) {
      if (record.n == due) damage->doubt = "line_moved";
    } else if (record.n == due) {
      ++due;
    } else {
      const Doubt doubt = record.n > due ? Doubt("line_missing") : Doubt("line_repeated");
      damage = {doubt, {record.node}, {i}, std::min(record.n, due)};
      if (record.n < due) due = 0;  // it has come already
    }
  }
  for (const Count& count : counts) {
    if (count.damage) run.doubt(*count.damage);
  }
}

}  // namespace bully
