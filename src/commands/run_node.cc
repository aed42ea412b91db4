// run_node.cc: `bully [ID]`, one process of the election in this terminal.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <limits>

#include "commands/commands.h"
#include "node/node.h"
#include "node/peer_process.h"
#include "rules/rules.h"
#include "terminal/cluster_session.h"
#include "terminal/output.h"
#include "terminal/traces.h"

namespace bully {

namespace {

// In the order of Notice.
constexpr auto notice_words = std::to_array<Text>(
    {Text::log_monitor_replaced, Text::log_monitor_missing, Text::log_monitor_dies,
     Text::log_published_again, Text::log_cannot_publish, Text::log_foreign});

// Passes the node's records and notices to the terminal and to the trace.
class Reporter : public NodeObserver {
 public:
  Reporter(const NodeSettings& settings, const Invocation& invocation)
      : invocation_(invocation), options_(settings.node), trace_(open_trace(settings.trace)) {
    if (settings.quiet) return;
    log_.emplace(log_style(invocation), time_of_day(),
                 [this](std::string_view lines) { show(lines); });
  }

  void record(const Record& record) override {
    if (log_ && !is_about_ping(record)) log_->record(record);
    if (!trace_ || trace_->error() != 0) return;
    trace_->record(record);
    if (trace_->error() != 0)
      remark(Text::log_trace_ended, error_words(trace_->error(), invocation_.language));
  }

  void notice(Notice notice, std::int64_t value) override {
    const auto reason = [&](int error) {
      return error == EWOULDBLOCK ? invocation_.say(Text::log_locked)
                                  : error_words(error, invocation_.language);
    };
    remark(notice_words.at(static_cast<std::size_t>(notice)), notice == Notice::cannot_publish
                                                                  ? reason(static_cast<int>(value))
                                                                  : std::to_string(value));
  }

  void dropping(std::string_view bytes) override {
    if (log_) log_->dropping(bytes);
  }

  void flush() override {
    if (log_) log_->flush();
  }

  // Messages before the node starts, which does not wait for its readers either.
  void warn(const std::string& words) {
    if (!words.empty()) errors_.write("bully: " + words + '\n');
  }

 private:
  // An election does not wait for its readers.
  void show(std::string_view lines) {
    if (unshown_ > 0) {
      const auto said = invocation_.say(Text::log_unshown, {unshown_});
      if (output_.write(said + '\n') == 0) unshown_ = 0;
    }
    unshown_ += output_.write(folded_for(STDOUT_FILENO, lines));
  }

  // Shown even by a quiet node: its environment has a problem.
  void remark(Text words, const std::string& value) {
    const std::string said = invocation_.say(words, {value, options_.directory});
    if (log_) {
      log_->remark(monotonic_now().count(), options_.id, said);
    } else {
      warn(said);
    }
  }

  const Invocation& invocation_;
  LineOutput output_{STDOUT_FILENO};
  LineOutput errors_{STDERR_FILENO};
  const NodeOptions& options_;
  std::optional<Log> log_;
  std::size_t unshown_ = 0;  // lines that the terminal did not take
  std::optional<TraceFile> trace_;
};

struct NodeCommand : Subcommand {
  void declare(Options& options) override {
    options.arguments(Text::help_id_argument, ids, 1);
    declare_node(options, settings);
    options.no_effect_with({"--quiet", [this] { return settings.quiet; }}, {"--color"});
    options.needs({"--trace", [this] { return !settings.trace.empty(); }}, {"--trace-pings"});
  }

  int run() override {
    settings.node.id = ids.empty() ? static_cast<NodeId>(getpid()) : id_from(ids[0]);
    settings.node.outside = rules_of(*settings.algorithm);
    settings.node.variant = variant_of(*settings.algorithm, settings.protocol, invocation());
    Reporter reporter(settings, invocation());
    refuse_another_algorithm(reporter);
    Node(settings.node, *settings.algorithm, reporter).run();
    return exit_ok;
  }

  // Nodes of two algorithms in one directory do not understand each other. Two that start at the
  // same moment cannot detect this here: they report it when a message of the other arrives.
  void refuse_another_algorithm(Reporter& reporter) const {
    const std::string& directory = settings.node.directory;
    const auto peer = ask_one_node(Directory(directory, true), settings.node.id);
    const bool is_new_run = !peer && !settings.node.controlled;
    if (is_new_run) reporter.warn(words_if_appended(settings.trace, invocation()));
    if (!peer || peer->algorithm == settings.algorithm->signed_name()) return;
    const Algorithm* known = find_algorithm(peer->algorithm);
    const Text advice = known == settings.algorithm ? Text::advice_other_version
                        : known == nullptr          ? Text::advice_foreign_rules
                                                    : Text::advice_foreign;
    throw Refusal(say(Text::error_foreign,
                      {peer->id, directory, peer->algorithm, settings.algorithm->signed_name()}),
                  say(advice, {peer->algorithm}));
  }

  NodeSettings settings;
  std::vector<std::string> ids;  // none or one
};

}  // namespace

void declare_node(Options& options, NodeSettings& settings) {
  NodeOptions& node = settings.node;
  constexpr std::chrono::milliseconds none(0);
  constexpr std::chrono::milliseconds least(1);
  options.group(Text::help_node_options);
  options.value("--dir", "DIR", node.directory, Text::option_dir);
  options.algorithm(settings.algorithm);
  options.value("--protocol", Text::help_name_value, settings.protocol, Text::option_protocol);
  options.choice("--detector", {"ping", "eof"}, node.detector, Text::option_detector);
  options.duration("--ping-interval", node.ping_interval, least, Text::option_ping_interval);
  options.duration("--ping-timeout", node.ping_timeout, least, Text::option_ping_timeout);
  options.duration("--answer-timeout", node.answer_timeout, least, Text::option_answer_timeout);
  options.duration("--coordinator-timeout", node.coordinator_timeout, least,
                   Text::option_coordinator_timeout);
  options.duration("--pace", node.pace, none, Text::option_pace);
  options.file("--ring", node.ring, Text::option_ring_file);
  options.unlisted_flag("--controlled", node.controlled);
  options.group(Text::help_output_options);
  options.file("--trace", settings.trace, Text::option_trace);
  options.flag("--trace-pings", node.trace_pings, Text::option_trace_pings);
  options.log_style();
  options.flag("--quiet", settings.quiet, Text::option_quiet);
  options.no_effect_with_elections(settings.algorithm, has_no_ring, {"--ring"});
  options.no_effect_with_elections(settings.algorithm, has_no_variants, {"--protocol"});
  options.no_effect_with({"--quiet", [&settings] { return settings.quiet; }}, {"--explain"});
}

const CommandKind node_command = {
    "", Text::command_node, Text::help_intro, make_command<NodeCommand>, {Text::help_exit}};

}  // namespace bully
