// An engine that does what a test says, mostly with the calls of a good one.
#pragma once

#include <functional>
#include <memory>

#include "fugu/engine/registry.hpp"

namespace fugu::test {

class MadeEngine final : public engine::Engine {
 public:
  using Segments = std::span<const engine::Segment>;
  using Run = std::function<void(engine::Engine& good, engine::Op op, Segments segments)>;

  // `chunk_bytes`: what it prefers; 0 for what the good one does.
  explicit MadeEngine(Run run,
                      std::shared_ptr<engine::Engine> good = engine::make("cpu/scalar", {.threads = 1}),
                      std::size_t chunk_bytes = 0)
      : run_(std::move(run)),
        good_(std::move(good)),
        chunk_bytes_(chunk_bytes != 0 ? chunk_bytes : good_->preferred_chunk_bytes()) {}

  std::string_view name() const noexcept override { return "made for a test"; }
  void run(engine::Op op, Segments segments) override { run_(*good_, op, segments); }
  std::size_t preferred_chunk_bytes() const noexcept override { return chunk_bytes_; }
  engine::Chunk allocate(std::size_t bytes) override { return good_->allocate(bytes); }
  unsigned threads() const noexcept override { return good_->threads(); }

 private:
  Run run_;
  std::shared_ptr<engine::Engine> good_;
  std::size_t chunk_bytes_;
};

}  // namespace fugu::test
