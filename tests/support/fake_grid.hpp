// Runs the phases of a kernel agent on the host, thread by thread, between the same barriers as the device.
//
// The device does not define the order of thread-blocks and warps, so the grid runs them in an order of the
// caller's choice, each warp to its end before the next: code that depends on an order gives a wrong answer
// here. Lanes of a warp run phase by phase. Shared memory is poisoned at a thread-block's start. A barrier
// that only some threads reach, or an exchange that only some lanes reach, would hang a device: it throws
// DivergentBarrier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/blowfish/blowfish_agent.hpp"

namespace fugu::test {

enum class GridOrder : std::uint8_t { forward, backward };

inline std::vector<unsigned> order_of(unsigned count, GridOrder order) {
  std::vector<unsigned> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  if (order == GridOrder::backward) std::reverse(indices.begin(), indices.end());
  return indices;
}

struct DivergentBarrier : std::logic_error {
  using std::logic_error::logic_error;
};

// The common answer of all threads, which decides whether they reach the barrier.
template <class Agent, class Question>
bool unanimous(std::span<Agent> threads, const char* barrier, Question question) {
  const auto yes = std::count_if(threads.begin(), threads.end(), question);
  if (yes != 0 && static_cast<std::size_t>(yes) != threads.size()) throw DivergentBarrier(barrier);
  return yes != 0;
}

template <std::size_t vectors, class Agent>
void exchange(std::span<Agent> lanes) {
  for (std::size_t j = 0; j < vectors; ++j) {
    std::vector<kernels::BlockWords> sent;
    for (const Agent& lane : lanes) sent.push_back(lane.outgoing(j));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane].incoming(j, sent[(lane + lanes.size() - 1) % lanes.size()]);
  }
}

template <bool chained, std::size_t vectors, class Agent>
void run_warp(std::span<Agent> lanes) {
  while (unanimous(lanes, "exchange", [](Agent& lane) { return lane.more(); })) {
    for (Agent& lane : lanes) lane.fetch();
    if constexpr (chained) exchange<vectors>(lanes);
    for (Agent& lane : lanes) lane.work();
  }
}

template <bool chained, std::size_t vectors, class Agent>
void run_thread_block(const kernels::BlowfishArguments& arguments, const kernels::BlowfishShape& shape,
                      std::size_t shared_bytes, unsigned thread_block, GridOrder order) {
  std::vector<std::uint32_t> shared(shared_bytes / 4, 0xdeadbeefu);
  const auto thread_count = static_cast<unsigned>(shape.threads_per_block);
  std::vector<Agent> threads;
  threads.reserve(thread_count);
  for (unsigned thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back(
        arguments, shared.data(),
        kernels::ThreadPlace{thread_block, static_cast<unsigned>(shape.thread_blocks), thread, thread_count});
  }
  const std::span<Agent> all(threads);
  while (unanimous(all, "barrier", [](Agent& thread) { return thread.next_run(); })) {
    for (Agent& thread : threads) thread.enter_run();
    for (const unsigned warp : order_of(thread_count / kernels::kWarpLanes, order))
      run_warp<chained, vectors>(all.subspan(warp * kernels::kWarpLanes, kernels::kWarpLanes));
  }
}

// One launch: the chain kernel if the operation has one, then the main kernel.
template <core::Op op, core::ByteOrder words, bool replicated, std::size_t vectors, bool prefetch>
void run_grid(kernels::BlowfishArguments arguments, const kernels::BlowfishShape& shape,
              std::size_t shared_bytes, GridOrder order) {
  using Agent = kernels::BlowfishAgent<op, words, replicated, vectors, prefetch>;
  kernels::lay_out(arguments, shape);
  const auto thread_blocks = static_cast<unsigned>(shape.thread_blocks);
  std::vector<std::uint64_t> chain(thread_blocks);
  arguments.chain = chain.data();
  if (kernels::is_chained(op)) {
    for (unsigned b = 0; b < thread_blocks; ++b) {
      kernels::save_chain(arguments, kernels::unit_blocks(shape), b, thread_blocks);
    }
  }
  for (const unsigned b : order_of(thread_blocks, order)) {
    run_thread_block<kernels::is_chained(op), vectors, Agent>(arguments, shape, shared_bytes, b, order);
  }
}

}  // namespace fugu::test
