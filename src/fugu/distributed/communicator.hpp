// MPI as this library uses it: who takes part, and how ranks agree on what went wrong.
//
// "Collective" functions are called by every rank of the communicator, in the same order.
#pragma once

#include <mpi.h>

#include <exception>
#include <span>
#include <string>

#include "fugu/error.hpp"

namespace fugu::distributed {

// MPI for as long as it lives, for programs that do not start it themselves. Throws Error{engine} where MPI
// does not take calls from several threads (MPI_THREAD_MULTIPLE), which everything here needs.
class Runtime {
 public:
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

// A duplicate of the caller's communicator, whose errors are thrown.
class Communicator {
 public:
  explicit Communicator(MPI_Comm given);  // collective

  // The first `ranks` of `all`; collective there. The others have no part in it: they are not in().
  Communicator(const Communicator& all, int ranks);

  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  bool is_root() const noexcept { return rank_ == 0; }
  bool in() const noexcept { return comm_ != MPI_COMM_NULL; }

 private:
  void look();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

// The place of this rank among those of its machine. Collective.
struct NodePlace {
  int rank = 0;
  int ranks = 1;
  int processors = 1;  // that all of them may use: the sum of what each may, and no more than there are
};
NodePlace place_on_node(const Communicator& communicator, int processors_of_this, int processors_online);

// Throws Error{io} with what MPI says of a call that did not succeed.
void check(int result, const char* what);

// A failure of the output, so that a message can name the output and not the input.
class OutputError : public Error {
 public:
  using Error::Error;
};

// Work that was ended because another rank failed: no failure of its own.
class Stopped : public Error {
 public:
  Stopped() : Error(Errc::interrupted, "stopped") {}
};

// Collective: `failure` is null where this rank did its part. Throws on every rank the worst failure of any,
// as the order of Errc has it, and of several the first rank's: an Error or an OutputError.
void agree(const Communicator& communicator, const std::exception_ptr& failure);

// Runs `work` on every rank, or on rank 0 alone, and agrees on how it went.
template <class Work>
void together(const Communicator& communicator, Work&& work) {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  agree(communicator, failure);
}

template <class Work>
void at_root(const Communicator& communicator, Work&& work) {
  together(communicator, [&] {
    if (communicator.is_root()) work();
  });
}

// Collective: rank 0's bytes on every rank, sizes given.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes);
std::string broadcast(const Communicator& communicator, std::string text);

}  // namespace fugu::distributed
