// Sources and sinks over JavaScript objects, which do not throw: each call returns "" or says what failed.
//
// An input is {size, read(offset, view), companion(extension)}, an output {write(view), finish()}, a
// directory {list(path), open(path)}, and one to write into {directory(path), file(path)}. Paths are texts
// with slashes.
#pragma once

#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fugu/auth/secret.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::web {

std::unique_ptr<stream::Source> source_of(emscripten::val input);
std::unique_ptr<stream::Sink> sink_of(emscripten::val output);
std::unique_ptr<stream::TreeSource> tree_source_of(emscripten::val directory);
std::unique_ptr<stream::TreeSink> tree_sink_of(emscripten::val directory);

// {error: text, code: "wrong_key"}
emscripten::val failure(const Error& error);

// What work() returns, or failure(), or {again: true}: the same call begins again when its key is derived.
emscripten::val guarded(const std::function<emscripten::val()>& work);

// A view of memory that JavaScript uses at once and does not keep.
emscripten::val view_of(std::span<const std::byte> bytes);

inline std::string text_of(std::string_view view) {
  return std::string(view);
}

struct Member {
  template <class Value>
  Member(const char* called, const Value& is) : name(called), value(is) {}
  Member(const char* called, std::string_view is) : Member(called, text_of(is)) {}

  const char* name;
  emscripten::val value;
};

emscripten::val object_of(std::initializer_list<Member> members);

// What `as` makes of each.
template <class Range, class As>
emscripten::val array_of(const Range& range, As as) {
  emscripten::val array = emscripten::val::array();
  for (const auto& one : range) array.call<void>("push", as(one));
  return array;
}

}  // namespace fugu::web
