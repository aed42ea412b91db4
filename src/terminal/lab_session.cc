// lab_session.cc: `bully lab`, exercises beside the student's own processes: predict, do, explain.
//
// An exercise queries the nodes' statuses, again and again, and knows nothing else. It signals and
// starts no process: the student does that in another terminal. The cluster is at rest when several
// looks in a row are equal; decisions wait for that.
#include "terminal/lab_session.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "node/peer_process.h"
#include "terminal/cluster_session.h"
#include "terminal/exercises.h"
#include "terminal/output.h"
#include "view/ps_table.h"
#include "words/names.h"

namespace bully {

namespace {

using std::to_string;
using NodeIds = std::vector<NodeId>;

// At the standard interval, longer than a monitor needs to detect that a process is gone.
constexpr std::size_t looks_at_rest = 8;
constexpr std::size_t min_nodes = 3;  // in an exercise, including a stopped node
constexpr std::size_t longest_prediction = 1024;

struct Lab {
  std::size_t number;
  std::string directory;
  Duration interval;
  const Invocation& invocation;
  const Exercise& exercise = exercises()[number - 1];
  bool color = log_style(invocation).color;
  SignalPipe signals{};
  ClusterStatus begun = {};
  ClusterStatus now = {};
  bool has_looked = false;
  std::size_t looks = 0;
  std::size_t unchanged = 0;  // the number of successive equal looks
  NodeId subject = 0;
  std::string input = {};  // input read ahead, which belongs to a later line
  bool input_ended = false;

  // Runs until the exercise is done. Throws Interrupted, SetupError.
  void run() {
    narrate(say(Text::lab_looking, {directory}) + "\n\n");
    while (true) {
      await_beginning();
      const std::optional<std::uint64_t> prediction = predict();
      narrate('\n' + say(exercise.what_to_do, {subject, pid_text(subject), command()}) + '\n');
      if (await_act()) return explain(prediction);
      narrate('\n' + say(Text::lab_spoilt) + "\n\n");
    }
  }

  std::string say(Text words, Values values = {}) const { return invocation.say(words, values); }
  std::string bold(const std::string& words) const { return colored(Color::bold, words, color); }
  std::string command() const {
    const std::string rules = now.follows_outside_rules()
                                  ? " --algorithm=./" + say(Text::lab_program)
                                  : algorithm_option(now.algorithm());
    return typed(invocation.program) + directory_option(directory) + rules;
  }
  std::string none_stopped() const {
    return say(Text::lab_none_stopped, {typed(invocation.program), directory_option(directory)});
  }
  // Only a proven PID may appear in a command.
  std::string pid_text(NodeId id) const {
    const NodeStatus* node = now.find(id);
    return node == nullptr || refusal_of(*node) ? "PID" : to_string(node->pid);
  }
  std::string type_name() const {
    return name_of(first_type(now.algorithm()), invocation.language);
  }

  // --- Looks ---

  void look() {
    ClusterStatus found;
    if (const auto opened = Directory::existing(directory)) {
      const bool ask_silent = looks++ % ask_silent_each == 0;
      found.nodes = query_status(*opened, reply_patience, ask_silent ? NodeIds{} : now.silent());
    }
    const std::string left = names_of_dead(found.nodes);
    if (!std::exchange(has_looked, true) && !left.empty()) {
      const std::string words = say(Text::names_left, {left});
      narrate(joined(wrapped(words, narration_columns), "\n") + "\n\n");
    }
    std::erase_if(found.nodes, [](const NodeStatus& node) { return !node.is_alive(); });
    for (NodeStatus& node : found.nodes) {
      if (node.condition == Condition::running) continue;
      // The kernel reports a listener only when queried.
      const NodeStatus* known = now.find(node.id);
      if (node.listener == 0 && known != nullptr) node.listener = known->listener;
      node.pid = node.listener;
    }
    unchanged = found.is_same(now) ? unchanged + 1 : 0;
    now = std::move(found);
  }

  // Looks until `is_met`, which is checked after each look.
  template <class Condition>
  void await(Condition is_met) {
    for (look(); !is_met(); look()) {
      const Time next = monotonic_now() + interval;
      while (monotonic_now() < next) wait_for_input(-1, next);
    }
  }

  // True if `fd` has input, now or before `deadline`.
  bool wait_for_input(int fd, Time deadline) {
    std::array<pollfd, 2> polled = {pollfd{signals.fd(), POLLIN, 0}, pollfd{fd, POLLIN, 0}};
    poll_for(polled, poll_timeout(deadline, monotonic_now()));
    if (const std::optional<int> signal = signals.next()) throw Interrupted{*signal};
    return polled[1].revents != 0;
  }

  // --- The beginning ---

  // The cluster's deficiency; empty if the exercise can begin.
  std::string missing() const {
    const bool resumes = exercise.act == Act::resume_stopped;
    const NodeIds silent = now.silent();
    const std::size_t running = now.running().size();
    if (resumes && silent.empty()) return none_stopped();
    if (silent.size() > (resumes ? 1 : 0)) {
      const bool is_unknown = refusal_of(*now.find(silent.front())).has_value();
      return say(is_unknown ? Text::lab_unknown : Text::lab_silent,
                 {silent.front(), pid_text(silent.front())});
    }
    const std::size_t least = resumes ? min_nodes - 1 : min_nodes;
    if (running < least) return say(Text::lab_few, {running, directory, least, command()});
    const NodeStatus* coordinator = now.coordinator();
    if (coordinator == nullptr) return say(Text::lab_unsettled);
    if (exercise.act == Act::start_highest && subject_of(exercise.act, now) > highest_id) {
      return say(Text::lab_no_higher, {coordinator->id});
    }
    // A stopped node that the others outrank was no coordinator, or could not be coordinator again.
    const bool fits = !resumes || now.algorithm().prefers(silent.front(), coordinator->id);
    return fits ? "" : none_stopped();
  }

  void await_beginning() {
    std::string shown;
    await([&] {
      const std::string lacking = missing();
      if (lacking.empty()) return unchanged >= looks_at_rest;
      // A passing deficiency is not shown.
      if (unchanged > 0 && lacking != std::exchange(shown, lacking)) narrate(lacking + '\n');
      return false;
    });
    begun = now;
    subject = subject_of(exercise.act, begun);
    const std::string title = say(Text::lab_title, {number, say(exercise.title, {type_name()})});
    narrate((shown.empty() ? "" : "\n") + bold(title) + '\n' +
            say(Text::lab_begun, {joined(begun.running(), ", "), begun.coordinator()->id}) +
            "\n\n");
  }

  // --- The prediction ---

  // A line of standard input, without its newline; nothing at the end of the input.
  std::optional<std::string> read_line() {
    while (true) {
      const std::size_t end = input.find('\n');
      if (end != std::string::npos || input.size() > longest_prediction || input_ended) {
        if (end == std::string::npos && input.empty()) return std::nullopt;
        const std::string line = input.substr(0, end);
        input.erase(0, end == std::string::npos ? end : end + 1);
        return line;
      }
      if (!wait_for_input(STDIN_FILENO, never)) continue;
      std::array<char, longest_prediction> bytes{};
      const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got > 0) input.append(bytes.data(), static_cast<std::size_t>(got));
      input_ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    }
  }

  std::optional<std::uint64_t> predict() {
    // A line typed before the question, such as Enter while waiting, is no answer to it.
    if (isatty(STDIN_FILENO) == 1) tcflush(STDIN_FILENO, TCIFLUSH);
    const std::string question = say(exercise.question, {subject, type_name()});
    narrate(joined(wrapped(question, narration_columns), "\n") + '\n');
    while (true) {
      narrate(say(Text::lab_prompt) + ' ');
      std::optional<std::string> line = read_line();
      // A terminal has shown the line that was typed.
      if (isatty(STDIN_FILENO) != 1 || !line) narrate("\n");
      std::string digits = line.value_or("");
      digits.erase(0, digits.find_first_not_of(" \t\r"));
      digits.erase(digits.find_last_not_of(" \t\r") + 1);
      if (digits.empty()) return std::nullopt;
      if (const auto predicted = parse_number(digits)) return predicted;
      narrate(say(Text::lab_not_a_number, {harmless(*line)}) + '\n');
    }
  }

  // --- The act ---

  // False if another change has happened.
  bool await_act() {
    bool is_right = false;
    bool is_shown = false;
    await([&] {
      const Change change(begun, now);
      is_right = is_done(exercise.act, begun, change);
      if (is_right && !std::exchange(is_shown, true)) narrate('\n' + say(Text::lab_seen) + '\n');
      const bool at_rest = now.coordinator() != nullptr || now.running().empty();
      return unchanged >= looks_at_rest && at_rest && change.count() > 0;
    });
    return is_right;
  }

  void explain(std::optional<std::uint64_t> prediction) const {
    const std::uint64_t outcome = exercise.measure(begun, now);
    const bool is_right = prediction == outcome;
    // The textbook allows this count, though other processes detected the crash first this time.
    std::vector<std::uint64_t> numbers;
    if (exercise.measure == first_messages && now.algorithm().count != nullptr) {
      numbers = textbook_numbers(now.algorithm(), now.running());
    }
    const bool is_possible = prediction && std::ranges::binary_search(numbers, *prediction);
    const bool fits = is_right || is_possible;
    const Text predicted = !prediction         ? Text::lab_no_prediction
                           : fits && !is_right ? Text::lab_predicted_possible
                                               : Text::lab_predicted;
    const std::string_view mark = fits ? "✓ " : prediction ? "✗ " : "";
    narrate('\n' + bold(say(Text::lab_happened)) + '\n' +
            colored(fits ? Color::green : Color::yellow, mark, color) +
            say(exercise.outcome, {outcome, type_name(), joined(believers(begun, now), ", ")}) +
            ' ' + say(predicted, {prediction.value_or(0)}) + '\n');
    if (!numbers.empty()) {
      const std::size_t nodes = begun.running().size();
      narrate(say(Text::lab_range, {nodes, numbers.front(), numbers.back()}) + '\n');
    }
    show_messages();
    const std::string own = word_key(exercise.why, '_' + std::string(now.algorithm().name));
    narrate('\n' + word_or(own, exercise.why, invocation.language) + '\n');
  }

  void show_messages() const {
    const Exchanged exchanged(begun, now);
    Table rows = {{"  " + say(Text::lab_message), say(Text::lab_sent), say(Text::lab_received)}};
    for (const MessageType type : now.algorithm().messages) {
      rows.push_back({"  " + name_of(type, invocation.language), to_string(exchanged.sent.of(type)),
                      to_string(exchanged.received.of(type))});
    }
    narrate('\n' + say(Text::lab_messages, {joined(exchanged.counted, ", ")}) + '\n' +
            joined(aligned(rows, "lr"), "\n") + '\n');
    for (const NodeId id : exchanged.unseen_now) narrate(say(Text::lab_unseen_now, {id}) + '\n');
    for (const NodeId id : exchanged.unseen_before) {
      narrate(say(Text::lab_unseen_before, {id}) + '\n');
    }
  }
};

}  // namespace

void run_exercise(std::size_t number, const std::string& directory, Duration interval,
                  const Invocation& invocation) {
  Lab{number, directory, interval, invocation}.run();
}

}  // namespace bully
