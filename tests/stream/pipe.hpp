// A pipe that is closed at the end of the test.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "support/testing.hpp"

namespace fugu::stream {

class Pipe {
 public:
  explicit Pipe(int flags = 0) { EXPECT_EQ(::pipe2(ends_, flags | O_CLOEXEC), 0); }
  ~Pipe() {
    close_read_end();
    close_write_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read_end() { close_once(ends_[0]); }
  void close_write_end() { close_once(ends_[1]); }

 private:
  static void close_once(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }

  int ends_[2] = {-1, -1};
};

}  // namespace fugu::stream
