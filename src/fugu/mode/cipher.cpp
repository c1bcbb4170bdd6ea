// A key, a mode and an engine behind one interface.
#include "fugu/mode/cipher.hpp"

#include <algorithm>

namespace fugu {
namespace {

std::optional<mode::Iv> iv_of(mode::Mode mode, std::span<const std::byte> bytes) {
  if (mode == mode::Mode::ecb && bytes.empty()) return std::nullopt;
  if (mode == mode::Mode::ecb) throw Error(Errc::usage, "ecb has no IV");
  mode::Iv iv;
  if (bytes.size() != iv.size()) {
    throw Error(Errc::usage, "an IV of " + std::to_string(bytes.size()) + " bytes: " +
                                 std::string(mode::name_of(mode)) + " needs " + std::to_string(iv.size()));
  }
  std::ranges::copy(bytes, iv.begin());
  return iv;
}

mode::Settings settings_of(std::string_view name, std::span<const std::byte> iv,
                           const CipherOptions& options) {
  const auto mode = mode::mode_named(name);
  if (!mode) throw Error(Errc::usage, "no mode is called '" + std::string(name) + "'");
  return {*mode, options.padding, iv_of(*mode, iv), options.words, options.counter};
}

}  // namespace

Cipher::Cipher(std::span<const std::byte> key, std::string_view mode, std::span<const std::byte> iv,
               core::Direction direction, const CipherOptions& options)
    : engine_(options.engine != nullptr ? options.engine : &engine::local_engine()),
      chain_(settings_of(mode, iv, options), direction) {
  if (options.offset != 0) chain_.chain().seek(options.offset);
  cipher::expand(key, schedule_);
}

std::size_t Cipher::update(std::span<const std::byte> in, std::span<std::byte> out) {
  check_open();
  if (out.size() < update_bytes(in.size())) throw Error(Errc::usage, "no room for the output");
  return chain_.update(*engine_, schedule_, in, out.data());
}

std::size_t Cipher::finish(std::span<std::byte> out) {
  check_open();
  if (mode::is_padded(chain_.chain().mode()) && out.size() < kMaxExtraBytes)
    throw Error(Errc::usage, "no room for the last block");
  finished_ = true;
  return chain_.finish(*engine_, schedule_, out.data());
}

void Cipher::check_open() const {
  if (finished_) throw Error(Errc::usage, "the message has ended");
}

}  // namespace fugu
