#include "distributed/support.hpp"

namespace fugu::distributed {
namespace {

std::unique_ptr<Communicator> all;

int run(int count, char** words) {
  const Runtime runtime;
  all = std::make_unique<Communicator>(MPI_COMM_WORLD);
  testing::InitGoogleTest(&count, words);
  if (!all->is_root())
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  const int failed = RUN_ALL_TESTS();
  all.reset();
  return failed;
}

}  // namespace

const Communicator& world() {
  return *all;
}

}  // namespace fugu::distributed

int main(int count, char** words) {
  return fugu::distributed::run(count, words);
}
