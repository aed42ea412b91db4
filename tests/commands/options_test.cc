// options_test.cc: no option is ignored: in each mode of each command it shows an effect, or it is
// refused with exit status 2.
//
// Options, their values and the modes come from the tables that help shows: a new option is tried
// without a new line here. A mode is what a row of the table names (commands.h), and each --format.
//
// What these tests do not see: effects in commands that start or follow processes (their options
// are only parsed, in each mode), the effect of --max-memory (verify.session), of --partial
// (orders_test), of --real (play_test) and of --algorithm=FILE (rules_test), what three
// options do together, and a value that leaves another option without effect, as --crashes=0 leaves
// --restarts.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/layout.h"
#include "commands/help.h"
#include "support/process.h"
#include "support/scratch.h"

using namespace bully;

namespace {

using Row = Options::Row;

// How a command is called, so that it ends soon; each of `also` adds something to show.
struct Call {
  Arguments words;
  std::vector<Arguments> also = {};
};

std::vector<Call> calls(const std::string& trace, const std::string& ring_trace,
                        const std::string& directory) {
  return {
      {{"ps", "--dir=" + directory}},
      {{"scenario"}},
      {{"scenario", "two-coordinators"}},
      {{"simulate", "--seeds=3"}},
      {{"simulate", "--seed=3"}, {{}, {"--algorithm=chang-roberts"}}},
      {{"verify", "--nodes=3", "--crashes=1", "--restarts=0"},
       {{}, {"--property=one-coordinator"}}},
      {{"check", trace}},
      {{"diagram", trace}},
      {{"diagram", ring_trace}},
      {{"compare", "--nodes=3", "--algorithms=bully,chang-roberts"}},
      {{"help"}},
      {{"lab"}},
  };
}

bool is_common(std::string_view name) {
  const std::set<std::string_view> common = {"--version", "--help", "--lang"};
  return common.contains(name);
}

// See above.
bool is_unseen(std::string_view name, const std::string& shown) {
  return name == "--max-memory" || name == "--partial" || name == "--real" ||
         (name == "--algorithm" && shown == "FILE");
}

std::vector<std::string> parts_of(const std::string& list, char mark) {
  std::vector<std::string> parts;
  std::istringstream rest(list);
  for (std::string part; std::getline(rest, part, mark);) parts.push_back(part);
  return parts;
}

// Values of each kind that a row may show; nothing: the test does not know this kind.
std::vector<std::string> values_of(const Row& row, const Scratch& scratch) {
  static const std::map<std::string, std::vector<std::string>> kinds = {
      {"P%", {"50%"}},
      {"TIME", {"3s", "700ms"}},
      {"DIR", {scratch.path() + "/another"}},
      {"FILE", {scratch.path() + "/file"}},
      {"COMMAND", {"true"}},
      {"NAME", {"naive"}},
      {"KEY", {"highest-wins", "one-coordinator"}},
      {"ID,…", {"1,3,2"}},
      {"A,B", {"bully"}},
      {"A=N,B=M", {"starts=1"}},
      {"N..M", {"4"}},
      {"K", {"1"}}};
  if (row.shown == "N") {
    const std::size_t least = std::stoul(row.least);
    return {std::to_string(least), std::to_string(least + 1), std::to_string(least + 6)};
  }
  if (row.shown.find('|') != std::string::npos) return parts_of(row.shown, '|');
  const auto kind = kinds.find(row.shown);
  return kind == kinds.end() ? std::vector<std::string>{} : kind->second;
}

// The option with each of its values.
Arguments given(const Row& row, const Scratch& scratch) {
  const std::string name(row.name);
  if (row.shown.empty()) return {name};
  Arguments all;
  for (const std::string& value : values_of(row, scratch)) all.push_back(name + '=' + value);
  return all;
}

// The words of each mode of a command; none of them, first.
std::vector<Arguments> modes_of(const Manual& manual, const Scratch& scratch) {
  std::set<std::string> words;
  for (const Row& row : manual.options.rows()) {
    if (is_common(row.name) || is_unseen(row.name, row.shown)) continue;
    for (const auto& limit : row.limits) {
      const std::string& chosen = limit.mode.words;
      const auto chooser = std::ranges::find(manual.options.rows(), chosen, &Row::name);
      const bool is_placeholder = chosen.find("=FILE") != std::string::npos;
      if (chooser != manual.options.rows().end()) {
        words.insert(given(*chooser, scratch).at(0));
      } else if (chosen.starts_with("--") && !is_placeholder) {
        words.insert(chosen);
      }
    }
    if (row.name != "--format") continue;
    for (const std::string& value : parts_of(row.shown, '|')) {
      words.insert(std::string(row.name) + '=' + value);
    }
  }
  std::vector<Arguments> modes = {{}};
  for (const std::string& each : words) modes.push_back({each});
  return modes;
}

bool says_ignored(const std::string& error) {
  return contains(error, " has no effect with ") || contains(error, " needs ") ||
         contains(error, " cannot be used together");
}

// All that a run shows.
struct Shown {
  int status = -1;
  std::string output;
  std::string errors;
  std::string file;

  bool operator==(const Shown&) const = default;
  // Such a run shows nothing else; a verdict with the same exit status does.
  bool is_usage_error() const { return status == exit_usage && output.empty(); }
  // True if it is a usage error that names the option and says that it does nothing here.
  bool refuses(std::string_view name) const {
    return is_usage_error() && says_ignored(errors) && contains(errors, std::string(name));
  }
};

class Trials {
 public:
  explicit Trials(const Scratch& scratch) : scratch_(scratch) {}

  const Shown& run(const Arguments& words) {
    const auto known = runs_.find(words);
    if (known != runs_.end()) return known->second;
    const std::string file = scratch_.path() + "/file";
    std::filesystem::remove(file);
    const Finished finished = run_bully(words + Arguments{"--lang=en"});
    return runs_[words] = {finished.outcome.exit_code, without_time(finished.output),
                           finished.errors, contents(file)};
  }

  // True if the option does something in this mode, or is refused there.
  bool is_heeded(const Call& call, const Arguments& mode, const Row& row) {
    bool is_mode = false;  // of this call: it may be refused there itself
    for (const Arguments& also : call.also.empty() ? std::vector<Arguments>{{}} : call.also) {
      const Arguments words = call.words + also + mode;
      const Shown without = run(words);
      if (without.is_usage_error()) continue;
      is_mode = true;
      for (const std::string& option : given(row, scratch_)) {
        const Shown& with = run(words + Arguments{option});
        if (with.refuses(row.name)) return true;
        if (!with.is_usage_error() && with != without) return true;
      }
    }
    return !is_mode;
  }

 private:
  // A search reports its rate and its duration.
  static std::string without_time(const std::string& output) {
    std::string kept;
    for (const std::string& line : lines_in(output)) {
      const bool is_measured = contains(line, "rate ") || contains(line, " states in ");
      kept += (is_measured ? line.substr(0, line.find(" states in ")) : line) + '\n';
    }
    return kept;
  }

  const Scratch& scratch_;
  std::map<Arguments, Shown> runs_;
};

// True if options have an effect only with an argument.
bool needs_argument(const Manual& manual) {
  return std::ranges::any_of(manual.options.rows(), [&](const Row& row) {
    return std::ranges::any_of(row.limits, [&](const Options::Limit& limit) {
      return limit.mode.words == manual.options.shown_arguments();
    });
  });
}

// The error that such words are, or nothing.
std::string error_of(const CommandKind& kind, const Arguments& words) {
  Invocation invocation{.program = "bully"};
  const std::unique_ptr<Subcommand> command = kind.make(invocation);
  Options table(invocation);
  command->declare(table);
  try {
    table.read(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

const Manual& manual_of(const std::vector<Manual>& manuals, std::string_view name) {
  return *std::ranges::find(manuals, name, &Manual::name);
}

}  // namespace

TEST_CASE("options: in each mode each has an effect, or is refused") {
  const Scratch scratch;
  const std::string trace = scratch.path() + "/bully.jsonl";
  const std::string ring = scratch.path() + "/ring.jsonl";
  for (const auto& [path, algorithm] : {std::pair(trace, "bully"), {ring, "chang-roberts"}}) {
    run_bully({"simulate", "--seed=1", "--trace=" + path, std::string("--algorithm=") + algorithm});
  }
  Invocation invocation{.program = "bully"};
  const std::vector<Manual> manuals = manuals_of_all(invocation);
  Trials trials(scratch);
  std::string ignored;
  const std::string nodes = scratch.path() + "/nodes";
  std::filesystem::create_directory(nodes);
  for (const Call& call : calls(trace, ring, nodes)) {
    const Manual& manual = manual_of(manuals, call.words[0]);
    for (const Arguments& mode : modes_of(manual, scratch)) {
      // Without keys it shows the beginning alone: ../terminal/slides_terminal_test.cc.
      if (mode == Arguments{"--step"}) continue;
      for (const Row& row : manual.options.rows()) {
        if (is_common(row.name) || is_unseen(row.name, row.shown)) continue;
        if (!mode.empty() && mode[0].substr(0, mode[0].find('=')) == row.name) continue;
        if (trials.is_heeded(call, mode, row)) continue;
        for (const std::string& word : call.words) ignored += word + ' ';
        ignored += (mode.empty() ? "" : mode[0] + ' ') + std::string(row.name) + '\n';
      }
    }
  }
  CHECK_MESSAGE(ignored.empty(), ignored);
}

TEST_CASE("options: every command parses each in each mode, or refuses it with both names") {
  const Scratch scratch;
  Invocation invocation{.program = "bully"};
  const std::vector<Manual> manuals = manuals_of_all(invocation);
  for (const CommandKind* kind : all_commands) {
    const Manual& manual = manual_of(manuals, kind->name);
    for (Arguments mode : modes_of(manual, scratch)) {
      if (needs_argument(manual)) mode.emplace_back("1");
      if (!error_of(*kind, mode).empty()) continue;  // it needs another itself
      for (const Row& row : manual.options.rows()) {
        if (row.name == "--algorithm" && row.shown == "FILE") continue;
        const Arguments options = given(row, scratch);
        CAPTURE(row.shown);
        REQUIRE(!options.empty());  // else this test knows no value of this kind
        for (const std::string& option : options) {
          const Arguments words = mode + Arguments{option};
          CAPTURE(kind->name);
          CAPTURE(words);
          const std::string error = error_of(*kind, words);
          CAPTURE(error);
          CHECK((error.empty() || says_ignored(error)));
          if (mode.empty()) continue;
          const std::string chosen = mode[0].substr(0, mode[0].find('='));
          for (const auto& limit : row.limits) {
            const bool is_chosen = limit.mode.words == mode[0] || limit.mode.words == chosen;
            if (!is_chosen || !limit.ignores_when || is_common(row.name)) continue;
            CHECK(contains(error, std::string(row.name)));
            CHECK(contains(error, limit.mode.words));
          }
        }
      }
    }
  }
}
