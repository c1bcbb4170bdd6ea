// The subcommands' entry points; the rows in fugu_rows.cpp name them. Each returns an exit status or
// throws.
#pragma once

#include <functional>

#include "cli/options.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {

int run_encrypt(const Arguments& arguments);
int run_decrypt(const Arguments& arguments);
int run_verify(const Arguments& arguments);
int run_rekey(const Arguments& arguments);
int run_guess(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_formats(const Arguments& arguments);
int run_selftest(const Arguments& arguments);
int run_engines(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_spectral(const Arguments& arguments);
int run_sbox(const Arguments& arguments);
int run_help(const Arguments& arguments);

// What the shell completes as their operands.
std::vector<std::string_view> format_names();
std::vector<std::string_view> subcommand_names();
std::vector<std::string_view> help_words();
std::vector<std::string_view> sbox_operations();
std::vector<std::string_view> sbox_words();  // tables and named boxes
std::vector<std::string_view> spectral_operations();

// The operations of fugu-mpi spectral.
inline constexpr std::string_view kOperationsByRanks[] = {"walsh", "inverse", "convolve", "autocorrelate",
                                                          "nonlinearity"};

// Finds the subcommand of a command line and passes it to `run`, unless help or the version is requested.
// Returns the exit status. Throws Error{usage}, and what `run` throws.
int run_words(const std::vector<std::string>& words, const std::function<int(const Arguments&)>& run);

// Reports the current exception and returns the exit status. Call inside a catch block.
int report_current_failure();

// Prepares the process and runs `work`; turns exceptions into a message and an exit status.
int guarded_main(const std::function<int()>& work);

// The commit this program was built from, "1a2b3c4", with "-modified" if tracked files differ from it;
// "unknown" outside a git checkout. Written at every build by tools/embed_commit.cmake.
extern const char* const kBuildCommit;

}  // namespace fugu::cli
