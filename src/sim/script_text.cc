// script_text.cc: a step as a line of a script.
#include "sim/script_text.h"

#include "base/text.h"

namespace bully {

std::string counts_text(const MessageCounts& sent, const Algorithm& algorithm) {
  std::string counts;
  for (const MessageType type : algorithm.messages) {
    counts.append(type->code).append(" ").append(std::to_string(sent.of(type))).append(" ");
  }
  return counts + "all " + std::to_string(election_total(sent));
}

std::string duration_text(std::chrono::nanoseconds duration) {
  const auto ms = duration / std::chrono::milliseconds(1);
  if (ms % 1000 == 0 && ms > 0) return std::to_string(ms / 1000) + "s";
  return std::to_string(ms) + "ms";
}

std::string ranges_of(std::span<const NodeId> ids) {
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

// The message's fields, without its type and sender, as on the wire.
static std::string fields_of(const MessageFilter& filter) {
  const std::string bytes =
      encode({.type = *filter.type, .from = *filter.from, .values = *filter.values});
  // TYPE;FROM;NUMBER;FIELD;…, without the number.
  const std::size_t fields = bytes.find(";;");
  return fields == std::string::npos ? "nothing" : bytes.substr(fields + 2);
}

// Fields that a verb does not need do not appear.
std::string line_of(const Step& step) {
  std::string line(word_of(step.verb));
  const auto add = [&line](std::string_view word, const auto& number) {
    if (number) line.append(word).append(std::to_string(*number));
  };
  line += step.verb == Verb::suspect && step.ids.empty() ? " all" : ranges_of(step.ids);
  if (step.verb == Verb::slow) add(" by ", std::optional(step.number));
  if (step.verb == Verb::loss) line += ' ' + std::to_string(step.number / 10'000) + '%';
  if (!step.others.empty()) line += step.verb == Verb::cut ? " to" : " from";
  line += ranges_of(step.others);
  add(" of ", step.whom);
  if (step.reason != Suspicion::down) line.append(" ").append(suspicion_name(step.reason));
  if (step.time) line += ' ' + duration_text(*step.time);
  if (step.verb == Verb::expire) line.append(" ").append(timer_name(step.timer));
  if (step.duly) line += " duly";
  if (step.filter.only_refused) line += " gone";
  if (step.filter.type) line += ' ' + in_capitals((*step.filter.type)->name);
  add(" from ", step.filter.from);
  add(" to ", step.filter.to);
  if (step.filter.values) line += " with " + fields_of(step.filter);
  add(" only ", step.filter.only);
  return line;
}

}  // namespace bully
