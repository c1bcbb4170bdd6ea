// Secrets are sent to all ranks: they arrive, or all ranks report why not.
#include "fugu/distributed/secret.hpp"

#include "distributed/support.hpp"

namespace fugu::distributed {
namespace {

using auth::SecretBytes;

// What MPI does to the bytes of the last rank.
enum class Damage { none, of_message, of_public_key };
Damage damage = Damage::none;

}  // namespace
}  // namespace fugu::distributed

// MPI's profiling interface lets a program define these functions in place of the library's own.
extern "C" int MPI_Scatter(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                           MPI_Datatype to_type, int root, MPI_Comm comm) {
  const int result = PMPI_Scatter(from, count, type, to, to_count, to_type, root, comm);
  using namespace fugu::distributed;
  if (damage == Damage::of_message && world().rank() == world().size() - 1) static_cast<char*>(to)[0] ^= 1;
  return result;
}

extern "C" int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                             MPI_Datatype to_type, MPI_Comm comm) {
  const int result = PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
  using namespace fugu::distributed;
  if (damage == Damage::of_public_key && world().is_root())
    std::fill_n(static_cast<char*>(to) + (world().size() - 1) * to_count, to_count, '\0');
  return result;
}

namespace fugu::distributed {
namespace {

bool is_secret(const SecretBytes& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes.span()[i] != secret_byte(i)) return false;
  return true;
}

// ---- arrival ----

TEST(Secret, ArrivesAtEveryRank) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{56}, std::size_t{1} << 16}) {
    SecretBytes here = world().is_root() ? secret(size) : SecretBytes();
    broadcast(world(), here);
    EXPECT_EQ(here.size(), size);
    EXPECT_TRUE(is_secret(here)) << size;
  }
}

std::string failure_with(std::size_t size, Damage done) {
  damage = done;
  const std::string text = failure_of([&] {
    SecretBytes here = world().is_root() ? secret(size) : SecretBytes();
    broadcast(world(), here);
  });
  damage = Damage::none;
  return text;
}

TEST(Secret, WhatMpiDamagesIsToldByEveryRank) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  const std::string last = std::to_string(world().size() - 1);
  EXPECT_EQ(failure_with(56, Damage::of_message),
            expected(Errc::io, "MPI damaged the secret on its way to rank " + last));
  EXPECT_EQ(failure_with(56, Damage::of_public_key),
            expected(Errc::io, "MPI damaged a public key of rank " + last));
  EXPECT_EQ(failure_with(56, Damage::none), "");
}

TEST(Secret, OneThatIsTooLongIsRefused) {
  EXPECT_EQ(failure_with((1 << 16) + 1, Damage::none),
            expected(Errc::usage, "a secret for all ranks has more than 64 KiB"));
}

}  // namespace
}  // namespace fugu::distributed
