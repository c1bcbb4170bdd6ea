// Starting in the middle of a cipher stream, in modes whose chaining value is a counter or the ciphertext
// block before. Private to format.
#pragma once

#include <cstdint>
#include <optional>

#include "fugu/engine/engine.hpp"
#include "fugu/mode/settings.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

// The engine's operation for a mode that can start at any block; empty for the others.
std::optional<engine::Op> independent_op(mode::Mode mode, core::Direction direction);

// The settings that continue at byte `offset` of data that begin at `begin` of a seekable source; whole
// blocks, in a mode with an independent_op(). Throws Error{io} for a source that ends before.
mode::Settings settings_at(const mode::Settings& settings, core::Direction direction, stream::Source& source,
                           std::uint64_t begin, std::uint64_t offset);

}  // namespace fugu::format
