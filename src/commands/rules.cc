// rules.cc: `bully rules test FILE`, whether an outside program of rules keeps its contract.
#include "rules/rules.h"

#include "base/layout.h"
#include "base/list.h"
#include "commands/commands.h"
#include "terminal/output.h"

namespace bully {

namespace {

struct RulesCommand : Subcommand {
  void declare(Options& options) override {
    options.arguments(Text::help_rules_arguments, words, 2, {"test"});
    options.language();
  }

  int run() override {
    if (words.size() != 2 || words[0] != "test") fail(Text::usage_rules);
    const std::string path = words[1].find('/') == std::string::npos ? "./" + words[1] : words[1];
    Rules& rules = load_rules(path);
    const auto pass = [&](Text key, Values values = {}) {
      write_to_stdout(beside("  ✓ ", say(key, values)));
    };
    const Description& described = rules.description();
    write_to_stdout(std::string(described.signature) + '\n');
    pass(Text::rules_describes,
         {described.messages.size(), described.states.size() - 1, described.rules.size()});
    const Conformance found = check_conformance(rules);
    const std::string unfired = joined(found.unfired, ", ");
    pass(Text::rules_answers,
         {grouped(rules.questions(), language()), grouped(rules.situations(), language())});
    rules.confirm();
    pass(Text::rules_confirmed);
    if (!found.is_whole) write_to_stdout(beside("  – ", say(Text::rules_not_whole)));
    if (!unfired.empty()) write_to_stdout(beside("  – ", say(Text::rules_unfired, {unfired})));
    return exit_ok;
  }

  std::vector<std::string> words;
};

}  // namespace

const CommandKind rules_command = {"rules", Text::command_rules, Text::help_rules_intro,
                                   make_command<RulesCommand>};

}  // namespace bully
