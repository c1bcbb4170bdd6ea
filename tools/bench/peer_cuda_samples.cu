#include <cuda_runtime.h>
#include <helper_cuda.h>

#include "spectral.hpp"

#include "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh"

namespace fugu::bench {

void cuda_samples_walsh(float* device_data, int n) {
  fwtBatchGPU(device_data, 1, n);
  checkCudaErrors(cudaDeviceSynchronize());
}

}  // namespace fugu::bench
