// text.h: every word that people read, in Portuguese and English side by side.
//
// A text is named by what it says; both languages stand in one table (text.cc), so neither can have
// one that the other lacks. Places to fill in are written {0}, {1}, ….
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace bully {

enum class Language : std::uint8_t { english, portuguese };

// "en" and "pt-BR" (also "pt", "pt_BR.UTF-8" and the like); nothing for any other.
std::optional<Language> language_named(std::string_view name);
// What LC_ALL, LC_MESSAGES or LANG, the first that is set, says; English where none does.
Language language_of_environment();

enum class Text : std::uint16_t {
  // The names of messages, as the log shows them.
  election,
  answer,
  coordinator,
  ping,
  // The states.
  state_down,
  state_follower,
  state_candidate,
  state_waiting,
  state_coordinator,
  // The log: {0} is a process or several, or a PID, or a reason.
  log_start,
  log_stop,
  log_to,
  log_from,
  log_more,
  log_gone,
  log_deadline,
  log_no_answer_in_time,
  log_no_coordinator_in_time,
  log_suspects_down,
  log_suspects_hung,
  log_suspects_deposed,
  log_itself_deposed,
  log_candidate,
  log_waiting,
  log_won,
  log_follows,
  log_drop,
  log_monitor_replaced,
  log_monitor_missing,
  log_published_again,
  log_cannot_publish,
  log_trace_ended,
  // Why something that came in was dropped.
  drop_empty,
  drop_malformed,
  drop_oversize,
  drop_deadline,
  drop_reset,
  drop_crowded,
  drop_self,
  // bully ps
  ps_id,
  ps_pid,
  ps_status,
  ps_state,
  ps_coordinator,
  ps_monitor,
  ps_sent,
  ps_received,
  ps_dropped,
  ps_ok,
  ps_no_answer,
  ps_stale,
  ps_nobody,
  ps_counts_note,
  // What to do about a failure.
  advice_choose_directory,
  advice_shorten_directory,
  advice_tighten_directory,
  advice_make_parent,
  advice_free_disk,
  advice_id_in_use,
  advice_name_in_the_way,
  advice_raise_descriptors,
  advice_raise_processes,
  advice_choose_trace,
  advice_try_again,
  // Usage errors.
  usage_unknown_option,
  usage_unexpected_argument,
  usage_unknown_command,
  usage_needs_value,
  usage_takes_no_value,
  usage_not_a_duration,
  usage_not_an_id,
  usage_not_one_of,
  usage_try_help,
  // Help.
  help_usage,
  help_intro,
  help_node_options,
  help_output_options,
  help_other_options,
  help_commands,
  help_environment,
  help_exit,
  help_default,
  help_duration,
  option_dir,
  option_detector,
  option_ping_interval,
  option_ping_timeout,
  option_answer_timeout,
  option_coordinator_timeout,
  option_pace,
  option_trace,
  option_trace_pings,
  option_lang,
  option_color,
  option_quiet,
  option_version,
  option_help,
  option_json,
  command_ps,
  command_node,
  help_environment_dir,
  help_environment_trace,
  help_environment_lang,
  help_environment_color,
  help_ps_intro,
  // bully check
  option_json_object,
  command_check,
  help_check_intro,
  help_check_exit,
  check_needs_trace,
  check_right,
  check_violated,
  check_cannot_tell,
  check_summary,
  check_cut,
  check_highest_live,
  check_never_lower,
  check_answered,
  check_ends,
  check_sent,
  check_took_office_unasked,
  check_answered_in_vain,
  check_all_follow_a_lower,
  check_follows_below_itself,
  check_follows_another,
  check_stayed_with_a_lower,
  check_not_answered,
  check_ignored_coordinator,
  check_never_decided,
  check_not_sent,
  check_doubt_empty,
  check_doubt_mid_election,
  check_doubt_names_only,
  check_doubt_no_beginning,
  check_doubt_end_of_answer,
  check_doubt_cut_line,
  check_election,
  check_noticed,
  check_won,
  check_time,
  check_messages,
  check_also,
  check_by_down,
  check_by_hung,
  check_by_deposed,
  check_by_start,
  check_by_resumed,
  check_by_nobody,
  check_by_leaving,
  check_winner,
  check_winner_alone,
  check_no_winner,
  check_not_ended,
  check_detect,
  check_elect,
  check_announce,
  check_total,
  check_sent_row,
  check_delivered_row,
  check_textbook_row,
  check_textbook_none,
  check_two_coordinators,
  count,
};
inline constexpr std::size_t text_count = static_cast<std::size_t>(Text::count);

std::string_view text(Text name, Language language);
// The text with its places filled in.
std::string text(Text name, Language language, std::initializer_list<std::string_view> values);

// How many columns a terminal needs for `shown`: its characters, not its bytes.
std::size_t width(std::string_view shown);
// `shown` and as many spaces as make it `columns` wide.
std::string padded(std::string_view shown, std::size_t columns);
// The same, with the spaces first.
std::string right_aligned(std::string_view shown, std::size_t columns);

}  // namespace bully
