// The rows of the table of formats (codecs.cpp), each defined in its format's folder, and what most of them
// are made of. Private to format.
#pragma once

#include <array>

#include "fugu/format/codec.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {

extern const Codec kBfaCodec, kBfeCodec, kBurpCodec, kCryptCbcCodec, kDcpcryptCodec, kDeadboltEditCodec,
    kEncfsCodec, kFishCodec, kFpmCodec, kGpassCodec, kHmailserverCodec, kJbossCodec, kKwalletCodec,
    kLuks1Codec, kMcryptCodec, kNavicatCodec, kNppcryptCodec, kOdfCodec, kOpenPgpCodec, kOpensslCodec,
    kOublietteCodec, kPlainCodec, kPwsafeCodec, kRawCodec, kSealedCodec, kSecureCrtCodec, kSecurePadCodec,
    kTrueCryptCodec, kVimCodec, kVndCodec;

// A row's recognise: by_magic where `is` says so of the beginning.
template <bool (*is)(std::span<const std::byte> head)>
Recognition recognise_if(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return is(head) ? Recognition::by_magic : Recognition::no;
}

// A text that is a template argument. By value: with references to objects of unnamed namespaces, g++ 14
// gives the instances of two files the same name, and the linker keeps one of them.
template <std::size_t n>
struct Literal {
  constexpr Literal(const char (&literal)[n]) {
    std::ranges::copy(literal, text);
  }                                                                       // NOLINT: a literal is its text
  constexpr operator std::string_view() const { return {text, size()}; }  // NOLINT
  static constexpr std::size_t size() { return n - 1; }

  char text[n] = {};
};

// A row's extensions.
template <Literal... extensions>
inline constexpr std::array<std::string_view, sizeof...(extensions)> kExtensions{extensions...};

template <Literal magic>
bool begins_with(std::span<const std::byte> head) {
  return starts_with(head, magic);
}

// A row's describe: nothing but a title.
template <Literal title>
Description describe_as(stream::Source&, const OptionValues&) {
  return {.title = std::string(std::string_view(title))};
}

// The result of open() with a secret that a check has proved.
inline Opened proved(std::string parameters) {
  Opened opened;
  opened.parameters = std::move(parameters);
  opened.evidence.certain = true;
  return opened;
}

// The same with evidence of so many bits.
inline Opened likely(std::string parameters, double bits) {
  Opened opened;
  opened.parameters = std::move(parameters);
  opened.evidence.bits = std::max(0.0, bits);
  return opened;
}

// The texts with the separator between them.
template <class Texts, class Text = std::identity>
std::string joined(const Texts& texts, std::string_view separator, Text text_of = {}) {
  std::string all;
  for (bool is_first = true; const auto& one : texts) {
    if (!std::exchange(is_first, false)) all += separator;
    all += std::invoke(text_of, one);
  }
  return all;
}

// The place of `name`, which is one of `names`.
std::size_t place_of(const auto& names, const auto& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - std::ranges::begin(names));
}

// The one of `values` at the place of the option's word among `words`; empty if it is not given.
template <class Words, class Values>
auto chosen(const OptionValues& options, std::string_view name, const Words& words, const Values& values) {
  const std::optional<std::string> given = options.text(name);
  return given ? std::optional(values[place_of(words, *given)]) : std::nullopt;
}

}  // namespace fugu::format
