// The subcommands of fugu and their options.
#include "cli/commands.hpp"
#include "cli/table/subcommand_rows.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kEngineWords[] = {"auto", "cpu", "cuda"};
constexpr std::string_view kScopeWords[] = {"kernel", "copy", "file"};
constexpr std::string_view kModeWords[] = {"ecb", "cbc", "cfb", "ofb", "ctr"};
constexpr std::string_view kDirectionWords[] = {"encrypt", "decrypt", "both"};

constexpr OptionSpec kInputOptions[] = {
    {"recursive", 'r', "",
     "Take the files in and below the directories among FILE. Symbolic links there are not followed; they "
     "and anything but regular files are skipped with a note, or counted (--output-dir). encrypt skips "
     "files that end in .fugu too; the others skip those that neither their extension nor their beginning "
     "shows to be encrypted."},
    {"files-from", 0, "FILE",
     "Take the files that FILE names too, one per line; - is standard input. A line is always a name, never "
     "an option or standard input."},
    {"null", '0', "", "Each name in --files-from ends with a zero byte, as find -print0 writes them."},
};
constexpr OptionSpec kOutputOptions[] = {
    {"output", 'o', "OUT", "Write to OUT; - is standard output. For one input only."},
    {"output-dir", 0, "DIR",
     "Write into DIR, which is created if missing, each FILE under the last part of its name. With -r a "
     "directory that is the only FILE is DIR itself: encrypt -r --output-dir sealed d and decrypt -r "
     "--output-dir back sealed make back like d. Empty directories and the times and permissions of "
     "directories are kept. What DIR lacks, such as symbolic links, is counted in one message, with status "
     "2; -v names it. Names from --files-from keep their directories. No symbolic link below DIR is "
     "followed."},
    {"force", 'f', "",
     "Replace an existing output. Its owner, access control list and user.* attributes stay, and so do those "
     "of its permissions that the input has too."},
    {"keep", 'k', "", "Keep the input (the default)."},
    {.name = "rm",
     .argument = "",
     .help = "Remove the input once its output is complete and on the disk. The output is first read back "
             "and compared, unless --rm=fast is given. The input stays, and a message says why, if the "
             "passphrase or key is not proven right, if the file changed meanwhile, and if it is a symbolic "
             "link or has other hard links.",
     .word = "fast"},
};
constexpr std::string_view kDelimiterWords[] = {"tab"};
constexpr OptionSpec kLinesOptions[] = {
    {"lines", 0, "",
     "Each line is a message of its own under the same secret, with its own IV if that comes first. Lines "
     "keep their ends, and empty ones stay. A line that does not open stays as it is and is named (at most "
     "the first 100 are), with status 4; if hardly any opens, nothing is written, with status 3. Parameters "
     "that no line stores, as with openssl and cryptcbc, are found from eight lines together. decrypt finds "
     "out whether lines are hexadecimal or base64 unless -a, --hex or --signed-hex says so; encrypt writes "
     "base64 unless --hex is given."},
    {"csv", 0, "",
     "The same for the fields of a column of a table (RFC 4180): everything else stays byte by byte. Empty "
     "fields, and NULL and \\N without quotes, stay too. Fields that do not look encrypted, by their "
     "spelling or length, stay and are counted."},
    {.name = "column",
     .argument = "NAME",
     .help = "A column of the --csv: its name in the first record, or its number from 1; with a number there "
             "are no names unless --with-header is given. May be given for several columns.",
     .repeats = true},
    {"delimiter", 0, "CHARACTER",
     "What separates the fields of the --csv: one character, or tab. Default: a comma.", kDelimiterWords},
    {"with-header", 0, "", "The first record of the --csv has names: it is copied."},
    {"match", 0, "REGEX",
     "The same for each value that REGEX, an expression of grep -E, matches in a line of any text, such as "
     "an .ini, XML or SQL: its first group, or without a group all that matches. --match '^Password=(.*)', "
     "--match '<pw>([^<]*)<'. A prefix stays where the group leaves it out: '0:0:([^,]*)'. Values are "
     "written as they are: escapes such as those of XML for < and & are left to you."},
};
constexpr OptionSpec kWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda for the best of its kind, or a name that 'fugu engines' lists.",
     kEngineWords},
    kChunk,
};
constexpr OptionSpec kSecretOptions[] = {
    {"pass", 0, "PLACE",
     "Where to read the passphrase: tty (the default), file:F, env:V, fd:N or cmd:C. Files, descriptors and "
     "commands supply their first line. Its bytes are used as they are: a carriage return at its end counts, "
     "and an accented letter in one character (NFC) or in two (NFD) makes two passphrases. When encrypting, "
     "an empty answer on the terminal generates a random passphrase and shows it once.",
     kPassphrasePlaces},
    {"key", 0, "PLACE",
     "Where to read the key: file:F, env:V, fd:N, hex-file:F, hex-env:V, base64-file:F or base64-env:V. The "
     "first three hold its raw bytes, including a final newline. 'fugu formats' says which formats take a "
     "key.",
     kKeyPlaces},
};
constexpr OptionSpec kGuessSecretOptions[] = {
    {"key", 0, "PLACE",
     "Where to read the key: file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N. A "
     "key is also tried decoded, cut, filled, hashed and spelled in other ways.",
     kKeyPlaces},
    {"pass", 0, "PLACE",
     "Where to read the passphrase, for the key derivations of openssl enc, Ruby and Crypt::CBC.",
     kPassphrasePlaces},
};
constexpr OptionSpec kGuessOptions[] = {
    {"iv", 0, "IV",
     "The IV, if it is known: 16 hexadecimal digits, text:, base64: or zero, and with a key the others that "
     "--format raw takes."},
    {"salt", 0, "HEX", "The salt, 16 digits, if it is known and not at the beginning."},
    {"skip", 0, "N", "Leave out the first N bytes, an unencrypted header."},
    {"length", 0, "L", "The encrypted part has at most L bytes."},
};
constexpr OptionSpec kRekeyOptions[] = {
    {"new-pass", 0, "PLACE", "Where to read the new passphrase; tty is the default.", kPassphrasePlaces},
    {"new-key", 0, "PLACE", "Where to read the new key, instead of a passphrase.", kKeyPlaces},
};
constexpr OptionSpec kVerifyOptions[] = {
    {"against", 0, "PLAIN", "Compare the plaintext with the file PLAIN."},
    {"openssl", 0, "",
     "Decrypt with OpenSSL's Blowfish too and compare. 'fugu formats' says for which formats."},
};
constexpr OptionSpec kSelftestOptions[] = {
    {"rounds", 0, "N", "Random cross-checks per engine, 1000 by default."},
    {"seed", 0, "N", "Seed of the random choices, 1 by default."},
};
constexpr OptionSpec kSelftestWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME", "Check this engine only, and fail when it cannot run.", kEngineWords},
};
constexpr OptionSpec kBenchOptions[] = {
    {"scope", 0, "SCOPE",
     "kernel (data in the engine's own memory), copy (host memory to host memory) or file (read, cipher, "
     "write, fsync). Default: all three, one table each.",
     kScopeWords},
    {"engine", 0, "NAME,...", "Engines that 'fugu engines' lists. Default: all that can run.", kEngineWords},
    {"mode", 0, "MODE,...", "ecb, cbc, cfb, ofb, ctr. Default: ecb, cbc and ctr; for files, ctr.",
     kModeWords},
    {"direction", 0, "DIRECTION",
     "encrypt, decrypt or both. Default: encrypt, or decrypt for modes in which only encryption is a serial "
     "chain.",
     kDirectionWords},
    {"size", 0, "SIZE,...",
     "Sizes, with K, M or G: powers of 1024. Default: 8M; for GPUs 32M per processor; for files 16M."},
    {"grid", 0, "N,...",
     "Thread-block counts for the kernels of GPUs, or default: 1, 25, 50, 100, 500, 1000, 2000, 4000, 8000, "
     "16000, 32000, 65535. Only for scope kernel."},
    {"threads-per-block", 0, "N,...", "Threads per block for the same kernels, multiples of 32."},
    {"directory", 0, "DIR", "Where files are written for scope file. Default: the temporary directory."},
    {"sealed", 0, "", "Measure the sealed format in memory instead, and key schedules."},
    {"runs", 0, "N", "Samples per row, 5 by default."},
    kThreads,
};
constexpr OptionSpec kBenchResultOptions[] = {
    {"json", 0, "", "Print the result as JSON, with every sample."},
    {"csv", 0, "", "Print the result as CSV, one sample per row."},
};
constexpr OptionSpec kEnginesOptions[] = {
    {"calibrate", 0, "",
     "Measure this machine for --engine auto, which takes seconds, and keep the figures. Until then, auto "
     "decides by those of an H100 and its host."}};
constexpr OptionSpec kJsonOptions[] = {{"json", 0, "", "Print the result as JSON."}};
constexpr OptionSpec kRowsJsonOptions[] = {{"json", 0, "",
                                            "Print a row per file as JSON: what became of it. With --lines, "
                                            "--csv or --match also which messages were left as "
                                            "they are, and why."}};

constexpr OptionPair kInputNeeds[] = {{"null", "files-from"}};
constexpr OptionGroup kInput{"Input", kInputOptions, {}, {}, kInputNeeds};
constexpr OptionPair kOutputApart[] = {{"output", "output-dir"}, {"output", "recursive"},
                                       {"keep", "rm"},           {"range", "rm"},
                                       {"salvage", "rm"},        {"range", "salvage"}};
constexpr OptionGroup kOutput{"Output", kOutputOptions, {}, kOutputApart};
constexpr OptionGroup kWork{.title = "Work", .options = kWorkOptions, .is_special = true};
constexpr OptionGroup kSecret{"Passphrase and key", kSecretOptions, {}, kSecretApart};
constexpr OptionGroup kGuessSecret{"Passphrase and key", kGuessSecretOptions, {}, kSecretApart};
constexpr OptionPair kGuessApart[] = {{"key", "salt"}, {"iv", "salt"}, {"pass", "skip"}, {"pass", "length"}};
constexpr OptionGroup kGuess{"What is known", kGuessOptions, {}, kGuessApart};
constexpr OptionPair kRekeyApart[] = {{"new-pass", "new-key"}};
constexpr OptionGroup kRekey{"New passphrase or key", kRekeyOptions, {}, kRekeyApart};
constexpr OptionGroup kVerify{"Checks", kVerifyOptions};
constexpr OptionGroup kSelftest{"Checks", kSelftestOptions};
constexpr OptionGroup kSelftestWork{"Work", kSelftestWorkOptions};
constexpr OptionGroup kBench{"Measurement", kBenchOptions};
constexpr OptionGroup kBenchResult{"Result", kBenchResultOptions};
constexpr OptionGroup kEngines{"Engines", kEnginesOptions};
constexpr OptionGroup kJson{"Result", kJsonOptions};
constexpr OptionPair kLinesApart[] = {
    {"lines", "csv"},     {"lines", "range"},       {"lines", "salvage"}, {"lines", "single-line"},
    {"lines", "openssl"}, {"csv", "range"},         {"csv", "salvage"},   {"csv", "single-line"},
    {"csv", "openssl"},   {"match", "lines"},       {"match", "csv"},     {"match", "range"},
    {"match", "salvage"}, {"match", "single-line"}, {"match", "openssl"}};
constexpr OptionPair kLinesNeeds[] = {{"column", "csv"}, {"delimiter", "csv"}, {"with-header", "csv"}};
constexpr OptionGroup kLines{"Lines and values", kLinesOptions, {}, kLinesApart, kLinesNeeds, true};
constexpr OptionGroup kRowsJson{"Result", kRowsJsonOptions};

constexpr const OptionGroup* kFileGroups[] = {&kInput, &kOutput, &kRowsJson, &kSecret, &kFormats,
                                              &kLines, &kWork,   &kProgress, &kCommon};
constexpr const OptionGroup* kVerifyGroups[] = {&kInput, &kVerify, &kJson,     &kSecret, &kFormats,
                                                &kLines, &kWork,   &kProgress, &kCommon};
constexpr const OptionGroup* kRekeyGroups[] = {&kRowsJson, &kSecret, &kRekey, &kFormats, &kWork, &kCommon};
constexpr const OptionGroup* kGuessGroups[] = {&kGuessSecret, &kGuess, &kJson, &kCommon};
constexpr const OptionGroup* kInfoGroups[] = {&kInput, &kJson, &kCommon};
constexpr const OptionGroup* kFormatsGroups[] = {&kJson, &kCommon};
constexpr const OptionGroup* kEnginesGroups[] = {&kEngines, &kJson, &kCommon};
constexpr const OptionGroup* kSelftestGroups[] = {&kSelftest, &kSelftestWork, &kJson, &kCommon};
constexpr const OptionGroup* kBenchGroups[] = {&kBench, &kBenchResult, &kCommon};
constexpr const OptionGroup* kHelpGroups[] = {&kHelp, &kPlain};

constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kEncryptAliases[] = {"enc"};
constexpr std::string_view kDecryptAliases[] = {"dec", "-d"};

constexpr Subcommand kSubcommands[] = {
    {"encrypt", "encrypt files", "[FILE...]",
     "FILE becomes FILE.fugu, or gets the ending of its format; with no FILE, or -, standard input goes to "
     "standard output. An output appears "
     "whole or not at all, with FILE's modification time and permissions, less what the umask forbids. "
     "Blowfish's table look-ups are not constant-time. {default_format}",
     kFileGroups, run_encrypt, kMany, kEncryptAliases},
    {"decrypt", "decrypt files", "[FILE...]",
     "FILE.fugu becomes FILE, with the same modification time and permissions, and with holes for blocks of "
     "zeros. Other formats' endings are removed in the same way: {extensions}. Any other FILE becomes "
     "FILE.decrypted. If the format is recognised, parameters neither stored nor given are found by trial; "
     "if it is not, fugu guess finds the options. No byte of an authenticated file is released before its "
     "segment has been verified; into a pipe, earlier segments have already been released when a later one "
     "fails. Into a pipe, other formats release plaintext before the whole input has been read.",
     kFileGroups, run_decrypt, kMany, kDecryptAliases},
    {"rekey", "change the passphrase or key of sealed files", "FILE...",
     "Replaces each FILE once its successor is complete; the data is not encrypted again. Anyone who kept a "
     "copy of the old file and knows the old passphrase or key can still read FILE, and can put any content "
     "behind its new header, which opens under the new passphrase or key. --anew takes that away. Hard links "
     "of FILE under other names are such copies.",
     kRekeyGroups, run_rekey},
    {"verify", "check that files decrypt, without writing", "[FILE...]",
     "Reports whether a file decrypts. A format without authentication can hide damage, which --against "
     "detects.",
     kVerifyGroups, run_verify},
    {"info", "print what a file's header says", "[FILE...]", "Needs no key.", kInfoGroups, run_info},
    {"guess", "find out how data without a header was encrypted", "[FILE]",
     "Tries spellings (hex, base64), modes, paddings, word orders, ways from the secret to the key and "
     "places of the IV, or with --pass key derivations, on at most 64 KiB of FILE, and prints the commands "
     "that give text, a known kind of file or certain padding, best first. Nothing is written. Each command "
     "comes with the chance that noise, or a wrong secret, looks as good under some recipe: once in 2^40 is "
     "proof, once in 2^3 is not. Exit status 3 if nothing fits. 'fugu help recipes' lists what known "
     "programs write, with the command that opens it.",
     kGuessGroups, run_guess, 1},
    {"formats",
     "list the formats of files",
     "[NAME...]",
     "For each, the programs that make it, what fugu can do with it, what opens it, and what reveals a wrong "
     "passphrase or key; for the formats named also what each option means.",
     kFormatsGroups,
     run_formats,
     kMany,
     {},
     format_names,
     format_names},
    {"selftest", "check every engine against published values and OpenSSL", "",
     "One line per engine. Random cases are compared with OpenSSL's Blowfish.", kSelftestGroups, run_selftest,
     0},
    {"engines", "list the engines, best first", "",
     "States what each needs, and why one cannot run here; with -v also the figures that auto decides by.",
     kEnginesGroups, run_engines, 0},
    {"bench", "compare the engines' speed with OpenSSL's", "",
     "Uses random data under a random key. Every output of every run is compared with OpenSSL's, and a time "
     "below the least that the hardware needs is an error, so every figure stands for work that was done. "
     "Scopes are never mixed. A CPU engine works in host memory, so kernel and copy are one row for it. "
     "Serial chains (cbc and cfb encryption, ofb) run on one core, and GPUs have no row for them. In memory "
     "OpenSSL gets at most 64M, since its speed does not depend on the size. GB/s is decimal: the median, "
     "and slowest..fastest; CPU seconds are those of the whole process per run. The default run takes less "
     "than 10 seconds. A sweep over launches on a GPU: fugu bench --scope kernel --engine cuda:0 --grid "
     "default --threads-per-block 64,128,256,512 --csv.",
     kBenchGroups, run_bench, 0},
    {"spectral",
     "Walsh spectra, dyadic convolution, character tables",
     "OPERATION [FILE...]",
     "OPERATION is walsh, inverse, nonlinearity, convolve (two files), autocorrelate, properties (CSV, a "
     "line per function), anf (from truth table to polynomial and back), vilenkin-chrestenson (the Fourier "
     "transform over --group), or characters with a group such as 3^8 or 2x3x4. With no FILE, standard "
     "input. A truth table lists f(0), f(1), ...; a hexadecimal digit is four values, the first its most "
     "significant bit. walsh, nonlinearity and autocorrelate take a truth table as (-1)^f, convolve as 0 and "
     "1. The forward transform has no scale, the inverse divides by the length. Integers are exact; where "
     "they would not be, and where finite floats overflow, that is an error. Tables hold up to 30 variables; "
     "properties takes 20, its algebraic immunity 16.",
     kSpectralGroups,
     run_spectral,
     kMany,
     {},
     spectral_operations},
    {"sbox",
     "measure S-boxes: tables, spectra, properties",
     "[OPERATION] [BOX...]",
     "OPERATION is report (the default), spectrum TABLE, table TABLE, model TABLE (for SAT and MILP "
     "solvers), components, anf, invariants, class, canonical (the least box of the class), compare (two "
     "boxes), spaces (Walsh-zero spaces), permutation, classes (one box per EA class) and tu T, of the CCZ "
     "class, inverse, derivative A, component B, equations DEGREE (that hold at every (x, S(x))), make (the "
     "box, also in another form) or list. TABLE is {tables}. BOX is a file, - for standard input (the "
     "default), a name that 'fugu sbox list' prints, or blowfish:1 to blowfish:4 with --key; 1 to 20 inputs, "
     "1 to 32 outputs. All values are exact, by the definitions that --conventions prints. Each column of "
     "the report's CSV is a key of its JSON object, in which spectra are arrays of [value, count], null "
     "means that a box has no such value, and conventions is the version of the definitions.",
     kSboxGroups,
     run_sbox,
     kMany,
     {},
     sbox_operations,
     sbox_words},
    {"help",
     "print help, the manual page or the shell completion",
     "[SUBCOMMAND [OPERATION]|recipes|SHELL]",
     "With recipes: what known programs write, and the command that opens each.",
     kHelpGroups,
     run_help,
     2,
     {},
     help_words},
};

}  // namespace

std::span<const Subcommand> fugu_rows() {
  return kSubcommands;
}

}  // namespace fugu::cli
