#include "fugu/threads/pieces.hpp"

#include <algorithm>

namespace fugu::threads {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

void for_each_piece(ThreadPool& pool, std::size_t bytes,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  pool.for_each((bytes + kPieceBytes - 1) / kPieceBytes, [&](std::size_t i) {
    work(i * kPieceBytes, std::min(kPieceBytes, bytes - i * kPieceBytes));
  });
}

}  // namespace fugu::threads
