// The subcommands of fugu and their options.
#include "cli/commands.hpp"
#include "cli/table/subcommand_rows.hpp"
#include "fugu/spectral/lab/property.hpp"

namespace fugu::cli {
namespace {

constexpr std::string_view kEngineWords[] = {"auto", "cpu", "cuda"};
constexpr std::string_view kPassWords[] = {"tty", "file:", "env:", "fd:", "cmd:"};
constexpr std::string_view kScopeWords[] = {"kernel", "copy", "file"};
constexpr std::string_view kModeWords[] = {"ecb", "cbc", "cfb", "ofb", "ctr"};
constexpr std::string_view kDirectionWords[] = {"encrypt", "decrypt", "both"};

constexpr OptionSpec kThreads{"threads", 'T', "N",
                              "Use N threads; 0, the default: every processor this process may run on."};

constexpr OptionSpec kInputOptions[] = {
    {"recursive", 'r', "",
     "Take the files in and below the directories among FILE. Symbolic links there are not followed; they "
     "and anything but regular files are skipped with a note. So are, when encrypting, files that end in "
     ".fugu, and otherwise files that neither their extension nor their beginning shows to be encrypted."},
    {"files-from", 0, "FILE",
     "Take the files that FILE names too, one per line; - is standard input. A line is always a name, never "
     "an option or standard input."},
    {"null", '0', "", "Each name in --files-from ends with a zero byte, as find -print0 writes them."},
};
constexpr OptionSpec kOutputOptions[] = {
    {"output", 'o', "OUT", "Write to OUT; - is standard output. For one input only."},
    {"output-dir", 0, "DIR",
     "Write into DIR, which is created if missing: x for any/where/x, d/sub/x for any/where/d/sub/x that -r "
     "found in any/where/d, and the names of --files-from unchanged. No symbolic link "
     "below DIR is followed."},
    {"force", 'f', "",
     "Replace an existing output. Its owner, access control list and user.* attributes stay, and so do those "
     "of its permissions that the input has too."},
    {"keep", 'k', "", "Keep the input (the default)."},
    {"rm",
     0,
     "",
     "Remove the input once its output is complete, on the disk, and read back from the file with the same "
     "content; --rm=fast leaves the reading back out. The input stays, and a message says why, if the "
     "passphrase or key is not proven right, if the file changed meanwhile, and if it is a symbolic link or "
     "has other hard links.",
     {},
     "fast"},
};
constexpr std::string_view kDelimiterWords[] = {"tab"};
constexpr OptionSpec kLinesOptions[] = {
    {"lines", 0, "",
     "Each line is a message of its own under the same secret, with its own IV if that stands in front. "
     "Lines keep their ends, and empty ones stay. A line that does not open stays as it is and is named, "
     "with status 4; if nearly all do not, nothing is written, with status 3. decrypt finds out whether "
     "lines are hexadecimal or base64 unless -a, --hex or --signed-hex says so; encrypt writes base64 unless "
     "--hex is given."},
    {"csv", 0, "",
     "The same for the fields of a column of a table (RFC 4180): everything else stays byte by byte. Empty "
     "fields, and NULL and \\N without quotes, stay too."},
    {"column",
     0,
     "NAME",
     "A column of the --csv, by the name that the first record has for it, or by a number from 1, which "
     "means that there are no names unless --with-header is given. May be given for several columns.",
     {},
     {},
     nullptr,
     true},
    {"delimiter", 0, "CHARACTER",
     "What separates the fields of the --csv: one character, or tab. Default: a comma.", kDelimiterWords},
    {"with-header", 0, "", "The first record of the --csv has names: it is copied."},
};
constexpr OptionSpec kDecryptJsonOptions[] = {
    {"json", 0, "", "With --lines or --csv, print which messages were left as they are, and why, as JSON."}};
constexpr OptionSpec kWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda for the best of its kind, or a name that 'fugu engines' lists.",
     kEngineWords},
    {"chunk", 0, "SIZE", "Process this much at a time, 4K to 32M. Default: what suits engine and input."},
};
constexpr OptionSpec kSecretOptions[] = {
    {"pass", 0, "PLACE",
     "Where to read the passphrase: tty (the default), file:F, env:V, fd:N or cmd:C. Files, descriptors and "
     "commands supply their first line. Its bytes are used as they are: a carriage return at its end counts, "
     "and an accented letter in one character (NFC) or in two (NFD) makes two passphrases. When encrypting, "
     "an "
     "empty answer on the terminal generates a random passphrase and shows it once.",
     kPassWords},
    {"key", 0, "PLACE",
     "Where to read the key: file:F, env:V or fd:N hold its raw bytes, including a final newline; hex-file:F "
     "and hex-env:V hold hexadecimal digits, base64-file:F and base64-env:V base64. 'fugu formats' says "
     "which formats take a key.",
     kKeyWords},
};
constexpr OptionSpec kGuessSecretOptions[] = {
    {"key", 0, "PLACE",
     "Where to read the key: file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N. A "
     "key "
     "of file:F and env:V is also tried decoded, filled and hashed.",
     kKeyWords},
    {"pass", 0, "PLACE",
     "Where to read the passphrase, for the key derivations of openssl enc, Ruby and Crypt::CBC.",
     kPassWords},
};
constexpr OptionSpec kGuessOptions[] = {
    {"iv", 0, "IV",
     "The iv, if it is known: 16 hexadecimal digits, text:, base64:, zero, prefix or encrypted-zero."},
    {"salt", 0, "HEX", "The salt, 16 digits, if it is known and not in front."},
    {"skip", 0, "N", "Leave out N bytes in front, a header in clear."},
    {"length", 0, "L", "The encrypted part has at most L bytes."},
};
constexpr OptionSpec kRekeyOptions[] = {
    {"new-pass", 0, "PLACE", "Where to read the new passphrase; tty is the default.", kPassWords},
    {"new-key", 0, "PLACE", "Where to read the new key, instead of a passphrase.", kKeyWords},
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
     "Thread-block counts for the kernels of GPUs, or default: 1, 25, 50, 100, 500, 1000, 2000, 4000, "
     "8000, 16000, 32000, 65535. Only for scope kernel."},
    {"threads-per-block", 0, "N,...", "Threads per block for the same kernels, multiples of 32."},
    {"directory", 0, "DIR", "Where files are written for scope file. Default: the temporary directory."},
    {"spectral", 0, "",
     "Measure Walsh transforms instead, also of rows of float16, on GPUs of 12, 20, 28 and 40 times 2^N "
     "values "
     "too; engines are cpu and cuda:N. With --scope file, whole runs of fugu spectral, file to file; then "
     "also "
     "auto."},
    {"sealed", 0, "", "Measure the sealed format in memory instead, key schedules and scrypt."},
    {"log2-size", 0, "N,...", "For --spectral: transforms of 2^N values. Default: 10,16,20,24."},
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
constexpr OptionSpec kHelpOptions[] = {
    {"format", 0, "NAME", "Print the options that this format has under the subcommand."},
    {"man", 0, "", "Print the manual page, for man -l -."},
    {"completion", 0, "", "Print the completion for the shell named: bash (the default), zsh or fish."},
};
constexpr OptionSpec kQuietOptions[] = {kQuiet, kHelpOption, kVersion};

constexpr OptionSpec kSboxWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda:N. A GPU computes spectra, rows, degrees and the search for weak keys, "
     "the CPU the rest. auto is the CPU; it takes cuda:0, if present, only for work large enough to repay "
     "starting the GPU: large reports, large batches of du,linearity,nl,deg, many keys."},
};
constexpr OptionSpec kSpectralFileOptions[] = {
    {"output", 'o', "OUT", "Write to OUT; - is standard output."},
    {"force", 'f', "", "Replace an existing output."},
    {"from", 0, "FORMAT",
     "npy, raw (little-endian), text (numbers), bits, hex, packed (value i is bit i % 8 of byte i / 8) or "
     "polynomial ('1 + x0 x2', x0 the least significant bit of an index; one per line). Detected by default: "
     "npy, bits or text."},
    {"to", 0, "FORMAT",
     "npy, raw, text, bits, hex, packed or, for anf, polynomial. Default: as the input; text for truth "
     "tables and tables."},
    {"as", 0, "MEANING",
     "table: the input is truth tables of 0 and 1, or of the polarity 1 and -1; values: it is numbers. By "
     "default text of only the digits 0 and 1 and white space, arrays of bool, and arrays of uint8 that are "
     "all 0 or 1 are truth tables; ambiguous input is refused."},
    {"type", 0, "TYPE",
     "int32, int64, float32 or float64: the type of raw values, and the type that others are converted to. "
     "Text is int64 or float64 by default, the spectrum of a truth table int32. npy files of float16 are "
     "computed in float32 and have results of float16."},
    {"variables", 0, "N", "Variables of a polynomial, 0 to 30."},
    {"bit-order", 0, "ORDER",
     "Order of hexadecimal digits: lsb (the default; f(0) is the most significant bit of the first digit) or "
     "sage (the least significant bit of the last)."},
    {"row-bits", 0, "N",
     "The input is a batch of rows of 2^N values. Two-dimensional npy files and lines of polynomials are "
     "batches as well."},
};
constexpr OptionSpec kSpectralOptions[] = {
    {"order", 0, "ORDER",
     "Order of coefficients: natural (the default; position a holds the sum of (-1)^(a.x) f(x)), dyadic "
     "(Paley; the bits of a reversed) or sequency (position k holds the row with k sign changes)."},
    {"algorithm", 0, "NAME",
     "fast (the default), or 0 to 6 of Bikov and Bouyukliev 2018; 1 to 6 need a GPU."},
    {"json", 0, "", "Print the results of nonlinearity and properties as JSON."},
};
constexpr OptionSpec kCharacterOptions[] = {
    {"values", 0, "TYPE",
     "complex128 (the default) or complex64. For characters also uint8 or uint16, the exact exponents. For "
     "vilenkin-chrestenson also counts (L integers per value, c_k of the roots exp(2 pi i k / L)), integers "
     "(L - 1 for a prime L, in the basis of the first roots) or residues (modulo a prime)."},
    {"rows", 0, "FIRST:COUNT", "Only these rows; K, M and G are powers of 1024."},
    {"columns", 0, "FIRST:COUNT", "Only these columns."},
    {"row-order", 0, "ORDER", "kronecker (the default), or equation1: the digits of the row reversed."},
    {"group", 0, "GROUP",
     "3^8, 2x3x4 or 2^3x5, for vilenkin-chrestenson, convolve, autocorrelate and properties: functions on "
     "that group, complex numbers as 1.5-2i. With --as table, and in properties, values 0 to p - 1 of a "
     "function into C_p."},
    {"inverse", 0, "", "For vilenkin-chrestenson: the inverse, divided by the group's order."},
    {"modulus", 0, "Q", "The prime of residues, L k + 1. Default: the largest below 2^31."},
};
constexpr OptionSpec kSpectralWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda:N. auto is cuda:0 for algorithms 1 to 6 and, if present, for "
     "transforms and the nonlinearity of functions so long that it is predicted to be faster (see fugu "
     "engines --calibrate); otherwise the CPU."},
};

constexpr OptionSpec kSboxInputOptions[] = {
    {"from", 0, "FORMAT",
     "npy, text (numbers, any brackets; a Sage or Python list, a C array), hex (one run of digits), u8, "
     "u16le, u16be, u32le, u32be, rows (a coordinate per line, bits or hex, y_0 first), polynomial (a "
     "coordinate per line), des (4 rows of 16) or univariate (a polynomial over --field such as 'g^170 x^192 "
     "+ x^3', in a file or in place of one; g is X). Detected by default: npy, hex or text."},
    {"inputs", 0, "N", "Input bits, 1 to 20. Default: from the number of entries."},
    {"outputs", 0, "M",
     "Output bits, 1 to 32. Default: the number of inputs, if the largest entry has that many bits; the bits "
     "of the largest entry, if at least a quarter of the entries have more. Otherwise required."},
    {"bit-order", 0, "ORDER",
     "lsb (the default), msb (both sides reversed) or sage (of hexadecimal truth tables)."},
    {"key", 0, "PLACE",
     "Where to read the key of blowfish:1 to blowfish:4: file:F, hex-file:F, base64-file:F, env:V, "
     "hex-env:V, "
     "base64-env:V or fd:N."},
    {"weak-keys", 0, "FIRST:COUNT",
     "Report the keys among these, as numbers of 8 bytes, under which one of Blowfish's S-boxes has two "
     "equal entries: key, S-box, x, y and S(x) = S(y)."},
    {"random-keys", 0, "COUNT",
     "Report collisions, DDT entries and coordinate nonlinearities of Blowfish's S-boxes under this many "
     "random keys, and those of as many random boxes; with --exhaustive also the nonlinearities of all their "
     "components."},
    {"seed", 0, "N", "Seed of the random keys, 1 by default."},
    {"batch", 0, "", "Every line, or row of an npy array, is a box. Results are lines of CSV or JSON."},
};
constexpr std::string_view kRelationWords[] = {"linear", "affine", "ea", "ccz"};
constexpr OptionSpec kSboxOutputOptions[] = {
    {"output", 'o', "OUT", "Write to OUT; - is standard output."},
    {"force", 'f', "", "Replace an existing output."},
    {"json", 0, "",
     "Print the results of report, spectrum, or components with --exhaustive as JSON; for a --batch, one "
     "line per box."},
    {"csv", 0, "",
     "Print the results of report or components as CSV: a header, then one line per box or component."},
    {"to", 0, "FORMAT", "text (the default), npy, npy16, raw, sage or hex."},
    {"only",
     0,
     "GROUP,...",
     "Only these groups: basic, differential, linear, components, boomerang, algebra, avalanche, structure, "
     "sidechannel, and ccz and extended, which are left out by default. With -v, structure lists the linear "
     "structures. "
     "Omitted for boxes that are too large: all components above 20 outputs, equations of degree 2 and 3 "
     "above 24 and 20 bits of input and output, immunities above 10 inputs or outputs, the transparency "
     "order above 16 outputs, ranks and the boomerang family above 8 inputs, the second-order nonlinearity "
     "above 9. With --json and --csv also single fields by name, "
     "such as du,linearity,nl,deg, which a GPU computes for thousands of boxes of a --batch at a time.",
     {},
     {},
     spectral::lab::report_names},
    {"scale", 0, "SCALE", "Scale of the LAT: walsh (W, the default), bias (W/2) or correlation (W/2^n)."},
    {"rows", 0, "FIRST:COUNT",
     "Only these rows of the table, which has to be less than 2^40 bytes; K, M and G are powers of 1024."},
    {"columns", 0, "FIRST:COUNT", "Only these columns of the table."},
    {"plot", 0, "OUT",
     "Draw the table as a heat map, or the spectrum or nonlinearities as bars, in OUT.svg or, tables only, "
     "OUT.png instead of printing it; tables of more than 512 x 512 cells are for .png, up to 2^26 cells. "
     "Colours are magnitudes; a picture has a title, axes and a scale, in a .png also as text in it."},
    {"signed", 0, "",
     "With --plot of the lat, act or dlct: colours are values with their sign, lighter for larger ones."},
    {"masks", 0, "MASKS", "Components: all (of up to 20 outputs), coordinates or a list such as 1,0x1f."},
    {"field", 0, "0xPOLY",
     "The field GF(2^n), by its polynomial: of --from univariate; for anf of up to 12 inputs and as many "
     "outputs, whose polynomial over it is printed; of the c-differential uniformity."},
    {"relation", 0, "RELATION",
     "What compare decides: linear, affine, ea or ccz. By default, the strongest relation that holds.",
     kRelationWords},
    {"exhaustive", 0, "",
     "Include long computations; an estimate is printed first. In invariants: the ranks for 7 and 8 inputs; "
     "in compare: these, and a search to the end; in spaces, permutation, classes and tu: the same; in "
     "components: all of up to 32 outputs, for up to 10 "
     "inputs."},
    {"conventions", 0, "", "Print the definitions of all values, and end."},
};

constexpr OptionGroup kSboxInput{"Input", kSboxInputOptions};
constexpr OptionGroup kSboxOutput{"Output", kSboxOutputOptions};
constexpr OptionGroup kSpectralFiles{"Files", kSpectralFileOptions};
constexpr OptionGroup kSpectral{"Transforms", kSpectralOptions};
constexpr OptionGroup kCharacters{"Character tables", kCharacterOptions};
constexpr OptionGroup kSboxWork{"Work", kSboxWorkOptions};
constexpr OptionGroup kSpectralWork{"Work", kSpectralWorkOptions};
constexpr OptionPair kInputNeeds[] = {{"null", "files-from"}};
constexpr OptionGroup kInput{"Input", kInputOptions, {}, {}, kInputNeeds};
constexpr OptionPair kOutputApart[] = {
    {"output", "output-dir"}, {"output", "recursive"}, {"keep", "rm"}, {"range", "rm"}, {"salvage", "rm"}};
constexpr OptionGroup kOutput{"Output", kOutputOptions, {}, kOutputApart};
constexpr OptionGroup kWork{"Work", kWorkOptions};
constexpr OptionGroup kSecret{"Passphrase and key", kSecretOptions, {}, kSecretApart};
constexpr OptionGroup kGuessSecret{"Passphrase and key", kGuessSecretOptions, {}, kSecretApart};
constexpr OptionPair kGuessApart[] = {{"key", "salt"}, {"pass", "iv"}, {"pass", "skip"}, {"pass", "length"}};
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
constexpr OptionPair kLinesApart[] = {{"lines", "csv"},         {"lines", "range"},     {"lines", "salvage"},
                                      {"lines", "single-line"}, {"lines", "openssl"},   {"csv", "range"},
                                      {"csv", "salvage"},       {"csv", "single-line"}, {"csv", "openssl"}};
constexpr OptionPair kLinesNeeds[] = {{"column", "csv"}, {"delimiter", "csv"}, {"with-header", "csv"}};
constexpr OptionGroup kLines{"Lines and columns", kLinesOptions, {}, kLinesApart, kLinesNeeds};
constexpr OptionGroup kDecryptJson{"Result", kDecryptJsonOptions};
constexpr OptionPair kHelpApart[] = {{"man", "completion"}};
constexpr OptionGroup kHelp{"Result", kHelpOptions, {}, kHelpApart};
constexpr OptionGroup kQuietOnly{"General", kQuietOptions};

constexpr const OptionGroup* kEncryptGroups[] = {&kInput, &kOutput, &kSecret,   &kFormats,
                                                 &kLines, &kWork,   &kProgress, &kCommon};
constexpr const OptionGroup* kDecryptGroups[] = {&kInput, &kOutput, &kDecryptJson, &kSecret, &kFormats,
                                                 &kLines, &kWork,   &kProgress,    &kCommon};
constexpr const OptionGroup* kVerifyGroups[] = {&kInput, &kVerify, &kJson,     &kSecret, &kFormats,
                                                &kLines, &kWork,   &kProgress, &kCommon};
constexpr const OptionGroup* kRekeyGroups[] = {&kSecret, &kRekey, &kFormats, &kWork, &kCommon};
constexpr const OptionGroup* kGuessGroups[] = {&kGuessSecret, &kGuess, &kJson, &kQuietOnly};
constexpr const OptionGroup* kInfoGroups[] = {&kInput, &kJson, &kQuietOnly};
constexpr const OptionGroup* kFormatsGroups[] = {&kJson, &kQuietOnly};
constexpr const OptionGroup* kEnginesGroups[] = {&kEngines, &kJson, &kCommon};
constexpr const OptionGroup* kSelftestGroups[] = {&kSelftest, &kSelftestWork, &kJson, &kQuietOnly};
constexpr const OptionGroup* kBenchGroups[] = {&kBench, &kBenchResult, &kCommon};
constexpr const OptionGroup* kHelpGroups[] = {&kHelp, &kPlain};

constexpr std::string_view kEncryptAliases[] = {"enc"};
constexpr std::string_view kDecryptAliases[] = {"dec", "-d"};

constexpr const OptionGroup* kSpectralGroups[] = {&kSpectralFiles, &kSpectral, &kCharacters,
                                                  &kSpectralWork,  &kProgress, &kCommon};

constexpr const OptionGroup* kSboxGroups[] = {&kSboxInput, &kSboxOutput, &kSboxWork, &kProgress, &kCommon};

constexpr Subcommand kSubcommands[] = {
    {"encrypt", "encrypt files", "[FILE...]",
     "FILE becomes FILE.fugu; with no FILE, or -, standard input goes to standard output. An output appears "
     "whole or not at all, with FILE's modification time and permissions, less what the umask forbids. "
     "Blowfish's tables are not constant-time. {default_format}",
     kEncryptGroups, std::numeric_limits<std::size_t>::max(), run_encrypt, kEncryptAliases},
    {"decrypt", "decrypt files", "[FILE...]",
     "FILE.fugu becomes FILE, with the same modification time and permissions, and with holes for blocks of "
     "zeros. Other formats' endings are removed in the same way: {extensions}. Any other FILE becomes "
     "FILE.decrypted. If the format is recognised, parameters neither stored nor given are found by trial; "
     "if it is not, give --format. No byte of an authenticated file is released before its segment has been "
     "verified; on a pipe, earlier segments have been released when a later one fails. On a pipe, other "
     "formats release plaintext before the end of the input was read.",
     kDecryptGroups, std::numeric_limits<std::size_t>::max(), run_decrypt, kDecryptAliases},
    {"rekey", "change the passphrase or key of sealed files", "FILE...",
     "Replaces each FILE once its successor is complete; the data is not encrypted again. Anyone who kept a "
     "copy of the old file and knows the old passphrase or key can still read FILE, and can put any content "
     "behind its new header, which opens under the new passphrase or key. --anew takes that away. Hard links "
     "of FILE under other names are such copies.",
     kRekeyGroups, std::numeric_limits<std::size_t>::max(), run_rekey},
    {"verify", "check that files decrypt, without writing", "[FILE...]",
     "Reports whether a file decrypts. A format without authentication can hide damage, which --against "
     "detects.",
     kVerifyGroups, std::numeric_limits<std::size_t>::max(), run_verify},
    {"info", "print what a file's header says", "[FILE...]", "Needs no key.", kInfoGroups,
     std::numeric_limits<std::size_t>::max(), run_info},
    {"guess", "find out how data without a header was encrypted", "[FILE]",
     "Tries spellings (hex, base64), modes, paddings, orders of words, ways from the secret to the key and "
     "places of the iv, or with --pass key derivations, on at most 64 KiB of FILE, and prints the commands "
     "that give text, a known kind of file or certain padding, best first. Nothing is written. Each has the "
     "chance that noise, or a wrong secret, comes out as well by some recipe: once in 2^40 is certain "
     "enough, "
     "once in 2^3 is no evidence. Exit status 3 if nothing fits.",
     kGuessGroups, 1, run_guess},
    {"formats", "list the formats of files", "[NAME...]",
     "For each, the programs that make it, what fugu can do with it, what opens it, and what reveals a wrong "
     "passphrase or key; of the formats named also what each option means.",
     kFormatsGroups, std::numeric_limits<std::size_t>::max(), run_formats},
    {"selftest", "check every engine against published values and OpenSSL", "",
     "One line per engine. Random cases are compared with OpenSSL's Blowfish.", kSelftestGroups, 0,
     run_selftest},
    {"engines", "list the engines, best first", "",
     "States what each needs, and why one cannot run here; with -v also the figures that auto decides by.",
     kEnginesGroups, 0, run_engines},
    {"bench", "compare the engines' speed with OpenSSL's", "",
     "Uses random data under a random key. Every output of every run is compared with OpenSSL's, and a time "
     "below the least that the hardware needs is an error, so every figure is one of work that was done. "
     "Scopes are never mixed. A CPU engine works in host memory, so kernel and copy are one row for it. "
     "Serial chains (cbc and cfb encryption, ofb) run on one core, and GPUs have no row for them. In memory "
     "OpenSSL gets at most 64M, since its speed does not depend on the size. GB/s is decimal: the median, "
     "and slowest..fastest; CPU seconds are those of the whole process per run. The default run takes less "
     "than 10 seconds.",
     kBenchGroups, 0, run_bench},
    {"spectral", "Walsh spectra, dyadic convolution, character tables", "OPERATION [FILE...]",
     "OPERATION is walsh, inverse, nonlinearity, convolve (two files), autocorrelate, properties (one line "
     "per function), anf (from truth table to polynomial and back), vilenkin-chrestenson (the Fourier "
     "transform over --group), or characters with a group such as 3^8 or 2x3x4. With no FILE, standard "
     "input. A truth table lists f(0), f(1), ...; a hexadecimal digit is four values, the first its most "
     "significant bit. walsh, nonlinearity and autocorrelate take a truth table as (-1)^f, convolve as 0 and "
     "1. The forward transform has no scale, the inverse divides by the length. Integers are exact; where "
     "they would not be, and where finite floats overflow, that is an error. Tables hold up to 30 variables; "
     "properties takes 20, its algebraic immunity 16.",
     kSpectralGroups, std::numeric_limits<std::size_t>::max(), run_spectral},
    {"sbox", "measure S-boxes: tables, spectra, properties", "OPERATION [BOX...]",
     "OPERATION is report (one sheet per box), spectrum TABLE, table TABLE, components, anf, invariants, "
     "compare (two boxes: whether they are equivalent), spaces (Walsh-zero spaces), permutation, classes "
     "(one "
     "box per EA class, a line each) and tu T, of the CCZ class, inverse, derivative A, component B, "
     "equations DEGREE (a basis of those that hold at every (x, S(x))), make NAME or list. TABLE is ddt, "
     "lat, "
     "act, dlct, bct, fbct, dbct or sac. BOX is a file, - for standard input (the default), a name that "
     "'fugu sbox "
     "list' prints, or blowfish:1 to blowfish:4 with --key; 1 to 20 inputs, 1 to 32 outputs. All values are "
     "exact, by the definitions that --conventions prints. Each column of the report's CSV is a key of its "
     "JSON object, in which spectra are arrays of [value, count], null means that a box has no such value, "
     "and conventions is the version of the definitions.",
     kSboxGroups, std::numeric_limits<std::size_t>::max(), run_sbox},
    {"help", "print help, the manual page or the shell completion", "[SUBCOMMAND|SHELL]", "", kHelpGroups, 1,
     run_help},
};

}  // namespace

std::span<const Subcommand> fugu_rows() {
  return kSubcommands;
}

}  // namespace fugu::cli
