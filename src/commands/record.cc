// record.cc: `bully record`, which observes the links of the processes in a directory and records
// their messages, whatever program they run.
#include <optional>
#include <set>

#include "commands/commands.h"
#include "stage/local_cluster.h"
#include "terminal/output.h"
#include "terminal/traces.h"
#include "wire/link_recorder.h"

namespace bully {

namespace {

// Reports once each kind of event that no trace contains.
class Narration : public LinkRecorder {
 public:
  Narration(const Algorithm& algorithm, const Directory& directory, Sink& sink,
            const Invocation& invocation, Log& log)
      : LinkRecorder(algorithm.name, directory.identity(), sink),
        algorithm_(algorithm),
        invocation_(invocation),
        log_(log) {}

  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override {
    if (message.type.is_of_election() && !algorithm_.speaks(message.type)) {
      say_once(message.from, Text::record_foreign, std::string(algorithm_.name));
    }
    LinkRecorder::on_message(message, to, way, ticket);
  }
  void on_noise(NodeId to, std::string_view) override { say_once(to, Text::record_noise); }
  void on_trouble(int error) override {
    say_once(std::nullopt, Text::record_trouble, error_words(error, invocation_.language));
  }
  void say_once(std::optional<NodeId> about, Text words, const std::string& value = "") {
    if (!said_.insert({about, words}).second) return;
    log_.remark(monotonic_now().count(), about, invocation_.say(words, {value}));
  }

 private:
  const Algorithm& algorithm_;
  const Invocation& invocation_;
  Log& log_;
  std::set<std::pair<std::optional<NodeId>, Text>> said_;
};

struct RecordCommand : Subcommand {
  void declare(Options& options) override {
    options.group(Text::help_output_options);
    options.value("--dir", "DIR", place, Text::option_dir);
    options.algorithm(algorithm);
    options.file("--trace", trace, Text::option_trace);
    options.style();
    options.flag("--quiet", quiet, Text::option_quiet);
    options.no_effect_with({"--quiet", [this] { return quiet; }}, {"--color"});
  }

  int run() override {
    const Directory directory(place, true);
    const Guard guard;
    guard.put_names_back(directory.path());
    SignalPipe signals({SIGQUIT});
    Log log(log_style(invocation()), time_of_day(), write_to_stdout);
    complain(words_if_appended(trace, invocation()));
    TeeSink recorder(quiet ? nullptr : &log, trace);
    Narration narration(*algorithm, directory, recorder, invocation(), log);
    std::optional<LinkProxy> relay;
    try {
      relay.emplace(directory, narration);
    } catch (const SetupError&) {
      guard.forget_directory(directory.path());  // another recorder may have the names
      throw;
    }
    if (directory.ids().empty()) narration.say_once(std::nullopt, Text::record_nobody, place);
    const auto end = [&] {
      relay.reset();  // messages in flight arrive
      narration.finish();
      recorder.flush();
    };
    std::optional<int> signal;
    try {
      for (; !signal && !recorder.has_failed(invocation()); signal = signals.next()) {
        recorder.flush();
        std::vector<pollfd> polled = {{signals.fd(), POLLIN, 0}};
        relay->serve(polled, never);
      }
    } catch (const SetupError&) {
      end();
      throw;
    }
    end();
    if (!signal || recorder.has_failed(invocation())) return exit_failed;
    return *signal == SIGINT ? exit_ok : exit_by_signal + *signal;
  }

  std::string place = default_directory();
  std::string trace = standard_trace();
  const Algorithm* algorithm = &default_algorithm();
  bool quiet = false;
};

}  // namespace

const CommandKind record_command = {"record", Text::command_record, Text::help_record_intro,
                                    make_command<RecordCommand>};

}  // namespace bully
