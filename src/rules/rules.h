// rules.h: an election whose rules are a program outside this one, as an Algorithm like any other.
//
// The program answers questions (contract.h), and each answer is remembered; a protocol asks it in
// place of rules in C++. The number of a Situation is the whole state that a protocol saves.
//
// Simulator and explorer share one program; a real node has its own. Nothing here knows a language.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "node/outside.h"
#include "rules/contract.h"
#include "rules/rule_program.h"

namespace bully {

class Rules : public OutsideRules {
 public:
  // Starts the program and asks what it is. Throws RulesError.
  explicit Rules(const std::string& path);

  // With its signature, "NAME@VERSION": the version is a hash of the description and of the
  // program's bytes, so that nodes with other rules in one directory differ in it.
  const Description& description() const { return description_; }
  const std::string& path() const { return path_; }

  struct Reaction {
    std::size_t next = 0;  // the number of the situation that follows
    Actions actions;
    std::string answer;  // canonical
  };
  // What a process does that stands in this situation. Valid until the next call. Null: nothing.
  const Reaction* react(std::size_t situation, const Event& event, NodeId self, const Peers& peers);
  const Situation& situation(std::size_t number) const { return *situations_[number]; }

  // For a real node, which asks before a step. REQUIRES: the protocol is of these rules.
  bool prepare(const Protocol& protocol, const Event& event, const Peers& peers) override;
  void add_to(std::vector<pollfd>& polled) const override { program_.add_to(polled); }
  Time deadline() const override { return program_.deadline(); }

  // Asks everything that is remembered once more, the last question first, of a new process in
  // which sets have another order. Throws RulesError for an answer that differs.
  void confirm() const;

  // The question that was met last; empty before the first.
  const std::string& last_question() const { return last_question_; }
  // Empty if it is not remembered.
  const std::string& answer_to(const std::string& question) const;
  std::size_t questions() const { return asked_.size(); }
  std::size_t situations() const { return situations_.size(); }

 private:
  // The question, now the last one; nothing if the contract has none for this event.
  std::optional<std::string> meet(std::size_t situation, const Event& event, NodeId self,
                                  const Peers& peers);
  const Reaction& remember(const std::string& question, const std::string& line, const Event& event,
                           NodeId self);
  void add_ids_in(const Message& message);
  void forget_if_full();
  std::size_t number_of(Situation situation);

  std::string path_;
  RuleProgram program_;
  Description description_;
  std::string described_;  // its description, canonical
  std::map<Situation, std::size_t> numbers_;
  // By their numbers; the first is that of a process that has not started.
  std::vector<const Situation*> situations_;
  std::unordered_map<std::string, Reaction> known_;
  std::vector<const std::string*> asked_;  // the keys of known_, in the order of asking
  std::set<NodeId> heard_of_;
  std::string last_question_;
};

// The rules at a path, for as long as this process runs: they are loaded once, and added to
// algorithms(). Throws RulesError.
Rules& load_rules(const std::string& path);
// The rules of this algorithm; null if it is one of the house's.
Rules* rules_of(const Algorithm& algorithm);

struct Conformance {
  std::vector<std::string_view> unfired = {};  // the rules that no answer named
  bool is_whole = true;                        // false: some situations are left
};
// Asks everything that may happen to three processes, without an election: in each situation that
// an answer leads to, breadth first, up to some thousands of questions. Throws RulesError for the
// first answer that breaks the contract.
Conformance check_conformance(Rules& rules);

}  // namespace bully
