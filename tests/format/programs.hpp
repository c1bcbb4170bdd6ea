// Runs other programs.
#pragma once

#include <sys/wait.h>

#include <cstdio>

#include "memory.hpp"
#include "stream/scratch.hpp"

namespace fugu::format::testing {

using stream::Scratch;
using test::read_file;
using test::write_file;

struct Outcome {
  int status;
  std::string output;  // standard output and standard error
};

inline Outcome run_program(const std::string& arguments) {
  const std::string command = arguments + " 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

inline bool runs(const std::string& command) {
  return run_program(command).status == 0;
}

inline std::string output_of(const std::string& command) {
  const Outcome outcome = run_program(command);
  EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.output;
  return outcome.output;
}

}  // namespace fugu::format::testing
