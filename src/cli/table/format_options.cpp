#include "cli/table/subcommands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "fugu/format/codec.hpp"

namespace fugu::cli {
namespace {

using format::Ability;
using format::Codec;
using format::OptionRow;
using format::OptionUse;

constexpr OptionSpec kTextOptions[] = {
    {"base64", 'a', "",
     "Base64 in lines of 64 characters, as openssl enc -a writes it. Read in either alphabet, with or "
     "without the '=' at the end, in quotes, with the escapes of URLs (%2B) or JSON (\\/), in armor, and "
     "with blanks for +."},
    {"single-line", 'A', "",
     "Base64 in one line, as from openssl enc -a -A; with --hex, digits in one line."},
    {"hex", 0, "",
     "Hexadecimal digits in lines of 60, as from xxd -p. Read also as 0xC97F, \\xc97f, X'c97f', c9:7f or "
     "c9-7f, and \\xc9\\x7f; and so are lists of numbers ([-55, 127], {0xC9, 0x7F}, $C9), b'\\xc9a', %C9a, "
     "and what xxd and hexdump -C print. -a reads these, too."},
};
constexpr OptionPair kTextApart[] = {
    {"base64", "hex"}, {"base64", "signed-hex"}, {"hex", "signed-hex"}, {"single-line", "signed-hex"}};
constexpr OptionSpec kSignedHexOption{"signed-hex", 0, "",
                                      "A hexadecimal number that may have a minus sign and lacks leading "
                                      "zeros, as Java's BigInteger writes it."};
constexpr OptionSpec kAcceptOption{
    "yes", 0, "", "Go on even if a wrong passphrase could by chance fit the parameters that were found."};
constexpr OptionSpec kSalvageOption{
    "salvage", 0, "",
    "Write what can be saved of a damaged file; status 4. What is lost inside becomes zeros where the format "
    "shows its place, and what passed no check may be wrong."};

// An option that leaves out a part of the content has no meaning where the whole is checked.
bool is_offered(const OptionRow& row, FormatUse use) {
  if (use == FormatUse::rekey || row.use == OptionUse::rekey) return use == FormatUse::rekey && row.rekeys;
  if (use == FormatUse::encrypt) return row.use != OptionUse::open;
  if (use == FormatUse::verify && row.name == "range") return false;
  return row.use != OptionUse::seal;
}

std::vector<const Codec*> codecs_for(FormatUse use) {
  const Ability needed = use == FormatUse::encrypt ? Ability::seal
                         : use == FormatUse::rekey ? Ability::rekey
                                                   : Ability::open;
  std::vector<const Codec*> fit;
  for (const Codec* codec : format::codecs()) {
    if (codec->can(needed)) fit.push_back(codec);
  }
  return fit;
}

// The rows of one use, and the storage they point to.
class Groups {
 public:
  explicit Groups(FormatUse use) {
    if (use != FormatUse::rekey) add_common(use);
    for (const Codec* codec : codecs_for(use)) add(*codec, use);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  std::span<const OptionGroup> view() const { return groups_; }

 private:
  void add_common(FormatUse use) {
    for (const Codec* codec : codecs_for(use)) words_.push_back(codec->name);
    const std::string names = fmt::format("{}", fmt::join(words_, ", "));
    texts_.push_back(
        use == FormatUse::encrypt
            ? fmt::format("{}. Default: {}.", names, format::default_codec().name)
            : fmt::format("{}. Default: what the input is recognised as. For one format's options alone: "
                          "'fugu help decrypt --format NAME'; 'fugu formats' describes each format.",
                          names));
    std::vector<OptionSpec> rows{{"format", 0, "NAME", texts_.back(), words_}};
    rows.back().takes_words_alone = true;
    rows.insert(rows.end(), std::begin(kTextOptions), std::end(kTextOptions));
    if (use != FormatUse::encrypt) {
      rows.push_back(kSignedHexOption);
      rows.push_back(kAcceptOption);
    }
    if (use == FormatUse::decrypt) rows.push_back(kSalvageOption);
    add_group("Format", std::move(rows));
    groups_.back().apart = kTextApart;
  }

  void add(const Codec& codec, FormatUse use) {
    std::vector<OptionSpec> rows;
    for (const OptionRow& row : codec.options) {
      if (is_offered(row, use)) rows.push_back(option_spec(row));
    }
    if (!rows.empty()) add_group(fmt::format("Format {}", codec.name), std::move(rows), codec.name);
  }

  void add_group(std::string title, std::vector<OptionSpec> rows, std::string_view format = {}) {
    texts_.push_back(std::move(title));
    rows_.push_back(std::move(rows));
    groups_.push_back({texts_.back(), rows_.back(), format});
  }

  std::deque<std::string> texts_;
  std::deque<std::vector<OptionSpec>> rows_;
  std::vector<std::string_view> words_;
  std::vector<OptionGroup> groups_;
};

}  // namespace

OptionSpec option_spec(const OptionRow& row) {
  return {row.name, 0, row.value, row.help, row.words};
}

std::span<const OptionGroup> format_groups(FormatUse use) {
  static const Groups groups[] = {Groups(FormatUse::encrypt), Groups(FormatUse::decrypt),
                                  Groups(FormatUse::verify), Groups(FormatUse::rekey)};
  return groups[static_cast<std::size_t>(use)].view();
}

std::string details_with_formats(std::string_view details) {
  std::vector<std::string_view> extensions;
  std::vector<const Codec*> divisible;
  std::ranges::copy_if(format::codecs(), std::back_inserter(divisible),
                       [](const Codec* codec) { return codec->units != nullptr; });
  for (const Codec* codec : format::codecs().subspan(1))
    extensions.insert(extensions.end(), codec->extensions.begin(), codec->extensions.end());
  return fmt::format(fmt::runtime(details), fmt::arg("default_format", format::default_codec().details),
                     fmt::arg("extensions", fmt::join(extensions, ", ")),
                     fmt::arg("divisible", format::names_of(divisible, ", ")));
}

}  // namespace fugu::cli
