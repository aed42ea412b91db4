// trace.h: all records of a run, and their one writer and one reader: JSON Lines, one object a
// line.
//
// A message's fields, and a state's variables, stand only where there are any; a start names its
// algorithm where the world that records it knows the name. Of the fields, the first on the wire is
// the `subject` and the second the `epoch`, whatever they are called; a third and a fourth stand
// under their own keys, which are none of a record's other keys; and so does a list of ids.
//
// Traces of several nodes, or one that all share, are merged. A last line that was cut off, as a
// crash may leave it, is skipped and said; any other damage is an error with file and line.
// A trace may be larger than the memory there is: it is never held as text, and what judging its
// records will take is estimated from its first lines on. It never judges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "election/group.h"
#include "election/record.h"

namespace bully {

struct EventFields {
  std::string_view name;  // of the event, in a trace
  // The one word that it has, if it has one, and its key in a trace.
  std::string_view Record::*word = nullptr;
  std::string_view key = {};
  bool has_coordinator = false;
};

// In the order of TraceEvent. Those about messages have a message's fields, a state its variables.
inline constexpr std::array<EventFields, trace_event_count> event_fields = {{
    {"start", &Record::algorithm, "algorithm"},
    {"send"},
    {"receive"},
    {"lost", &Record::reason, "reason"},
    {"timeout", &Record::timer, "timer"},
    {"suspect", &Record::reason, "reason", true},
    {"state", &Record::state, "state"},
    {"coordinator", nullptr, {}, true},
    {"drop", &Record::reason, "reason"},
    {"stop"},
    {"crash"},
    {"rule", &Record::rule, "rule"},
    {"pause"},
    {"resume"},
    {"end"},
}};

struct WaitsField {
  std::string_view key;
  std::int64_t Waits::*value;
};
inline constexpr std::array<WaitsField, 5> waits_fields = {{
    {"ping_interval_ns", &Waits::ping_interval_ns},
    {"ping_timeout_ns", &Waits::ping_timeout_ns},
    {"answer_timeout_ns", &Waits::answer_timeout_ns},
    {"coordinator_timeout_ns", &Waits::coordinator_timeout_ns},
    {"pace_ns", &Waits::pace_ns},
}};

inline const EventFields& fields_of(TraceEvent event) {
  return event_fields.at(static_cast<std::size_t>(event));
}

// All records of a run, each in a fifth or less of the memory that a Record takes: of each kind of
// record most fields are empty. So a record is packed when it is added, and unpacked when it is
// looked at.
class Records {
 public:
  std::size_t size() const { return packed_.size(); }
  bool empty() const { return packed_.empty(); }
  // A copy: what is changed in it changes nothing here.
  Record operator[](std::size_t i) const;
  std::uint32_t line_of(std::size_t i) const { return packed_[i].line; }

  // Adds a record that stood at `line`, a number above that of all before it. Its words must last.
  void add(const Record& record, std::uint32_t line);
  // By time, and of equal times by line.
  void sort_by_time();
  std::uint64_t list_bytes() const { return list_bytes_; }

  struct Entry {
    std::size_t i;
    Record record;
  };
  struct Iterator {
    const Records* records;
    std::size_t at;

    Entry operator*() const { return {at, (*records)[at]}; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  // A number in 32 bits, or where in `far_` it stands; or none.
  using Number = std::uint32_t;
  static constexpr Number none = 0xFFFFFFFF;
  static constexpr Number is_far = 0x80000000;

  // `numbers` and `words` are those of its kind of event, in the order in which add() gives them.
  struct Packed {
    std::int64_t t_ns = 0;
    std::uint32_t line = 0;
    Number node = none;
    Number pid = none;
    std::array<Number, 3 + max_fields> numbers;
    std::uint8_t event = 0;
    bool observed = false;
    bool said = false;
    std::uint8_t type = 0;
    std::array<std::uint8_t, 4> words;
  };

  Number pack(std::optional<std::uint64_t> value);
  std::optional<std::uint64_t> value_of(Number number) const;
  std::uint8_t index_of(std::string_view word);

  static_assert(sizeof(Packed) == 56);

  std::deque<Packed> packed_;
  // What only few records have: by line.
  std::unordered_map<std::uint32_t, FieldValues> with_list_;
  std::uint64_t list_bytes_ = 0;
  std::vector<std::uint64_t> far_;
  std::vector<std::string_view> words_ = {std::string_view()};
};

// A group as it stands in a trace and in a status: [creator,count]. Nothing where it is none.
struct Json;
std::string json_of(const Group& group);
std::optional<Group> group_from(const Json& json);

// `record` as a line of the trace, its newline included.
std::string trace_line(const Record& record);

// Appends each record to a file, one whole line per write(2), so that many processes can share it.
class TraceFile : public Sink {
 public:
  // Opens or creates `path` for appending. It never waits, not even for a FIFO's reader. Throws
  // std::system_error naming the file.
  explicit TraceFile(const std::string& path);
  ~TraceFile() override;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // A line that cannot be written (the disk is full) ends the trace; the node goes on.
  void record(const Record& record) override;
  // The errno with which the trace ended, or 0.
  int error() const { return error_; }

 private:
  int fd_;
  int error_ = 0;
};

struct Trace {
  struct File {
    std::string name;
    std::uint32_t lines_before = 0;  // in the files before it
  };

  // From the earliest; of equal times, in the order in which they stood.
  Records records;
  std::vector<File> files;
  // The files whose last line was cut off.
  std::vector<std::string> cut;

  // Where records[i] was read, as "FILE:LINE".
  std::string source(std::size_t i) const;
};

// What went wrong, as a value: the key of a text (../words), and what belongs in the text's places.
struct Problem {
  std::string_view key;
  std::vector<std::string> values = {};
};
Problem problem(std::string_view key, std::initializer_list<std::uint64_t> numbers);

struct TraceError : std::exception {
  TraceError(std::string where, Problem why) : place(std::move(where)), problem(std::move(why)) {}
  const char* what() const noexcept override { return place.c_str(); }

  std::string place;  // "FILE:LINE"; of a line alone, nothing
  Problem problem;
};

// Judging these traces would take more memory than it may.
struct TraceTooLarge : std::runtime_error {
  TraceTooLarge(const std::string& file, std::uint64_t size, std::uint64_t memory)
      : std::runtime_error(file), size_bytes(size), memory_bytes(memory) {}

  std::uint64_t size_bytes;    // of all of them; of a pipe, what has been read
  std::uint64_t memory_bytes;  // estimated
};

// For each record, to read and judge it, measured on all algorithms; and the default limit.
inline constexpr std::uint64_t judged_record_bytes = 98;
inline constexpr std::uint64_t standard_memory_bytes = std::uint64_t{1} << 30;

// The record that `line` (without its newline) is. Throws TraceError.
Record parse_trace_line(std::string_view line);

// Reads and merges files. Throws TraceError, TraceTooLarge whose what() is the file at which that
// showed, or std::system_error naming the file.
Trace read_traces(const std::vector<std::string>& paths,
                  std::uint64_t memory_bytes = standard_memory_bytes);
// The same for a text that is at hand; `name` stands for the file.
Trace parse_trace(std::string_view text, const std::string& name);

}  // namespace bully
