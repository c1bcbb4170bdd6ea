// list() and make() of registry.hpp for a CPU that has these features only, so that tests reach every kernel.
#pragma once

#include "fugu/core/cpu_features.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::engine {

std::vector<EngineInfo> list(const core::CpuFeatures& features);
std::unique_ptr<Engine> make(std::string_view name, const Options& options,
                             const core::CpuFeatures& features);

}  // namespace fugu::engine
