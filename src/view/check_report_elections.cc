// check_report_elections.cc: a report's paragraph for each election: who noticed, who won, in which
// time, and with how many messages.
#include <iterator>

#include "view/check_report.h"
#include "words/keys.h"
#include "words/names.h"

namespace bully {

namespace {

Table transposed(const Table& rows) {
  Table columns(rows.front().size());
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  return columns;
}

// From one record to another; names the file once if both are in it.
std::string span(const CheckShown& run, std::size_t from, std::size_t to) {
  const std::string first = run.source(from);
  const std::string last = run.source(to);
  const std::size_t colon = last.rfind(':');
  const bool same_file = first.substr(0, first.rfind(':')) == last.substr(0, colon);
  return first + (same_file ? "–" + last.substr(colon + 1) : " – " + last);
}

std::vector<std::string> noticed(const CheckShown& run, const Election& election) {
  const Record& first = run.trace.records[election.first.record];
  std::vector<std::string> lines;
  if (ends_life(first)) {
    const bool left = first.event == TraceEvent::leave;
    lines.push_back(run.say(left ? Text::check_by_leaving : Text::check_by_crash, {first.node}));
  }
  for (const Detection& detection : election.detections) {
    const bool is_itself = detection.trigger == "deposed" && detection.suspected == detection.node;
    lines.push_back(run.say("check_by_", is_itself ? "deposed_itself" : detection.trigger,
                            {detection.node, detection.suspected.value_or(0)}));
  }
  if (lines.empty()) lines.push_back(run.say(Text::check_by_nobody));
  if (lines.size() > max_listed) {
    lines.resize(max_listed);
    lines.emplace_back("…");
  }
  return lines;
}

std::string winner(const CheckShown& run, const Election& election) {
  if (!election.is_over) return run.say(Text::check_not_ended);
  if (!election.winner) return run.say(Text::check_no_winner);
  std::vector<NodeId> others = election.survivors;
  std::erase(others, *election.winner);
  const Text how = others.empty() ? Text::check_winner_alone : Text::check_winner;
  return run.say(how, {*election.winner, short_list(others)});
}

// The messages sent, lost and delivered, and the counts of the textbook and of the bound.
Table message_rows(const CheckShown& run, const Election& election, const Figures& figures,
                   bool is_counted) {
  const std::vector<MessageType> columns = messages_of(run.report.history.algorithms());
  Table rows = {{""}};
  for (const MessageType type : columns) rows.front().push_back(name_of(type, run.language));
  rows.front().push_back(run.say(Text::check_total));
  const auto row = [&](Text name, const MessageCounts& counts) {
    std::vector<std::string> cells = {run.say(name)};
    std::uint64_t all = 0;
    for (const MessageType type : columns) {
      cells.push_back(grouped(counts.of(type), run.language));
      all += counts.of(type);
    }
    cells.push_back(grouped(all, run.language));
    if (all > 0 || name != Text::check_lost_row) rows.push_back(std::move(cells));
  };
  row(Text::check_sent_row, election.sent);
  if (!is_counted) {
    rows.emplace_back(rows.front().size(), "–").front() = run.say(Text::check_textbook_row);
  }
  if (figures.textbook) row(Text::check_textbook_row, figures.textbook->sent);
  row(Text::check_lost_row, election.lost);
  row(Text::check_delivered_row, election.delivered);
  if (figures.bound) row(Text::check_bound_row, *figures.bound);
  return rows;
}

// The reason why a type may have more messages than the bound's row.
std::vector<std::string> above_bound(const CheckShown& run, const Election& election,
                                     const Figures& figures) {
  std::vector<std::string> lines;
  std::vector<std::string> above;
  std::vector<std::string> beyond;
  for (const auto& [type, sent] : election.sent) {
    const std::uint64_t most = figures.bound->of(type);
    if (sent > most)
      (type->role == Role::joins ? beyond : above).push_back(name_of(type, run.language));
  }
  if (!above.empty()) lines.push_back(run.say(Text::check_above_one, {joined(above, ", ")}));
  if (!beyond.empty()) lines.push_back(run.say(Text::check_beyond_bound, {joined(beyond, ", ")}));
  return lines;
}

std::vector<std::string> message_lines(const CheckShown& run, const Election& election,
                                       const Figures& figures, std::size_t columns) {
  // Rules that no textbook has counted.
  const std::vector<const Algorithm*> algorithms = run.report.history.algorithms();
  const bool is_counted = std::ranges::none_of(
      algorithms, [](const Algorithm* algorithm) { return algorithm->count == nullptr; });
  const Table rows = message_rows(run, election, figures, is_counted);
  std::vector<std::string> lines = aligned(rows, "lr");
  // Many types need a line each.
  if (width(lines.front()) > columns) lines = aligned(transposed(rows), "lr");
  const bool skips = std::ranges::none_of(algorithms, &Algorithm::counts_lost);
  if (election.refused > 0) {
    const Text words = skips ? Text::check_refused_on_ring : Text::check_refused;
    lines.push_back(run.say(words, {election.refused}));
  }
  if (!figures.textbook && is_counted) lines.push_back(run.say(Text::check_textbook_none));
  const std::set<std::string_view>& variants = run.report.history.variants();
  if (figures.exceeds_bound && !variants.empty()) {
    lines.push_back(run.say(Text::check_no_bound, {figures.nodes, joined(variants, ", ")}));
  } else if (figures.exceeds_bound) {
    lines.push_back(run.say(Text::check_over_bound, {figures.nodes}));
  } else if (figures.bound) {
    std::ranges::move(above_bound(run, election, figures), std::back_inserter(lines));
  }
  return lines;
}

std::string times(const CheckShown& run, const Election& election) {
  const Phases phases = phases_of(election);
  std::vector<std::string> times;
  for (const auto& [name, phase] :
       {std::pair{Text::check_detect, phases.detect}, std::pair{Text::check_elect, phases.elect},
        std::pair{Text::check_announce, phases.announce}}) {
    if (!phase) continue;
    const std::string time = (phase->at_most ? "≤ " : "") + time_text(phase->ns, run.language);
    times.push_back(run.say(name, {time}));
  }
  return joined(times, "   ");
}

// The periods with two coordinators that began during election `k`, or after it and before the
// next.
std::vector<std::string> rivals(const CheckShown& run, std::size_t k) {
  const std::vector<Election>& elections = run.report.history.elections().all();
  const std::size_t begin = elections[k].first.record;
  const std::size_t end =
      k + 1 < elections.size() ? elections[k + 1].first.record : run.trace.records.size();
  std::vector<std::string> lines;
  for (const TwoCoordinators& one : run.overlaps.longest) {
    if (one.from.record < begin || one.from.record >= end) continue;
    if (lines.size() == max_listed) break;
    lines.push_back(run.say(Text::check_two_coordinators,
                            {one.lower, one.higher, time_text(one.ns(), run.language)}) +
                    "  (" + span(run, one.from.record, one.to.record) + ')');
  }
  return lines;
}

}  // namespace

std::string election_paragraph(const CheckShown& run, std::size_t k) {
  std::size_t label_columns = 0;
  for (const Text label : {Text::check_noticed, Text::check_won, Text::check_time,
                           Text::check_messages, Text::check_also}) {
    label_columns = std::max(label_columns, width(run.say(label)));
  }
  const Election& election = run.report.history.elections().all()[k];
  const Figures figures = figures_of(run.report.history, election);
  std::string page = run.paint(Color::bold, run.say(Text::check_election, {election.number})) +
                     "   " + span(run, election.first.record, election.last.record) + '\n';
  const auto add = [&](Text label, const std::vector<std::string>& lines) {
    std::string left = "  " + padded(run.say(label), label_columns) + "  ";
    for (const std::string& words : lines) {
      page += in_lines(left, words);
      left.assign(label_columns + 4, ' ');
    }
  };
  add(Text::check_noticed, noticed(run, election));
  add(Text::check_won, {winner(run, election)});
  const std::string took = times(run, election);
  if (!took.empty()) add(Text::check_time, {took});
  add(Text::check_messages,
      message_lines(run, election, figures, terminal_columns - label_columns - 4));
  for (const std::string& words : rivals(run, k)) add(Text::check_also, {words});
  return page + '\n';
}

}  // namespace bully
