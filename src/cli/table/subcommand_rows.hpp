// The rows of the table in subcommands.cpp, per program, and their common parts. Private to this folder.
#pragma once

#include "cli/process/secrets.hpp"

namespace fugu::cli {

inline constexpr OptionPair kSecretApart[] = {{"pass", "key"}};
inline constexpr OptionSpec kQuiet{
    "quiet", 'q', "", "Print errors only. Data, and the output of --json or --csv, are still printed."};
inline constexpr OptionSpec kVerbose{"verbose", 'v', "", "Report what was done."};
inline constexpr OptionSpec kThreads{
    "threads", 'T', "N", "Use N threads; 0, the default: every processor this process may run on."};
inline constexpr OptionSpec kChunk{
    "chunk", 0, "SIZE", "Process this much at a time, 4K to 32M. Default: what suits engine and input."};
inline constexpr OptionSpec kOutputOption{"output", 'o', "OUT", "Write to OUT; - is standard output."};
inline constexpr OptionSpec kForceOption{"force", 'f', "", "Replace an existing output."};
inline constexpr OptionSpec kHelpOption{"help", 'h', "", "Print this help."};
inline constexpr OptionSpec kVersion{"version", 0, "", "Print the version."};
inline constexpr OptionSpec kProgressOptions[] = {
    {"progress", 0, "", "Show progress even if standard error is not a terminal: one line every 5 s."},
    {"no-progress", 0, "", "Show no progress. SIGUSR1 still prints one line."},
};
inline constexpr OptionSpec kCommonOptions[] = {kQuiet, kVerbose, kHelpOption, kVersion};
inline constexpr OptionSpec kPlainOptions[] = {kHelpOption, kVersion};
inline constexpr OptionPair kProgressApart[] = {{"progress", "no-progress"}, {"progress", "quiet"}};
inline constexpr OptionGroup kProgress{"Progress", kProgressOptions, {}, kProgressApart, {}, true};
inline constexpr OptionPair kCommonApart[] = {{"quiet", "verbose"}};
inline constexpr OptionGroup kCommon{"General", kCommonOptions, {}, kCommonApart};
inline constexpr OptionGroup kPlain{"General", kPlainOptions};
inline constexpr OptionSpec kHelpOptions[] = {
    {"format", 0, "NAME", "Print the options that this format has under the subcommand."},
    {"man", 0, "", "Print the manual page, for man -l -."},
    {"completion", 0, "", "Print the completion for the shell named: bash (the default), zsh or fish."},
};
inline constexpr OptionPair kHelpApart[] = {{"man", "completion"}};
inline constexpr OptionGroup kHelp{"Result", kHelpOptions, {}, kHelpApart};
// A placeholder that the formats' own groups replace. The details of a subcommand that has it are for
// details_with_formats() (subcommands.hpp).
inline constexpr OptionGroup kFormats{"", {}};

std::span<const Subcommand> fugu_rows();
std::span<const Subcommand> fugu_mpi_rows();

}  // namespace fugu::cli
