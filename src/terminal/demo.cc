// demo.cc: nodes come, their coordinator is killed, the others elect another, the old one comes
// back. It shows the records of the nodes' trace, and the verdict on them.
#include "terminal/demo.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/layout.h"
#include "base/list.h"
#include "node/peer_process.h"
#include "terminal/invocation.h"
#include "terminal/output.h"
#include "verdict/verdict.h"
#include "view/check_report.h"
#include "view/log.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"
#include "words/names.h"

namespace bully {

namespace {

using std::to_string;
using NodeIds = std::vector<NodeId>;

constexpr Duration step_deadline = std::chrono::seconds(10);  // the limit for each step
// After this time without a record no more will come.
constexpr Duration silence = std::chrono::milliseconds(50);
// On a terminal, the time for which an act's log is shown, and the longest pause after a line.
constexpr Duration act_time = std::chrono::seconds(10);
constexpr Duration longest_pause = std::chrono::seconds(1);

struct Demo {
  const ClusterSettings& given;
  LocalCluster cluster{};
  ClusterSettings settings = with_places(given);
  const Algorithm& algorithm = *settings.nodes.algorithm;
  LogStyle style = log_style(settings.invocation);
  Directory directory = open_directory(settings, cluster.guard());
  TraceTail tail{settings.nodes.trace};
  TraceFile crashes{settings.nodes.trace};  // only the killer can record a crash

  Trace trace = {};  // the records of these nodes
  // And that these live on, without which nobody knows how long they held office.
  Trace seen = {};
  Time last_news{};
  std::map<NodeId, pid_t> pids = {};
  NodeIds members = {};  // the process that the algorithm prefers comes last
  std::int64_t phase_began = 0;
  Report report = {};
  std::size_t phase_first = 0;  // the first election of this phase

  ExitStatus run() {
    trace.files.push_back({given.nodes.trace.empty() ? "trace" : given.nodes.trace, 0});
    if (!query_status(directory, reply_patience).empty()) {
      fail(Text::demo_not_alone, {directory.path()});
    }
    const std::string& variant = settings.nodes.protocol;
    const bool is_default = &algorithm == &default_algorithm() && variant.empty();
    const bool pings = settings.nodes.node.detector == Detector::ping;
    const std::string title =
        say(is_default ? Text::demo_title : Text::demo_title_of,
            {settings.count,
             std::string(algorithm.name) + (variant.empty() ? "" : " (" + variant + ')')});
    narrate(colored(Color::bold, title, style.color) + ' ' +
            say(Text::demo_detector, {pings ? "ping" : "eof"}) + "\n\n");
    tail.next();  // skips others' records
    start_all();
    kill_coordinator();
    bring_back();
    if (report.verdict != RunVerdict::right) {
      narrate(check_report(seen, check_trace(seen), style.language, style.color));
      if (report.verdict == RunVerdict::violated) fail(Text::demo_violated);
      narrate('\n' + say(Text::demo_inconclusive) + '\n');
      return exit_unknown;
    }
    show_outcome(Text::demo_right);
    narrate(say(Text::demo_farewell) + '\n');
    return exit_ok;
  }

  // A directory or a trace that the user does not name is private.
  ClusterSettings with_places(ClusterSettings placed) const {
    const std::string& own = cluster.private_directory();
    if (!placed.invocation.gives("--dir")) placed.nodes.node.directory = own + "/nodes";
    if (placed.nodes.trace.empty()) placed.nodes.trace = own + "/trace";
    return placed;
  }

  // --- The acts ---

  void start_all() {
    begin_phase(Text::demo_start, {settings.count});
    bool each_won = true;
    for (NodeId newest = 1; newest <= settings.count; ++newest) {
      start(newest);
      show_progress(say(Text::cluster_starting, {newest, settings.count}));
      members.push_back(newest);
      std::ranges::sort(members, [&](NodeId a, NodeId b) { return algorithm.prefers(b, a); });
      each_won = each_won && members.back() == newest;
      await_agreement(members);
    }
    show_progress("");
    show_coming(say(Text::demo_last_starts, {settings.count, settings.count}));
    if (newcomers_asked()) return show_outcome(Text::demo_all_joined);
    show_outcome(each_won ? ranked(Text::demo_all_highest, Text::demo_all_outrank)
                          : Text::demo_some_ask);
  }

  void kill_coordinator() {
    const NodeId old = members.back();
    const pid_t pid = pids.at(old);
    begin_phase(Text::demo_kill, {old});
    // Stopped first: so the record of its end comes after all its own records.
    if (!cluster.stop(pid)) fail(Text::demo_ended, {old});
    crashes.record(
        {.t_ns = monotonic_now().count(), .node = old, .pid = pid, .event = TraceEvent::crash});
    cluster.kill(pid);
    const NodeIds left(members.begin(), members.end() - 1);
    await_agreement(left);
    show_crash(left.back());
    show_outcome(ranked(Text::demo_elected, Text::demo_elected_rank), {left.back()});
  }

  void bring_back() {
    const std::string old = to_string(members.back());
    begin_phase(Text::demo_return, {old});
    const pid_t pid = start(members.back());
    await_agreement(members);
    show_coming(say(Text::demo_is_back, {old, pid}));
    show_outcome(newcomers_asked() ? Text::demo_returned_asking
                                   : ranked(Text::demo_returned, Text::demo_returned_rank));
  }

  pid_t start(NodeId id) { return pids[id] = start_node(cluster, settings, {"--quiet"}, id); }

  // Waits until all of these follow the last, which the algorithm prefers.
  void await_agreement(const NodeIds& ids) {
    const auto is_over = [&] { return read_on() && agree(ids, true); };
    // A message that was not given up is no failure.
    const bool in_time = cluster.wait_until(is_over, step_deadline) || agree(ids, false);
    seen = trace;
    for (const NodeId id : ids) {
      seen.records.push_back({.t_ns = monotonic_now().count(),
                              .node = id,
                              .pid = pids.at(id),
                              .event = TraceEvent::end,
                              .line = trace.records.empty() ? 1 : trace.records.back().line});
    }
    report = check_trace(seen);
    const std::vector<Election>& all = report.history.elections().all();
    phase_first = static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const Election& one) { return one.first.t_ns < phase_began; }));
    if (in_time) return;
    show_log();
    const std::vector<NodeStatus> nodes = query_status(directory, reply_patience);
    narrate(ps_table(nodes, style.language));
    const auto follows = [&](const NodeStatus& node) { return node.coordinator == ids.back(); };
    // All is as it should be, and their trace does not say so.
    if (nodes.size() == ids.size() && std::ranges::all_of(nodes, follows)) {
      fail(Text::demo_unrecorded, {settings.nodes.trace});
    }
    fail(Text::demo_disagree,
         {step_deadline / std::chrono::seconds(1), joined(ids, " "), ids.back()});
  }

  // --- The trace ---

  // True if there has been nothing to read for a while.
  bool read_on() {
    const std::vector<Record> news = tail.next();
    trace.records.insert(trace.records.end(), news.begin(), news.end());
    if (!news.empty()) {
      std::ranges::stable_sort(trace.records, {}, &Record::t_ns);
      last_news = monotonic_now();
    }
    return monotonic_now() - last_news > silence;
  }

  // `when_heard`: not while an ELECTION that will be answered is in flight to any of them.
  bool agree(const NodeIds& ids, bool when_heard) const {
    const History history = history_of(trace);
    for (const auto& [sent, message] : history.in_flight()) {
      const bool is_on_its_way = when_heard && message.type.is_of_election();
      if (is_on_its_way && std::ranges::find(ids, message.to) != ids.end()) return false;
    }
    const std::vector<Election>& elections = history.elections().all();
    return !elections.empty() && elections.back().winner == ids.back() &&
           std::ranges::is_permutation(elections.back().survivors, ids);
  }

  // The elections of this phase. REQUIRES: there is one.
  std::span<const Election> elections() const {
    return std::span(report.history.elections().all()).subspan(phase_first);
  }

  // --- The output ---

  std::string say(Text words, Values values = {}) const { return settings.say(words, values); }
  [[noreturn]] void fail(Text words, Values values = {}) const {
    throw std::runtime_error(say(words, values));
  }
  // Not in every algorithm does the highest process win.
  Text ranked(Text by_id, Text by_rank) const {
    return algorithm.prefers == higher_first ? by_id : by_rank;
  }
  void show_outcome(Text words, Values values = {}) const {
    narrate("  " + colored(Color::green, "✓", style.color) + ' ' + say(words, values) + "\n\n");
  }

  void begin_phase(Text words, Values values) {
    narrate(colored(Color::bold, say(words, values), style.color) + "\n\n");
    phase_began = monotonic_now().count();
  }

  // Unless the user chooses it: in a pipe none, and on a terminal long enough to read.
  Duration pause_after_each(std::size_t lines) const {
    const bool chooses = settings.invocation.gives("--pace") || isatty(STDOUT_FILENO) != 1;
    if (chooses) return settings.nodes.node.pace;
    return std::min(longest_pause, act_time / static_cast<std::int64_t>(lines));
  }

  // In one line of a terminal, which the next words replace.
  void show_log() {
    if (settings.nodes.quiet) return;
    std::string lines;
    LogStyle beside_bar = style;
    beside_bar.margin = 4;
    Log log(beside_bar, time_of_day(), [&lines](std::string_view more) { lines += more; });
    for (const Record& record : trace.records) {
      if (record.t_ns >= phase_began && !is_about_ping(record)) log.record(record);
    }
    log.flush();
    show_slowly(lines, "  " + colored(Color::dim, "│", style.color) + ' ');
    narrate("\n");
  }

  void show_slowly(std::string_view text, const std::string& indent) {
    const std::vector<std::string> lines = lines_in(text);
    for (const std::string& line : lines) {
      narrate(indent + line + '\n');
      cluster.wait_until([] { return false; }, pause_after_each(lines.size()));
    }
  }

  // The result of an act: slowly, unless its log was.
  void show_result(const std::string& lines) {
    if (settings.nodes.quiet) return show_slowly(lines, "");
    narrate(lines);
  }

  // A result precedes its own cause only by the error of the measurement.
  std::string moment_line(std::int64_t ns, int decimals, const std::string& words) const {
    const double shown = static_cast<double>(std::max<std::int64_t>(0, ns)) / ns_per_ms;
    const std::string ms = decimal(shown, decimals, style.language);
    return "  " + right_aligned(ms, 9) + " ms   " + words + '\n';
  }

  // `words` name the process that comes.
  void show_coming(const std::string& words) {
    show_log();
    const Election& election = elections().back();
    const std::int64_t took = election.settled->t_ns - election.first.t_ns;
    const std::string all_follow = say(Text::demo_all_follow, {members.back()});
    show_result(moment_line(0, 0, words) + moment_line(took, 1, all_follow) +
                elections_from(elections().size() - 1));
  }

  // The detectors, with times.
  void show_crash(NodeId coordinator) {
    show_log();
    const NodeId lost = members.back();
    std::vector<Detection> notices;
    for (const Election& election : elections()) {
      std::ranges::copy_if(election.detections, std::back_inserter(notices),
                           [&](const Detection& noticed) { return noticed.suspected == lost; });
    }
    if (notices.empty()) fail(Text::demo_unnoticed, {lost});
    const Moment killed = elections().front().first;
    std::multimap<std::int64_t, std::string> moments;
    const auto moment = [&](Moment when, Text words, const std::string& who) {
      moments.emplace(when.t_ns - killed.t_ns, say(words, {who, lost}));
    };
    const auto name = [](const Detection& noticed) { return to_string(noticed.node); };
    const std::span<const Detection> others = std::span(notices).subspan(1);
    moment(killed, Text::demo_killed, to_string(lost));
    moment(notices[0].when, Text::demo_notices, name(notices[0]));
    if (!others.empty()) {
      moment(others.back().when, Text::demo_noticed_by, joined(others, ", ", name));
    }
    const Election& last = elections().back();
    if (last.won) moment(*last.won, Text::demo_won, to_string(coordinator));
    moment(*last.settled, Text::demo_left_follow, to_string(coordinator));
    std::string lines;
    for (const auto& [ns, words] : moments) lines += moment_line(ns, 0, words);
    show_result(lines + elections_from(0));
  }

  // This phase's elections from this one on, as `bully check` shows them.
  std::string elections_from(std::size_t first) const {
    std::string lines = "\n";
    for (std::size_t k = first; k < elections().size(); ++k) {
      lines += election_paragraph({style, seen, report}, phase_first + k);
    }
    return lines;
  }

  // Where no process takes over without an election in which it takes part.
  bool newcomers_asked() const {
    return std::ranges::any_of(elections(), [](const Election& election) {
      return std::ranges::any_of(election.sent, [](const auto& sent) {
        return sent.first->role == Role::joins && sent.second > 0;
      });
    });
  }
};

}  // namespace

int play_demo(const ClusterSettings& settings) {
  return Demo{settings}.run();
}

}  // namespace bully
