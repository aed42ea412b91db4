// node_options.cc: the table of a node's options.
#include "commands/node_options.h"

#include <chrono>

#include "terminal/cluster_session.h"
#include "terminal/output.h"

namespace bully {

void declare_node(Options& options, NodeSettings& settings) {
  NodeOptions& node = settings.node;
  constexpr std::chrono::milliseconds none(0);
  constexpr std::chrono::milliseconds least(1);
  options.group(Text::help_node_options);
  options.value("--dir", "DIR", node.directory, Text::option_dir);
  options.algorithm(settings.algorithm);
  options.value("--protocol", Text::help_name_value, settings.protocol, Text::option_protocol);
  options.choice("--detector", {"ping", "eof"}, node.detector, Text::option_detector);
  options.duration("--ping-interval", node.ping_interval, least, Text::option_ping_interval);
  options.duration("--ping-timeout", node.ping_timeout, least, Text::option_ping_timeout);
  options.duration("--answer-timeout", node.answer_timeout, least, Text::option_answer_timeout);
  options.duration("--coordinator-timeout", node.coordinator_timeout, least,
                   Text::option_coordinator_timeout);
  options.duration("--pace", node.pace, none, Text::option_pace);
  options.file("--ring", node.ring, Text::option_ring_file);
  options.unlisted_flag("--led", node.by_hand);
  options.group(Text::help_output_options);
  options.file("--trace", settings.trace, Text::option_trace);
  options.flag("--trace-pings", node.trace_pings, Text::option_trace_pings);
  options.log_style();
  options.flag("--quiet", settings.quiet, Text::option_quiet);
  options.no_effect_with_elections(settings.algorithm, has_no_ring, {"--ring"});
  options.no_effect_with_elections(settings.algorithm, has_no_variants, {"--protocol"});
  options.no_effect_with({"--quiet", [&settings] { return settings.quiet; }}, {"--explain"});
}

}  // namespace bully
