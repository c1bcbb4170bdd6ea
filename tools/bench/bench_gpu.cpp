// bench_gpu CSV STAMP SCOPE...: the GPU figures, raw samples to CSV, medians to the terminal.
//
// STAMP is "machine,date,commit,command", written before every sample. Scopes: link link-all kernel sweep,
// copy:ENGINE ordinary:ENGINE size:ENGINE startup:ENGINE, and profile:OPERATION for a profiler.
#include <cstdio>
#include <string_view>

#include "csv_file.hpp"
#include "gpu_copy.hpp"
#include "gpu_kernel.hpp"

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

int run(std::string_view scope, fugu::bench::Samples& samples) {
  if (scope == "link") {
    fugu::bench::bench_link(samples, kGiB, 10);
  } else if (scope == "link-all") {
    fugu::bench::bench_link_all(samples, kGiB, 10);
  } else if (scope == "kernel") {
    fugu::bench::bench_kernels(samples, kGiB, 11);
  } else if (scope == "sweep") {
    fugu::bench::bench_sweep(samples, kGiB, 5);
  } else if (scope.starts_with("copy:")) {
    fugu::bench::bench_copy(samples, std::string(scope.substr(5)), 16 * kGiB, 5);
  } else if (scope.starts_with("ordinary:")) {
    fugu::bench::bench_ordinary(samples, std::string(scope.substr(9)), 9);
  } else if (scope.starts_with("size:")) {
    fugu::bench::bench_crossover(samples, std::string(scope.substr(5)), 9);
  } else if (scope.starts_with("startup:")) {
    fugu::bench::bench_startup(samples, std::string(scope.substr(8)));
  } else if (scope.starts_with("profile:")) {
    fugu::bench::bench_one_kernel(std::string(scope.substr(8)), 2 * kGiB);
  } else {
    std::fprintf(stderr, "bench_gpu: no scope %.*s\n", static_cast<int>(scope.size()), scope.data());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_gpu CSV STAMP SCOPE...\n");
    return 1;
  }
  return fugu::bench::write_csv("bench_gpu", argv[1], [&](std::FILE* csv) {
    fugu::bench::Samples samples(csv, argv[2]);
    int status = 0;
    for (int i = 3; i < argc && status == 0; ++i) status = run(argv[i], samples);
    return status;
  });
}
