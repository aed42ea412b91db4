// reports.h: results as text in the user's language: errors in a trace or a script, or while it was
// played; the reason why a node was not signalled; the result of an exploration; the figures of
// many runs; and the results of grading. Pure functions, for a terminal of 80 columns, which never
// judge.
//
// They are here and not in ../view, which knows no nodes, no explorer and no simulator.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "rules/program.h"
#include "trace/trace.h"
#include "words/words.h"

namespace bully {

struct ExploreOptions;
struct ExploreResult;
struct Refused;
struct ScenarioError;
struct StateMap;
struct Step;
struct SweepOptions;
struct SweepRun;

// "FILE:LINE: why"
std::string words_of(const TraceError& error, Language language);
// "FILE:LINE:COLUMN: expected …, found …"
std::string words_of(const RulesError& error, Language language);
// A question to an outside program, its answer, and a line of shell that repeats it.
std::string rules_exchange(const std::string& question, const std::string& answer,
                           const std::string& path, Language language);
std::string words_of(const ScenarioError& error, Language language);
// In one line, without its newline; with advice for the user.
std::string words_of(const Refused& refused, NodeId id, const std::string& directory,
                     Language language);
std::optional<Text> advice_on(const Refused& refused);

// "nodes 3, crashes 2, …": the bounds of an exploration. "deliver ELECTION from 1 to 2", "3
// crashes"; `cause`, if given, says more of a timeout.
std::string question_text(const ExploreOptions& options, Language language);
std::string step_text(const Step& step, Language language, const std::string& cause = {});
// The fault, if the property does not hold.
std::string_view violation_words(const Property& property, Language language);
// The assumption that a step breaks, and a sentence about it, in which {0} is the step's number; on
// the page of every order, {1} is its process. Nothing if it breaks none.
struct Breach {
  std::vector<Assumption> assumptions;
  Text words;
  Text words_on_page;  // with the assumption's number in `bully help assumptions`
};
std::optional<Breach> breach_of(const Step& step);
// A table of the figures, the verdict, and the counterexample if there is one: its steps, numbered.
// If all properties hold, the number of tests of each, and the rules that have fired. `elapsed`:
// the duration of the search, for the rate.
std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language);
// The same in one line, with the question, the verdict and the numbers of states and of rules.
std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language);

// The page of every order, to click through: all states of an election, and the steps between them.
std::string orders_html(StateMap map, const ExploreOptions& options, Language language);

// The smallest value that at least `percent` of all do not exceed; 0 without values.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::size_t percent);
// One row for each measured quantity: times in milliseconds, and the algorithm's own messages by
// type. Above it, the number of runs that ended in agreement; below, for comparison, the largest
// cost of one undisturbed election.
std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        Language language);
// The times to agreement, in `rows` equal intervals, a bar of up to 50 characters for each.
std::string sweep_histogram(std::span<const SweepRun> runs, Language language,
                            std::size_t rows = 12);
// A line with the names of the columns, then one line for each run: the messages by the names of
// the algorithm's own types. Times in nanoseconds.
std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm);

}  // namespace bully
