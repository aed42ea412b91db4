// lab.cc: `bully lab`, exercises beside the student's own processes: predict, do, explain.
//
// An exercise queries the nodes' statuses, again and again, and knows nothing else. It signals and
// starts no process: the student does that in another terminal. The cluster is at rest when several
// looks in a row are equal; decisions wait for that.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "commands/commands.h"
#include "commands/exercises.h"
#include "commands/terminal.h"
#include "node/peer_process.h"
#include "view/style.h"

namespace bully {

namespace {

using std::to_string;
using NodeIds = std::vector<NodeId>;

// At the standard interval, longer than a monitor needs to detect that a process is gone.
constexpr std::size_t looks_at_rest = 8;
constexpr std::size_t min_nodes = 3;  // in an exercise, including a stopped node
constexpr std::size_t longest_prediction = 1024;

class Lab {
 public:
  Lab(std::size_t number, std::string directory, Duration interval, const Invocation& invocation)
      : number_(number),
        exercise_(exercises()[number - 1]),
        directory_(std::move(directory)),
        interval_(interval),
        invocation_(invocation),
        color_(log_style(invocation).color) {}

  // Runs until the exercise is done. Throws Interrupted, SetupError.
  void run() {
    narrate(say(Text::lab_looking, {directory_}) + "\n\n");
    while (true) {
      await_beginning();
      const std::optional<std::uint64_t> prediction = predict();
      narrate('\n' + say(exercise_.what_to_do, {subject_, pid_text(subject_), command()}) + '\n');
      if (await_deed()) return explain(prediction);
      narrate('\n' + say(Text::lab_spoilt) + "\n\n");
    }
  }

 private:
  std::string say(Text words, Values values = {}) const { return invocation_.say(words, values); }
  std::string bold(const std::string& words) const { return colored(Color::bold, words, color_); }
  std::string command() const {
    std::string command = invocation_.program;
    const Algorithm& algorithm = now_.algorithm();
    if (directory_ != standard_directory) command += " --dir=" + directory_;
    if (&algorithm != &default_algorithm()) command.append(" --algorithm=").append(algorithm.name);
    return command;
  }
  // Only a proven PID may appear in a command.
  std::string pid_text(NodeId id) const {
    const NodeStatus* node = now_.find(id);
    return node == nullptr || refusal_of(*node) ? "PID" : to_string(node->pid);
  }
  std::string type_name() const {
    return name_of(first_type(now_.algorithm()), invocation_.language);
  }

  // --- Looks ---

  void look() {
    Look found;
    if (const auto opened = Directory::existing(directory_)) {
      const bool ask_silent = looks_++ % ask_silent_each == 0;
      found.nodes = query_status(*opened, reply_patience, ask_silent ? NodeIds{} : now_.silent());
    }
    std::erase_if(found.nodes, [](const NodeStatus& node) { return !node.is_alive(); });
    for (NodeStatus& node : found.nodes) {
      if (node.condition == Condition::running) continue;
      // The kernel reports a listener only when queried.
      const NodeStatus* known = now_.find(node.id);
      if (node.listener == 0 && known != nullptr) node.listener = known->listener;
      node.pid = node.listener;
    }
    unchanged_ = found.is_same(now_) ? unchanged_ + 1 : 0;
    now_ = std::move(found);
  }

  // Looks until `is_met`, which is checked after each look.
  template <class Condition>
  void await(Condition is_met) {
    for (look(); !is_met(); look()) {
      const Time next = monotonic_now() + interval_;
      while (monotonic_now() < next) wait_for_input(-1, next);
    }
  }

  // True if `fd` has input, now or before `deadline`.
  bool wait_for_input(int fd, Time deadline) {
    std::array<pollfd, 2> polled = {pollfd{signals_.fd(), POLLIN, 0}, pollfd{fd, POLLIN, 0}};
    poll_for(polled, poll_timeout(deadline, monotonic_now()));
    if (const std::optional<int> signal = signals_.next()) throw Interrupted{*signal};
    return polled[1].revents != 0;
  }

  // --- The beginning ---

  // The cluster's deficiency; empty if the exercise can begin.
  std::string missing() const {
    const bool resumes = exercise_.deed == Deed::resume_stopped;
    const NodeIds silent = now_.silent();
    const std::size_t running = now_.running().size();
    if (resumes && silent.empty()) return say(Text::lab_none_stopped, {invocation_.program});
    if (silent.size() > (resumes ? 1 : 0)) {
      return say(Text::lab_silent, {silent.front(), pid_text(silent.front())});
    }
    const std::size_t least = resumes ? min_nodes - 1 : min_nodes;
    if (running < least) return say(Text::lab_few, {running, directory_, least, command()});
    const NodeStatus* coordinator = now_.coordinator();
    if (coordinator == nullptr) return say(Text::lab_unsettled);
    // A stopped node that the others outrank was no coordinator, or could not be coordinator again.
    const bool fits = !resumes || now_.algorithm().prefers(silent.front(), coordinator->id);
    return fits ? "" : say(Text::lab_none_stopped, {invocation_.program});
  }

  void await_beginning() {
    std::string told;
    await([&] {
      const std::string lacking = missing();
      if (lacking.empty()) return unchanged_ >= looks_at_rest;
      // A passing deficiency is not shown.
      if (unchanged_ > 0 && lacking != std::exchange(told, lacking)) narrate(lacking + '\n');
      return false;
    });
    begun_ = now_;
    subject_ = subject_of(exercise_.deed, begun_);
    const std::string title = say(Text::lab_title, {number_, say(exercise_.title, {type_name()})});
    narrate((told.empty() ? "" : "\n") + bold(title) + '\n' +
            say(Text::lab_begun, {joined(begun_.running(), ", "), begun_.coordinator()->id}) +
            "\n\n");
  }

  // --- The prediction ---

  // A line of standard input, without its newline; nothing at the end of the input.
  std::optional<std::string> read_line() {
    while (true) {
      const std::size_t end = input_.find('\n');
      if (end != std::string::npos || input_.size() > longest_prediction || input_ended_) {
        if (end == std::string::npos && input_.empty()) return std::nullopt;
        const std::string line = input_.substr(0, end);
        input_.erase(0, end == std::string::npos ? end : end + 1);
        return line;
      }
      if (!wait_for_input(STDIN_FILENO, never)) continue;
      std::array<char, longest_prediction> bytes{};
      const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got > 0) input_.append(bytes.data(), static_cast<std::size_t>(got));
      input_ended_ = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    }
  }

  std::optional<std::uint64_t> predict() {
    const std::string question = say(exercise_.question, {subject_, type_name()});
    narrate(joined(wrapped(question, narration_columns), "\n") + '\n');
    while (true) {
      narrate(say(Text::lab_prompt) + ' ');
      std::optional<std::string> line = read_line();
      // A terminal has shown the line that was typed.
      if (isatty(STDIN_FILENO) != 1 || !line) narrate("\n");
      if (line) std::erase_if(*line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
      if (!line || line->empty()) return std::nullopt;
      if (const auto number = parse_number(*line)) return number;
      narrate(say(Text::lab_not_a_number, {*line}) + '\n');
    }
  }

  // --- The act ---

  // False if another change has happened.
  bool await_deed() {
    bool is_right = false;
    bool told = false;
    await([&] {
      const Change change(begun_, now_);
      is_right = is_done(exercise_.deed, begun_, change);
      if (is_right && !std::exchange(told, true)) narrate('\n' + say(Text::lab_seen) + '\n');
      const bool at_rest = now_.coordinator() != nullptr || now_.running().empty();
      return unchanged_ >= looks_at_rest && at_rest && change.count() > 0;
    });
    return is_right;
  }

  void explain(std::optional<std::uint64_t> prediction) const {
    const std::uint64_t outcome = exercise_.measure(begun_, now_);
    const bool is_right = prediction == outcome;
    // The textbook allows this count, though other processes detected the crash first this time.
    const bool has_range = exercise_.measure == first_messages && now_.algorithm().count != nullptr;
    const auto [fewest, most] =
        has_range ? textbook_range(now_.algorithm(), now_.running()) : CountRange{};
    const bool is_possible =
        prediction && has_range && fewest <= *prediction && *prediction <= most;
    const bool fits = is_right || is_possible;
    const Text predicted = !prediction         ? Text::lab_no_prediction
                           : fits && !is_right ? Text::lab_predicted_possible
                                               : Text::lab_predicted;
    const std::string_view mark = fits ? "✓ " : prediction ? "✗ " : "";
    narrate('\n' + bold(say(Text::lab_happened)) + '\n' +
            colored(fits ? Color::green : Color::yellow, mark, color_) +
            say(exercise_.outcome, {outcome, type_name(), joined(believers(begun_, now_), ", ")}) +
            ' ' + say(predicted, {prediction.value_or(0)}) + '\n');
    if (has_range) {
      narrate(say(Text::lab_range, {begun_.running().size(), fewest, most}) + '\n');
    }
    show_messages();
    const std::string own = word_key(exercise_.why, '_' + std::string(now_.algorithm().name));
    narrate('\n' + word_or(own, exercise_.why, invocation_.language) + '\n');
  }

  void show_messages() const {
    const Exchanged exchanged(begun_, now_);
    Table rows = {{"  " + say(Text::lab_message), say(Text::lab_sent), say(Text::lab_received)}};
    for (const MessageType type : now_.algorithm().messages) {
      rows.push_back({"  " + name_of(type, invocation_.language),
                      to_string(exchanged.sent.of(type)), to_string(exchanged.received.of(type))});
    }
    narrate('\n' + say(Text::lab_messages, {joined(exchanged.counted, ", ")}) + '\n' +
            joined(aligned(rows, "lr"), "\n") + '\n');
    for (const NodeId id : exchanged.unseen_now) narrate(say(Text::lab_unseen_now, {id}) + '\n');
    for (const NodeId id : exchanged.unseen_before) {
      narrate(say(Text::lab_unseen_before, {id}) + '\n');
    }
  }

  std::size_t number_;
  const Exercise& exercise_;
  std::string directory_;
  Duration interval_;
  const Invocation& invocation_;
  bool color_;
  SignalPipe signals_;
  Look begun_;
  Look now_;
  std::size_t looks_ = 0;
  std::size_t unchanged_ = 0;  // the number of successive equal looks
  NodeId subject_ = 0;
  std::string input_;  // input read ahead, which belongs to a later line
  bool input_ended_ = false;
};

struct LabCommand : Subcommand {
  void declare(Options& options) override {
    std::vector<std::string> known;
    for (std::size_t i = 1; i <= exercises().size(); ++i) known.push_back(to_string(i));
    options.arguments(Text::help_count_argument, numbers, 1, std::move(known));
    options.value("--dir", "DIR", directory, Text::option_dir);
    options.duration("--interval", interval, std::chrono::milliseconds(10), Text::option_interval);
    options.style();
    options.needs({options.shown_arguments(), [this] { return !numbers.empty(); }},
                  {"--dir", "--interval", "--color"});
  }

  int run(const Invocation& invocation) override {
    if (numbers.empty()) {
      const std::string type = name_of(first_type(default_algorithm()), invocation.language);
      std::string list = invocation.say(Text::lab_list) + '\n';
      for (std::size_t i = 0; i < exercises().size(); ++i) {
        list +=
            "  " + to_string(i + 1) + "  " + invocation.say(exercises()[i].title, {type}) + '\n';
      }
      narrate(list + '\n' + invocation.say(Text::lab_list_end, {invocation.program}) + '\n');
      return exit_ok;
    }
    const auto number = parse_number(numbers[0]);
    if (!number || *number < 1 || *number > exercises().size()) {
      invocation.fail(Text::usage_not_an_exercise, {numbers[0], exercises().size()});
    }
    try {
      Lab(*number, directory, interval, invocation).run();
    } catch (const Interrupted& interrupted) {
      if (interrupted.signal != SIGINT) return exit_by_signal + interrupted.signal;
      write_to_stdout("\n");  // the terminal shows ^C on this line
    }
    return exit_ok;
  }

  std::string directory = default_directory();
  Duration interval = std::chrono::milliseconds(250);
  std::vector<std::string> numbers;
};

}  // namespace

const CommandKind lab_command = {"lab", Text::command_lab, Text::help_lab_intro,
                                 make_command<LabCommand>};

}  // namespace bully
