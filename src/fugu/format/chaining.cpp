#include "fugu/format/detail/chaining.hpp"

#include "fugu/error.hpp"
#include "fugu/mode/chain.hpp"

namespace fugu::format {

using core::Direction;
using engine::Op;
using mode::Mode;

std::optional<Op> independent_op(Mode mode, Direction direction) {
  const bool decrypts = direction == Direction::decrypt;
  if (mode == Mode::ecb) return decrypts ? Op::ecb_decrypt : Op::ecb_encrypt;
  if (mode == Mode::ctr) return Op::ctr;
  if (mode == Mode::cbc && decrypts) return Op::cbc_decrypt;
  if (mode == Mode::cfb64 && decrypts) return Op::cfb_decrypt;
  return std::nullopt;
}

mode::Settings settings_at(const mode::Settings& settings, Direction direction, stream::Source& source,
                           std::uint64_t begin, std::uint64_t offset) {
  mode::Settings continued = settings;
  if (offset == 0 || settings.mode == Mode::ecb) return continued;
  if (settings.mode == Mode::ctr) {
    mode::Chain chain(settings, direction);
    chain.seek(offset);
    continued.iv = chain.iv();
  } else if (!source.read_at(*continued.iv, begin + offset - core::kBlockBytes)) {
    throw Error(Errc::io, "became shorter while it was read");
  }
  return continued;
}

}  // namespace fugu::format
