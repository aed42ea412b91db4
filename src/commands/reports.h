// reports.h: what was found, as text in the user's language: what went wrong in a trace, in a
// script or while it was played; why a node was not signalled; what an exploration found; and the
// figures of many runs. Pure functions, for a terminal of 80 columns; nothing is judged here.
//
// They stand here and not in ../view, which knows no nodes, no explorer and no simulator.
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

struct Counterexample;
struct ExploreOptions;
struct ExploreResult;
struct Refused;
struct ScenarioError;
struct Step;
struct SweepOptions;
struct SweepRun;

std::string words_of(const Problem& problem, Language language);
// All of them in one line.
std::string words_of(std::span<const Problem> problems, Language language);
// "FILE:LINE: why"
std::string words_of(const TraceError& error, Language language);
// "FILE:LINE:COLUMN: expected …, found …"
std::string words_of(const RulesError& error, Language language);
// A question to an outside program, its answer, and a line of shell that asks it again.
std::string rules_exchange(const std::string& question, const std::string& answer,
                           const std::string& path, Language language);
std::string words_of(const ScenarioError& error, Language language);
// In one line, without its newline; and what the user can do about it.
std::string words_of(const Refused& refused, NodeId id, const std::string& directory,
                     Language language);
std::optional<Text> advice_on(const Refused& refused);

// "nodes 3, crashes 2, …": the bounds of an exploration. "deliver ELECTION from 1 to 2", "3
// crashes".
std::string question_text(const ExploreOptions& options, Language language);
std::string step_text(const Step& step, Language language);
// What is wrong where the property does not hold.
std::string_view violation_words(const Property& property, Language language);
// What a step breaks, and a sentence of that, in which {0} is the step's place; nothing if it
// breaks no assumption.
struct Breach {
  std::vector<Assumption> assumptions;
  Text words;
};
std::optional<Breach> breach_of(const Step& step);
Texts counterexample_title(const Counterexample& violation);
// A table of the figures, the verdict, and the counterexample if there is one: its steps, numbered.
// If all holds, how often each property was put to the test, and which rules have fired.
// `elapsed`: how long the search took, for the rate.
std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language);
// The same in one line, with the question, the verdict and the numbers of states and of rules.
std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language);

// The smallest value that at least `percent` of all do not exceed; 0 if there is none.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::size_t percent);
// One row for each measured quantity: times in milliseconds, and the algorithm's own messages by
// type. Above it, how many runs ended in agreement; below, for comparison, the most that one
// election takes that no fault disturbs.
std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        Language language);
// The times to agreement, in `rows` equal intervals, a bar of up to 50 characters for each.
std::string sweep_histogram(std::span<const SweepRun> runs, Language language,
                            std::size_t rows = 12);
// One line for each run, after a line with the names of the columns: the messages by the names of
// the algorithm's own types. Times in nanoseconds.
std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm);

}  // namespace bully
