// Every engine this machine can run, under every subset of the CPU features it has.
#pragma once

#include <cctype>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "fugu/engine/detail/on_cpu.hpp"

namespace fugu::test {

struct EngineCase {
  std::string name;
  engine::Options options;
  core::CpuFeatures cpu;
  std::string features;  // A GoogleTest name.

  std::unique_ptr<engine::Engine> make() const { return engine::make(name, options, cpu); }

  friend std::ostream& operator<<(std::ostream& out, const EngineCase& c) {
    return out << c.name << " with [" << c.features << "] on " << c.options.threads << " threads";
  }
};

// The case as a GoogleTest name.
inline std::string identifier(const EngineCase& c) {
  std::string text = c.name + "_" + std::to_string(c.options.threads) + "_threads_" + c.features;
  for (char& letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return text;
}

struct CpuFeature {
  const char* name;
  bool core::CpuFeatures::*flag;
};

inline const std::vector<CpuFeature>& cpu_features() {
  static const std::vector<CpuFeature> features{{"avx512f", &core::CpuFeatures::avx512f},
                                                {"avx512bw", &core::CpuFeatures::avx512bw},
                                                {"avx512vl", &core::CpuFeatures::avx512vl},
                                                {"avx512vbmi", &core::CpuFeatures::avx512vbmi}};
  return features;
}

// Subset `bits` of the detected features; the name lists them.
inline core::CpuFeatures feature_subset(unsigned bits, std::string& names) {
  const core::CpuFeatures detected = core::detect_cpu_features();
  core::CpuFeatures subset;
  for (std::size_t i = 0; i < cpu_features().size(); ++i) {
    const CpuFeature& feature = cpu_features()[i];
    if ((bits >> i & 1u) == 0 || !(detected.*feature.flag)) continue;
    subset.*feature.flag = true;
    if (!names.empty()) names += ' ';
    names += feature.name;
  }
  return subset;
}

inline void append_engines(std::vector<EngineCase>& cases, const engine::Options& options,
                           const core::CpuFeatures& cpu, const std::string& features) {
  for (const engine::EngineInfo& info : engine::list(cpu)) {
    if (info.available) cases.push_back({info.name, options, cpu, features});
  }
}

// "auto" and every engine available under each subset: 2^n subsets for n features.
inline std::vector<EngineCase> engines_of_every_subset() {
  std::vector<EngineCase> cases;
  for (unsigned bits = 0; bits < 1u << cpu_features().size(); ++bits) {
    std::string names;
    const core::CpuFeatures cpu = feature_subset(bits, names);
    const engine::Options options{.threads = 1};
    cases.push_back({"auto", options, cpu, names});
    append_engines(cases, options, cpu, names);
  }
  return cases;
}

// Each engine on one thread and on several; the byte-sliced one also with the permutes that this CPU does not
// prefer.
inline std::vector<EngineCase> engines() {
  std::vector<EngineCase> cases;
  for (const unsigned threads : {1u, 4u}) {
    const engine::Options options{.threads = threads};
    core::CpuFeatures cpu = core::detect_cpu_features();
    append_engines(cases, options, cpu, "all");
    cpu.fast_two_source_permutes = !cpu.fast_two_source_permutes;
    if (cpu.avx512vbmi) cases.push_back({"cpu/avx512vbmi", options, cpu, "other_permutes"});
  }
  return cases;
}

}  // namespace fugu::test
