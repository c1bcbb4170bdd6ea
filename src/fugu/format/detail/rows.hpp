// The common parts of the formats' rows. Private to format.
#pragma once

#include <algorithm>

#include "fugu/format/codec.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {

// A row's recognise: by_magic where `is` says so of the beginning.
template <bool (*is)(std::span<const std::byte> head)>
Recognition recognise_if(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return is(head) ? Recognition::by_magic : Recognition::no;
}

// A text that is a template argument. By value: with references to objects of unnamed namespaces, g++ 14 gives the
// instances of two files the same name, and the linker keeps one of them.
template <std::size_t n>
struct Literal {
  constexpr Literal(const char (&literal)[n]) { std::ranges::copy(literal, text); }  // NOLINT: a literal is its text
  constexpr operator std::string_view() const { return {text, size()}; }             // NOLINT
  static constexpr std::size_t size() { return n - 1; }

  char text[n] = {};
};

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
