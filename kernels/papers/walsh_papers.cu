// The kernels of D. Bikov, I. Bouyukliev, "Parallel Fast Walsh Transform Algorithm and Its Implementation
// with CUDA on GPUs", 2018, under the paper's names and as printed, except for what today's chips require:
// - __shfl_xor is __shfl_xor_sync;
// - the memory pattern of Algorithms 5 and 6 is the transposition that the text describes. Its printed index
//   ji = tID_inblock * block_num + bID is that transposition only for 2^20 entries; at other sizes it would
//   pair elements that do not belong together. Here thread t of the grid takes row t / block_num of the
//   transposed matrix.
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {
namespace {

extern __shared__ std::int32_t tmpsdata[];

__device__ std::uint64_t thread_index() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

// One value of one step: adds on the lower side of a pair, subtracts on the upper.
__device__ std::int32_t step_value(const std::int32_t* from, std::uint64_t i, std::uint64_t j) {
  if ((i & j) == 0) return from[i] + from[i + j];
  return -from[i] + from[i - j];
}

__global__ void fwt_kernel(std::int32_t* w, std::int32_t* temp, int r, std::uint64_t j) {
  const std::uint64_t i = thread_index();
  if (r % 2 == 1) {
    temp[i] = step_value(w, i, j);
  } else {
    w[i] = step_value(temp, i, j);
  }
}

// Both sides are read whichever is needed, so an index may leave the array: it is wrapped, and the value is
// discarded.
__device__ std::int32_t step_value_no_if(const std::int32_t* from, std::uint64_t i, std::uint64_t j,
                                         std::uint64_t mask) {
  const std::int32_t ii = static_cast<std::int32_t>((i & j) / j);
  return (1 - ii) * (from[i] + from[(i + j) & mask]) + ii * (-from[i] + from[(i - j) & mask]);
}

__global__ void fwt_kernel_no_if(std::int32_t* w, std::int32_t* temp, int r, std::uint64_t j,
                                 std::uint64_t mask) {
  const std::uint64_t i = thread_index();
  if (r % 2 == 1) {
    temp[i] = step_value_no_if(w, i, j, mask);
  } else {
    w[i] = step_value_no_if(temp, i, j, mask);
  }
}

__global__ void fwt_kernel_m(std::int32_t* w, std::int32_t* temp, int r, std::uint64_t j, std::uint32_t m) {
  const std::uint64_t first = thread_index() * m;
  for (std::uint64_t i = first; i < first + m; ++i) {
    if (r % 2 == 1) {
      temp[i] = step_value(w, i, j);
    } else {
      w[i] = step_value(temp, i, j);
    }
  }
}

// The steps j, 2j, ... below `size` through shared memory.
__device__ std::int32_t shared_steps(std::int32_t value, unsigned j, unsigned size) {
  const unsigned i = threadIdx.x;
  for (; j < size; j *= 2) {
    tmpsdata[i] = value;
    __syncthreads();
    value = (i & j) == 0 ? value + tmpsdata[i + j] : -value + tmpsdata[i - j];
    __syncthreads();
  }
  return value;
}

__global__ void fwt_kernel_sm(std::int32_t* w) {
  const std::uint64_t t = thread_index();
  w[t] = shared_steps(w[t], 1, blockDim.x);
}

// This thread's element of the grid's transposed block_num x block_size matrix.
__device__ std::uint64_t transposed_index() {
  const std::uint64_t t = thread_index();
  return t % gridDim.x * blockDim.x + t / gridDim.x;
}

__global__ void fwt_kernel_sm_mp(std::int32_t* w) {
  const std::uint64_t ji = transposed_index();
  w[ji] = shared_steps(w[ji], 1, gridDim.x);
}

__device__ std::int32_t shuffle_steps(std::int32_t value, unsigned end) {
  for (unsigned j = 1; j < end; j *= 2) {
    const std::int32_t ii = static_cast<std::int32_t>((threadIdx.x & j) / j);
    const std::int32_t other = __shfl_xor_sync(0xffffffffu, value, static_cast<int>(j));
    value = ii * (other - value) + (1 - ii) * (other + value);
  }
  return value;
}

__global__ void fwt_kernel_shfl_xor_sm(std::int32_t* w) {
  const std::uint64_t t = thread_index();
  w[t] = shared_steps(shuffle_steps(w[t], 32), 32, blockDim.x);
}

__global__ void fwt_kernel_shfl_xor_sm_mp(std::int32_t* w, unsigned for_shfl) {
  const std::uint64_t ji = transposed_index();
  w[ji] = shared_steps(shuffle_steps(w[ji], for_shfl), 32, gridDim.x);
}

// The paper's grid: one block up to step.threads threads, whole blocks beyond; `shared`: a word of shared
// memory for each thread.
template <class... Parameters>
int launch(void (*kernel)(Parameters...), const PaperStep& step, std::uint64_t all, bool shared,
           CUstream_st* stream, Parameters... arguments) {
  const unsigned threads = all < step.threads ? static_cast<unsigned>(all) : step.threads;
  kernel<<<static_cast<unsigned>(all / threads), threads, shared ? threads * sizeof(std::int32_t) : 0,
           stream>>>(arguments...);
  return cudaGetLastError();
}

}  // namespace

int launch_fwt_kernel(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel, step, step.size, false, stream, step.spectrum, step.other, step.step,
                std::uint64_t{step.distance});
}

int launch_fwt_kernel_no_if(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel_no_if, step, step.size, false, stream, step.spectrum, step.other, step.step,
                std::uint64_t{step.distance}, step.size - 1);
}

int launch_fwt_kernel_m(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel_m, step, step.size / step.values_per_thread, false, stream, step.spectrum,
                step.other, step.step, std::uint64_t{step.distance}, step.values_per_thread);
}

int launch_fwt_kernel_sm(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel_sm, step, step.size, true, stream, step.spectrum);
}

int launch_fwt_kernel_sm_mp(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel_sm_mp, step, step.size, true, stream, step.spectrum);
}

int launch_fwt_kernel_shfl_xor_sm(const PaperStep& step, CUstream_st* stream) {
  return launch(fwt_kernel_shfl_xor_sm, step, step.size, true, stream, step.spectrum);
}

int launch_fwt_kernel_shfl_xor_sm_mp(const PaperStep& step, CUstream_st* stream) {
  const std::uint64_t blocks = step.size < step.threads ? 1 : step.size / step.threads;
  return launch(fwt_kernel_shfl_xor_sm_mp, step, step.size, true, stream, step.spectrum,
                blocks > 32 ? 32u : static_cast<unsigned>(blocks));
}

}  // namespace fugu::kernels
