#include "cli/sbox/write.hpp"

#include <fmt/format.h>

#include "cli/spectral/npy.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<BoxOutput> kOutputs[] = {{"text", BoxOutput::text},   {"npy", BoxOutput::npy},
                                          {"npy16", BoxOutput::npy16}, {"raw", BoxOutput::raw},
                                          {"sage", BoxOutput::sage},   {"hex", BoxOutput::hex}};

// Raw values are as wide as the outputs need: u8, u16le or u32le.
std::size_t bytes_of(const spectral::SBox& box) {
  return box.outputs() <= 8 ? 1 : box.outputs() <= 16 ? 2 : 4;
}

std::string raw_bytes(const spectral::SBox& box, std::size_t width) {
  std::string bytes;
  for (const std::uint32_t value : box.values()) {
    for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

std::string box_text(const spectral::SBox& box, BoxOutput format) {
  const int digits = (box.outputs() + 3) / 4;
  std::string text;
  switch (format) {
    case BoxOutput::text:
      return fmt::format("{}\n", fmt::join(box.values(), " "));
    case BoxOutput::sage:
      return fmt::format("SBox([{}])\n", fmt::join(box.values(), ", "));
    case BoxOutput::hex:
      for (const std::uint32_t value : box.values()) text += fmt::format("{:0{}x}", value, digits);
      return text + "\n";
    case BoxOutput::raw:
      return raw_bytes(box, bytes_of(box));
    case BoxOutput::npy:
      return npy_header("<u4", {1, box.size()}) + raw_bytes(box, 4);
    case BoxOutput::npy16:
      break;
  }
  throw Error(Errc::usage, "--to npy16 is for tables");
}

}  // namespace

BoxOutput output_format(const Arguments& arguments) {
  return choice_value(arguments, "to", kOutputs).value_or(BoxOutput::text);
}

void write_text(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text) {
  write_output(arguments, {.input = input},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

void write_report(const Arguments& arguments, std::optional<stream::FileId> input, const std::string& text) {
  write_output(arguments, {.is_report = true, .input = input},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

void write_box(const Arguments& arguments, std::optional<stream::FileId> input, const spectral::SBox& box) {
  const BoxOutput format = output_format(arguments);
  const bool binary = format == BoxOutput::npy || format == BoxOutput::raw;
  const std::string text = box_text(box, format);
  write_output(arguments, {.binary = binary, .npy = format == BoxOutput::npy, .input = input},
               [&](stream::Sink& sink) { sink.write(std::as_bytes(std::span(text))); });
}

}  // namespace fugu::cli
