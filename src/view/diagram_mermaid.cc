#include "view/diagram_mermaid.h"

#include "view/diagram_words.h"
#include "view/looks.h"

namespace bully {

namespace {

std::string alias(NodeId id) {
  return 'p' + std::to_string(id);
}

std::string arrow(const Diagram& diagram, const Diagram::Message& message, std::string_view line,
                  const std::string& words) {
  return "    " + alias(diagram.lanes[message.from]) + std::string(line) +
         alias(diagram.lanes[message.to]) + ": " + words + '\n';
}

std::string note(NodeId id, const std::string& words) {
  return "    Note over " + alias(id) + ": " + words + '\n';
}

// Dashed where it is so in the other formats.
std::string_view line_of(const Diagram::Message& message, bool lost) {
  const bool dashed = !look_of(message.type).dashes.empty();
  if (lost) return dashed ? "--x" : "-x";
  return dashed ? "-->>" : "->>";
}

}  // namespace

std::optional<std::string> diagram_mermaid(const Diagram& diagram, Language language) {
  std::string shown = "sequenceDiagram\n    title " + title_of(diagram, language) + '\n';
  for (const NodeId id : diagram.lanes) {
    shown += "    participant " + alias(id) + " as " + std::to_string(id) +
             (diagram.winner == id ? " ★" : "") + '\n';
  }
  for (const Diagram::Step& step : diagram.steps) {
    const NodeId id = diagram.lanes[step.lane];
    if (step.received) {
      const Diagram::Message& message = diagram.messages[*step.received];
      shown += arrow(diagram, message, line_of(message, false),
                     name_of(message.type, message.subject, language));
    }
    if (step.lost) {
      const Diagram::Message& message = diagram.messages[*step.lost];
      const std::string words = name_of(message.type, message.subject, language) + " (" +
                                std::string(text(Text::diagram_lost, language)) + ')';
      shown += arrow(diagram, message, line_of(message, true), words);
    }
    const StepWords words = words_of(diagram, step, language);
    const std::string between = words.cause.empty() || words.outcome.empty() ? "" : "<br/>";
    const std::string both = words.cause + between + words.outcome;
    if (!both.empty()) shown += note(id, (step.crash ? "✗ " : "") + both);
    if (shown.size() > 4 * max_mermaid_characters) return std::nullopt;  // four bytes at most each
  }
  for (const Diagram::Message& message : diagram.messages) {
    if (message.received || message.lost) continue;
    const std::string words = name_of(message.type, message.subject, language) + " (" +
                              std::string(text(Text::diagram_under_way, language)) + ')';
    shown += arrow(diagram, message, look_of(message.type).dashes.empty() ? "-)" : "--)", words);
  }
  if (width(shown) > max_mermaid_characters) return std::nullopt;
  return shown;
}

}  // namespace bully
