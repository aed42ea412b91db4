// hold_session.cc: keys deliver and drop the held messages.
#include "terminal/hold_session.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "election/participant.h"
#include "node/peer_process.h"
#include "node/status_reply.h"
#include "rules/rules.h"
#include "sim/script_text.h"
#include "terminal/invocation.h"
#include "terminal/output.h"
#include "terminal/screen.h"
#include "terminal/traces.h"
#include "view/errors.h"

namespace bully {

namespace {

// The time until a signal's effect is visible.
constexpr Duration until_visible = std::chrono::milliseconds(200);
// The largest number of scripts of one name in a directory.
constexpr int max_scripts = 1000;

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// Makes a new file with this text: "held.txt", otherwise "held-2.txt", …; `path` becomes its name.
// False if that fails, and errno says why.
bool write_new(std::string& path, const std::string& text) {
  const std::filesystem::path wanted = path;
  std::FILE* file = std::fopen(path.c_str(), "wx");
  for (int i = 2; file == nullptr && errno == EEXIST && i <= max_scripts; ++i) {
    const std::string name = wanted.stem().string() + '-' + std::to_string(i);
    path = (wanted.parent_path() / (name + wanted.extension().string())).string();
    file = std::fopen(path.c_str(), "wx");
  }
  if (file == nullptr) return false;
  const bool is_taken = std::fputs(text.c_str(), file) != EOF;
  return std::fclose(file) == 0 && is_taken;
}

struct SessionNodes : ControlledNodes {
  SessionNodes(Directory directory, LinkObserver& other, std::function<void(const Record&)> to_note)
      : ControlledNodes(std::move(directory), reaction_time, other), note(std::move(to_note)) {}

  void on_lost(const Record& lost) override { note(lost); }
  // The keys for signals record what they do; nobody else records a cut.
  void record(const Record& record) override {
    ControlledNodes::record(record);
    if (record.event != TraceEvent::partition && record.event != TraceEvent::heal) return;
    Record act = record;
    act.t_ns = monotonic_now().count();
    act.pid = nodes_.at(record.node).pid;
    note(act);
  }

  std::function<void(const Record&)> note;
};

}  // namespace

void require_for_hold(const Invocation& invocation, const std::string& save) {
  require_file_or_none(save);
  if (!Screen::is_possible()) {
    throw std::runtime_error(invocation.say(Text::hold_no_terminal, {"--hold"}));
  }
}

HoldSession::HoldSession(const std::string& directory, const std::string& trace,
                         const Invocation& invocation)
    : invocation_(invocation), trace_(open_trace(trace)) {
  take_names(directory);
}

void HoldSession::take_names(const std::string& directory) {
  Directory place(directory, true);
  guard_.put_names_back(place.path());
  const std::string path = place.path();
  try {
    nodes_ = std::make_unique<SessionNodes>(std::move(place), static_cast<LinkObserver&>(*this),
                                            [this](const Record& lost) { note_lost(lost); });
  } catch (const SetupError&) {
    guard_.forget_directory(path);  // a recorder may have the names
    throw;
  }
}

void HoldSession::note_lost(const Record& lost) {
  if (trace_ && lost.pid != 0) {
    trace_->record(lost);
  } else if (lost.reason != "gone") {  // the crash of that receiver is shown already
    lost_.push_back(lost);
  }
}

// --- Observations. Never call the proxy while it reports ---

// A process with a clock, or without this program's protocol, is not controlled.
void HoldSession::on_start(NodeId id) {
  observations_.emplace_back([this, id] {
    const bool controlled =
        query_node(nodes_->directory(), id, reply_patience).controlled.has_value();
    if (!controlled || script_->on_start(id)) end_script();
  });
}

void HoldSession::on_end(NodeId id, bool has_left) {
  observations_.emplace_back([this, id, has_left] {
    nodes_->on_ended(id);
    if (script_->on_end(id, has_left)) end_script();
  });
}

void HoldSession::serve(std::vector<pollfd>& others, Time deadline) {
  const auto is_ready = [](const pollfd& other) { return other.revents != 0; };
  do {
    for (pollfd& other : others) other.revents = 0;
    nodes_->proxy().serve(others, deadline);
  } while (observations_.empty() && std::ranges::none_of(others, is_ready) &&
           monotonic_now() < deadline);
}

void HoldSession::handle_observations() {
  for (const auto& next : std::exchange(observations_, {})) {
    if (script_) perform([&next] { return next(), StepResult(); });
  }
  // A process without an event has sent a message: it acts by itself.
  const auto is_new = std::not_fn(&ControlledNodes::Sent::is_posted);
  if (script_ && std::ranges::any_of(nodes_->waiting(), is_new)) end_script();
}

// Delivers each message separately, so that the script has their order.
void HoldSession::update() {
  handle_observations();
  if (is_released_) deliver_each();
}

// The algorithm of all present processes, if each of them follows the right coordinator. If a
// process does not report its coordinator, its pings show it; the coordinator gets pings, and sends
// none.
const Algorithm* HoldSession::agreed_algorithm(std::vector<NodeStatus> peers,
                                               std::vector<NodeId>& ids) const {
  std::erase_if(peers, std::not_fn(&NodeStatus::is_alive));
  if (peers.empty()) return nullptr;
  ids = list_of(peers, &NodeStatus::id);
  const Algorithm& algorithm = algorithm_named(peers.front().algorithm);
  const NodeId coordinator = algorithm.preferred_of(ids);
  const auto is_pinged = [&](const auto& ping) { return ping.second == coordinator; };
  const auto follows = [&](const NodeStatus& peer) {
    if (&algorithm_named(peer.algorithm) != &algorithm) return false;
    if (peer.condition == Condition::running) return peer.coordinator == coordinator;
    if (peer.id == coordinator) return std::ranges::any_of(pinged_, is_pinged);
    const auto pinged = pinged_.find(peer.id);
    return pinged != pinged_.end() && pinged->second == coordinator;
  };
  return std::ranges::all_of(peers, follows) ? &algorithm : nullptr;
}

void HoldSession::take_look(const std::vector<NodeStatus>& peers) {
  if (!has_begun_) return begin_if_agreed(peers);
  for (const NodeStatus& peer : peers) {
    if (peer.is_halted) on_signalled(peer.id, SIGSTOP);
  }
}

void HoldSession::begin_if_agreed(const std::vector<NodeStatus>& peers) {
  std::vector<NodeId> ids;
  if (agreed_algorithm(peers, ids) == nullptr) return;
  // An election may have begun since the query: so they are queried again.
  nodes_->proxy().hold(true);
  const auto again = query_status(nodes_->directory(), query_time);
  std::vector<pollfd> none;
  nodes_->proxy().serve(none, monotonic_now());
  const Algorithm* const algorithm = agreed_algorithm(again, ids);
  if (algorithm == nullptr || !nodes_->waiting().empty()) return nodes_->proxy().hold(false);
  algorithm_ = algorithm;
  has_begun_ = true;
  observations_.clear();
  const auto is_controlled = [](const NodeStatus& peer) {
    return !peer.is_alive() || peer.controlled;
  };
  if (!std::ranges::all_of(again, is_controlled)) return;
  nodes_->proxy().keep_for_dead(true);
  perform([&] {
    script_.emplace(*algorithm, ids, &*nodes_, [this](NodeId id) { return nodes_->make(id); });
    return StepResult();
  });
}

// --- Acts ---

// Returns why the step is impossible. If a process did not take an event, or did anything else, the
// script ends.
std::string HoldSession::perform(const std::function<StepResult()>& step) try {
  const std::size_t before = script_ ? script_->lines().size() : 0;
  const StepResult wrong = step();
  if (script_ && script_->lines().size() > before) acts_.push_back(before);
  return wrong ? words_of(*wrong, invocation_.language) : "";
} catch (const Problem& problem) {
  end_script();
  return words_of(problem, invocation_.language);
}

void HoldSession::end_script() {
  if (script_ && !script_->lines().empty()) {
    ended_script_ = script_->script(false) + "# " + invocation_.say(Text::hold_unexplained) + '\n';
  }
  script_.reset();
  nodes_->proxy().keep_for_dead(false);
}

// Makes a controlled node handle the key's event: as a step of the script, if there is one.
std::string HoldSession::send_event(std::string_view key, const NodeStatus& node) {
  if (!node.controlled) return invocation_.say(Text::hold_own_clock, {node.id});
  if (script_ && key == "t") return perform([&] { return script_->expire(node.id); });
  if (script_) return perform([&] { return script_->suspect(node.id); });
  const auto controlled =
      query_node(nodes_->directory(), node.id, reply_patience).controlled.value_or(Controlled());
  Event event = Expired{controlled.timers[0].start > 0 ? Timer::answer : Timer::coordinator};
  if (key == "u") {
    const NodeId watched = controlled.watched.value_or(node.id);
    const auto cause = nodes_->proxy().has_proxy(watched) ? Suspicion::hung : Suspicion::down;
    event = Suspected{watched, watched == node.id ? Suspicion::deposed : cause};
  }
  query_node(nodes_->directory(), node.id, reply_patience, query_with(event));
  return "";
}

void HoldSession::deliver_each() {
  for (std::size_t left = waiting().size(); left > 0 && !waiting().empty(); --left) {
    deliver(0, true);
  }
}

std::string HoldSession::deliver(std::size_t place, bool delivers) {
  if (script_) {
    return perform([&] { return delivers ? script_->deliver(place) : script_->drop(place); });
  }
  const ControlledNodes::Sent chosen = nodes_->waiting()[place];
  if (delivers) {
    nodes_->proxy().deliver(chosen.ticket);
  } else {
    nodes_->drop(chosen.ticket);
    Record lost = lost_message(chosen.to, chosen.message, Loss::chance);
    lost.t_ns = monotonic_now().count();
    lost.pid = query_node(nodes_->directory(), lost.node, reply_patience).pid;
    note_lost(lost);
  }
  return "";
}

std::string HoldSession::take_key(std::string_view key, const std::optional<NodeStatus>& node,
                                  const Starter& start) {
  if (!has_begun_) return "";
  handle_observations();
  if (is_one_of(key, {"[", "\033[D"})) selection_.move(waiting(), -1);
  if (is_one_of(key, {"]", "\033[C"})) selection_.move(waiting(), 1);
  if (key == "r") is_released_ = !is_released_;
  if (node && is_one_of(key, {"t", "u"})) return send_event(key, *node);
  if (node && is_one_of(key, {"/", "b"})) {
    const Text reason = node->controlled ? Text::hold_script_over : Text::hold_own_clock;
    if (!script_) return invocation_.say(reason, {node->id});
    if (key == "b") return step_back(start);
    return perform([&] { return script_->cut_above(node->id); });
  }
  if (!is_one_of(key, {"d", "x", "a"})) return "";
  const std::size_t all = waiting().size();
  if (all == 0) return invocation_.say(Text::hold_nothing);
  if (key != "a") return deliver(selection_.place_in(waiting()), key == "d");
  if (script_) return perform([this] { return script_->deliver_all(); });
  deliver_each();
  return "";
}

int HoldSession::signal(NodeId id, int number, const std::function<int()>& act) {
  if (!script_ || number != SIGCONT) {
    const int error = act();
    if (error == 0) on_signalled(id, number);
    return error;
  }
  // First it finds the messages that have come meanwhile, as in the script.
  std::optional<int> error;
  nodes_->continue_by([&] { error = act(); });
  perform([&] { return script_->on_go_on(id); });
  nodes_->continue_by(nullptr);
  return error ? *error : act();
}

void HoldSession::on_signalled(NodeId id, int signal) {
  if (!script_) return;
  if (signal == SIGSTOP && script_->runs(id)) {
    nodes_->on_stopped(id);
    perform([&] { return script_->on_stop(id); });
  }
  if (signal == SIGKILL) await([&] { return !script_->runs(id); }, until_visible);
}

void HoldSession::on_starting(NodeId id) {
  await([&] { return script_->runs(id); }, reaction_time);
}

// Until then no key is taken: its effect could not be told apart from that of the act before.
void HoldSession::await(const std::function<bool()>& condition, Duration at_most) {
  const Time deadline = monotonic_now() + at_most;
  std::vector<pollfd> none;
  while (script_ && !condition() && monotonic_now() < deadline) {
    serve(none, deadline);
    handle_observations();
  }
}

// --- Waiting messages ---

std::vector<Send> HoldSession::waiting() const {
  if (script_) return script_->waiting();
  if (!has_begun_) return {};
  return list_of(nodes_->waiting(), [](const ControlledNodes::Sent& each) {
    return Send{each.to, each.message};
  });
}

// --- Output and saving ---

HeldMessages HoldSession::view() {
  HeldMessages view{.has_begun = has_begun_, .is_released = is_released_, .waiting = waiting()};
  view.selected = selection_.place_in(view.waiting);
  view.has_script_ended = !ended_script_.empty();
  if (!script_) return view;
  view.lines = script_->lines().size();
  for (const std::string& line : script_->lines()) {
    view.last_line = line;
    if (line.starts_with(word_of(Verb::partition))) view.cut = line;
    if (line == word_of(Verb::heal)) view.cut.clear();
  }
  return view;
}

int HoldSession::save(const std::string& wanted) const {
  const bool has_steps = script_ && !script_->lines().empty();
  if (!has_steps && ended_script_.empty()) return exit_ok;
  std::string rules;
  if (algorithm_ != nullptr && rules_of(*algorithm_) != nullptr) {
    rules = algorithm_option(*algorithm_);
  }
  const std::string script = "# " + invocation_.say(Text::hold_script, {rules}) + '\n' +
                             (has_steps ? script_->script() : ended_script_);
  std::string path = wanted;
  if (write_new(path, script)) {
    write_to_stdout(invocation_.say(Text::hold_saved, {path, rules}) + '\n');
    return exit_ok;
  }
  complain(invocation_.say(Text::hold_not_saved, {path, error_words(errno, invocation_.language)}));
  write_to_stdout(script);
  return exit_failed;
}

}  // namespace bully
