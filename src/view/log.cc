// log.cc: one line for each record, or for several of a kind.
#include "view/log.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "election/algorithm.h"
#include "election/participant.h"
#include "pictures/style.h"
#include "trace/environment.h"
#include "words/keys.h"
#include "words/names.h"

namespace bully {

namespace {

constexpr std::size_t id_columns = 6;      // longer PIDs exist; they move the rest of their line
constexpr std::size_t margin_columns = 6;  // between the columns of a line, and its sign
constexpr std::size_t min_columns = 40;    // for a rule's sentence
// A longer list of processes shows only the first and the last.
constexpr std::size_t max_named = 12;
constexpr std::int64_t ns_per_s = 1'000'000'000;

// Real processes count epochs on from the time of their start: the last digits tell them apart.
std::string short_epoch(std::uint64_t epoch) {
  const std::string digits = std::to_string(epoch);
  return digits.size() < 7 ? digits : "…" + digits.substr(digits.size() - 4);
}

// By the process that records them: see is_dropped_by_receiver().
constexpr auto sender_losses = std::span(loss_names).subspan(1, 5);
constexpr auto receiver_losses = std::span(loss_names).subspan(6);

// The key of the words for `special` alone, if there are any.
std::string more_special(const std::string& key, std::string_view special) {
  const std::string longer = word_key(key + '_', special);
  return has_word(longer) ? longer : key;
}

}  // namespace

static_assert(has_each("log_", sender_losses));
static_assert(has_each("drop_", receiver_losses));
static_assert(has_each("log_for_", timer_names));
static_assert(has_each("log_suspects_", suspicion_names));
static_assert(has_each("log_itself_", suspicion_names));

std::int64_t wall_clock_offset() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return (wall - std::chrono::steady_clock::now().time_since_epoch()) / std::chrono::nanoseconds(1);
}

TimeColumn time_of_day(const std::function<std::int64_t()>& offset_now) {
  return [offset_now, offset = offset_now()](std::int64_t t_ns) mutable {
    const std::int64_t now = offset_now();
    if (std::abs(now - offset) >= ns_per_s) offset = now;
    const std::int64_t since_epoch = t_ns + offset;
    const time_t seconds = since_epoch / ns_per_s;
    tm local{};
    localtime_r(&seconds, &local);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min,
                  local.tm_sec, static_cast<int>(since_epoch % ns_per_s / 1'000'000));
    return std::string(text.data());
  };
}

TimeColumn seconds_since(std::int64_t start_ns) {
  return [start_ns](std::int64_t t_ns) {
    const std::int64_t since_ms = (t_ns - start_ns) / 1'000'000;
    return right_aligned(decimal(static_cast<double>(since_ms) / 1000, 3, Language::english), 11) +
           's';
  };
}

Log::Log(LogStyle style, TimeColumn time, Output output)
    : style_(style), time_(std::move(time)), output_(std::move(output)) {}

void Log::record(const Record& record) {
  if (record.event == TraceEvent::wait) return wait_line(record);
  const bool is_rule = record.event == TraceEvent::rule;
  Shown& known = known_[record.node];
  if (is_rule) reason_line(record, known);
  if (!is_rule) known.has_just_started = false;
  const bool returns = record.event == TraceEvent::resume;
  if (std::exchange(known.has_just_returned, returns) && returns) return;
  if (is_rule && (!style_.explain || record.rule == last_rule_)) return;
  last_rule_ = is_rule ? record.rule : std::string_view{};
  const bool continues = !sends_.empty() && sends_.front().node == record.node &&
                         sends_.front().type == record.type &&
                         (sends_.front().values == record.values ||
                          (!record.values.shown(record.type) && record.values.list().empty()));
  const bool is_held = continues
                           ? record.event == TraceEvent::send ||
                                 (record.event == TraceEvent::lost && record.node == record.from)
                           : record.event == TraceEvent::send && sends_.empty() && losses_.empty();
  if (!is_held) flush();
  switch (record.event) {
    case TraceEvent::start: {
      known = {};
      known.observed = environment_of(record).observed;
      known.has_just_started = true;
      const Text seen = record.pid == 0 ? Text::log_appears : Text::log_appears_pid;
      const Text own = style_.simulated ? Text::log_start_simulated : Text::log_start;
      return line(record, "+", Color::plain,
                  style_.say(known.observed ? seen : own, {record.node, record.pid}));
    }
    case TraceEvent::leave: return line(record, "-", Color::plain, style_.say(Text::log_stop));
    case TraceEvent::crash:
      return line(record, "✗", Color::red,
                  style_.say(known.observed ? Text::log_crash_observed : Text::log_crash));
    case TraceEvent::pause: return line(record, "!", Color::yellow, style_.say(Text::log_pause));
    case TraceEvent::resume: return line(record, "!", Color::plain, style_.say(Text::log_resume));
    case TraceEvent::wait:
    case TraceEvent::end:
    case TraceEvent::partition:
    case TraceEvent::heal:
    case TraceEvent::step: return;  // concerns the trace
    case TraceEvent::send: win_line(record, known); return sends_.push_back(record);
    case TraceEvent::lost:
      if (!is_dropped_by_receiver(record)) return losses_.push_back(record);
      return message_line(
          record, "×",
          style_.say(Text::log_from_dropped,
                     {record.from, word(word_key("drop_", record.reason), style_.language)}));
    case TraceEvent::receive:
      known.heard_from = record.from;
      return message_line(record, "←", style_.say(Text::log_from, {record.from}));
    case TraceEvent::timeout:
      // The meaning of a timeout depends on the state; otherwise the timer's name gives it.
      return line(record, "!", Color::yellow,
                  word_or(more_special(word_key("log_time_up_", known.state), record.timer),
                          word_key("log_time_up_", record.timer), style_.language));
    case TraceEvent::suspect: return suspicion_line(record);
    case TraceEvent::state: return state_line(record);
    case TraceEvent::coordinator:
      if (record.coordinator != record.node) {
        return line(record, "*", Color::green,
                    style_.say(Text::log_follows, {*record.coordinator}));
      }
      if (!known.observed) return;  // its state has shown it
      return line(record, "*", Color::green,
                  style_.say(Text::log_state_coordinator, {record.node}));
    case TraceEvent::rule: return rule_line(record);
    case TraceEvent::drop: {
      const std::string why =
          word_or(word_key("drop_", record.reason), "drop_malformed", style_.language);
      const std::string input = std::exchange(dropped_, {});
      return line(record, "x", Color::dim,
                  input.empty() ? style_.say(Text::log_drop, {why})
                                : style_.say(Text::log_drop_bytes, {why, input}));
    }
  }
}

void Log::dropping(std::string_view bytes) {
  constexpr std::size_t most = 40;
  dropped_ = harmless(bytes.substr(0, most)) + (bytes.size() > most ? "…" : "");
}

void Log::flush() {
  const auto show = [this](const std::vector<Record>& records, std::string_view sign,
                           std::string_view key) {
    if (records.empty()) return;
    const std::string receivers =
        records.size() > max_named
            ? style_.say(Text::log_more, {records.front().to, records.back().to, records.size()})
            : joined(records, ", ", &Record::to);
    message_line(records.front(), sign, word(key, style_.language, {receivers}));
  };
  show(sends_, "→", "log_to");
  for (const std::string_view reason : sender_losses) {
    std::vector<Record> lost = losses_;
    std::erase_if(lost, [reason](const Record& record) { return record.reason != reason; });
    show(lost, "×", word_key("log_", reason));
  }
  sends_.clear();
  losses_.clear();
  if (!lines_.empty()) output_(lines_);
  lines_.clear();
}

void Log::remark(std::int64_t t_ns, std::optional<NodeId> node, std::string_view words) {
  flush();
  line(time_(t_ns), node ? std::to_string(*node) : "", "!", Color::yellow, words);
  flush();
}

void Log::line(const Record& record, std::string_view sign, Color color, std::string_view words) {
  line(time_(record.t_ns), std::to_string(record.node), sign, color, words);
}

void Log::line(std::string_view time, std::string_view node, std::string_view sign, Color color,
               std::string_view words) {
  lines_.append(with_decimal_mark(time, style_.language)).append(" ");
  lines_ += right_aligned(node, id_columns);
  const std::string said = std::string(sign).append("  ").append(words);
  lines_.append("  ").append(style_.paint(color, said)).append("\n");
}

void Log::message_line(const Record& record, std::string_view sign, std::string who) {
  std::size_t columns = 0;
  for (const MessageType type : known_messages()) {
    if (type.is_of_election()) columns = std::max(columns, width(name_of(type, style_.language)));
  }
  // Names the election if its node has not yet met it.
  std::optional<std::uint64_t>& epoch = known_[record.node].told_epoch;
  const bool goes_round = record.values.shown(record.type) || !record.values.list().empty();
  if (goes_round && record.epoch() && record.epoch() != epoch) {
    epoch = record.epoch();
    who += ", " + style_.say(Text::log_epoch, {short_epoch(*epoch)});
  }
  const bool lost = record.event == TraceEvent::lost;
  const std::string name = name_of(record.type, record.values, style_.language);
  line(record, sign, lost ? Color::red : style_of(record.type).color,
       padded(name, columns) + "  " + who);
}

// A process's own new value is shown like a change of state; a received value, by its message.
void Log::state_line(const Record& record) {
  Shown& known = known_[record.node];
  // A variable's words show its number, all others name the process.
  const std::string key = word_key("log_state_", record.state);
  const std::string special = more_special(key, record.variables.front().name);
  const bool tells_number = special != key && record.variables.front().value;
  const NodeId subject = tells_number ? *record.variables.front().value : record.node;
  const bool is_new =
      known.state != record.state || (tells_number && known.variables.front().value != subject);
  learn(known, record);
  known.starts_over = false;
  // A follower is described by its coordinator.
  std::string words = word_or(special, "", style_.language, {subject});
  if (!is_new || words.empty()) return;
  if (is_in_election(record.state) && record.variables[1].value) {
    words += "  " + joined(named(record.variables), " ", [](const Variable& variable) {
               return std::string(variable.name) + '=' + value_words(variable);
             });
  }
  line(record, "*", style_of_state(record.state).color, words);
}

// A coordinator that starts over and wins enters no other state: its announcement shows that it
// has.
void Log::win_line(const Record& record, Shown& known) {
  const bool announces = record.type->role == Role::announces;
  if (!announces || !std::exchange(known.starts_over, false)) return;
  line(record, "*", style_of_state(known.state).color,
       word(word_key("log_state_", known.state), style_.language, {std::to_string(record.node)}));
}

// The cause of an election, if no event has a line that shows it.
void Log::reason_line(const Record& record, Shown& known) {
  const std::string key = word_key("log_why_", record.rule);
  if (known.has_just_started || !has_word(key)) return;
  flush();
  known.starts_over = is_coordinating(known.state);
  line(record, "!", Color::yellow, word(key, style_.language, {std::to_string(known.heard_from)}));
}

void Log::suspicion_line(const Record& record) {
  const bool itself = record.coordinator == record.node;
  const std::string about = word_key(itself ? "log_itself_" : "log_watched_", record.reason);
  const std::string words =
      word_or(word_key(about + '_', known_[record.node].state),
              word_key(itself ? "log_itself_" : "log_suspects_", record.reason), style_.language,
              {record.coordinator.value_or(0)});
  line(record, "!", Color::red, words);
}

// A wait is what a rule leads to, and no deed: it is shown with the rules.
void Log::wait_line(const Record& record) {
  if (!style_.explain) return;
  flush();
  const std::string key = word_key("log_for_", known_[record.node].state);
  const std::string what =
      word_or(more_special(key, record.timer), word_key("log_for_", record.timer), style_.language);
  const std::int64_t longest_ns = record.longest_ns.value_or(0);
  const bool is_short = longest_ns < ns_per_s;
  const double longest = static_cast<double>(longest_ns) / (is_short ? 1e6 : 1e9);
  const std::string time = decimal(longest, is_short ? 0 : 2, style_.language);
  line(record, "…", Color::dim,
       record.longest_ns
           ? style_.say(Text::log_waits_at_most, {time + (is_short ? " ms" : " s"), what})
           : style_.say(Text::log_waits, {what}));
}

// The rule's sentence, below its event. The event's line has the time; the process is named again,
// since others may write to the same terminal.
void Log::rule_line(const Record& record) {
  const std::string time(width(time_(record.t_ns)), ' ');
  std::string node = std::to_string(record.node);
  std::string_view sign = "§";
  const std::size_t used = width(time) + std::max(node.size(), id_columns) + margin_columns;
  const std::size_t columns = std::max(min_columns, narration_columns - style_.margin - used);
  for (const std::string& words : wrapped(rule_words(record.rule, style_.language), columns)) {
    line(time, node, sign, Color::dim, words);
    node.assign(node.size(), ' ');
    sign = " ";
  }
}

}  // namespace bully
