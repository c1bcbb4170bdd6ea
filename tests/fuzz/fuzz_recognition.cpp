// Any file is recognised, decoded from base64 or hex, and described by the codec that recognises it.
// Input: choice u8, then the file.
#include "fugu/format/recognition.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const auto seekable = (input.number(1) & 1U) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no;
  fuzz::try_to([&] {
    const format::Recognised found =
        format::recognise(std::make_unique<fuzz::BytesSource>(input.rest(), seekable));
    for (const format::Codec* codec : found.codecs)
      static_cast<void>(codec->describe(*found.source, format::OptionValues(codec->options)));
  });
  return 0;
}
