#include <cuda_runtime.h>
#include <helper_cuda.h>

#include "spectral.hpp"

#include "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh"

namespace fugu::bench {

double cuda_samples_walsh(float* device_data, int n) {
  cudaEvent_t from, to;
  checkCudaErrors(cudaEventCreate(&from));
  checkCudaErrors(cudaEventCreate(&to));
  checkCudaErrors(cudaEventRecord(from));
  fwtBatchGPU(device_data, 1, n);
  checkCudaErrors(cudaEventRecord(to));
  checkCudaErrors(cudaEventSynchronize(to));
  float milliseconds = 0;
  checkCudaErrors(cudaEventElapsedTime(&milliseconds, from, to));
  checkCudaErrors(cudaEventDestroy(from));
  checkCudaErrors(cudaEventDestroy(to));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace fugu::bench
