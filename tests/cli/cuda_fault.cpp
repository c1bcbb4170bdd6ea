// Linked into a copy of the program, this file lets the Nth CUDA call fail, or counts the calls of a run.
//
//   FUGU_CUDA_FAULT=KIND:N      out_of_memory or launch_failure; or lost_device, from call N on
//   FUGU_CUDA_FAULT_COUNT=FILE  the number of calls is written there when the process ends
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fugu/device/detail/inspection.hpp"

namespace fugu::device {
namespace {

Fault kind_of(const std::string& name) {
  if (name == "out_of_memory") return Fault::out_of_memory;
  return name == "launch_failure" ? Fault::launch_failure : Fault::lost_device;
}

class FaultFromEnvironment {
 public:
  FaultFromEnvironment() {
    const char* asked = std::getenv("FUGU_CUDA_FAULT");
    if (asked == nullptr) return;
    const std::string text = asked;
    const std::size_t colon = text.find(':');
    const Fault fault = kind_of(text.substr(0, colon));
    inject_fault(std::strtoull(text.c_str() + colon + 1, nullptr, 10), fault, fault == Fault::lost_device);
  }

  ~FaultFromEnvironment() {
    const char* path = std::getenv("FUGU_CUDA_FAULT_COUNT");
    std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    std::fprintf(file, "%llu\n", static_cast<unsigned long long>(counted_calls()));
    std::fclose(file);
  }
};

const FaultFromEnvironment fault_from_environment;

}  // namespace
}  // namespace fugu::device
