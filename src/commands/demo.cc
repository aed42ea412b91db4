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
#include "view/ps_table.h"
#include "view/style.h"
#include "view/watch.h"

namespace bully {

namespace {

using std::to_string;
using Ids = std::vector<NodeId>;

constexpr Duration step_deadline = std::chrono::seconds(10);  // the limit for each step
// After this time without a record no more will come.
constexpr Duration silence = std::chrono::milliseconds(50);

// The messages of a phase's elections, taken together.
struct Tally {
  MessageCounts sent = {};
  MessageCounts lost = {};
  std::optional<MessageCounts> textbook = MessageCounts();  // nothing if any of them has none
  std::uint64_t beyond = 0;                                 // messages that are not the textbook's
};

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
    trace_.files.push_back({settings_.nodes.trace, 0});
  }

  void run() {
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
      narrate(check_report(trace_, check_trace(trace_), style_.language, style_.color));
      fail(Text::demo_violated);
    }
    if (report_.verdict == RunVerdict::right) show_outcome(Text::demo_right);
    narrate(say(Text::demo_farewell) + '\n');
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
      newest = i + 1;  // with PIDs, the higher id is hard to see at once
      start(newest);
      ids_.push_back(newest);
      std::ranges::sort(ids_, [&](NodeId a, NodeId b) { return algorithm_.prefers(b, a); });
      each_won = each_won && ids_.back() == newest;  // PIDs wrap round in the end
      await_agreement(ids_);
    }
    show_coming(say(Text::demo_last_starts, {newest, settings_.count}));
    show_table(&CountFormula::growth);
    if (tally_.beyond > 0) return show_outcome(Text::demo_all_joined);
    show_outcome(each_won ? ranked(Text::demo_all_highest, Text::demo_all_outrank)
                          : ranked(Text::demo_wrapped, Text::demo_some_ask));
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
    const Ids left(ids_.begin(), ids_.end() - 1);
    await_agreement(left);
    const auto rank = show_crash(left.back());
    show_table(&CountFormula::crash);
    explain_count(rank);
    show_outcome(ranked(Text::demo_elected, Text::demo_elected_rank), {left.back()});
  }

  void bring_back() {
    const std::string old = to_string(ids_.back());
    begin_phase(Text::demo_return, {old});
    const pid_t pid = start(ids_.back());
    await_agreement(ids_);
    show_coming(say(Text::demo_is_back, {old, pid}));
    show_table(&CountFormula::arrival);
    show_outcome(tally_.beyond > 0 ? Text::demo_returned_asking
                                   : ranked(Text::demo_returned, Text::demo_returned_rank));
  }

  pid_t start(NodeId id) { return pids_[id] = start_node(cluster_, settings_, {"--quiet"}, id); }

  // Waits until all of these follow the last, which the algorithm prefers.
  void await_agreement(const Ids& ids) {
    const auto is_over = [&] { return read_on() && agree(ids, true); };
    // A message that was not given up is no failure.
    const bool in_time = cluster_.wait_until(is_over, step_deadline) || agree(ids, false);
    report_ = check_trace(trace_);
    const auto earlier = std::ranges::count_if(report_.elections, [&](const Election& election) {
      return time_of(election.first_record) < phase_began_;
    });
    report_.elections.erase(report_.elections.begin(), report_.elections.begin() + earlier);
    report_.figures.erase(report_.figures.begin(), report_.figures.begin() + earlier);
    if (in_time) return;
    show_log();
    narrate(ps_table(query_status(directory_, reply_patience), style_.language));
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
  bool agree(const Ids& ids, bool when_heard) const {
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
  }

  // The detectors, with times. Returns the lowest detector's rank, from 1.
  std::size_t show_crash(NodeId coordinator) {
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
    const auto least = std::ranges::find_first_of(ids_, notices, {}, {}, &Noticed::node);
    return static_cast<std::size_t>(least - ids_.begin()) + 1;
  }

  // `which`: the textbook's formulas for this phase.
  void show_table(std::string_view CountFormula::*which) {
    tally_ = {};
    for (const Figures& figures : report_.figures) {
      for (const auto& [type, sent] : figures.sent) {
        tally_.sent[type] += sent;
        tally_.lost[type] += figures.lost.of(type);
        if (type->role == Role::joins) tally_.beyond += sent;
      }
      if (!figures.textbook) tally_.textbook.reset();
      if (!tally_.textbook) continue;
      for (const auto& [type, count] : figures.textbook->sent) (*tally_.textbook)[type] += count;
    }
    const auto row = [](const std::string& name, const std::string& sent,
                        const std::string& counted) {
      return "    " + padded(name, 13) + right_aligned(sent, 11) + right_aligned(counted, 14);
    };
    const std::string heading =
        row(say(Text::demo_message), say(Text::demo_sent), say(Text::demo_textbook));
    std::string page = '\n' + colored(Color::dim, heading, style_.color) + '\n';
    for (const MessageType type : algorithm_.messages) {
      page += row(name_of(type, style_.language), to_string(tally_.sent.of(type)),
                  tally_.textbook ? to_string(tally_.textbook->of(type)) : "–");
      std::string formula = type->role == Role::joins ? say(Text::demo_beyond) : "";
      for (const CountFormula& known : algorithm_.formulas) {
        if (known.type == type) formula = word(known.*which, style_.language, {settings_.count});
      }
      if (tally_.textbook && !formula.empty()) page += "   " + formula;
      page += '\n';
    }
    narrate(page +
            row(say(Text::demo_total), to_string(election_total(tally_.sent)),
                tally_.textbook ? to_string(election_total(*tally_.textbook)) : "–") +
            "\n\n");
  }

  // Some textbooks count the dead process and the messages to it; on a ring it is skipped.
  void explain_count(std::size_t rank) const {
    const auto remark = [this](Text words, Values values = {}) {
      narrate("    " + say(words, values) + '\n');
    };
    const std::uint64_t lost = election_total(tally_.lost);
    std::uint64_t counted = election_total(tally_.sent);
    const Figures& last = report_.figures.back();
    if (last.bound && last.nodes == settings_.count) {
      remark(ranked(Text::demo_counted_in, Text::demo_counted_in_rank),
             {settings_.count, rank, ids_.at(rank - 1)});
    } else {
      counted -= lost;
      remark(Text::demo_counted_out, {settings_.count - 1, lost});
    }
    const std::uint64_t expected = tally_.textbook ? election_total(*tally_.textbook) : counted;
    const bool is_counted = algorithm_.count != nullptr;
    if (!tally_.textbook) remark(is_counted ? Text::demo_no_count : Text::demo_uncounted);
    if (counted != expected) remark(counted < expected ? Text::demo_fewer : Text::demo_more);
    narrate("\n");
  }

  LocalCluster cluster_;
  ClusterSettings settings_;
  const Algorithm& algorithm_;
  LogStyle style_;
  Directory directory_;
  TraceTail tail_;
  TraceFile crashes_;  // only the killer can record a crash

  Trace trace_;  // the records of these nodes
  std::uint32_t lines_ = 0;
  Time last_news_{};
  std::map<NodeId, pid_t> pids_;
  Ids ids_;  // the process that the algorithm prefers comes last
  std::int64_t phase_began_ = 0;
  // For this phase:
  Report report_;  // without earlier elections
  Tally tally_;
};

}  // namespace

int play_demo(const ClusterSettings& settings) {
  Demo(settings).run();
  return exit_ok;
}

}  // namespace bully
