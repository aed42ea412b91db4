// run_node.cc: `bully [ID]`, one process of the election in this terminal.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/node.h"
#include "node/query.h"
#include "node/setup_error.h"
#include "trace/writer.h"
#include "view/log.h"

namespace bully {

namespace {

struct NodeCommand {
  NodeOptions node;
  const Algorithm* algorithm = &default_algorithm();
  std::string trace;
  std::size_t detector = 0;
  std::size_t color = 0;
  bool quiet = false;
  bool version = false;
  bool help = false;
};

// What the node tells goes to the terminal and to the trace.
class Reporter : public NodeObserver {
 public:
  Reporter(const NodeCommand& command, Language language) : language_(language) {
    if (!command.trace.empty()) open_trace(command.trace);
    if (command.quiet) return;
    log_.emplace(LogStyle{language, use_color(command.color)}, time_of_day(),
                 [this](std::string_view lines) { show(lines); });
    node_ = command.node.id;
  }

  void record(const Record& record) override {
    if (log_ && !is_about_ping(record)) log_->record(record);
    if (!trace_ || trace_ended_) return;
    trace_->record(record);
    trace_ended_ = trace_->error() != 0;
    if (trace_ended_) remark(Text::log_trace_ended, std::strerror(trace_->error()));
  }

  void notice(Notice notice, std::int64_t value) override {
    switch (notice) {
      case Notice::monitor_replaced:
        return remark(Text::log_monitor_replaced, std::to_string(value));
      case Notice::monitor_missing:
        return remark(Text::log_monitor_missing, "");
      case Notice::published_again:
        return remark(Text::log_published_again, "");
      case Notice::cannot_publish:
        return remark(Text::log_cannot_publish, std::strerror(static_cast<int>(value)));
      case Notice::foreign:
        return remark_foreign(static_cast<NodeId>(value));
    }
  }

  void flush() override {
    if (log_) log_->flush();
  }

 private:
  void open_trace(const std::string& path) {
    try {
      trace_.emplace(path);
    } catch (const std::system_error& error) {
      throw SetupError(error.code().value(), "open " + path, Advice::choose_trace);
    }
  }

  // An election does not wait for whoever reads of it.
  void show(std::string_view lines) {
    if (unshown_ > 0) {
      const std::string said =
          text(Text::log_unshown, language_, {std::to_string(unshown_)}) + '\n';
      if (output_.write(said) == 0) unshown_ = 0;
    }
    unshown_ += output_.write(lines);
  }

  // Once for each of them: such a node goes on asking.
  void remark_foreign(NodeId id) {
    const bool known = foreign_.size() >= most_foreign || foreign_.contains(id);
    if (!known && foreign_.insert(id).second) remark(Text::log_foreign, std::to_string(id));
  }

  // Said even by a quiet node: something is wrong around it.
  void remark(Text words, const std::string& value) {
    const std::string said = text(words, language_, {value});
    if (log_) {
      log_->remark(monotonic_now().count(), node_, said);
    } else {
      errors_.write("bully: " + said + '\n');
    }
  }

  Language language_;
  LineOutput output_{STDOUT_FILENO};
  LineOutput errors_{STDERR_FILENO};
  NodeId node_ = 0;
  std::optional<Log> log_;
  std::size_t unshown_ = 0;  // lines that the terminal did not take
  std::optional<TraceFile> trace_;
  bool trace_ended_ = false;
  static constexpr std::size_t most_foreign = 64;
  std::set<NodeId> foreign_;
};

void declare(Options& options, NodeCommand& command) {
  using std::chrono::milliseconds;
  options.group(Text::help_node_options);
  options.value("--dir", "DIR", command.node.directory, Text::option_dir);
  options.algorithm(command.algorithm);
  options.choice("--detector", {"ping", "eof"}, command.detector, Text::option_detector);
  const milliseconds least(1);
  options.duration("--ping-interval", command.node.ping_interval, least,
                   Text::option_ping_interval);
  options.duration("--ping-timeout", command.node.ping_timeout, least, Text::option_ping_timeout);
  options.duration("--answer-timeout", command.node.answer_timeout, least,
                   Text::option_answer_timeout);
  options.duration("--coordinator-timeout", command.node.coordinator_timeout, least,
                   Text::option_coordinator_timeout);
  options.duration("--pace", command.node.pace, milliseconds(0), Text::option_pace);
  options.group(Text::help_output_options);
  options.value("--trace", "FILE", command.trace, Text::option_trace);
  options.flag("--trace-pings", command.node.trace_pings, Text::option_trace_pings);
  options.language();
  options.choice("--color", {"auto", "always", "never"}, command.color, Text::option_color);
  options.flag("--quiet", command.quiet, Text::option_quiet);
  options.group(Text::help_other_options);
  options.flag("--version", command.version, Text::option_version);
  options.flag("--help", command.help, Text::option_help);
}

std::string help_of(const Options& options, Language language) {
  const auto say = [language](Text name) { return std::string(text(name, language)); };
  const auto row = [&](std::string_view left, Text right) {
    return "  " + padded(left, 14) + say(right) + '\n';
  };
  const std::string any_options = say(Text::help_usage_options) + '\n';
  return say(Text::help_usage) + " bully [ID] " + any_options + "       bully COMMAND " +
         any_options + '\n' + say(Text::help_intro) + "\n\n" + say(Text::help_commands) + '\n' +
         row("[ID]", Text::command_node) + row("ps", Text::command_ps) +
         row("scenario", Text::command_scenario) + row("simulate", Text::command_simulate) +
         row("verify", Text::command_verify) + row("check", Text::command_check) +
         row("diagram", Text::command_diagram) + row("watch", Text::command_watch) +
         row("kill", Text::command_kill) + row("compare", Text::command_compare) +
         row("guard", Text::command_guard) + options.help() + '\n' + say(Text::help_duration) +
         "\n\n" + say(Text::help_environment) + '\n' +
         row("BULLY_DIR", Text::help_environment_dir) +
         row("BULLY_TRACE", Text::help_environment_trace) +
         row("LC_ALL, LANG", Text::help_environment_lang) +
         row("NO_COLOR", Text::help_environment_color) + '\n' + say(Text::help_exit) + '\n';
}

// Nodes of two algorithms in one directory do not understand each other, whoever came first. Two
// that start at the same moment cannot see this here: they say so when they hear of each other.
void refuse_another_algorithm(const NodeCommand& command, Language language) {
  const NodeOptions& node = command.node;
  const auto peer = ask_one_node(Directory(node.directory, true), node.id);
  if (!peer || peer->algorithm == command.algorithm->name) return;
  throw Refusal(
      text(Text::error_foreign, language,
           {std::to_string(peer->id), node.directory, peer->algorithm, command.algorithm->name}),
      text(Text::advice_foreign, language, {peer->algorithm}));
}

// What holds where the command line says nothing.
NodeCommand default_command() {
  NodeCommand command;
  command.node.id = static_cast<NodeId>(getpid());
  command.node.directory = default_directory();
  if (const char* trace = std::getenv("BULLY_TRACE"); trace != nullptr) command.trace = trace;
  return command;
}

// The options and their words are needed for a moment only: a node that runs for hours does not
// carry them along.
NodeCommand parse(const Invocation& invocation) {
  NodeCommand command = default_command();
  Options options(invocation.language);
  declare(options, command);
  bool id_given = false;
  options.argument([&](const std::string& given) {
    if (id_given) options.fail(Text::usage_unexpected_argument, {given});
    const std::optional<NodeId> id = parse_id(given);
    if (!id) {
      options.fail(Text::usage_not_an_id,
                   {given, std::to_string(std::numeric_limits<NodeId>::max())});
    }
    command.node.id = *id;
    id_given = true;
  });
  options.parse(invocation.arguments);
  command.node.detector = command.detector == 0 ? Detector::ping : Detector::eof;
  return command;
}

void show_help(Language language) {
  NodeCommand standard = default_command();
  Options options(language);
  declare(options, standard);
  write_to_stdout(help_of(options, language));
}

}  // namespace

int run_node(const Invocation& invocation) {
  const NodeCommand command = parse(invocation);
  if (command.help) {
    show_help(invocation.language);
    return exit_ok;
  }
  if (command.version) {
    write_to_stdout("bully " + std::string(version) + '\n');
    return exit_ok;
  }

  Reporter reporter(command, invocation.language);
  refuse_another_algorithm(command, invocation.language);
  Node node(command.node, *command.algorithm, reporter);
  node.run();
  return exit_ok;
}

}  // namespace bully
