// trace.cc: the files of a trace, merged by time; and the clusters in them. trace_line.cc has a
// line.
#include "trace/trace.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "base/json.h"

namespace bully {

namespace {

// Far longer than any record: a longer line shows that the file is no trace.
constexpr std::size_t longest_line = 2 * max_list_message_bytes;

// Room for as many lines is made before they are read: a vector that grows copies its records.
constexpr std::size_t usual_line_bytes = 80;

struct Reading {
  std::uint64_t most = most_trace_bytes;
  std::uint64_t read = 0;  // bytes
  std::uint32_t lines = 0;
  Trace trace = {};

  void add(std::istream& file, const std::string& name) {
    trace.files.push_back({name, lines});
    std::string buffer(longest_line + 1, '\0');
    while (file.getline(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
           file.gcount() > 0) {
      const auto bytes = static_cast<std::size_t>(file.gcount());
      read += bytes;
      if (read > most) throw TraceTooLarge(read);
      const bool is_last = file.eof();  // and so it has no newline
      const std::string_view line(buffer.data(), is_last ? bytes : bytes - 1);
      const std::size_t whole = begin_of_whole(line, is_last);
      if (whole > 0 && (trace.cut.empty() || trace.cut.back() != name)) trace.cut.push_back(name);
      if (whole < line.size() || whole == 0) add_line(line.substr(whole), file.fail());
    }
  }

  // A process that is killed while it writes leaves a line without its end. Another process that
  // shares the file goes on behind it.
  static std::size_t begin_of_whole(std::string_view line, bool is_last) {
    const std::size_t latest = line.rfind(R"({"t":)");
    const bool may_be_two = latest != 0 && latest != std::string_view::npos;
    if ((!may_be_two && !is_last) || parse_json(line)) return 0;
    if (may_be_two && parse_json(line.substr(latest))) return latest;
    return is_last ? line.size() : 0;
  }

  // Equal times stay in the order of their lines.
  Trace by_time() {
    std::ranges::sort(trace.records, {},
                      [](const Record& record) { return std::pair(record.t_ns, record.line); });
    return std::move(trace);
  }

  void add_line(std::string_view line, bool is_too_long) {
    ++lines;
    try {
      if (is_too_long) throw TraceError({}, {"trace_too_long"});
      trace.records.push_back(parse_trace_line(line));
      trace.records.back().line = lines;
    } catch (const TraceError& error) {
      const Trace::File& file = trace.files.back();
      throw TraceError(file.name + ':' + std::to_string(lines - file.lines_before), error.problem);
    }
  }
};

}  // namespace

std::string Trace::source(std::size_t i) const {
  const std::uint32_t line = records[i].line;
  const auto after = std::ranges::lower_bound(files, line, {}, &File::lines_before);
  const File& file = *std::prev(after);
  return file.name + ':' + std::to_string(line - file.lines_before);
}

Trace parse_trace(std::string_view text, const std::string& name) {
  Reading reading;
  std::istringstream file{std::string(text)};
  reading.add(file, name);
  return reading.by_time();
}

std::uint64_t bytes_of(const std::vector<std::string>& paths) {
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) bytes += std::filesystem::file_size(path);
  }
  return bytes;
}

Trace read_traces(const std::vector<std::string>& paths, std::uint64_t most_bytes) {
  const std::uint64_t bytes = bytes_of(paths);
  if (bytes > most_bytes) throw TraceTooLarge(bytes);
  Reading reading{most_bytes};
  reading.trace.records.reserve(bytes / usual_line_bytes);
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    reading.add(file, path);
    // It could not be opened; or only opened, as a directory.
    if (!file.eof()) throw std::system_error(errno, std::generic_category(), "read " + path);
  }
  return reading.by_time();
}

// A recorder knows no PIDs.
static void leave_out_doubles(Trace& cluster) {
  std::set<NodeId> tellers;
  bool has_recorder = false;
  for (const Record& record : cluster.records) {
    if (record.event != TraceEvent::start) continue;
    const bool is_observed = environment_of(record).observed;
    if (!is_observed) tellers.insert(record.node);
    has_recorder = has_recorder || is_observed;
  }
  if (!has_recorder) return;
  std::erase_if(cluster.records, [&](const Record& record) {
    return record.pid == 0 && tellers.contains(record.node);
  });
}

std::vector<Trace> clusters_of(Trace trace) {
  using Identity = std::optional<std::uint64_t>;
  std::map<Identity, std::size_t> identities;
  const auto number_of = [&](const Record& start) {
    const Identity identity = start.given == nullptr ? Identity() : start.given->cluster;
    return identities.try_emplace(identity, identities.size()).first->second;
  };
  for (const Record& record : trace.records) {
    if (record.event == TraceEvent::start) number_of(record);
  }
  std::vector<Trace> clusters(std::max(identities.size(), std::size_t{1}));
  if (clusters.size() == 1) {
    clusters.front() = std::move(trace);
    leave_out_doubles(clusters.front());
    return clusters;
  }
  for (Trace& cluster : clusters) {
    cluster.files = trace.files;
    cluster.cut = trace.cut;
  }
  std::map<std::pair<NodeId, std::int64_t>, std::size_t> of_process;  // by id and PID
  std::map<NodeId, std::size_t> of_id;                                // its latest process
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    const std::pair process(record.node, record.pid);
    if (record.event == TraceEvent::start) {
      of_process[process] = of_id[record.node] = number_of(record);
    }
    // Others who write about a process may not know its PID.
    const auto found = of_process.find(process);
    const std::size_t cluster = found == of_process.end() ? of_id[record.node] : found->second;
    clusters[cluster].records.push_back(record);
  }
  std::ranges::for_each(clusters, leave_out_doubles);
  return clusters;
}

}  // namespace bully
