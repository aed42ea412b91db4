// attempt.cc: tries a check, and hands over the result as JSON, with its records as in a trace.
#include "grade/attempt.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/json.h"
#include "node/beyond_posix.h"
#include "trace/trace.h"

namespace bully {

namespace {

using Wait = std::optional<Duration> MeasuredWaits::*;
constexpr std::pair<std::string_view, Wait> wait_names[] = {
    {"start", &MeasuredWaits::start},   {"detection", &MeasuredWaits::detection},
    {"answer", &MeasuredWaits::answer}, {"coordinator", &MeasuredWaits::coordinator},
    {"pause", &MeasuredWaits::pause},   {"least_answer", &MeasuredWaits::least_answer},
};

std::string in_json(const Attempt& attempt) {
  const CheckResult& result = attempt.result;
  JsonMembers members = {
      {"unclear", json_string(result.unclear.name())},
      {"records", json_array(result.records,
                             [](const Record& record) { return json_string(trace_line(record)); })},
      {"fakes", json_array(result.fakes, [](const auto& fake) {
         return json_object(
             {{"id", std::to_string(fake.first)}, {"deviation", json_string(fake.second.name())}});
       })}};
  for (const auto& [name, wait] : wait_names) {
    if (const auto& measured = attempt.waits.*wait) {
      members.emplace_back(name, std::to_string(measured->count()));
    }
  }
  if (result.finding) {
    members.emplace_back("diagnosis", json_string(result.finding->diagnosis.name()));
    members.emplace_back("values", json_array(result.finding->values, json_string));
    members.emplace_back("printed", json_string(result.finding->printed));
  }
  return json_object(members);
}

// True if something was missing, or came too late: so a busy machine can be the cause.
bool may_be_late(Diagnosis diagnosis) {
  return !is_certain(diagnosis) || diagnosis == Diagnosis("untold");
}

// Keeps the result that the check throws.
void run_check(const ExamCheck& check, Exams& exams, CheckResult& result) {
  try {
    check.run(exams);
  } catch (const Finding& finding) {
    // A message that means nothing, or names a wrong sender, explains any other fault; but no
    // sender is known before its name is there.
    const Finding telling = exams.exam->processes.is_starting()
                                ? finding
                                : exams.exam->links.wrong_message().value_or(finding);
    if (may_be_late(telling.diagnosis) && exams.exam->was_machine_busy()) {
      result.unclear = "busy";
    } else {
      result.finding = telling;
    }
  } catch (Unclear why) {
    const bool is_late = why != Unclear("out_of_time") && exams.exam->was_machine_busy();
    result.unclear = is_late ? Unclear("busy") : why;
  }
  result.records = exams.exam->links.records();
  result.fakes = exams.exam->fakes.deviations();
}

}  // namespace

bool is_certain(Diagnosis diagnosis) {
  constexpr auto certain = std::to_array<Diagnosis>(
      {"died", "never-starts", "wrong-name", "wrong-bytes", "wrong-from", "short-read", "untold",
       "too-many-processes", "killed-by-garbage", "killed-by-a-dead-peer"});
  return std::ranges::count(certain, diagnosis) > 0;
}

void attempt_here(const ExamCheck& check, ExamSettings settings, const std::string& file) noexcept {
  std::string written;
  try {
    LocalCluster cluster(Guard::Ending::kill);
    adopt_orphans();
    std::string& directory = settings.directory;
    if (directory.empty()) directory = cluster.private_directory() + "/nodes";
    Exams exams{settings, cluster};
    Attempt attempt;
    run_check(check, exams, attempt.result);
    attempt.waits = settings.waits;
    written = in_json(attempt);
  } catch (const Interrupted&) {
    return;
  } catch (const std::exception& error) {
    written = json_object({{"error", json_string(error.what())}});
  }
  std::ofstream(file, std::ios::binary) << written;
}

Attempt read_attempt(const std::string& file) {
  std::ostringstream written;
  written << std::ifstream(file, std::ios::binary).rdbuf();
  const auto json = parse_json(written.str());
  if (!json) throw std::runtime_error("a forked grader has ended without a result");
  if ((*json)["error"].is_string()) throw std::runtime_error((*json)["error"].text);
  Attempt attempt;
  CheckResult& result = attempt.result;
  result.unclear = Unclear::named((*json)["unclear"].text);
  result.status =
      result.unclear == Unclear("none") ? CheckStatus::passed : CheckStatus::inconclusive;
  for (const Json& line : (*json)["records"].elements) {
    result.records.push_back(
        parse_trace_line(std::string_view(line.text).substr(0, line.text.find('\n'))));
  }
  for (const Json& fake : (*json)["fakes"].elements) {
    const auto id = fake["id"].as_unsigned();
    result.fakes.emplace(static_cast<NodeId>(id.value()), Deviation::named(fake["deviation"].text));
  }
  for (const auto& [name, wait] : wait_names) {
    if (const auto ns = (*json)[name].as_signed()) attempt.waits.*wait = Duration(*ns);
  }
  if (!(*json)["diagnosis"].is_string()) return attempt;
  result.status = CheckStatus::failed;
  result.finding = {Diagnosis::named((*json)["diagnosis"].text),
                    list_of((*json)["values"].elements, &Json::text), (*json)["printed"].text};
  return attempt;
}

}  // namespace bully
