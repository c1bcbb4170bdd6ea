// A program that knows only the installed package: encrypts one published block.
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/engine/registry.hpp"

int main() {
  const std::array<std::byte, 8> zero{};  // key and plaintext of the first vector of vectors/ecb.vec
  fugu::cipher::Schedule schedule;
  fugu::cipher::expand(std::span<const std::byte>(zero), schedule);

  std::array<std::byte, 8> out{};
  fugu::engine::Segment segment;
  segment.schedule = &schedule;
  segment.in = zero;
  segment.out = out;
  const std::unique_ptr<fugu::engine::Engine> engine = fugu::engine::make("auto");
  engine->run(fugu::engine::Op::ecb_encrypt, {&segment, 1});

  const bool right = fugu::core::load_u64_big(out.data()) == 0x4ef997456198dd78u;
  std::puts(right ? "4ef997456198dd78 as published" : "wrong ciphertext");
  return right ? 0 : 1;
}
