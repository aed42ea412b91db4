// verify.cc: `bully verify`, every interleaving of an election within bounds.
#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>

#include "commands/commands.h"
#include "explorer/explorer.h"
#include "rules/rules.h"
#include "terminal/output.h"
#include "view/errors.h"
#include "view/exploration_report.h"
#include "view/orders_page.h"

namespace bully {

namespace {

// --delivery: the first three have the order of Delivery.
constexpr std::size_t as_the_algorithm_asks = 3;

// Replaces the whole file.
void write_script(const std::string& path, const std::string& script) {
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  file << script << std::flush;
  if (!file) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "write " + path);
  }
}

// The property of this name, which the algorithm need not promise.
const Property* property_named(const std::string& key, const Algorithm& algorithm,
                               const Invocation& invocation) {
  std::vector<const Property*> all = {&properties::reachable, &properties::progress};
  for (const Property* known : known_properties(algorithm)) {
    if (can_explore(*known)) all.push_back(known);
  }
  const auto found = std::ranges::find(all, key, &Property::key);
  if (found != all.end()) return *found;
  const std::string keys = joined(all, ", ", [](const Property* each) { return each->key; });
  invocation.fail(Text::usage_no_property, {key, std::string(algorithm.name), keys});
}

struct VerifyCommand : Subcommand {
  void declare(Options& options) override {
    options.group(Text::help_verify_bounds);
    options.algorithm(bounds.algorithm);
    options.value("--protocol", Text::help_name_value, protocol, Text::option_protocol);
    options.number("--nodes", nodes, 1, max_explored_nodes, Text::option_verify_nodes);
    options.number("--crashes", bounds.crashes, 0, max_explored_faults,
                   Text::option_verify_crashes);
    options.number("--restarts", bounds.restarts, 0, max_explored_faults,
                   Text::option_verify_restarts);
    options.number("--partitions", bounds.partitions, 0, max_explored_faults,
                   Text::option_verify_partitions);
    options.choice("--timing", {"synchronous", "asynchronous"}, bounds.timing, Text::option_timing);
    options.choice("--delivery", {"any", "pair", "arrival", "auto"}, delivery,
                   Text::option_delivery);
    options.value("--arrangement", "ID,…", arrangement, Text::option_arrangement);
    options.choice("--beginning", {"agreed", "leaderless", "starting"}, bounds.beginning,
                   Text::option_beginning);
    options.value("--property", Text::help_key_value, property, Text::option_property);
    options.group(Text::help_verify_search);
    options.number("--max-states", bounds.max_states, 1, std::numeric_limits<std::uint32_t>::max(),
                   Text::option_max_states);
    options.number("--max-memory", max_mib, 1, std::numeric_limits<std::uint32_t>::max(),
                   Text::option_max_memory);
    options.group(Text::help_output_options);
    options.choice("--format", {"text", "html"}, as_page, Text::option_verify_format);
    options.for_files({{"html", "page.html"}});
    options.flag("--partial", partial, Text::option_verify_partial);
    options.flag("--brief", brief, Text::option_brief);
    options.file("--counterexample", counterexample, Text::option_counterexample);
    options.language();
    const Options::Mode page = {"--format=html", [this] { return as_page; }};
    options.no_effect_with(
        page, {"--property", "--max-states", "--max-memory", "--brief", "--counterexample"});
    options.needs(page, {"--partial"});
    options.no_effect_with_elections(bounds.algorithm, has_no_ring, {"--arrangement"});
    options.no_effect_with_elections(bounds.algorithm, has_no_variants, {"--protocol"});
  }

  int run() override {
    if (!arrangement.empty()) arrange();
    if (!property.empty()) {
      bounds.only = property_named(property, *bounds.algorithm, invocation());
    }
    bounds.nodes = nodes.value_or(bounds.nodes);
    bounds.delivery = bounds.algorithm->is_fifo ? Delivery::pair_order : Delivery::any_order;
    if (delivery != as_the_algorithm_asks) bounds.delivery = static_cast<Delivery>(delivery);
    bounds.reduction = bounds.algorithm->forget_idle_words;
    make = bounds.algorithm->make;
    bounds.variant = variant_of(*bounds.algorithm, protocol, invocation());
    if (bounds.variant != nullptr) {
      make = bounds.variant->make;
      bounds.reduction = nullptr;  // it belongs to the right rules
    }
    if (as_page) return write_page();
    // An old one would be taken for this one's; and an error comes now rather than after minutes.
    if (!counterexample.empty()) write_script(counterexample, "");

    const Time begin = monotonic_now();
    const ExploreResult result = search(begin);
    if (bounds.algorithm->confirm && result.bound != "interrupted") bounds.algorithm->confirm();
    // The last question was to the process at fault; the script asks others.
    const Rules* rules = rules_of(*bounds.algorithm);
    const std::string question = rules == nullptr ? "" : rules->last_question();
    const auto report = brief && !result.violation ? explore_brief : explore_report;
    write_to_stdout(report(bounds, result, monotonic_now() - begin, language()));
    if (result.violation) {
      Texts title;
      for (const Language language : languages) {
        const std::string fault = violation_words(*result.violation->property, language);
        text_in(title, language) = text(Text::verify_title, language, {fault});
      }
      const std::string script = counterexample_scenario(bounds, make, *result.violation, title);
      if (rules != nullptr && result.violation->is_given_again) {
        write_to_stdout(
            rules_exchange(question, rules->answer_to(question), rules->path(), language()));
      }
      try {
        if (!counterexample.empty()) write_script(counterexample, script);
      } catch (const std::system_error& error) {
        complain(error_words(error, language()));  // the verdict counts all the same
      }
    }
    if (result.verdict == Verdict::unfinished || !result.has_tested()) return exit_unknown;
    return result.verdict == Verdict::holds ? exit_ok : exit_failed;
  }

  // Takes the ring given by --arrangement, which has as many nodes as --nodes, if that is given.
  void arrange() {
    const auto id_of = [this](const std::string& word) { return id_from(word); };
    const std::vector<NodeId> ring = list_of(split(arrangement), id_of);
    const bool has_each_once = std::ranges::is_permutation(ring, one_to(ring.size()));
    if (ring.size() > max_explored_nodes) {
      fail(Text::usage_long_arrangement, {ring.size(), max_explored_nodes});
    }
    if (!has_each_once) fail(Text::usage_arrangement, {arrangement, ring.size()});
    if (nodes.value_or(ring.size()) != ring.size()) {
      fail(Text::usage_nodes_of_ring, {ring.size(), *nodes});
    }
    bounds.nodes = ring.size();
    bounds.arrangement = ring;
  }

  // The number of states cannot be predicted: estimates from fewer nodes, or from the first steps,
  // are wrong by up to a hundred times. So the search reports its progress, and has a limit.
  ExploreResult search(Time begin) const {
    bool is_full = false;
    Progress progress;
    ExploreResult result = explore(bounds, make, [&](const auto& reached) {
      is_full = reached.bytes > max_mib << 20;
      return !is_full && progress([&] {
        return say(Text::verify_progress_line,
                   {grouped(reached.states, language()),
                    grouped(reached.states - reached.expanded, language()), reached.depth,
                    grouped(reached.bytes >> 20, language()),
                    std::chrono::floor<std::chrono::seconds>(monotonic_now() - begin).count()});
      });
    });
    if (is_full) result.bound = "memory";
    return result;
  }

  int write_page() const {
    StateMap map = map_of(bounds, make);
    if (bounds.algorithm->confirm) bounds.algorithm->confirm();
    if (!map.is_whole() && !partial) {
      std::string smaller = fitting();
      if (!smaller.empty()) smaller = say(Text::verify_page_fits, {smaller});
      fail(Text::verify_page_too_large, {grouped(StateMap::max_states, language()),
                                         grouped(StateMap::max_edges, language()), smaller});
    }
    write_to_stdout(orders_html(std::move(map), bounds, language()));
    return exit_ok;
  }

  // The largest smaller bounds whose map fits, in words; nothing if there are none.
  std::string fitting() const {
    ExploreOptions smaller = bounds;
    const auto fits = [&] { return map_of(smaller, make).is_whole(); };
    // Without a crash a map may show nothing.
    const std::array least = {std::pair(&smaller.restarts, 0U), std::pair(&smaller.partitions, 0U),
                              std::pair(&smaller.crashes, 1U)};
    for (const auto& [faults, fewest] : least) {
      const unsigned asked = *faults;
      *faults = std::min(asked, fewest);
      if (!fits()) continue;
      while (*faults < asked && fits()) ++*faults;
      if (!fits()) --*faults;
      return question_text(smaller, language());
    }
    while (smaller.arrangement.empty() && --smaller.nodes > 1) {
      if (fits()) return question_text(smaller, language());
    }
    return {};
  }

  ProtocolMaker make;
  std::string protocol;
  std::string property;
  bool as_page = false;
  bool partial = false;
  ExploreOptions bounds{.crashes = 2, .restarts = 1};
  std::optional<std::size_t> nodes;
  std::size_t delivery = as_the_algorithm_asks;
  std::string arrangement;
  std::uint64_t max_mib = 4096;
  bool brief = false;
  std::string counterexample;
};

}  // namespace

const CommandKind verify_command = {.name = "verify",
                                    .summary = Text::command_verify,
                                    .intro = Text::help_verify_intro,
                                    .make = make_command<VerifyCommand>,
                                    .closing = {Text::help_verify_exit},
                                    .judges = true};

}  // namespace bully
