// check_links.cc: what links show of a run that was recorded from outside, for people. Nothing of
// it is judged.
#include "view/check.h"
#include "view/style.h"

namespace bully {

namespace {

struct LinksPage {
  const Report& report;
  const Links& links = *report.links;
  Language language;
  bool color;
  std::string page = {};

  std::string say(Text name, Values values = {}) const { return text(name, language, values); }

  std::string write(const Trace& trace) {
    const auto name = [](const Algorithm* one) { return one->name; };
    page += colored(Color::bold_yellow, say(Text::check_cannot_tell), color) + "   " +
            say(Text::check_links_summary,
                {joined(report.algorithms, ", ", name), grouped(report.nodes.size(), language),
                 grouped(trace.records.size(), language)}) +
            "\n\n" + rewrapped(what_is_seen(report, language) + '\n');
    for (const std::string& file : trace.cut) page += say(Text::check_cut, {file}) + '\n';
    page += '\n';
    messages();
    heading(Text::check_links_announced);
    for (const auto& [id, receivers] : links.announced) {
      row(id, say(Text::check_links_to, {joined(receivers, ", ")}));
    }
    if (links.announced.empty()) page += "  " + say(Text::check_links_none) + '\n';
    page += '\n';
    heading(Text::check_links_named);
    for (const auto& [id, named] : links.named) row(id, joined(named, ", "));
    if (links.named.empty()) page += "  " + say(Text::check_links_none) + '\n';
    return std::move(page);
  }

  void heading(Text words) { page += colored(Color::bold, say(words), color) + '\n'; }
  void row(NodeId id, const std::string& words) {
    page += beside("  " + right_aligned(std::to_string(id), 4) + "  ", words);
  }

  void messages() {
    const std::vector<MessageType> types = types_in(report);
    Table rows = {{say(Text::check_links_sent)}};
    for (const MessageType type : types) rows.front().push_back(name_of(type, language));
    rows.front().push_back(say(Text::check_total));
    const auto add = [&](const std::string& name, const MessageCounts& counts) {
      std::vector<std::string>& cells = rows.emplace_back();
      cells.push_back(name);
      for (const MessageType type : types) cells.push_back(grouped(counts.of(type), language));
      cells.push_back(grouped(election_total(counts), language));
    };
    for (const auto& [id, counts] : links.sent) add(right_aligned(std::to_string(id), 6), counts);
    add("  " + say(Text::check_total), links.all);
    for (const std::string& line : aligned(rows, "lr")) page += line + '\n';
    page += '\n';
  }
};

}  // namespace

std::string links_report(const Trace& trace, const Report& report, Language language, bool color) {
  return LinksPage{.report = report, .language = language, .color = color}.write(trace);
}

std::vector<MessageType> types_in(const Report& report) {
  return messages_of(report.algorithms, [&](MessageType type) {
    return report.links && report.links->all.of(type) > 0;
  });
}

std::string what_is_seen(const Report& report, Language language) {
  return text(Text::check_doubt_observed, language, {joined(report.links->observed, ", ")});
}

}  // namespace bully
