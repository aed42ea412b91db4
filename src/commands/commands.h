// commands.h: the program, and its subcommands, one file each: its options, a call, the output.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "commands/options.h"
#include "node/directory.h"
#include "terminal/invocation.h"
#include "terminal/output.h"
#include "words/words.h"

namespace bully {

struct NodeSettings;

inline constexpr std::string_view version = "1.0.0";

// The whole program, with the arguments of main; returns its exit status. A program that adds
// algorithms (../election/algorithm.h) or words (../words/words.h) adds them before.
int run(int argc, char** argv);

// A command: its options set its members, and then it runs.
class Subcommand {
 public:
  Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;
  virtual ~Subcommand() = default;

  virtual void declare(Options& options) = 0;
  // Returns the exit status. May throw UsageError, Refusal, SetupError.
  virtual int run() = 0;

 protected:
  // The command line; and the questions that commands ask of it most often.
  const Invocation& invocation() const { return *invocation_; }
  Language language() const { return invocation_->language; }
  std::string say(Text words, Values values = {}) const { return invocation_->say(words, values); }
  [[noreturn]] void fail(Text words, Values values = {}) const { invocation_->fail(words, values); }
  // The id that a user typed. Throws UsageError.
  NodeId id_from(const std::string& word) const {
    const std::optional<NodeId> id = parse_id(word);
    if (!id) fail(Text::not_an_id, {word, highest_id});
    return *id;
  }

 private:
  template <class Kind>
  friend std::unique_ptr<Subcommand> make_command(const Invocation& invocation);

  const Invocation* invocation_ = nullptr;
};
// `invocation`, which read() completes before the command runs, outlives it.
template <class Kind>
std::unique_ptr<Subcommand> make_command(const Invocation& invocation) {
  std::unique_ptr<Subcommand> command = std::make_unique<Kind>();
  command->invocation_ = &invocation;
  return command;
}

// Declares the options of a node, which a cluster takes as well: all but the id. `settings`
// (../terminal/cluster_session.h) outlives the options.
void declare_node(Options& options, NodeSettings& settings);

// The directory, if it exists. Throws if --dir names a directory that does not exist.
std::optional<Directory> existing_directory(const std::string& path, const Invocation& invocation);

// A command's entry in the help, and its maker.
struct CommandKind {
  std::string_view name;  // empty for the node's, which has no name
  Text summary;           // in a few words
  Text intro;
  std::unique_ptr<Subcommand> (*make)(const Invocation& invocation);
  std::array<std::optional<Text>, 2> closing = {};
  // Exit status 1 is a verdict. So an error, after which there is none, is exit status 2.
  bool judges = false;
};

// Each is in the file of its command.
extern const CommandKind node_command;
extern const CommandKind ps_command;
extern const CommandKind scenario_command;
extern const CommandKind simulate_command;
extern const CommandKind verify_command;
extern const CommandKind check_command;
extern const CommandKind diagram_command;
extern const CommandKind watch_command;
extern const CommandKind record_command;
extern const CommandKind grade_command;
extern const CommandKind kill_command;
extern const CommandKind compare_command;
extern const CommandKind cluster_command;
extern const CommandKind demo_command;
extern const CommandKind lab_command;
extern const CommandKind rules_command;
extern const CommandKind help_command;

}  // namespace bully
