// Common parts of the tests of fugu::distributed: a directory that all ranks use, and the comparison of what
// all of them throw.
#pragma once

#include "fugu/auth/secret.hpp"
#include "fugu/distributed/communicator.hpp"
#include "support/testing.hpp"

namespace fugu::distributed {

// All ranks of mpirun, which run each case together; a failure on any fails the run.
const Communicator& world();

// A directory that rank 0 makes and removes, in memory if there is such a file system.
class Directory {
 public:
  Directory() {
    std::string name;
    if (world().is_root()) {
      name = std::filesystem::is_directory("/dev/shm") ? "/dev/shm/fugu-mpi-XXXXXX" : "/tmp/fugu-mpi-XXXXXX";
      EXPECT_NE(::mkdtemp(name.data()), nullptr);
    }
    path_ = broadcast(world(), name);
  }
  ~Directory() {
    MPI_Barrier(world().get());
    if (world().is_root()) std::filesystem::remove_all(path_);
  }

  std::string file(const std::string& name) const { return path_ / name; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

 private:
  std::filesystem::path path_;
};

// Returns the Errc and text that every rank throws, having agreed on them, "" for none.
template <class Work>
std::string failure_of(Work work) {
  try {
    work();
  } catch (const OutputError& error) {
    EXPECT_TRUE(is_agreed(error));
    return "output " + std::to_string(static_cast<int>(error.code())) + " " + error.text();
  } catch (const Error& error) {
    EXPECT_TRUE(is_agreed(error));
    return std::to_string(static_cast<int>(error.code())) + " " + error.text();
  }
  return "";
}

// The secret of these tests. It is computed byte by byte, so that memory holds it only where a test puts it.
inline std::byte secret_byte(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return static_cast<std::byte>(x >> 56);
}

inline auth::SecretBytes secret(std::size_t bytes) {
  auth::SecretBytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made.data()[i] = secret_byte(i);
  return made;
}

inline std::string expected(Errc code, const std::string& text) {
  return std::to_string(static_cast<int>(code)) + " " + text;
}

}  // namespace fugu::distributed
