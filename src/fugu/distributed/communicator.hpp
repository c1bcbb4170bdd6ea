// MPI as this library uses it: the participating ranks, and how they agree on a failure.
//
// "Collective" functions are called by every rank of the communicator, in the same order. An exception that
// every rank throws is agreed on (is_agreed). Any other one was thrown on this rank alone, and the others may
// wait for it forever: call nothing collective after it, destructors included, but MPI_Abort, which ends all
// ranks.
#pragma once

#include <mpi.h>

#include <exception>
#include <span>
#include <string>

#include "fugu/error.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::distributed {

// Initialises MPI for its lifetime, for programs that do not do so themselves. Throws Error{engine} when MPI
// does not support calls from several threads (MPI_THREAD_MULTIPLE), which everything here needs.
class Runtime {
 public:
  Runtime();
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

// A duplicate of the caller's communicator that throws its errors.
class Communicator {
 public:
  explicit Communicator(MPI_Comm given);  // collective

  // The first `ranks` ranks of `all`; collective there. The others do not take part: in() is false.
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

// The position of this rank among those of its machine. Collective.
struct NodePlace {
  int rank = 0;
  int ranks = 1;
  int processors = 1;  // the sum of all ranks' shares, and no more than there are
};
NodePlace place_on_node(const Communicator& communicator, int processors_of_this, int processors_online);

// Throws Error{io} with MPI's text when a call did not succeed.
void check(int result, const char* what);

using stream::OutputError;

// Thrown when work ended because another rank failed.
class Stopped : public Error {
 public:
  Stopped() : Error(Errc::interrupted, "stopped") {}
};

// Whether every rank of a communicator throws this failure: agree() threw it.
bool is_agreed(const std::exception& failure) noexcept;

// Collective: `failure` is null if this rank succeeded. Throws on every rank the worst failure of any, in the
// order of Errc, and among equals the first rank's: an Error or an OutputError.
void agree(const Communicator& communicator, const std::exception_ptr& failure);

// Runs `work`, which calls nothing collective, on every rank, or on rank 0 alone, and agrees on the result.
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

// Collective: copies rank 0's bytes to every rank; the sizes are known.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes);
std::string broadcast(const Communicator& communicator, std::string text);

}  // namespace fugu::distributed
