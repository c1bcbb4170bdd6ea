// The rows of the table in subcommands.cpp, per program, and their common parts. Private to this folder.
#pragma once

#include "cli/process/secrets.hpp"
#include "fugu/spectral/lab/property.hpp"

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

// The options of the laboratory's subcommands, spectral and sbox. Names in braces are those of
// with_library_texts() in subcommands.cpp.
inline constexpr OptionSpec kSboxWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda:N. A GPU computes {on_gpu}; the CPU does the rest. auto is the CPU; it "
     "takes cuda:0, if present, only for work large enough to repay "
     "starting the GPU: large reports, large batches of du,linearity,nl,deg."},
};
inline constexpr OptionSpec kSpectralFileOptions[] = {
    kOutputOption,
    kForceOption,
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
inline constexpr OptionSpec kSpectralOptions[] = {
    {"order", 0, "ORDER",
     "Order of coefficients: natural (the default; position a holds the sum of (-1)^(a.x) f(x)), dyadic "
     "(Paley; the bits of a reversed) or sequency (position k holds the row with k sign changes)."},
    {"algorithm", 0, "NAME",
     "fast (the default), or algorithm 0 to 6 of Bikov and Bouyukliev 2018; 1 to 6 need a GPU."},
    {"json", 0, "", "Print the results of nonlinearity and properties as JSON."},
};
inline constexpr OptionSpec kCharacterOptions[] = {
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
    {"modulus", 0, "Q", "The prime for residues, of the form L k + 1. Default: the largest below 2^31."},
};
inline constexpr OptionSpec kSpectralWorkOptions[] = {
    kThreads,
    {"engine", 0, "NAME",
     "auto (the default), cpu or cuda:N. auto is cuda:0 for algorithms 1 to 6 and, if present, for "
     "transforms and the nonlinearity of functions so long that it is predicted to be faster (see fugu "
     "engines --calibrate); otherwise the CPU."},
};

inline constexpr OptionSpec kSboxInputOptions[] = {
    {"from", 0, "FORMAT",
     "npy, text (numbers, any brackets; as C, Python, Sage, Rust, Verilog, VHDL and LaTeX write them, or "
     "hexadecimal ones with as many digits each), hex (a run of digits, or bytes), u8, u16le, u16be, u32le, "
     "u32be, rows (a coordinate per line, bits or hex, y_0 first), polynomial (a "
     "coordinate per line), des (4 rows of 16) or univariate (a polynomial over --field such as 'g^170 x^192 "
     "+ x^3', in a file or in place of one; g is X). Detected by default: npy, hex or text."},
    {"inputs", 0, "N", "Input bits, 1 to 20. Default: from the number of entries."},
    {"outputs", 0, "M",
     "Output bits, 1 to 32. Default: the number of inputs, if the largest entry has that many bits; the bits "
     "of the largest entry, if at least a quarter of the entries have more. Otherwise required."},
    {"bit-order", 0, "ORDER",
     "lsb (the default), msb (both sides reversed) or sage (of hexadecimal truth tables)."},
    {"batch", 0, "",
     "Every line, or row of an npy array, is a box. Results are lines of CSV or JSON; of class, a number per "
     "line."},
};
inline constexpr OptionSpec kBlowfishBoxOptions[] = {
    {"key", 0, "PLACE",
     "Where to read the key of blowfish:1 to blowfish:4: file:F, hex-file:F, base64-file:F, env:V, "
     "hex-env:V, base64-env:V or fd:N."},
    {"weak-keys", 0, "FIRST:COUNT",
     "Report the keys among these, as numbers of 8 bytes, under which one of Blowfish's S-boxes has two "
     "equal entries: key, S-box, x, y and S(x) = S(y)."},
    {"random-keys", 0, "COUNT",
     "Report collisions, DDT entries and coordinate nonlinearities of Blowfish's S-boxes under this many "
     "random keys, and those of as many random boxes; with --exhaustive also the nonlinearities of all their "
     "components."},
    {"seed", 0, "N", "Seed of the random keys, 1 by default."},
};
inline constexpr std::string_view kRelationWords[] = {"linear", "affine", "ea", "ccz"};
inline constexpr OptionSpec kSboxOutputOptions[] = {
    kOutputOption,
    kForceOption,
    {"json", 0, "",
     "Print the results of report, spectrum, table, compare, class, list, or components with --exhaustive as "
     "JSON; "
     "for a --batch, one line per box."},
    {"csv", 0, "",
     "Print the results of report, table or components as CSV: a header, then one line per box, row or "
     "component."},
    {"to", 0, "FORMAT",
     "text (the default), npy, npy16, raw, sage or hex; of boxes also c, python, latex, vhdl or verilog. Of "
     "models {model_forms}."},
    {.name = "only",
     .argument = "GROUP,...",
     .help =
         "Only these groups: basic, differential, linear, components, boomerang, algebra, avalanche, "
         "structure, sidechannel, and ccz and extended, which are left out by default. With -v, structure "
         "lists the linear structures. Omitted for boxes that are too large: all components above 20 "
         "outputs, equations of degree 2 and 3 above 24 and 20 bits of input and output, immunities above 10 "
         "inputs or outputs, the transparency order above 16 outputs, ranks and the boomerang family above 8 "
         "inputs, the second-order nonlinearity above 9. With --json and --csv also single fields by name, "
         "such as du,linearity,nl,deg, which a GPU computes for thousands of boxes of a --batch at a time.",
     .list = spectral::lab::report_names},
    {"scale", 0, "SCALE", "Scale of the LAT: walsh (W, the default), bias (W/2) or correlation (W/2^n)."},
    {"rows", 0, "FIRST:COUNT",
     "Only these rows of the table, which has to be less than 2^40 bytes; K, M and G are powers of 1024."},
    {"columns", 0, "FIRST:COUNT", "Only these columns of the table."},
    {"plot", 0, "OUT",
     "Draw the table as a heat map, or the spectrum or nonlinearities as bars, in OUT.svg or, tables only, "
     "OUT.png instead of printing it; tables of more than 512 x 512 cells only as .png, up to 2^26 cells. "
     "Colours are magnitudes; an .svg has a title, axes and a scale, a .png has these as text inside."},
    {"signed", 0, "",
     "--plot values with their sign, for the {signed_tables}. Colours are lighter for larger ones."},
    {"weights", 0, "", "Model magnitudes too. w1 is 1 below the largest, w2 below the second, and so on."},
    {"masks", 0, "MASKS", "Components: all (of up to 20 outputs), coordinates or a list such as 1,0x1f."},
    {"field", 0, "0xPOLY",
     "The field GF(2^n), by its polynomial: for --from univariate; for anf of up to 12 inputs and as many "
     "outputs, whose polynomial over it is printed; for the c-differential uniformity."},
    {"relation", 0, "RELATION",
     "linear, affine, ea or ccz. What compare decides; by default, the strongest that holds. For canonical: "
     "linear or affine (the default).",
     kRelationWords},
    {"exhaustive", 0, "",
     "Do what takes more than 10 minutes on one core, which reports leave out and the other operations "
     "refuse. In invariants, also the ranks for 7 and 8 inputs; in compare: these, and a search to the end; "
     "in canonical, class, spaces, permutation, classes and tu: the same; in components: all of up to 32 "
     "outputs, for up to 10 "
     "inputs."},
    {"conventions", 0, "", "Print the definitions of all values, and exit."},
};

inline constexpr OptionGroup kSboxInput{"Input", kSboxInputOptions};
inline constexpr OptionGroup kBlowfishBoxes{
    .title = "Blowfish's boxes", .options = kBlowfishBoxOptions, .is_special = true};
inline constexpr OptionGroup kSboxOutput{"Output", kSboxOutputOptions};
inline constexpr OptionGroup kSpectralFiles{"Files", kSpectralFileOptions};
inline constexpr OptionGroup kSpectral{"Transforms", kSpectralOptions};
inline constexpr OptionGroup kCharacters{"Character tables", kCharacterOptions};
inline constexpr OptionGroup kSboxWork{.title = "Work", .options = kSboxWorkOptions, .is_special = true};
inline constexpr OptionGroup kSpectralWork{"Work", kSpectralWorkOptions};

inline constexpr const OptionGroup* kSpectralGroups[] = {&kSpectralFiles, &kSpectral, &kCharacters,
                                                         &kSpectralWork,  &kProgress, &kCommon};

inline constexpr const OptionGroup* kSboxGroups[] = {&kSboxInput, &kSboxOutput, &kBlowfishBoxes,
                                                     &kSboxWork,  &kProgress,   &kCommon};

}  // namespace fugu::cli
