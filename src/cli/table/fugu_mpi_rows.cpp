// The subcommands of fugu-mpi and their options.
#include "cli/commands.hpp"
#include "cli/table/subcommand_rows.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kMpiEngineWords[] = {"auto", "cpu", "cuda", "cuda:local"};
constexpr std::string_view kMpiSpectralEngineWords[] = {"cpu", "cuda:local"};

constexpr OptionSpec kMpiOutputOptions[] = {
    {"output", 'o', "OUT", "Write to OUT."},
    kForceOption,
};
constexpr OptionSpec kMpiSecretOptions[] = {
    {"pass", 0, "PLACE",
     "Where rank 0 reads the passphrase: file:F, env:V, fd:N or cmd:C. Files, descriptors and commands "
     "supply their first line. There is no prompt, since mpirun provides no terminal.",
     std::span(kPassphrasePlaces).subspan(1)},
    {"key", 0, "PLACE",
     "Where rank 0 reads the key: file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N.",
     kKeyPlaces},
};
constexpr OptionSpec kMpiThreads{
    "threads", 'T', "N",
    "Use N threads per rank; 0, the default: this rank's share of the processors of its machine."};
constexpr OptionSpec kMpiWorkOptions[] = {
    kMpiThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu, cuda or a name that 'fugu engines' lists, for each rank; cuda:local "
     "distributes the GPUs of a machine to its ranks.",
     kMpiEngineWords},
    kChunk,
};
constexpr OptionSpec kMpiSpectralOptions[] = {
    {"type", 0, "TYPE", "int32, int64, float32 or float64: the type of raw values, little-endian."},
};
constexpr OptionSpec kMpiSpectralWorkOptions[] = {
    kMpiThreads,
    {.name = "engine",
     .argument = "NAME",
     .help =
         "cpu (the default), or cuda:local: the GPUs of a machine for its ranks, with NCCL between machines.",
     .words = kMpiSpectralEngineWords,
     .takes_words_alone = true},
};

constexpr OptionGroup kMpiOutput{"Output", kMpiOutputOptions};
constexpr OptionGroup kMpiSecret{"Passphrase and key", kMpiSecretOptions, {}, kSecretApart};
constexpr OptionGroup kMpiWork{"Work", kMpiWorkOptions};
constexpr OptionGroup kMpiSpectral{"Values", kMpiSpectralOptions};
constexpr OptionGroup kMpiSpectralWork{"Work", kMpiSpectralWorkOptions};

constexpr const OptionGroup* kMpiEncryptGroups[] = {&kMpiOutput, &kMpiSecret, &kFormats,
                                                    &kMpiWork,   &kProgress,  &kCommon};
constexpr const OptionGroup* kMpiVerifyGroups[] = {&kMpiSecret, &kFormats, &kMpiWork, &kProgress, &kCommon};
constexpr const OptionGroup* kMpiSpectralGroups[] = {&kMpiOutput, &kMpiSpectral, &kMpiSpectralWork, &kCommon};
constexpr const OptionGroup* kMpiHelpGroups[] = {&kHelp, &kPlain};

std::vector<std::string_view> by_ranks() {
  return {std::begin(kOperationsByRanks), std::end(kOperationsByRanks)};
}

// Subcommands without a function here are run by all ranks together (src/cli/mpi).
constexpr Subcommand kMpiSubcommands[] = {
    {"encrypt", "encrypt a file with all ranks", "FILE",
     "FILE becomes FILE.fugu, or the file that -o names. Every rank reads and writes its part of the file. "
     "Formats: {divisible}; use fugu for the others, and for cbc, cfb and ofb, which are serial. The output "
     "appears whole or not at all. {default_format}",
     kMpiEncryptGroups, nullptr, 1},
    {"decrypt", "decrypt a file with all ranks", "FILE",
     "FILE.fugu becomes FILE. The output appears when every rank's part is on the disk and authentic. "
     "Formats: {divisible}; use fugu for the others, and for ofb.",
     kMpiEncryptGroups, nullptr, 1},
    {"verify", "check with all ranks that a file decrypts, without writing", "FILE",
     "Reports whether FILE decrypts.", kMpiVerifyGroups, nullptr, 1},
    {"spectral",
     "a Walsh transform over the memories of all ranks",
     "OPERATION FILE [FILE]",
     "OPERATION is walsh, inverse, convolve (two files), autocorrelate or nonlinearity, as in fugu spectral. "
     "FILE is .npy, or raw with --type; .npy of bool, or uint8 of 0 and 1, is a truth table, which convolve "
     "takes as numbers and the others as (-1)^f. A power of two of ranks takes part, each with an equal "
     "share of the 2^n values; the other ranks wait. The result goes to the file that -o names, of the same "
     "kind as FILE, in natural order; nonlinearity prints it. Integers are exact; where they would not be, "
     "that is an error.",
     kMpiSpectralGroups,
     nullptr,
     3,
     {},
     by_ranks},
    {"help",
     "print help, the manual page or the shell completion",
     "[SUBCOMMAND]",
     "",
     kMpiHelpGroups,
     run_help,
     1,
     {},
     subcommand_names},
};

}  // namespace

std::span<const Subcommand> fugu_mpi_rows() {
  return kMpiSubcommands;
}

}  // namespace fugu::cli
