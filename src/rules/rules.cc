// rules.cc: a protocol that asks the program, and remembers its answers.
#include "rules/rules.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "base/json.h"
#include "election/field_visitor.h"
#include "election/ring_order.h"
#include "rules/json_fields.h"

namespace bully {

namespace {

// Then all answers are forgotten: in a simulation of days, or of memory that never repeats.
constexpr std::size_t max_remembered = 300'000;
constexpr std::size_t max_situations = 5'000'000;

// The bytes shown of two answers that differ, and the number of these that are alike.
constexpr std::size_t most_shown = 160;
constexpr std::size_t most_before = 60;

constexpr unsigned hash_seed = 1;
constexpr unsigned other_hash_seed = 2;

// FNV-1a: short, and the same everywhere. It tells versions apart, and protects nothing.
std::string version_of(std::string_view bytes) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", hash);
  return digits.data();
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "./my_bully.py" as "my-bully".
std::string name_from(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ranges::replace(name, '_', '-');
  return name.empty() ? "rules" : name;
}

// On a ring, from the process itself clockwise; else from the lowest. With itself.
std::vector<NodeId> ids_for(NodeId self, Topology topology, const Peers& peers) {
  const auto known = peers.ids();
  std::vector<NodeId> ids(known.begin(), known.end());
  const auto place = std::ranges::lower_bound(ids, self);
  if (place == ids.end() || *place != self) ids.insert(place, self);
  if (topology != Topology::ring) return ids;
  std::vector<NodeId> ring = {self};
  for (NodeId next = peers.next_of(self); next != self && ring.size() < ids.size();
       next = peers.next_of(next)) {
    ring.push_back(next);
  }
  return ring;
}

class OutsideProtocol : public Protocol {
 public:
  OutsideProtocol(Rules& rules, NodeId self) : rules_(rules), self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const Rules::Reaction* known = rules_.react(situation_, event, self_, peers);
    if (known == nullptr) return;
    situation_ = known->next;
    actions.insert(actions.end(), known->actions.begin(), known->actions.end());
  }
  NodeId id() const override { return self_; }
  std::string_view state_name() const override {
    return rules_.description().states[situation().state].name;
  }
  std::optional<NodeId> coordinator() const override { return situation().coordinator; }
  std::optional<NodeId> watched() const override { return situation().watched; }
  Variables variables() const override { return situation().variables; }
  void visit_fields(FieldVisitor& visit) override { visit(situation_); }
  std::size_t situation_number() const { return situation_; }

 private:
  const Situation& situation() const { return rules_.situation(situation_); }

  Rules& rules_;
  NodeId self_;
  std::size_t situation_ = 0;
};

}  // namespace

Rules::Rules(const std::string& path) : path_(path), program_(path, hash_seed) {
  const std::string answer = program_.ask(describe_question);
  try {
    const Json json = object_in(answer);
    read_description(json, name_from(path), description_);
    described_ = canonical(json);
  } catch (const RulesError& error) {
    throw RulesError(error.problem, path, std::string(describe_question), answer);
  }
  description_.signature = description_.keep(std::string(description_.name) + version_mark +
                                             version_of(answer + bytes_of_file(path)));
  description_.option = path_;
  description_.make = [this](NodeId self) {
    return std::make_unique<OutsideProtocol>(*this, self);
  };
  description_.confirm = [this] { confirm(); };
  Situation beginning;
  for (std::size_t i = 0; i < description_.variables.size(); ++i) {
    beginning.variables.at(i).name = description_.variables[i];
  }
  number_of(std::move(beginning));
}

std::optional<std::string> Rules::meet(std::size_t situation, const Event& event, NodeId self,
                                       const Peers& peers) {
  const std::vector<NodeId> ids = ids_for(self, description_.topology, peers);
  std::optional<std::string> question =
      question_of(*situations_[situation], description_, event, self, ids);
  if (!question) return std::nullopt;
  heard_of_.insert(ids.begin(), ids.end());
  if (const auto* received = std::get_if<Received>(&event))
    heard_of_.insert(received->message.from);
  if (const auto* preset = std::get_if<Preset>(&event)) heard_of_.insert(preset->coordinator);
  last_question_ = *question;
  return question;
}

const Rules::Reaction* Rules::react(std::size_t situation, const Event& event, NodeId self,
                                    const Peers& peers) {
  const std::optional<std::string> question = meet(situation, event, self, peers);
  if (!question) return nullptr;
  const auto found = known_.find(*question);
  if (found != known_.end()) return &found->second;
  forget_if_full();
  return &remember(*question, program_.ask(*question), event, self);
}

void Rules::add_ids_in(const Message& message) {
  for (const Field* field : message.type->fields) {
    if (field == nullptr || field->meaning != Field::Meaning::id) continue;
    if (const auto id = message.get(*field)) heard_of_.insert(*id);
  }
  heard_of_.insert(message.list().begin(), message.list().end());
}

bool Rules::prepare(const Protocol& protocol, const Event& event, const Peers& peers) {
  if (deadline() == never) {  // no question is open
    const std::size_t situation = static_cast<const OutsideProtocol&>(protocol).situation_number();
    const std::optional<std::string> question = meet(situation, event, protocol.id(), peers);
    // A message may name a process that left before this one started.
    if (const auto* received = std::get_if<Received>(&event)) add_ids_in(received->message);
    if (!question || known_.contains(*question)) return true;
    forget_if_full();
    program_.begin(*question);
  }
  const std::optional<std::string> line = program_.go_on();
  if (!line) return false;
  remember(last_question_, *line, event, protocol.id());
  return true;
}

const Rules::Reaction& Rules::remember(const std::string& question, const std::string& line,
                                       const Event& event, NodeId self) try {
  Answer answer = read_answer(line, description_, event, self,
                              [this](NodeId id) { return heard_of_.contains(id); });
  const std::size_t next = number_of(std::move(answer.next));
  const auto [added, is_new] =
      known_.emplace(question, Reaction{next, std::move(answer.actions), std::move(answer.said)});
  asked_.push_back(&added->first);
  return added->second;
} catch (const RulesError& error) {
  throw RulesError(error.problem, path_, question, line);
}

void Rules::forget_if_full() {
  if (known_.size() >= max_remembered) {
    known_.clear();
    asked_.clear();
  }
  if (situations_.size() >= max_situations) {
    throw RulesError({"rules_situations", {std::to_string(max_situations)}}, path_);
  }
}

std::size_t Rules::number_of(Situation situation) {
  const auto [found, is_new] = numbers_.try_emplace(std::move(situation), situations_.size());
  if (is_new) situations_.push_back(&found->first);
  return found->second;
}

const std::string& Rules::answer_to(const std::string& question) const {
  static const std::string none;
  const auto found = known_.find(question);
  return found == known_.end() ? none : found->second.answer;
}

void Rules::confirm() const {
  RuleProgram again(path_, other_hash_seed);
  const auto ask = [&](const std::string& question, const std::string& before) {
    const std::string line = again.ask(question);
    std::string now = line;
    try {
      now = canonical(object_in(line));
    } catch (const RulesError&) {  // it was none the first time
    }
    if (now == before) return;
    // Around the first difference.
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(now, before).in1 - now.begin());
    const std::size_t from = std::max(same, most_before) - most_before;
    const auto shown = [from](const std::string& answer) {
      return std::string(from > 0 ? "…" : "") + answer.substr(from, most_shown) +
             (answer.size() > from + most_shown ? "…" : "");
    };
    throw RulesError({"rules_not_a_function", {shown(before), shown(now)}}, path_, question, line);
  };
  ask(std::string(describe_question), described_);
  for (std::size_t i = asked_.size(); i-- > 0;) ask(*asked_[i], known_.at(*asked_[i]).answer);
}

// --- All that are loaded ---

static std::map<std::string, Rules>& loaded() {
  static std::map<std::string, Rules> all;
  return all;
}

Rules& load_rules(const std::string& path) {
  const auto file = std::filesystem::absolute(path).lexically_normal();
  const auto [place, is_new] = loaded().try_emplace(file.string(), path);
  Rules& rules = place->second;
  if (!is_new) return rules;
  if (loaded().size() > max_added_algorithms) {
    throw NoRules({"rules_too_many_programs", {std::to_string(max_added_algorithms)}}, path);
  }
  add_words(rules.description().words);
  add_algorithm(rules.description());
  return rules;
}

Rules* rules_of(const Algorithm& algorithm) {
  for (auto& [path, rules] : loaded()) {
    if (rules.description().name == algorithm.name) return &rules;
  }
  return nullptr;
}

}  // namespace bully
