// demo.cc: `bully demo`, an election from start to end, without a hand on the keyboard: nodes come,
// their coordinator is killed, the others elect another, the old one comes back. It shows the
// records of the nodes' trace, and the verdict on them.
#include <algorithm>
#include <map>

#include "commands/cluster.h"
#include "node/peer_process.h"
#include "trace/verdict.h"
#include "view/check.h"
#include "view/log.h"
#include "view/style.h"
#include "view/watch.h"

namespace bully {

namespace {

using std::to_string;
using NodeIds = std::vector<NodeId>;

constexpr Duration step_deadline = std::chrono::seconds(10);  // the limit for each step
// After this time without a record no more will come.
constexpr Duration silence = std::chrono::milliseconds(50);

class Demo {
 public:
  explicit Demo(const ClusterSettings& settings)
      : settings_(with_places(settings)),
        algorithm_(*settings_.nodes.algorithm),
        style_(log_style(settings_.invocation)),
        directory_(open_directory(settings_, cluster_.guard())),
        tail_(settings_.nodes.trace),
        crashes_(settings_.nodes.trace) {
    lines_ = static_cast<std::uint32_t>(tail_.next().size());  // skips earlier records of others
    trace_.files.push_back({settings.nodes.trace.empty() ? "trace" : settings.nodes.trace, 0});
  }

  ExitStatus run() {
    if (!query_status(directory_, reply_patience).empty()) {
      fail(Text::demo_not_alone, {directory_.path()});
    }
    const bool is_default = &algorithm_ == &default_algorithm();
    const bool pings = settings_.nodes.node.detector == Detector::ping;
    const std::string title = say(is_default ? Text::demo_title : Text::demo_title_of,
                                  {settings_.count, algorithm_.name});
    narrate(colored(Color::bold, title, style_.color) + ' ' +
            say(Text::demo_detector, {pings ? "ping" : "eof"}) + "\n\n");
    start_all();
    kill_coordinator();
    bring_back();
    if (report_.verdict == RunVerdict::violated) {
      narrate(check_report(seen_, check_trace(seen_), style_.language, style_.color));
      fail(Text::demo_violated);
    }
    if (report_.verdict == RunVerdict::cannot_tell) {
      narrate(check_report(seen_, check_trace(seen_), style_.language, style_.color) + '\n' +
              say(Text::demo_inconclusive) + '\n');
      return exit_unknown;
    }
    show_outcome(Text::demo_right);
    narrate(say(Text::demo_farewell) + '\n');
    return exit_ok;
  }

 private:
  // A directory or a trace that the user does not name is private.
  ClusterSettings with_places(ClusterSettings settings) {
    const std::string& own = cluster_.private_directory();
    if (!settings.invocation.gives("--dir")) settings.nodes.node.directory = own + "/nodes";
    if (settings.nodes.trace.empty()) settings.nodes.trace = own + "/trace";
    return settings;
  }

  // --- The acts ---

  void start_all() {
    begin_phase(Text::demo_start, {settings_.count});
    bool each_won = true;
    NodeId newest = 0;
    for (std::size_t i = 0; i < settings_.count; ++i) {
      newest = i + 1;
      start(newest);
      ids_.push_back(newest);
      std::ranges::sort(ids_, [&](NodeId a, NodeId b) { return algorithm_.prefers(b, a); });
      each_won = each_won && ids_.back() == newest;
      await_agreement(ids_);
    }
    show_coming(say(Text::demo_last_starts, {newest, settings_.count}));
    if (newcomers_asked()) return show_outcome(Text::demo_all_joined);
    show_outcome(each_won ? ranked(Text::demo_all_highest, Text::demo_all_outrank)
                          : Text::demo_some_ask);
  }

  void kill_coordinator() {
    const NodeId old = ids_.back();
    const pid_t pid = pids_.at(old);
    begin_phase(Text::demo_kill, {old});
    // Stopped first: so the record of its end comes after all its own records.
    if (!cluster_.stop(pid)) fail(Text::demo_ended, {old});
    crashes_.record(
        {.t_ns = monotonic_now().count(), .node = old, .pid = pid, .event = TraceEvent::crash});
    cluster_.kill(pid);
    const NodeIds left(ids_.begin(), ids_.end() - 1);
    await_agreement(left);
    show_crash(left.back());
    show_outcome(ranked(Text::demo_elected, Text::demo_elected_rank), {left.back()});
  }

  void bring_back() {
    const std::string old = to_string(ids_.back());
    begin_phase(Text::demo_return, {old});
    const pid_t pid = start(ids_.back());
    await_agreement(ids_);
    show_coming(say(Text::demo_is_back, {old, pid}));
    show_outcome(newcomers_asked() ? Text::demo_returned_asking
                                   : ranked(Text::demo_returned, Text::demo_returned_rank));
  }

  pid_t start(NodeId id) { return pids_[id] = start_node(cluster_, settings_, {"--quiet"}, id); }

  // Waits until all of these follow the last, which the algorithm prefers.
  void await_agreement(const NodeIds& ids) {
    const auto is_over = [&] { return read_on() && agree(ids, true); };
    // A message that was not given up is no failure.
    const bool in_time = cluster_.wait_until(is_over, step_deadline) || agree(ids, false);
    seen_ = trace_;
    for (const NodeId id : ids) {
      seen_.records.add({.t_ns = monotonic_now().count(),
                         .node = id,
                         .pid = pids_.at(id),
                         .event = TraceEvent::end},
                        lines_);
    }
    report_ = check_trace(seen_);
    const auto earlier = std::ranges::count_if(report_.elections, [&](const Election& election) {
      return time_of(election.first_record) < phase_began_;
    });
    report_.elections.erase(report_.elections.begin(), report_.elections.begin() + earlier);
    report_.figures.erase(report_.figures.begin(), report_.figures.begin() + earlier);
    if (in_time) return;
    show_log();
    const std::vector<NodeStatus> nodes = query_status(directory_, reply_patience);
    narrate(ps_table(nodes, style_.language));
    const auto follows = [&](const NodeStatus& node) { return node.coordinator == ids.back(); };
    // All is as it should be, and their trace does not say so.
    if (nodes.size() == ids.size() && std::ranges::all_of(nodes, follows)) {
      fail(Text::demo_unrecorded, {settings_.nodes.trace});
    }
    fail(Text::demo_disagree,
         {step_deadline / std::chrono::seconds(1), joined(ids, " "), ids.back()});
  }

  // --- The trace ---

  // True if there has been nothing to read for a while.
  bool read_on() {
    const std::vector<Record> news = tail_.next();
    for (const Record& record : news) trace_.records.add(record, ++lines_);
    if (!news.empty()) {
      trace_.records.sort_by_time();
      last_news_ = monotonic_now();
    }
    return monotonic_now() - last_news_ > silence;
  }

  // `when_heard`: not while an ELECTION that will be answered is in flight to any of them.
  bool agree(const NodeIds& ids, bool when_heard) const {
    const Timeline timeline = timeline_of(trace_);
    for (const auto& [i, record] : trace_.records) {
      const bool is_on_its_way = when_heard && record.event == TraceEvent::send &&
                                 is_about_election(record) && timeline.partner[i] == no_record;
      if (is_on_its_way && std::ranges::find(ids, record.to) != ids.end()) return false;
    }
    const std::vector<Election> elections = elections_of(trace_, timeline);
    return !elections.empty() && elections.back().winner == ids.back() &&
           std::ranges::is_permutation(elections.back().survivors, ids);
  }

  std::int64_t time_of(std::size_t record) const { return trace_.records[record].t_ns; }

  // --- The output ---

  std::string say(Text words, Values values = {}) const { return settings_.say(words, values); }
  [[noreturn]] void fail(Text words, Values values = {}) const {
    throw std::runtime_error(say(words, values));
  }
  // Not in every algorithm does the highest process win.
  Text ranked(Text by_id, Text by_rank) const {
    return algorithm_.prefers == higher_first ? by_id : by_rank;
  }
  void show_outcome(Text words, Values values = {}) const {
    narrate("  " + colored(Color::green, "✓", style_.color) + ' ' + say(words, values) + "\n\n");
  }

  void begin_phase(Text words, Values values) {
    narrate(colored(Color::bold, say(words, values), style_.color) + "\n\n");
    phase_began_ = monotonic_now().count();
  }

  void show_log() {
    if (settings_.nodes.quiet) return;
    Log log(style_, time_of_day(), [this](std::string_view lines) {
      for (const std::string& line : lines_in(lines)) {
        narrate("  " + colored(Color::dim, "│", style_.color) + ' ' + line + '\n');
        cluster_.wait_until([] { return false; }, settings_.nodes.node.pace);
      }
    });
    for (const auto& [i, record] : trace_.records) {
      if (record.t_ns >= phase_began_ && !is_about_ping(record)) log.record(record);
    }
    log.flush();
    narrate("\n");
  }

  // A result precedes its own cause only by the error of the measurement.
  void show_moment(std::int64_t ns, int decimals, const std::string& words) const {
    const double shown = static_cast<double>(std::max<std::int64_t>(0, ns)) / ns_per_ms;
    const std::string ms = decimal(shown, decimals, style_.language);
    narrate("  " + right_aligned(ms, 9) + " ms   " + words + '\n');
  }

  // `words` name the process that comes.
  void show_coming(const std::string& words) {
    show_log();
    const Election& election = report_.elections.back();
    const std::int64_t took = time_of(*election.settled_record) - time_of(election.first_record);
    show_moment(0, 0, words);
    show_moment(took, 1, say(Text::demo_all_follow, {ids_.back()}));
    show_elections(report_.elections.size() - 1);
  }

  // The detectors, with times.
  void show_crash(NodeId coordinator) {
    show_log();
    const NodeId lost = ids_.back();
    std::vector<Noticed> notices;
    for (const Election& election : report_.elections) {
      std::ranges::copy_if(election.detections, std::back_inserter(notices),
                           [&](const Noticed& noticed) { return noticed.suspected == lost; });
    }
    if (notices.empty()) fail(Text::demo_unnoticed, {lost});
    const std::size_t killed = report_.elections.front().first_record;
    std::multimap<std::int64_t, std::string> moments;
    const auto moment = [&](std::size_t record, Text words, const std::string& who) {
      moments.emplace(time_of(record) - time_of(killed), say(words, {who, lost}));
    };
    const auto name = [](const Noticed& noticed) { return to_string(noticed.node); };
    const std::span<const Noticed> others = std::span(notices).subspan(1);
    moment(killed, Text::demo_killed, to_string(lost));
    moment(notices[0].record, Text::demo_notices, name(notices[0]));
    if (!others.empty()) {
      moment(others.back().record, Text::demo_noticed_by, joined(others, ", ", name));
    }
    const Election& last = report_.elections.back();
    if (last.won_record) moment(*last.won_record, Text::demo_won, to_string(coordinator));
    moment(*last.settled_record, Text::demo_left_follow, to_string(coordinator));
    for (const auto& [ns, words] : moments) show_moment(ns, 0, words);
    show_elections(0);
  }

  // This phase's elections from this one on, as `bully check` shows them.
  void show_elections(std::size_t first) const {
    narrate("\n");
    for (std::size_t k = first; k < report_.elections.size(); ++k) {
      narrate(election_paragraph(seen_, report_, k, style_.language, style_.color));
    }
  }

  // Where no process takes over without an election in which it takes part.
  bool newcomers_asked() const {
    return std::ranges::any_of(report_.figures, [](const Figures& figures) {
      return std::ranges::any_of(figures.sent, [](const auto& sent) {
        return sent.first->role == Role::joins && sent.second > 0;
      });
    });
  }

  LocalCluster cluster_;
  ClusterSettings settings_;
  const Algorithm& algorithm_;
  LogStyle style_;
  Directory directory_;
  TraceTail tail_;
  TraceFile crashes_;  // only the killer can record a crash

  Trace trace_;  // the records of these nodes
  Trace seen_;   // and that these live on, without which nobody knows how long they held office
  std::uint32_t lines_ = 0;
  Time last_news_{};
  std::map<NodeId, pid_t> pids_;
  NodeIds ids_;  // the process that the algorithm prefers comes last
  std::int64_t phase_began_ = 0;
  Report report_;  // without the elections of earlier phases
};

}  // namespace

int play_demo(const ClusterSettings& settings) {
  return Demo(settings).run();
}

}  // namespace bully
