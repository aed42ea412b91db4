// grade.cc: `bully grade`, which finds out if a program is right, and if not, why; for one program,
// or several in turn.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "commands/commands.h"
#include "grade/grading.h"
#include "grade/place.h"
#include "node/beyond_posix.h"
#include "stage/local_cluster.h"
#include "terminal/output.h"
#include "trace/trace.h"
#include "view/class_table.h"
#include "view/errors.h"
#include "view/grade_report.h"
#include "words/names.h"

namespace bully {

namespace {

namespace fs = std::filesystem;

constexpr unsigned most_repeats = 100;
constexpr unsigned most_jobs = 64;

// Most of a check is waiting, so that a processor carries two.
unsigned usual_jobs() {
  return std::clamp(2 * std::thread::hardware_concurrency(), 2U, most_jobs);
}

enum class GradeFormat : std::uint8_t { text, json, junit, html };

std::string in_format(GradeFormat format, const Grade& grade, Language language) {
  if (format == GradeFormat::json) return grade_json(grade, language);
  if (format == GradeFormat::junit) return grade_junit(grade, language);
  if (format == GradeFormat::html) return grade_html(grade, language);
  std::string card;
  for (const CheckResult& result : grade.results) card += check_line(result, language, false);
  return card + grade_card(grade, language, false);
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw SetupError(error, "write " + path, Advice::none);
}

// A reader at the same time finds either the old file or the new one. A link to a file stays one.
void write_whole(const std::string& path, const std::string& contents) {
  require_file_or_none(path);
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(path, failed);
  if (failed) cannot_write(path, failed.value());
  const fs::path fresh = target.string() + ".part";
  std::ofstream file(fresh, std::ios::binary);
  file << contents;
  file.close();
  if (!file) cannot_write(path, errno);
  fs::rename(fresh, target, failed);
  if (failed) cannot_write(path, failed.value());
}

struct GradeCommand : Subcommand {
  void declare(Options& options) override {
    options.arguments(Text::help_grade_arguments, command);
    options.group(Text::help_output_options);
    options.choice("--format", {"text", "json", "junit", "html"}, format,
                   Text::option_grade_format);
    options.for_files({{"html", "page.html"}});
    options.file("--output", output, Text::option_grade_output);
    options.value("--traces", "DIR", traces, Text::option_grade_traces);
    options.style();
    options.group(Text::help_other_options);
    options.flag("--list", lists, Text::option_grade_list);
    options.value("--checks", "A,B", checks, Text::option_grade_checks);
    options.number("--seed", seed, 0, UINT64_MAX, Text::option_grade_seed);
    options.number("--repeat", grading.repeat, 1, most_repeats, Text::option_grade_repeat);
    options.number("--jobs", grading.jobs, 1, most_jobs, Text::option_grade_jobs);
    options.value("--points", "A=N,B=M", points, Text::option_grade_points);
    constexpr std::chrono::milliseconds least(100);
    options.duration("--time-limit", time_limit, least, Text::option_grade_time_limit);
    options.duration("--start-timeout", exam.start_timeout, least,
                     Text::option_grade_start_timeout);
    options.duration("--longest-wait", exam.longest_wait, least, Text::option_grade_longest_wait);
    options.flag("--with-id", exam.with_id, Text::option_grade_with_id);
    options.value("--dir", "DIR", exam.directory, Text::option_dir);
    options.value("--each", "DIR", each, Text::option_grade_each);
    options.value("--build", Text::help_command_value, build, Text::option_grade_build);
    declare_modes(options);
  }

  int run() override {
    if (lists) {
      write_to_stdout(check_list(list_of(every_check(), &ExamCheck::kind), language()));
      return exit_ok;
    }
    if (command.empty()) fail(Text::usage_needs_command, {invocation().program});
    // What is the same for all programs is wrong usage, and shows before the first is graded.
    const bool is_known = command.front().find('{') == std::string::npos;
    if (const auto why = is_known ? why_not_startable(command.front()) : std::nullopt) {
      throw UsageError(words_of(*why, language()));
    }
    const std::vector<fs::path> files = files_to_grade();
    const std::vector<ExamCheck> chosen = chosen_checks();
    const bool is_taken = !exam.directory.empty() && !Directory(exam.directory, true).ids().empty();
    if (is_taken) refuse_place(exam.directory);
    LocalCluster cluster(Guard::Ending::kill);
    adopt_orphans();
    if (!each.empty()) return grade_each(files, chosen, cluster);
    // These fail now rather than after a minute.
    if (!output.empty()) write_whole(output, "");
    std::error_code failed;
    if (invocation().gives("--traces")) fs::create_directories(traces, failed);
    if (failed) cannot_write(traces, failed.value());
    const Grade result = grade_one(chosen, cluster, command, traces, true);
    if (output.empty() && format != GradeFormat::text) {
      write_to_stdout(in_format(format, result, language()));
    }
    return status_of(result);
  }

 private:
  void declare_modes(Options& options) {
    const Options::Mode list = {"--list", [this] { return lists; }};
    const Options::Mode all = {"--each", [this] { return !each.empty(); }};
    Options::Names others;
    for (const Options::Row& row : options.rows()) {
      if (row.name != "--list" && row.name != "--lang") others.push_back(row.name);
    }
    options.no_effect_with(list, others);
    options.no_effect_with(all, {"--format", "--traces", "--color"});
    options.needs(all, {"--build"});
    options.needs({"--format=text", [this] { return shows_text(); }}, {"--color"});
  }

  bool shows_text() const { return format == GradeFormat::text || !output.empty(); }

  static int status_of(const Grade& grade) {
    if (grade.count(CheckStatus::failed) > 0) return exit_failed;
    return grade.obstacle || grade.count(CheckStatus::inconclusive) > 0 ? exit_unknown : exit_ok;
  }

  static std::string_view name_of(const ExamCheck& check) { return check.kind.name; }

  // The name of a check, as it stands in the table.
  std::string_view known(const std::string& name) const {
    const auto all = every_check();
    const auto found = std::ranges::find(all, name, name_of);
    if (found != all.end()) return name_of(*found);
    fail(Text::usage_no_such_check, {name, invocation().meant(name, list_of(all, name_of))});
  }

  std::vector<ExamCheck> chosen_checks() const {
    std::vector<ExamCheck> chosen;
    std::set<std::string_view> wanted;
    if (!checks.empty()) {
      for (const std::string& name : split(checks)) wanted.insert(known(name));
    }
    // From the last on: what a check depends on comes before it.
    const auto all = every_check();
    for (auto check = all.rbegin(); check != all.rend(); ++check) {
      if (!checks.empty() && !wanted.contains(check->kind.name)) continue;
      chosen.push_back(*check);
      wanted.insert(check->kind.needs.begin(), check->kind.needs.end());
      // The second wait, which this check measures, limits the others too.
      if (wanted.contains("notices")) wanted.insert("waits-again");
    }
    std::ranges::reverse(chosen);
    if (points.empty()) return chosen;
    for (const std::string& part : split(points)) {
      const std::size_t equals = part.find('=');
      const auto worth = parse_number(equals == std::string::npos ? "" : part.substr(equals + 1));
      if (!worth || *worth > 1000) fail(Text::usage_points, {part});
      const std::string_view name = known(part.substr(0, equals));
      const auto check = std::ranges::find(chosen, name, name_of);
      if (check == chosen.end()) fail(Text::usage_points_unused, {part, checks});
      check->kind.points = static_cast<unsigned>(*worth);
    }
    return chosen;
  }

  // Shows the checks as they end, if `shows`.
  Grade grade_one(const std::vector<ExamCheck>& chosen, LocalCluster& cluster,
                  const std::vector<std::string>& words, const std::string& trace_place,
                  bool shows) const {
    ExamSettings settings = exam;
    settings.command = words;
    settings.own_program = own_program(invocation().program);
    settings.deadline = monotonic_now() + time_limit;
    settings.seed = seed ? *seed : std::random_device()();
    const bool color = log_style(invocation()).color;
    const bool shows_lines = shows && shows_text();
    if (shows_lines) {
      const std::string title = rewrapped(say(Text::grade_title, {joined(words, " ")}));
      write_to_stdout(colored(Color::bold, title, color) + "\n\n");
    }
    // Some checks take as long as --longest-wait. A terminal shows which are running.
    const bool shows_running = shows_lines && isatty(STDOUT_FILENO) == 1;
    std::string running;
    const auto show_running = [&](const std::vector<std::string_view>& names) {
      // A longer one would break, and could not be erased.
      running = names.empty() ? "" : " … " + joined(names, ", ");
      if (width(running) >= terminal_columns) running = fitted(running, terminal_columns - 1);
      if (shows_running) write_to_stdout("\r\033[K" + running);
    };
    const auto on_result = [&](Grade& grade, CheckResult& result) {
      if (result.status == CheckStatus::failed) keep_trace(result, trace_place);
      if (shows_running) write_to_stdout("\r\033[K");
      if (shows_lines) write_to_stdout(check_line(result, language(), color));
      if (shows_running) write_to_stdout(running);
      if (shows && !output.empty()) {
        write_whole(output, in_format(format, as_if_ended(grade, chosen), language()));
      }
    };
    StandardPlace standard;
    if (exam.directory.empty() && !find_place(settings, cluster, standard)) {
      refuse_place(std::string(standard_directory));
    }
    Grade result = grade(settings, cluster, chosen, grading, {on_result, show_running});
    if (shows_running) write_to_stdout("\r\033[K");
    if (shows_lines) write_to_stdout('\n' + grade_card(result, language(), color));
    return result;
  }

  // A grader that is killed leaves its last report: there all other checks are inconclusive.
  static Grade as_if_ended(Grade grade, const std::vector<ExamCheck>& chosen) {
    grade.is_complete = grade.is_complete && grade.results.size() == chosen.size();
    for (std::size_t i = grade.results.size(); i < chosen.size(); ++i) {
      grade.results.push_back(
          {.kind = chosen[i].kind, .status = CheckStatus::inconclusive, .unclear = "out_of_time"});
    }
    return grade;
  }

  [[noreturn]] void refuse_place(const std::string& place) const {
    throw Refusal(say(Text::grade_place_taken, {place}), say(Text::grade_place_advice));
  }

  // The trace for the command that draws it. If the usual place cannot keep it, there is no such
  // command.
  static void keep_trace(CheckResult& result, const std::string& place) {
    if (place.empty() || result.records.empty()) return;
    std::error_code failed;
    fs::create_directories(place, failed);
    const std::string path = place + '/' + std::string(result.kind.name) + ".jsonl";
    std::ofstream file(path, std::ios::binary);
    for (const Record& record : result.records) file << trace_line(record);
    file.close();
    if (file) result.trace = path;
  }

  // --- Programs in turn ---

  // Builds it, within six times a program's starting time. If that fails, the end of the output is
  // in `printed`.
  std::optional<Problem> why_not_built(const std::string& file, LocalCluster& cluster,
                                       std::string& printed) const {
    if (build.empty()) return std::nullopt;
    // A file's name is its author's: the shell must not read it.
    const std::vector<std::string> words = {"/bin/sh", "-c", replaced(build, "{file}", "\"$1\""),
                                            "sh", file};
    Descriptor output_of_build;
    const pid_t child = start_printing(cluster, words, output_of_build, [] {});
    int status = 0;
    const auto has_ended = [&] {
      const bool is_over = waitpid(child, &status, WNOHANG) != 0;
      read_printed(output_of_build, printed);
      return is_over;
    };
    const bool is_in_time = cluster.wait_until(has_ended, 6 * exam.start_timeout);
    // A build may leave processes behind, whether or not it has ended.
    end_all_below_us(is_in_time ? std::vector<pid_t>() : std::vector{child});
    if (!is_in_time) return Problem{"grade_build_takes_long"};
    if (as_shells_say(status) != 0) return Problem{"grade_not_built"};
    printed.clear();
    return std::nullopt;
  }

  std::string place_of_grades() const { return output.empty() ? "grades" : output; }

  // For --each: sorted, without hidden ones and without its own grades. COMMAND has a place for
  // their names, and for nothing that no option fills in.
  std::vector<fs::path> files_to_grade() const {
    std::vector<fs::path> files;
    const bool has_place = std::ranges::any_of(
        command, [](const auto& word) { return word.find("{file}") != word.npos; });
    // A word that is {id} alone is left out.
    const bool needs_id = !exam.with_id && std::ranges::any_of(command, [](const auto& word) {
      return word != "{id}" && word.find("{id}") != word.npos;
    });
    if (needs_id) fail(Text::usage_place_needs, {"{id}", "--with-id"});
    if (each.empty() && has_place) fail(Text::usage_place_needs, {"{file}", "--each"});
    if (each.empty()) return files;
    if (!fs::is_directory(each)) fail(Text::ps_no_directory, {each});
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(each)) {
      const bool is_hidden = entry.path().filename().string().starts_with('.');
      if (is_hidden || fs::equivalent(entry.path(), place_of_grades(), ignored)) continue;
      files.push_back(entry.path());
    }
    if (files.empty()) fail(Text::usage_each_empty, {each});
    if (!has_place) fail(Text::usage_each_needs_file);
    std::ranges::sort(files);
    return files;
  }

  int grade_each(const std::vector<fs::path>& files, const std::vector<ExamCheck>& chosen,
                 LocalCluster& cluster) const {
    const std::string place = place_of_grades();
    fs::create_directories(place);
    const std::vector<CheckKind> kinds = list_of(chosen, &ExamCheck::kind);
    // A spreadsheet in Portuguese expects a comma in numbers, and so a semicolon between cells.
    // Only as an option, since scripts read the table on servers with any locale.
    const bool in_portuguese = language() == Language::portuguese && invocation().gives("--lang");
    const char separator = in_portuguese ? ';' : ',';
    std::string table = class_csv_head(kinds, separator);
    write_to_stdout(table);
    std::map<Diagnosis, std::size_t> mistakes;
    int status = exit_ok;
    for (const fs::path& file : files) {
      const std::string name = file.filename().string();
      const auto words = list_of(command, [&](const std::string& word) {
        return replaced(word, "{file}", file.string());
      });
      Grade result = {.command = words};
      // A program that is impossible to grade is reported; the others are still graded.
      try {
        result.obstacle = why_not_built(file.string(), cluster, result.printed);
        if (!result.obstacle) result.obstacle = why_not_startable(words.front());
        if (!result.obstacle) result = grade_one(chosen, cluster, words, place + '/' + name, false);
      } catch (const std::exception& error) {
        result.obstacle = Problem{"grade_unclear_set_up", {error.what()}};
      }
      if (result.obstacle) complain(name + ": " + obstacle_words(result, language()));
      for (const CheckResult* fault : result.faults()) ++mistakes[fault->finding->diagnosis];
      write_whole(place + '/' + name + ".html", grade_html(result, language()));
      const std::string row = class_csv_row(name, result, kinds, language(), separator);
      table += row;
      write_to_stdout(row);
      write_whole(place + "/grades.csv", table);
      if (const int its = status_of(result); its == exit_failed || status == exit_ok) status = its;
      if (!result.is_complete) break;
    }
    if (mistakes.empty()) return status;
    std::vector<std::pair<Diagnosis, std::size_t>> sorted(mistakes.begin(), mistakes.end());
    std::ranges::stable_sort(sorted, std::greater(), [](const auto& one) { return one.second; });
    std::string summary = '\n' + say(Text::grade_class) + '\n';
    for (const auto& [diagnosis, count] : sorted) {
      summary += right_aligned(std::to_string(count), 5) + "  " +
                 fault_words(diagnosis, language()) + '\n';
    }
    write_to_stdout(summary);
    return status;
  }

  std::vector<std::string> command;
  GradeFormat format = GradeFormat::text;
  std::string output;
  std::string traces = "grade-traces";
  std::string checks;
  std::string points;
  std::string each;
  std::string build;
  std::optional<std::uint64_t> seed;  // nothing: another for each program
  GradingOptions grading = {.jobs = usual_jobs()};
  ExamSettings exam;  // as the options say
  Duration time_limit = std::chrono::minutes(10);
  bool lists = false;
};

}  // namespace

const CommandKind grade_command = {.name = "grade",
                                   .summary = Text::command_grade,
                                   .intro = Text::help_grade_intro,
                                   .make = make_command<GradeCommand>,
                                   .closing = {Text::help_grade_exit},
                                   .judges = true};

}  // namespace bully
