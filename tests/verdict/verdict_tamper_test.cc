// verdict_tamper_test.cc: the judge is judged. Traces of lessons, of runs with random faults and of
// real processes are changed by machine; whatever was done to them, `bully check` says RIGHT
// exactly where the oracle does (oracle/oracle.h), but for steps that the rules do not take.
//
// A fixed sample is drawn; with BULLY_SOAK_ROUNDS all variants are tried, and on more random runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

#include "base/carried.h"
#include "base/text.h"
#include "fixture/cluster.h"
#include "fixture/played.h"
#include "fixture/recorded_run.h"
#include "oracle/oracle.h"
#include "oracle/tamper.h"
#include "sim/experiments.h"

using namespace bully;
using namespace bully::recorded;

namespace {

constexpr std::array<const char*, 4> outcomes = {"RIGHT", "VIOLATED", "INCONCLUSIVE", "refused"};

const std::string untouched = "(as it is)";

struct Judgement {
  std::size_t outcome = 0;  // of `outcomes`
  std::string why = {};
};

Judgement judgement_of(const std::string& text) try {
  const Report report = check_trace(parse_trace(text, "t"));
  return {static_cast<std::size_t>(report.verdict), first_reason(report)};
} catch (const TraceError& error) {
  return {3, std::string(error.problem.key)};
}

struct Source {
  std::string name;
  const Algorithm* algorithm;
  Lines lines;
};

// What judge and oracle say. Of disagreements the first few are shown with their traces.
class TwoOpinions {
 public:
  void compare(const Source& source, const std::string& kind, const std::string& what,
               const std::string& text) {
    INFO(source.name, ", ", kind, ", ", what);
    const Judgement judged = judgement_of(text);
    const Opinion opinion = opinion_of(text);
    ++counts_[kind][judged.outcome];
    if ((judged.outcome == 0) == (opinion.right == Right::right)) return;
    // The oracle knows no rules, nor where a step ends, nor the needs of a replica. But only a
    // trace that was changed lacks it.
    const bool is_of_replica =
        judged.why.starts_with("by-rules/") ||
        std::ranges::count(std::array{"in_step", "unfounded"}, judged.why) > 0;
    if (kind != untouched && judged.outcome != 0 && is_of_replica) return;
    if (++wrong_ > 3) return;
    const std::string judge = outcomes.at(judged.outcome) + (' ' + judged.why);
    const std::string both = "judge: " + judge + ", oracle: " + opinion.reason;
    FAIL_CHECK(both << "\n" << text);
  }

  void tell() const {
    std::ostringstream out;
    out << std::left << std::setw(24) << "kind";
    for (const char* outcome : outcomes) out << std::right << std::setw(14) << outcome;
    out << '\n';
    for (const auto& [kind, counts] : counts_) {
      out << std::left << std::setw(24) << kind;
      for (const std::size_t count : counts) out << std::right << std::setw(14) << count;
      out << '\n';
    }
    MESSAGE(out.str());
    CHECK(wrong_ == 0);
  }

 private:
  std::map<std::string, std::array<std::size_t, outcomes.size()>> counts_;
  std::size_t wrong_ = 0;
};

unsigned rounds() {
  return from_environment("BULLY_SOAK_ROUNDS", 0);
}

// So many variants of each kind, chosen at random, but always the same; or all of them.
std::vector<const Tampering*> sample_of(const std::vector<Tampering>& all, std::size_t sample,
                                        std::uint64_t seed) {
  std::map<std::string, std::vector<const Tampering*>> by_kind;
  for (const Tampering& tampering : all) by_kind[tampering.kind].push_back(&tampering);
  std::vector<const Tampering*> chosen;
  for (auto& [kind, variants] : by_kind) {
    Random random(seed);  // another kind leaves this one's sample as it is
    const std::size_t count = std::min(sample, variants.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (count < variants.size())
        std::swap(variants[i], variants[i + random.below(variants.size() - i)]);
      chosen.push_back(variants[i]);
    }
  }
  return chosen;
}

// The source as it is; then so many variants of each kind, or all of them.
void try_all(TwoOpinions& opinions, const Source& source, std::size_t sample) {
  opinions.compare(source, untouched, "", text_of(source.lines));
  if (is_sanitized) sample = 1;  // the sanitizers look at the code, and not at the verdicts
  if (rounds() > 0) sample = std::numeric_limits<std::size_t>::max();
  const std::vector<Tampering> all = tamperings(source.lines, *source.algorithm);
  for (const Tampering* tampering : sample_of(all, sample, source.lines.size())) {
    Lines lines = source.lines;
    tampering->apply(lines);
    opinions.compare(source, tampering->kind, tampering->what,
                     text_of(renumbered(std::move(lines))));
  }
}

Source source_of(std::string name, const Algorithm& algorithm, const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += trace_line(record);
  return {std::move(name), &algorithm, lines_by_time(text)};
}

constexpr std::size_t longest = 700;  // lines; the oracle takes its time

std::vector<Record> faulty_run(const Algorithm& algorithm, std::uint64_t seed) {
  SweepOptions options = faulty(algorithm, seed);
  options.restarts = 1;
  options.nodes = 3 + static_cast<std::uint32_t>(seed % 3);
  options.crashes = 1 + static_cast<std::uint32_t>(seed % 2);
  options.pauses = static_cast<std::uint32_t>(seed / 2 % 2);
  if (seed % 3 == 0) options.world.loss_ppm = 10'000;
  return swept(options, seed);
}

// Whether all that live follow one of them.
bool agree(const Cluster& cluster) {
  std::vector<NodeStatus> running = cluster.status();
  std::erase_if(running,
                [](const NodeStatus& node) { return node.condition != Condition::running; });
  const std::optional<NodeId> whom = running.empty() ? std::nullopt : running[0].coordinator;
  const auto follows = [&](const NodeStatus& node) { return node.coordinator == whom; };
  return running.size() == cluster.live().size() && std::ranges::all_of(running, follows) &&
         std::ranges::count(running, whom, &NodeStatus::id) == 1;
}

// A cluster that loses its coordinator, gets it back, and leaves.
Source real_run(const Algorithm& algorithm) {
  Cluster cluster({"--algorithm=" + std::string(algorithm.name), "--detector=eof"});
  const auto settles = [&] { REQUIRE(wait_until([&] { return agree(cluster); })); };
  cluster.start_range(1, 4);
  settles();
  cluster.kill(4);
  settles();
  cluster.start(4);
  settles();
  cluster.end_all();
  return {"real " + std::string(algorithm.name), &algorithm,
          lines_by_time(contents(cluster.scratch("trace")))};
}

// A run of real processes that was recorded once, as if this version had recorded it: the rules are
// the same.
Source recorded_run(const Algorithm& algorithm) {
  const std::string name(algorithm.name);
  const std::string recorded =
      replaced(contents("tests/golden/real/" + name + ".jsonl"), "\"incarnation\"",
               "\"core\":" + std::to_string(core_version()) + ",\"incarnation\"");
  return {"real " + name, &algorithm, lines_by_time(recorded)};
}

constexpr std::array<std::string_view, 5> damages = {
    "line deleted", "line twice", "neighbours swapped", "life dropped", "node dropped"};
bool is_damage(const Tampering* tampering) {
  return std::ranges::count(damages, tampering->kind) > 0;
}

// A change of a recorded run, and what the judge says of it. Damage leaves the lines' numbers as
// they were; a forger counts all lines anew.
std::string verdict_on(const Source& source, const Tampering& change, bool is_forged) {
  Lines lines = source.lines;
  change.apply(lines);
  const Judgement judged =
      judgement_of(text_of(is_forged ? renumbered(std::move(lines)) : std::move(lines)));
  std::ostringstream row;
  row << std::left << std::setw(20) << source.algorithm->name << std::setw(9)
      << (is_forged ? "forgery" : "damage") << std::setw(20) << change.kind << std::setw(44)
      << change.what << "  " << std::setw(14) << outcomes.at(judged.outcome) << judged.why;
  return replaced(row.str(), std::to_string(core_version()), "CORE");
}

}  // namespace

TEST_CASE("check: a trace that was damaged accuses nobody, and is not right") {
  std::size_t noticed = 0;
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!is_tried(number++)) continue;
    const Source source = source_of("", algorithm, faulty_run(algorithm, 1));
    REQUIRE(are_numbers_whole(source.lines));
    REQUIRE(judgement_of(text_of(source.lines)).outcome != 1);
    for (const Tampering& damage : tamperings(source.lines, algorithm)) {
      if (!is_damage(&damage)) continue;
      CAPTURE(algorithm.name);
      CAPTURE(damage.kind);
      CAPTURE(damage.what);
      Lines lines = source.lines;
      damage.apply(lines);
      if (are_numbers_whole(lines)) continue;
      ++noticed;
      CHECK(judgement_of(text_of(lines)).outcome == 2);
    }
  }
  CHECK(noticed > tried(1000));
}

TEST_CASE("check: the judge and an oracle agree about lessons, whatever is done to their traces") {
  TwoOpinions opinions;
  std::size_t number = 0;
  for (const CarriedText& lesson : lessons()) {
    if (!is_tried(number++)) continue;
    const std::vector<Record> records = played(lesson.text);
    if (records.size() > longest) continue;
    const std::string name(lesson.name);
    try_all(opinions, source_of(name, parsed(lesson.text).algorithm(), records), 1);
  }
  opinions.tell();
}

TEST_CASE("check: the judge and an oracle agree about runs with random faults") {
  TwoOpinions opinions;
  for (const Algorithm& algorithm : algorithms()) {
    // Many are seen as they are; few, changed.
    const std::uint64_t changed = 1 + rounds() / 20;
    for (std::uint64_t seed = 1; seed <= tried(20 * changed); ++seed) {
      const std::vector<Record> records = faulty_run(algorithm, seed);
      if (records.size() > longest) continue;
      const std::string name = std::string(algorithm.name) + ' ' + std::to_string(seed);
      const Source source = source_of(name, algorithm, records);
      if (seed <= tried(changed)) {
        try_all(opinions, source, 3);
      } else {
        opinions.compare(source, untouched, "", text_of(source.lines));
      }
    }
  }
  opinions.tell();
}

TEST_CASE("check: the judge and an oracle agree about real processes") {
  TwoOpinions opinions;
  for (const Algorithm& algorithm : algorithms()) {
    const Source live = real_run(algorithm);
    opinions.compare(live, untouched, "", text_of(live.lines));
    // No two live runs are alike: the one that is changed was recorded once.
    const Source recorded = recorded_run(algorithm);
    CHECK(judgement_of(text_of(recorded.lines)).outcome == 0);
    try_all(opinions, recorded, 2);
  }
  opinions.tell();
}

// Some of each kind, for each election. `make golden` writes the table, `make soak` compares all of
// it, and `make test` a part.
TEST_CASE("check: the verdict on each change of a recorded run is the one in the table") {
  constexpr std::size_t sample = 12;
  const char* const table = "tests/golden/verdicts.txt";
  const bool writes = std::getenv("BULLY_WRITE_VERDICTS") != nullptr;
  const std::size_t step = writes || is_soak() ? 1 : is_sanitized ? 100 : 10;
  const std::string kept = contents(table);
  std::string rows;
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms()) {
    const Source source = recorded_run(algorithm);
    const std::vector<Tampering> all = tamperings(source.lines, algorithm);
    const std::vector<const Tampering*> chosen = sample_of(all, sample, source.lines.size());
    for (const bool is_forged : {false, true}) {
      for (const Tampering* change : chosen) {
        if ((!is_forged && !is_damage(change)) || number++ % step != 0) continue;
        const std::string row = verdict_on(source, *change, is_forged) + '\n';
        if (!contains(kept, row) && !writes) FAIL_CHECK("not in the table: " << row);
        rows += row;
      }
    }
  }
  if (writes) {
    std::ofstream(table) << rows;
  } else {
    CHECK(number == count_of(kept, "\n"));
  }
}
