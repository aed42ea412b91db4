#include "stage/held.h"

#include <algorithm>

#include "sim/play.h"

namespace bully {

namespace {

// What has happened to a process by itself.
using Orders = std::vector<std::pair<NodeId, Event>>;

// A process of the model: the algorithm's own, and what it suspects and which timers run out is
// noted, as an order for the real one.
class Noting : public Protocol {
 public:
  Noting(std::unique_ptr<Protocol> inner, Orders& orders)
      : inner_(std::move(inner)), orders_(orders) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const bool is_order = std::holds_alternative<Suspected>(event) ||
                          std::holds_alternative<Expired>(event) ||
                          std::holds_alternative<Found>(event);
    if (is_order) orders_.emplace_back(id(), event);
    inner_->handle(event, peers, actions);
  }
  NodeId id() const override { return inner_->id(); }
  std::string_view state_name() const override { return inner_->state_name(); }
  std::optional<NodeId> coordinator() const override { return inner_->coordinator(); }
  std::optional<NodeId> watched() const override { return inner_->watched(); }
  std::optional<Group> group() const override { return inner_->group(); }
  Variables variables() const override { return inner_->variables(); }
  void visit_fields(FieldVisitor& visit) override { inner_->visit_fields(visit); }

 private:
  std::unique_ptr<Protocol> inner_;
  Orders& orders_;
};

std::string ids_text(const std::vector<NodeId>& ids) {
  std::string shown;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (last < i + 2) last = i;  // a range of two would be no shorter
    shown += ' ' + std::to_string(ids[i]);
    if (last > i) shown += ".." + std::to_string(ids[last]);
    i = last + 1;
  }
  return shown;
}

std::string of(const std::string& verb, NodeId id, const std::string& more = "") {
  return verb + ' ' + std::to_string(id) + more;
}

// "E from 3 to 4"
std::string named(const Message& message, NodeId to) {
  return std::string(message.type->code) + " from " + std::to_string(message.from) + " to " +
         std::to_string(to);
}

// Whether `real` is what the model has sent: but for what goes on from before the script; and the
// example's messages have no fields [PyBully].
bool is_same(const Message& real, const Message& model) {
  if (real.type != model.type || real.from != model.from) return false;
  if (!real.number) return true;
  if (real.list() != model.list()) return false;
  for (std::size_t i = 0; i < most_fields; ++i) {
    const Field* field = real.type->fields.at(i);
    const bool counts = field != nullptr && field->meaning != Field::Meaning::tally;
    if (counts && real.values[i] != model.values[i]) return false;
  }
  return true;
}

// By sender and its number: which message of the model it is.
std::pair<NodeId, std::uint64_t> key_of(const InFlight& entry) {
  return {entry.message.from, entry.message.number.value_or(0)};
}

// What a process may have done by itself, the likeliest first: in one step; or in two, since the
// first may be one that nobody sees; or another process has stopped it and continued it, or only
// continued it.
std::vector<std::vector<std::string>> explanations(NodeId id) {
  const std::vector<std::string> deeds = {
      of("expire", id, " answer"), of("expire", id, " coordinator"), of("suspect", id),
      of("suspect", id, " hung"),  of("suspect", id, " deposed"),    of("check", id)};
  std::vector<std::vector<std::string>> all;
  for (const std::string& deed : deeds) all.push_back({deed});
  for (const std::string& first : deeds) {
    for (const std::string& second : deeds) all.push_back({first, second});
  }
  all.push_back({of("pause", id), of("resume", id)});
  all.push_back({of("resume", id)});
  return all;
}

}  // namespace

// The simulator, with the lines that it has played.
class Held::Model {
 public:
  explicit Model(const std::string& beginning)
      : beginning_(beginning),
        scenario_(std::get<Scenario>(parse_scenario("", beginning))),
        backend_(scenario_, nullptr, [this](NodeId id) {
          return std::make_unique<Noting>(scenario_.algorithm->make(id), orders_);
        }) {
    for (const ScenarioStep& step : scenario_.steps) backend_.perform(step);
    backend_.perform({.verb = Verb::hold});
  }

  // Plays one more line; one that cannot be played changes nothing.
  std::optional<Problem> perform(const std::string& line) {
    orders_.clear();
    const auto read = parse_scenario("", beginning_ + line);
    if (const auto* error = std::get_if<ScenarioError>(&read)) return error->expected;
    return backend_.perform(std::get<Scenario>(read).steps.back());
  }
  const SimulatedBackend& backend() const { return backend_; }
  const World& world() const { return backend_.world(); }
  const Orders& orders() const { return orders_; }
  const Algorithm& algorithm() const { return *scenario_.algorithm; }

  bool runs(NodeId id) const { return is_known(id) && world().running(id); }
  bool is_paused(NodeId id) const { return runs(id) && world().paused(id); }
  bool is_known(NodeId id) const { return std::ranges::binary_search(world().ids(), id); }

 private:
  std::string beginning_;
  Scenario scenario_;
  Orders orders_;
  SimulatedBackend backend_;
};

Held::Held(const Algorithm& algorithm, const std::vector<NodeId>& ids)
    : beginning_("algorithm " + std::string(algorithm.name) + "\nnodes" + ids_text(ids) + '\n'),
      model_(std::make_unique<Model>(beginning_)) {}
Held::~Held() = default;
Held::Held(Held&&) noexcept = default;

bool Held::can_name(const std::vector<NodeId>& ids) {
  return !ids.empty() && std::ranges::max(ids) <= World::highest_id;
}

// --- The script, and its model ---

// The same, once more.
std::unique_ptr<Held::Model> Held::replayed() const {
  auto model = std::make_unique<Model>(beginning_);
  for (const std::string& line : lines_) {
    if (!line.starts_with('#')) model->perform(line);
  }
  return model;
}

// These lines become steps; and with each, its sender is told of a message that met nobody.
std::optional<Problem> Held::take(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (auto problem = model_->perform(line)) return problem;
    lines_.push_back(line);
  }
  for (;;) {
    const auto news = model_->world().in_flight({.only_refused = true});
    if (news.empty()) break;
    const InFlight& first = news.front();
    const auto line =
        of("deliver gone from", first.message.from, " to " + std::to_string(first.to));
    if (model_->perform(line)) break;
    lines_.push_back(line);
  }
  refresh();
  return std::nullopt;
}

// Of the model, and its real process has not been seen to send it yet.
bool Held::is_unseen(const InFlight& entry) const {
  return !entry.refused && !tickets_.contains(key_of(entry));
}

// Finds out which of the model's messages this is: the oldest of its kind that has not been seen.
bool Held::assign(const Message& message, NodeId to, Ticket ticket) {
  if (!model_->is_known(message.from) || !model_->is_known(to)) return false;
  for (const InFlight& entry : model_->world().in_flight({.from = message.from, .to = to})) {
    if (!is_unseen(entry) || !is_same(message, entry.message)) continue;
    tickets_[key_of(entry)] = ticket;
    return true;
  }
  return false;
}

// Whether the process has acted by itself.
bool Held::explain(const Message& message, NodeId to, Ticket ticket) {
  if (!model_->runs(message.from)) return false;
  const std::vector<std::string> before = lines_;
  for (const auto& lines : explanations(message.from)) {
    if (!take(lines) && assign(message, to, ticket)) return true;
    lines_ = before;
    model_ = replayed();
  }
  return false;
}

void Held::refresh() {
  waiting_.clear();
  for (const InFlight& entry : model_->world().in_flight()) {
    const auto ticket = tickets_.find(key_of(entry));
    if (entry.refused || ticket == tickets_.end()) continue;
    waiting_.push_back({ticket->second, entry.to, entry.message});
  }
  waiting_.insert(waiting_.end(), strangers_.begin(), strangers_.end());
  const auto chosen = std::ranges::find(waiting_, chosen_, &Entry::ticket);
  if (chosen == waiting_.end()) {
    chosen_ = 0;
  } else {
    selected_ = static_cast<std::size_t>(chosen - waiting_.begin());
  }
  selected_ = std::min(selected_, waiting_.empty() ? 0 : waiting_.size() - 1);
}

bool Held::runs(NodeId id) const {
  return model_->runs(id);
}

bool Held::awaits_any() const {
  return std::ranges::any_of(model_->world().in_flight(), [this](const InFlight& entry) {
    const NodeId from = entry.message.from;
    return is_unseen(entry) && model_->runs(from) && !model_->is_paused(from);
  });
}

void Held::move_selection(std::ptrdiff_t steps) {
  if (waiting_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(waiting_.size()) - 1;
  const auto wanted = static_cast<std::ptrdiff_t>(selected_) + steps;
  selected_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last));
  chosen_ = waiting_[selected_].ticket;
}

// --- What is seen ---

void Held::on_sent(const Message& message, NodeId to, Ticket ticket) {
  if (!assign(message, to, ticket) && !explain(message, to, ticket)) {
    is_explained_ = false;
    strangers_.push_back({ticket, to, message});
    lines_.push_back("# " + named(message, to));
  }
  refresh();
}

void Held::on_start(NodeId id) {
  if (!model_->runs(id)) take({of(model_->is_known(id) ? "restart" : "start", id)});
}

Held::Deed Held::on_end(NodeId id, bool has_left) {
  Deed deed;
  for (const Entry& entry : waiting_) {
    if (entry.to == id) deed.tickets.push_back(entry.ticket);
  }
  std::erase_if(strangers_, [id](const Entry& entry) { return entry.to == id; });
  if (!model_->runs(id)) return deed;
  take({of(has_left ? "leave" : "crash", id)});
  // What it has not come to send will never be seen.
  for (const InFlight& entry : model_->world().in_flight({.from = id})) {
    if (is_unseen(entry)) take({step("drop", entry.message, entry.to)});
  }
  return deed;
}

void Held::on_stop(NodeId id) {
  if (model_->runs(id) && !model_->is_paused(id)) take({of("pause", id)});
}

void Held::on_go_on(NodeId id) {
  if (!model_->runs(id)) return;
  on_stop(id);
  take({of("resume", id)});
}

// --- What the person does ---

// "drop E from 3 to 4"; with its place, if there are several like it.
std::string Held::step(const std::string& verb, const Message& message, NodeId to) const {
  const auto alike =
      model_->world().in_flight({.type = message.type, .from = message.from, .to = to});
  const auto place = std::ranges::find_if(
      alike, [&](const InFlight& other) { return other.message.number == message.number; });
  std::string line = verb + ' ' + named(message, to);
  if (alike.size() > 1) line += " only " + std::to_string(place - alike.begin() + 1);
  return line;
}

Held::Deed Held::act(const std::string& line, std::vector<Ticket> tickets) {
  Deed deed;
  deed.refused = model_->perform(line);
  if (deed.refused) return deed;
  deed.orders = model_->orders();
  deed.tickets = std::move(tickets);
  lines_.push_back(line);
  take({});
  return deed;
}

Held::Deed Held::act_on(const char* verb, Ticket ticket) {
  const auto stranger = std::ranges::find(strangers_, ticket, &Entry::ticket);
  if (stranger != strangers_.end()) {
    lines_.push_back("# " + std::string(verb) + ' ' + named(stranger->message, stranger->to));
    strangers_.erase(stranger);
    refresh();
    return {.tickets = {ticket}};
  }
  const auto entry = std::ranges::find(waiting_, ticket, &Entry::ticket);
  if (entry == waiting_.end()) return {.refused = Problem{"play_no_message"}};
  return act(step(verb, entry->message, entry->to), {ticket});
}

// In one line, if that is about no others, and none of them makes its receiver write to the dead: a
// real process knows of that before it gets the next one.
Held::Deed Held::deliver_all() {
  if (waiting_.empty()) return {.refused = Problem{"play_no_message"}};
  std::vector<Ticket> tickets;
  for (const Entry& entry : waiting_) tickets.push_back(entry.ticket);
  const bool is_all = strangers_.empty() && tickets.size() == model_->world().in_flight().size();
  const auto trial = is_all ? replayed() : nullptr;
  const bool is_quiet = trial != nullptr && !trial->perform("deliver") &&
                        trial->world().in_flight({.only_refused = true}).empty();
  if (is_quiet) return act("deliver", std::move(tickets));
  Deed all;
  for (const Ticket ticket : tickets) {
    const Deed one = deliver(ticket);
    all.tickets.insert(all.tickets.end(), one.tickets.begin(), one.tickets.end());
  }
  return all;
}

Held::Deed Held::expire(NodeId id) {
  Deed deed = act(of("expire", id, " answer"), {});
  return deed.refused ? act(of("expire", id, " coordinator"), {}) : deed;
}

Held::Deed Held::suspect(NodeId id) {
  if (model_->is_paused(id)) return {.refused = problem("play_stopped", {id})};
  if (!model_->runs(id)) return {.refused = problem("play_not_running", {id})};
  const std::optional<NodeId> watched = model_->world().protocol(id).watched();
  if (!watched) return {.refused = problem("play_watches_nobody", {id})};
  const char* const reason = *watched == id ? " deposed" : model_->runs(*watched) ? " hung" : "";
  return act(of("suspect", id, reason), {});
}

// --- The whole of it ---

std::string Held::script() const {
  std::string script = beginning_ + "hold\n";
  for (const std::string& line : lines_) script += line + '\n';
  if (!is_explained_) return script;
  std::vector<NodeId> coordinators;
  for (const Snapshot& node : model_->backend().nodes()) {
    if (node.is_alive() && node.coordinator == node.id) coordinators.push_back(node.id);
  }
  if (!coordinators.empty()) script += "expect coordinators" + ids_text(coordinators) + '\n';
  script += "expect messages";
  const MessageCounts& sent = model_->world().sent();
  for (const MessageType type : model_->algorithm().messages) {
    script += ' ' + std::string(type->code) + ' ' + std::to_string(sent.of(type));
  }
  return script + " all " + std::to_string(election_total(sent)) + '\n';
}

}  // namespace bully
