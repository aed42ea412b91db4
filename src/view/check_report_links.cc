// check_report_links.cc: what links show of a run that was recorded from outside, for people.
#include "view/check_report.h"
#include "words/names.h"

namespace bully {

namespace {

Table counts_of(const Report& report, const Links& links, Language language) {
  const std::vector<MessageType> types = types_in(report, links);
  const std::string total(text(Text::check_total, language));
  Table rows = {{std::string(text(Text::check_links_sent, language))}};
  for (const MessageType type : types) rows.front().push_back(name_of(type, language));
  rows.front().push_back(total);
  const auto add = [&](const std::string& name, const MessageCounts& counts) {
    std::vector<std::string>& cells = rows.emplace_back();
    cells.push_back(name);
    for (const MessageType type : types) cells.push_back(grouped(counts.of(type), language));
    cells.push_back(grouped(election_total(counts), language));
  };
  for (const auto& [id, counts] : links.sent) {
    add(right_aligned(std::to_string(id), 6), counts);
  }
  add("  " + total, links.all);
  return rows;
}

}  // namespace

std::string links_report(const CheckShown& run, const Links& links) {
  const Report& report = run.report;
  std::string page = run.paint(Color::bold_yellow, run.say(Text::check_cannot_tell)) + "   " +
                     run.say(Text::check_links_summary,
                             {joined(report.history.algorithms(), ", ", &Algorithm::name),
                              grouped(report.history.nodes().size(), run.language),
                              grouped(run.trace.records.size(), run.language)}) +
                     "\n\n" + rewrapped(what_is_seen(links, run.language) + '\n');
  for (const std::string& file : run.trace.cut) page += run.say(Text::check_cut, {file}) + '\n';
  page += '\n' + joined(aligned(counts_of(report, links, run.language), "lr"), "\n") + '\n';
  const auto add = [&](Text heading, const auto& all, const auto& words) {
    page += '\n' + run.paint(Color::bold, run.say(heading)) + '\n';
    for (const auto& [id, others] : all) {
      page +=
          beside("  " + right_aligned(std::to_string(id), 4) + "  ", words(joined(others, ", ")));
    }
    if (all.empty()) page += "  " + run.say(Text::check_links_none) + '\n';
  };
  add(Text::check_links_announced, links.announced,
      [&](const std::string& ids) { return run.say(Text::check_links_to, {ids}); });
  add(Text::check_links_named, links.named, std::identity());
  return page;
}

std::vector<MessageType> types_in(const Report& report, const std::optional<Links>& links) {
  return messages_of(report.history.algorithms(),
                     [&](MessageType type) { return links && links->all.of(type) > 0; });
}

std::string what_is_seen(const Links& links, Language language) {
  return text(Text::check_doubt_observed, language, {joined(links.observed, ", ")});
}

}  // namespace bully
