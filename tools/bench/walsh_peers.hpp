// Other people's Walsh transforms, compiled from sources given to CMake; each exists only if its source was
// given.
#pragma once

#include <functional>

namespace fugu::bench {

// FFHT (FUGU_FFHT: a checkout of FALCONN-LIB/FFHT): in place, single precision.
void ffht(float* data, int n);

// NVIDIA's sample fastWalshTransform (FUGU_CUDA_SAMPLES: a checkout of NVIDIA/cuda-samples): in place in
// device memory.
void cuda_samples_walsh(float* device_data, int n);

// Microseconds of `work` on the default stream, which the sample uses, by the GPU's events.
double default_stream_microseconds(const std::function<void()>& work);

}  // namespace fugu::bench
