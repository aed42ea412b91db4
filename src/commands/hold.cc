#include "commands/hold.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "commands/reports.h"
#include "commands/terminal.h"
#include "node/aside.h"
#include "node/peer_process.h"

namespace bully {

namespace {

// A process does what a message makes it do within microseconds; one that has a clock of its own,
// or that paces its messages, may take longer.
constexpr Duration settling = std::chrono::milliseconds(200);
// For how long it waits, before it begins, for processes that may not reply.
constexpr Duration asking = std::chrono::milliseconds(100);
// So many scripts of one name may stand in a directory.
constexpr int most_scripts = 1000;

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// Makes a new file with this text: "held.txt", else "held-2.txt", …; `path` becomes its name. False
// if that cannot be, and errno says why.
bool write_new(std::string& path, const std::string& text) {
  const std::filesystem::path wanted = path;
  std::FILE* file = std::fopen(path.c_str(), "wx");
  for (int i = 2; file == nullptr && errno == EEXIST && i <= most_scripts; ++i) {
    const std::string name = wanted.stem().string() + '-' + std::to_string(i);
    path = (wanted.parent_path() / (name + wanted.extension().string())).string();
    file = std::fopen(path.c_str(), "wx");
  }
  if (file == nullptr) return false;
  const bool is_taken = std::fputs(text.c_str(), file) != EOF;
  return std::fclose(file) == 0 && is_taken;
}

}  // namespace

void check_hold_options(bool holds, const Invocation& invocation) {
  if (!holds && invocation.gives("--save")) {
    invocation.fail(Text::usage_needs_option, {"--save", "--hold"});
  }
  const bool has_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (holds && !has_terminal) {
    throw std::runtime_error(invocation.say(Text::tmux_no_terminal, {"--hold"}));
  }
}

Hold::Hold(const std::string& directory, const Invocation& invocation)
    : invocation_(invocation), directory_(directory, true) {
  guard_.put_names_back(directory_.path());
  relay_.emplace(directory_, static_cast<Witness&>(*this));
}

// --- What is seen. The relay must not be told anything while it tells us ---

void Hold::on_start(NodeId id) {
  seen_.emplace_back([this, id] { held_->on_start(id); });
}

void Hold::on_end(NodeId id, bool has_left) {
  seen_.emplace_back([this, id, has_left] { perform(held_->on_end(id, has_left)); });
}

void Hold::on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) {
  if (way != Way::sent || !message.type.is_of_election()) return;
  has_seen_message_ = true;
  seen_.emplace_back([this, message, to, ticket] { held_->on_sent(message, to, ticket); });
}

void Hold::serve(std::vector<pollfd>& others, Time deadline) {
  const auto is_ready = [](const pollfd& other) { return other.revents != 0; };
  do {
    for (pollfd& other : others) other.revents = 0;
    relay_->serve(others, deadline);
  } while (seen_.empty() && std::ranges::none_of(others, is_ready) && monotonic_now() < deadline);
}

void Hold::take_in() {
  while (!seen_.empty()) {
    const auto next = std::move(seen_.front());
    seen_.pop_front();
    if (held_) next();
  }
}

// Each message by itself, so that the script says in which order they were delivered.
void Hold::go_on() {
  take_in();
  if (!runs_ || !held_) return;
  const std::vector<Held::Entry> waiting = held_->waiting();
  for (const Held::Entry& entry : waiting) perform(held_->deliver(entry.ticket), true);
}

void Hold::serve_until(const std::function<bool()>& condition) {
  take_in();
  std::vector<pollfd> none;
  const Time deadline = monotonic_now() + settling;
  while (!condition() && monotonic_now() < deadline) {
    serve(none, deadline);
    take_in();
  }
}

// What they are about to send comes first, before anything else is done.
void Hold::settle() {
  serve_until([this] { return !held_ || !held_->awaits_any(); });
}

// What all run that are there, if each of them follows the one that should be followed. What a
// process does not say is told by its pings; the coordinator is pinged, and sends none.
const Algorithm* Hold::agreed_algorithm(std::vector<NodeStatus> peers,
                                        std::vector<NodeId>& ids) const {
  std::erase_if(peers, std::not_fn(&NodeStatus::is_alive));
  if (peers.empty()) return nullptr;
  std::ranges::transform(peers, std::back_inserter(ids), &NodeStatus::id);
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

void Hold::begin_if_agreed(const std::vector<NodeStatus>& peers) {
  if (held_) return;
  std::vector<NodeId> ids;
  if (agreed_algorithm(peers, ids) == nullptr) return;
  // An election may have begun since they were asked: so they are asked again.
  relay_->hold(true);
  has_seen_message_ = false;
  ids.clear();
  const auto again = query_status(directory_, asking);
  std::vector<pollfd> none;
  relay_->serve(none, monotonic_now());
  const Algorithm* const algorithm = agreed_algorithm(again, ids);
  if (algorithm == nullptr || has_seen_message_) return relay_->hold(false);
  if (!Held::can_name(ids)) {
    throw Refusal(invocation_.say(Text::hold_high_id, {ids.back()}),
                  invocation_.say(Text::hold_high_id_advice));
  }
  seen_.clear();
  held_.emplace(*algorithm, ids);
}

// --- What is done ---

// Its messages are delivered or dropped. Returns why not, if that may not be.
std::string Hold::perform(const Held::Deed& deed, bool delivers) {
  if (deed.refused) return words_of(*deed.refused, invocation_.language);
  for (const Held::Ticket ticket : deed.tickets) {
    delivers ? relay_->deliver(ticket) : relay_->drop(ticket);
  }
  for (const auto& [id, event] : deed.orders) {
    query_node(own_socket(directory_, id), id, reply_patience, order_to_meet(event));
  }
  return "";
}

std::string Hold::take_key(std::string_view key, const std::optional<NodeStatus>& node) {
  if (!held_) return "";
  settle();
  if (is_one_of(key, {"[", "\033[D", "\033OD"})) held_->move_selection(-1);
  if (is_one_of(key, {"]", "\033[C", "\033OC"})) held_->move_selection(1);
  if (key == "r") runs_ = !runs_;
  if (node && is_one_of(key, {"t", "u"})) {
    if (!node->by_hand) return invocation_.say(Text::hold_own_clock, {node->id});
    return perform(key == "t" ? held_->expire(node->id) : held_->suspect(node->id));
  }
  if (!is_one_of(key, {"d", "x", "a"})) return "";
  if (held_->waiting().empty()) return invocation_.say(Text::hold_nothing);
  const Held::Ticket selected = held_->waiting()[held_->selected()].ticket;
  if (key == "x") return perform(held_->drop(selected));
  return perform(key == "a" ? held_->deliver_all() : held_->deliver(selected), true);
}

void Hold::on_signalled(NodeId id, int signal) {
  if (!held_) return;
  if (signal == SIGSTOP) held_->on_stop(id);
  if (signal == SIGCONT) held_->on_go_on(id);
  if (signal == SIGKILL) serve_until([this, id] { return !held_->runs(id); });
}

// --- What is shown, and saved ---

HeldView Hold::view() const {
  HeldView view{.has_begun = held_.has_value(), .runs = runs_};
  if (!held_) return view;
  for (const Held::Entry& entry : held_->waiting()) {
    view.waiting.push_back({entry.message, entry.to});
  }
  view.selected = held_->selected();
  view.lines = held_->lines().size();
  if (view.lines > 0) view.last_line = held_->lines().back();
  return view;
}

int Hold::save(const std::string& wanted) const {
  if (!held_ || held_->lines().empty()) return exit_ok;
  std::string script = "# " + invocation_.say(Text::hold_script) + '\n';
  if (!held_->is_explained()) script += "# " + invocation_.say(Text::hold_unexplained) + '\n';
  script += held_->script();
  std::string path = wanted;
  if (write_new(path, script)) {
    write_to_stdout(invocation_.say(Text::hold_saved, {path}) + '\n');
    return exit_ok;
  }
  complain(invocation_.say(Text::hold_not_saved, {path, std::strerror(errno)}));
  write_to_stdout(script);
  return exit_failed;
}

}  // namespace bully
