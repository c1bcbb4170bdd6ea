#include "fugu/spectral/papers/papers.hpp"

#include "spectral/definition.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

TEST(Papers, AlgorithmZeroEqualsTheDefinition) {
  for (int n = 0; n <= (::fugu::test::kSanitized ? 10 : 12); ++n) {
    auto f = test::random_values<std::int32_t>(std::size_t{1} << n, 99, static_cast<std::uint64_t>(n));
    const auto expected = test::walsh_definition<std::int32_t>(f);
    paper_walsh_0(f);
    EXPECT_EQ(f, expected) << n;
  }
}

}  // namespace
}  // namespace fugu::spectral
