// Kernels that are queued again and again become a CUDA graph.
#include <algorithm>
#include <utility>

#include "fugu/device/detail/cuda_check.hpp"
#include "fugu/device/detail/state.hpp"

namespace fugu::device {
namespace detail {
namespace {

// To make a graph takes as long as some ten launches.
constexpr unsigned kCallsBeforeGraph = 4;

// Collects what is queued on a stream instead of running it, until it dies.
class Capture {
 public:
  explicit Capture(cudaStream_t stream)
      : stream_(stream),
        begun_(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    end();
    if (graph_ != nullptr) static_cast<void>(FUGU_CUDA_TRY(cudaGraphDestroy(graph_)));
    static_cast<void>(cudaGetLastError());  // of a capture that could not begin
  }

  bool begun() const { return begun_; }

  // Returns null if the work cannot be a graph.
  cudaGraph_t end() noexcept {
    if (std::exchange(begun_, false))
      static_cast<void>(FUGU_CUDA_TRY(cudaStreamEndCapture(stream_, &graph_)));
    return graph_;
  }

 private:
  cudaStream_t stream_;
  bool begun_;
  cudaGraph_t graph_ = nullptr;
};

// Returns null if the driver refuses.
cudaGraphExec_t graph_of(cudaStream_t stream, const std::function<int(StreamHandle)>& launch) {
  Capture capture(stream);
  if (!capture.begun() || launch(stream) != cudaSuccess) return nullptr;
  cudaGraphExec_t graph = nullptr;
  if (cudaGraph_t captured = capture.end(); captured != nullptr)
    static_cast<void>(FUGU_CUDA_TRY(cudaGraphInstantiateWithFlags(&graph, captured, 0)));
  return graph;
}

}  // namespace

RepeatedLaunch::~RepeatedLaunch() {
  forget_graph();
}

// A graph that still runs is freed when it ends.
void RepeatedLaunch::forget_graph() noexcept {
  if (graph_ != nullptr) static_cast<void>(FUGU_CUDA_TRY(cudaGraphExecDestroy(graph_)));
  graph_ = nullptr;
}

int RepeatedLaunch::run(cudaStream_t stream, std::span<const std::uint64_t> arguments,
                        const std::function<int(StreamHandle)>& launch) {
  if (!std::ranges::equal(arguments_, arguments)) {
    forget_graph();
    arguments_.assign(arguments.begin(), arguments.end());
    calls_ = 0;
  }
  if (graph_ == nullptr && !refused_ && ++calls_ == kCallsBeforeGraph) {
    graph_ = graph_of(stream, launch);
    refused_ = graph_ == nullptr;
  }
  return graph_ != nullptr ? static_cast<int>(cudaGraphLaunch(graph_, stream)) : launch(stream);
}

}  // namespace detail

// Adopted streams are left alone: to capture one that waits for the legacy default stream would make what
// other threads queue there fail.
void launch_repeated_on(const Stream& stream, const char* what, std::span<const std::uint64_t> arguments,
                        const std::function<int(StreamHandle)>& launch, const char* file, int line) {
  detail::StreamState& state = *stream.state();
  const detail::CurrentDevice current(*state.context.state());
  int status = 0;
  if (!detail::launch_is_injected(status)) {
    status = state.owned ? state.repeated[what].run(state.handle, arguments, launch) : launch(state.handle);
  }
  detail::end_launch(what, status, file, line);
}

}  // namespace fugu::device
