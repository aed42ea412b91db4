#include "view/log.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace bully {

namespace {

constexpr std::size_t id_columns = 6;  // longer PIDs exist; they move their line by what they need
// More processes than this are named by the first and the last.
constexpr std::size_t max_named = 12;
constexpr std::int64_t ns_per_s = 1'000'000'000;

}  // namespace

std::int64_t wall_clock_offset() {
  timespec wall{};
  timespec monotonic{};
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  return (wall.tv_sec - monotonic.tv_sec) * ns_per_s + wall.tv_nsec - monotonic.tv_nsec;
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
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%7lld.%03llds",
                  static_cast<long long>(since_ms / 1000), static_cast<long long>(since_ms % 1000));
    return std::string(text.data());
  };
}

Log::Log(LogStyle style, TimeColumn time, Output output)
    : style_(style), time_(std::move(time)), output_(std::move(output)) {}

void Log::record(const Record& record) {
  const bool continues =
      !sends_.empty() && sends_.front().node == record.node && sends_.front().type == record.type &&
      (!look_of(record.type).carries_number ||
       (sends_.front().subject == record.subject && sends_.front().epoch == record.epoch));
  if (record.event == TraceEvent::send && (sends_.empty() || continues)) {
    sends_.push_back(record);
    return;
  }
  if (record.event == TraceEvent::lost && continues) {
    losses_.push_back(record);
    return;
  }
  flush();
  switch (record.event) {
    case TraceEvent::start:
      known_.erase(record.node);
      line(record, "+", Color::plain,
           text(Text::log_start, style_.language,
                {std::to_string(record.node), std::to_string(record.pid)}));
      break;
    case TraceEvent::stop:
      line(record, "-", Color::plain, text(Text::log_stop, style_.language));
      break;
    case TraceEvent::crash:
      line(record, "✗", Color::red, text(Text::log_crash, style_.language));
      break;
    case TraceEvent::send:
      sends_.push_back(record);
      break;
    case TraceEvent::receive:
      message_line(record, "←",
                   text(Text::log_from, style_.language, {std::to_string(record.from)}));
      break;
    case TraceEvent::lost:
      losses_.push_back(record);
      break;
    case TraceEvent::timeout:
      timeout_line(record);
      break;
    case TraceEvent::suspect:
      suspicion_line(record);
      break;
    case TraceEvent::state:
      state_line(record);
      break;
    case TraceEvent::coordinator:
      if (record.coordinator == record.node) break;  // its state has said so
      line(record, "*", Color::green,
           text(Text::log_follows, style_.language, {std::to_string(*record.coordinator)}));
      break;
    case TraceEvent::drop:
      line(record, "x", Color::dim,
           text(Text::log_drop, style_.language,
                {text(drop_reason(record.reason), style_.language)}));
      break;
  }
}

void Log::flush() {
  const auto to = [this](const std::vector<Record>& records, Text words) {
    std::vector<NodeId> ids;
    for (const Record& record : records) ids.push_back(record.to);
    return text(words, style_.language, {peers(ids)});
  };
  if (!sends_.empty()) message_line(sends_.front(), "→", to(sends_, Text::log_to));
  constexpr std::array<std::pair<std::string_view, Text>, 4> reasons = {{
      {"gone", Text::log_gone},
      {"deadline", Text::log_deadline},
      {"loss", Text::log_lost_on_its_way},
      {"partition", Text::log_partitioned},
  }};
  for (const auto& [reason, words] : reasons) {
    std::vector<Record> lost;
    for (const Record& record : losses_) {
      if (record.reason == reason) lost.push_back(record);
    }
    if (!lost.empty()) message_line(lost.front(), "×", to(lost, words));
  }
  sends_.clear();
  losses_.clear();
  if (!lines_.empty()) output_(lines_);
  lines_.clear();
}

void Log::remark(std::int64_t t_ns, std::optional<NodeId> node, std::string_view words) {
  flush();
  line(t_ns, node ? std::to_string(*node) : "", "!", Color::yellow, words);
  flush();
}

void Log::line(const Record& record, std::string_view sign, Color color, std::string_view words) {
  line(record.t_ns, std::to_string(record.node), sign, color, words);
}

void Log::line(std::int64_t t_ns, std::string_view node, std::string_view sign, Color color,
               std::string_view words) {
  const bool colored = style_.color && color != Color::plain;
  lines_.append(time_(t_ns)).append(" ");
  lines_ += right_aligned(node, id_columns);
  lines_ += "  ";
  if (colored) lines_ += escape_of(color);
  lines_.append(sign).append("  ").append(words);
  if (colored) lines_ += color_reset;
  lines_ += '\n';
}

void Log::message_line(const Record& record, std::string_view sign, std::string who) {
  std::size_t columns = 0;
  for (const MessageType type : messages_of({&default_algorithm()})) {
    columns = std::max(columns, width(name_of(type, style_.language)));
  }
  // Which election it belongs to is said where its node has not heard of it yet.
  std::optional<std::uint64_t>& epoch = known_[record.node].epoch;
  if (look_of(record.type).carries_number && record.epoch && record.epoch != epoch) {
    epoch = record.epoch;
    who += ", " + text(Text::log_epoch, style_.language, {std::to_string(*epoch)});
  }
  const bool lost = record.event == TraceEvent::lost;
  const std::string name = name_of(record.type, record.subject, style_.language);
  line(record, sign, lost ? Color::red : look_of(record.type).color,
       padded(name, columns) + "  " + who);
}

// That a process takes over another number is told like a change of its state; that it has heard
// one is told by the message.
void Log::state_line(const Record& record) {
  const StateLook& look = look_of_state(record.state);
  Known& known = known_[record.node];
  const std::optional<NodeId> number = record.variables.front().value;
  const bool is_new = known.state != &look || (number && known.number != number);
  known.state = &look;
  known.number = number;
  if (!is_new || look.log == Text::count) return;  // a follower is told by whom it follows
  std::string words =
      text(look.log, style_.language, {std::to_string(number.value_or(record.node))});
  const Variable& second = record.variables[1];
  if (look.holds_election && second.value) {
    words += "  " + named_variables_words(record.variables);
  }
  line(record, "*", look.color, words);
}

// What was waited for in vain depends on where the node stands; its timer's name says it where the
// log has not seen that.
void Log::timeout_line(const Record& record) {
  const StateLook* state = known_[record.node].state;
  Text words =
      record.timer == "answer" ? Text::log_no_answer_in_time : Text::log_no_coordinator_in_time;
  if (state != nullptr && state->time_is_up != Text::count) words = state->time_is_up;
  line(record, "!", Color::yellow, text(words, style_.language));
}

void Log::suspicion_line(const Record& record) {
  const std::string who = std::to_string(record.coordinator.value_or(0));
  const StateLook* state = known_[record.node].state;
  if (state == nullptr) state = &look_of_state("");
  Text words = record.reason == "hung" ? state->watched_is_hung : state->watched_is_down;
  if (record.reason == "deposed") words = Text::log_suspects_deposed;
  if (record.coordinator == record.node) words = Text::log_itself_deposed;
  line(record, "!", Color::red, text(words, style_.language, {who}));
}

std::string Log::peers(const std::vector<NodeId>& ids) const {
  if (ids.size() > max_named) {
    return text(
        Text::log_more, style_.language,
        {std::to_string(ids.front()), std::to_string(ids.back()), std::to_string(ids.size())});
  }
  std::string list;
  for (const NodeId id : ids) list += (list.empty() ? "" : ", ") + std::to_string(id);
  return list;
}

Text Log::drop_reason(std::string_view reason) const {
  constexpr std::array<std::pair<std::string_view, Text>, 8> reasons = {{
      {"empty", Text::drop_empty},
      {"malformed", Text::drop_malformed},
      {"oversize", Text::drop_oversize},
      {"deadline", Text::drop_deadline},
      {"reset", Text::drop_reset},
      {"crowded", Text::drop_crowded},
      {"self", Text::drop_self},
      {"foreign", Text::drop_foreign},
  }};
  for (const auto& [word, words] : reasons) {
    if (word == reason) return words;
  }
  return Text::drop_malformed;
}

}  // namespace bully
