#include "oracle/tamper.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/list.h"
#include "base/text.h"
#include "trace/trace.h"

namespace bully {

namespace {

// A line as its members, each a key and what stands behind the colon; so is an object within one.
using Members = std::vector<std::pair<std::string, std::string>>;

// What stands between the brackets of `list`, at its commas.
std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  const auto begin = list.find_first_of("{[");
  const auto end = list.find_last_of("}]");
  int depth = 0;
  for (const char c : list.substr(begin + 1, end - begin - 1)) {
    if (parts.empty()) parts.emplace_back();
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Members members_of(std::string_view line) {
  Members members;
  for (const std::string& part : parts_of(line)) {
    const auto colon = part.find(':');
    members.emplace_back(part.substr(1, colon - 2), part.substr(colon + 1));
  }
  return members;
}

std::string object_of(const Members& members) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : members) parts.push_back('"' + key + "\":" + value);
  return '{' + joined(parts, ",") + '}';
}

std::string* find(Members& members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &Members::value_type::first);
  return found == members.end() ? nullptr : &found->second;
}

std::string value_in(const std::string& line, std::string_view key) {
  Members members = members_of(line);
  const std::string* value = find(members, key);
  return value == nullptr ? std::string() : *value;
}

void put(std::string& line, std::string_view key, const std::string& value) {
  Members members = members_of(line);
  if (std::string* there = find(members, key)) {
    *there = value;
  } else {
    members.emplace_back(key, value);
  }
  line = object_of(members) + '\n';
}

std::int64_t time_of(const std::string& line) {
  return std::strtoll(value_in(line, "t").c_str(), nullptr, 10);
}

void exchange(Lines& lines, std::size_t i, std::size_t k, std::string_view key) {
  const std::string other = value_in(lines[i], key);
  put(lines[i], key, value_in(lines[k], key));
  put(lines[k], key, other);
}

// Each stands where the other stood, at that one's time.
void change_places(Lines& lines, std::size_t i, std::size_t k) {
  exchange(lines, i, k, "t");
  std::swap(lines[i], lines[k]);
}

std::string in_quotes(std::string_view word) {
  return '"' + std::string(word) + '"';
}

bool is_number(const std::string& value) {
  return !value.empty() && value.find_first_not_of("-0123456789") == std::string::npos;
}

// What can be written in the place of a value, by its key.
class Instead {
 public:
  Instead(const Lines& lines, const Algorithm& algorithm) {
    for (const std::string& line : lines) ids_.insert(std::stoull(value_in(line, "node")));
    std::set<std::string> others;
    for (const MessageType type : known_messages()) {
      words_["type"].insert(in_quotes(type->code));
    }
    words_["type"].insert(in_quotes("S"));  // a status query, which no trace has
    for (const StateKind& state : algorithm.states) words_["state"].insert(in_quotes(state.name));
    for (const Algorithm& other : algorithms()) {
      words_["algorithm"].insert(in_quotes(other.name));
      words_["state"].insert(in_quotes(other.states.back().name));
    }
    // Never the rule of a start: by that one a process goes on after a stop.
    words_["rule"].insert(in_quotes(algorithm.rules.back()->key));
    for (const EventFields& event : event_fields) words_["event"].insert(in_quotes(event.name));
    for (const char* reason :
         {"gone", "deadline", "loss", "partition", "down", "hung", "deposed", "found"}) {
      words_["reason"].insert(in_quotes(reason));
    }
    words_["timer"] = {in_quotes("answer"), in_quotes("coordinator")};
    words_["observed"] = {"false", "0"};
    for (auto& [key, words] : words_) words.insert(in_quotes("nonsense"));
  }

  std::vector<std::string> of(const std::string& key, const std::string& value) const {
    std::vector<std::string> all;
    if (const auto words = words_.find(key); words != words_.end()) {
      all.assign(words->second.begin(), words->second.end());
    } else if (key == "variables") {
      all = of_object(value);
    } else if (value.starts_with('[')) {
      all = of_list(value);
    } else if (key == "t") {
      all = of_time(value);
    } else {
      all = of_number(key, value);
    }
    std::erase(all, value);
    return all;
  }

 private:
  std::string stranger() const { return std::to_string(*ids_.rbegin() + 7); }

  std::vector<std::string> of_number(const std::string& key, const std::string& value) const {
    if (!is_number(value)) return {"0", "1", stranger()};
    const std::uint64_t number = std::stoull(value);
    std::vector<std::string> all = {std::to_string(number + 1), stranger()};
    if (number > 0) all.push_back(std::to_string(number - 1));
    if (key == "seq") all.insert(all.end(), {"null", in_quotes("7"), "-1"});
    if (key != "seq" && key != "pid" && key != "epoch") {
      for (const NodeId id : ids_) all.push_back(std::to_string(id));
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  static std::vector<std::string> of_time(const std::string& value) {
    const std::int64_t t = std::strtoll(value.c_str(), nullptr, 10);
    std::vector<std::string> all = {in_quotes(value)};
    constexpr std::int64_t ms = 1'000'000;
    for (const std::int64_t by : {ms, 100 * ms, 1'000 * ms, 20'000 * ms, 3'600'000 * ms}) {
      all.push_back(std::to_string(t + by));
      all.push_back(std::to_string(t - by));
    }
    return all;
  }

  std::vector<std::string> of_object(const std::string& value) const {
    std::vector<std::string> all;
    const Members members = members_of(value);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const std::string& other : of_number(members[i].first, members[i].second)) {
        Members changed = members;
        changed[i].second = other;
        all.push_back(object_of(changed));
      }
    }
    return all;
  }

  std::vector<std::string> of_list(const std::string& value) const {
    std::vector<std::string> all = {"[]"};
    const std::vector<std::string> parts = parts_of(value);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const std::string& other : of_number("", parts[i])) {
        std::vector<std::string> changed = parts;
        changed[i] = other;
        all.push_back('[' + joined(changed, ",") + ']');
      }
      std::vector<std::string> fewer = parts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      all.push_back('[' + joined(fewer, ",") + ']');
    }
    return all;
  }

  std::set<NodeId> ids_;
  std::map<std::string, std::set<std::string>> words_;
};

class Making {
 public:
  Making(const Lines& lines, const Algorithm& algorithm)
      : lines_(lines), instead_(lines, algorithm) {
    lose();
    move();
    rewrite();
    lose_many();
  }
  std::vector<Tampering> all;

 private:
  void add(std::string kind, std::string what, std::function<void(Lines&)> apply) {
    all.push_back({std::move(kind), std::move(what), std::move(apply)});
  }
  static std::string in(std::size_t i) { return "line " + std::to_string(i + 1); }

  void lose() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      add("line deleted", in(i), [=](Lines& lines) { lines.erase(lines.begin() + at); });
      add("line twice", in(i), [=](Lines& lines) {
        const std::string line = lines[i];
        lines.insert(lines.begin() + at, line);
      });
      add("cut before a line", in(i), [=](Lines& lines) { lines.resize(i); });
    }
    for (std::size_t left = 0; !lines_.empty() && left < lines_.back().size(); ++left) {
      add("cut in the last line", std::to_string(left),
          [=](Lines& lines) { lines.back().resize(left); });
    }
  }

  void move() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (const std::size_t by : {1U, 2U, 3U, 5U, 10U, 30U, 100U}) {
        if (i + by >= lines_.size()) continue;
        add(by == 1 ? "neighbours swapped" : "times exchanged",
            in(i) + " and " + std::to_string(i + by + 1),
            [=](Lines& lines) { change_places(lines, i, i + by); });
      }
    }
    std::vector<std::pair<std::size_t, std::string>> states;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::string state = value_in(lines_[i], "state");
      if (!state.empty()) states.emplace_back(i, std::move(state));
    }
    for (const auto& [i, state] : states) {
      for (const auto& [k, other] : states) {
        if (i >= k || state == other) continue;
        add("states exchanged", in(i) + " and " + std::to_string(k + 1),
            [=, first = i, second = k](Lines& lines) { exchange(lines, first, second, "state"); });
      }
    }
  }

  void rewrite() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Members members = members_of(lines_[i]);
      for (const auto& [key, value] : members) {
        if (key == "n") continue;  // a forger has them right
        for (const std::string& other : instead_.of(key, value)) {
          add("field " + key, in(i) + ' ' + key + ' ' + value + " -> " + other,
              [=, name = key](Lines& lines) { put(lines[i], name, other); });
        }
      }
      if (value_in(lines_[i], "event") == in_quotes("start")) {
        add("field observed", in(i), [=](Lines& lines) { put(lines[i], "observed", "true"); });
      }
    }
  }

  void lose_many() {
    std::map<std::string, std::vector<std::size_t>> starts;
    std::set<std::string> nodes;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string node = value_in(lines_[i], "node");
      nodes.insert(node);
      if (value_in(lines_[i], "event") == in_quotes("start")) starts[node].push_back(i);
    }
    for (const std::string& node : nodes) {
      drop("node dropped", node, 0, lines_.size());
      shift(node);
      std::vector<std::size_t>& lives = starts[node];
      lives.push_back(lines_.size());
      for (std::size_t k = 0; k + 1 < lives.size(); ++k) {
        drop("life dropped", node, lives[k], lives[k + 1]);
      }
    }
  }

  void drop(std::string kind, const std::string& node, std::size_t from, std::size_t to) {
    add(std::move(kind), node + " from " + in(from), [=](Lines& lines) {
      Lines left;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool is_inside = i >= from && i < to && value_in(lines[i], "node") == node;
        if (!is_inside) left.push_back(lines[i]);
      }
      lines = left;
    });
  }

  void shift(const std::string& node) {
    constexpr std::int64_t ms = 1'000'000;
    for (const std::int64_t by :
         {ms / 10, ms, 10 * ms, 1'000 * ms, 20'000 * ms, 100'000 * ms, 3'600'000 * ms}) {
      for (const std::int64_t ns : {by, -by}) {
        add("clock shifted", node + " by " + std::to_string(ns), [=](Lines& lines) {
          for (std::string& line : lines) {
            if (value_in(line, "node") == node) put(line, "t", std::to_string(time_of(line) + ns));
          }
        });
      }
    }
  }

  const Lines& lines_;
  Instead instead_;
};

}  // namespace

Lines lines_by_time(std::string_view text) {
  std::vector<std::pair<std::int64_t, std::string>> timed;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string line(text.substr(0, size));
    const std::int64_t t = time_of(line);
    timed.emplace_back(t, std::move(line));
    text.remove_prefix(size);
  }
  std::ranges::stable_sort(timed, {}, &std::pair<std::int64_t, std::string>::first);
  Lines lines;
  for (auto& [t, line] : timed) lines.push_back(std::move(line));
  return lines;
}

namespace {

// Calls `use` with each line that has a number, and the number that is due there.
template <class Use>
void count_lines(Lines& lines, Use use) {
  std::map<std::string, std::uint64_t> counts;  // by node
  for (std::string& line : lines) {
    if (!line.ends_with("}\n")) continue;  // it was cut
    std::uint64_t& count = counts[value_in(line, "node")];
    if (value_in(line, "event") == in_quotes("start")) count = 0;
    if (!value_in(line, "n").empty()) use(line, std::to_string(++count));
  }
}

}  // namespace

Lines renumbered(Lines lines) {
  // A new time may have moved a line.
  if (lines.empty() || lines.back().ends_with('\n')) std::ranges::stable_sort(lines, {}, time_of);
  count_lines(lines, [](std::string& line, const std::string& due) { put(line, "n", due); });
  return lines;
}

bool are_numbers_whole(const Lines& lines) {
  bool are_whole = true;
  Lines read = lines;
  count_lines(read, [&](const std::string& line, const std::string& due) {
    are_whole = are_whole && value_in(line, "n") == due;
  });
  return are_whole;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::vector<Tampering> tamperings(const Lines& lines, const Algorithm& algorithm) {
  return Making(lines, algorithm).all;
}

}  // namespace bully
