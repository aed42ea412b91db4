// ps.cc: `bully ps`, the nodes of a directory and whom they follow.
#include <cerrno>
#include <chrono>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/query.h"
#include "node/setup_error.h"
#include "view/ps.h"

namespace bully {

namespace {

// A node replies within microseconds; one that has not by then is stopped, or none of ours.
constexpr auto patience = std::chrono::milliseconds(500);

// No directory, no nodes: that is no failure, for nobody has started one yet.
std::vector<PeerStatus> status_of(const std::string& directory) {
  try {
    return query_status(Directory(directory, false), patience);
  } catch (const SetupError& error) {
    if (error.code().value() == ENOENT) return {};
    throw;
  }
}

}  // namespace

int run_ps(const Invocation& invocation) {
  const Language language = invocation.language;
  std::string directory = default_directory();
  bool json = false;
  bool help = false;
  Options options(language);
  options.group(Text::help_other_options);
  options.value("--dir", "DIR", directory, Text::option_dir);
  options.flag("--json", json, Text::option_json);
  options.language();
  options.flag("--help", help, Text::option_help);
  options.parse(invocation.arguments);
  if (help) {
    write_to_stdout(options.page("bully ps", Text::help_ps_intro));
    return exit_ok;
  }
  const std::vector<PeerStatus> peers = status_of(directory);
  if (json) {
    write_to_stdout(encode(peers) + '\n');
  } else if (peers.empty()) {
    write_to_stdout(text(Text::ps_nobody, language, {directory}) + '\n');
  } else {
    write_to_stdout(ps_table(peers, language));
  }
  return exit_ok;
}

}  // namespace bully
