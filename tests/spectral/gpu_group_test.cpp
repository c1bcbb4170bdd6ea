// Compares transforms over groups on a GPU with the CPU's, within rounding.
#include <complex>

#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "spectral/gpu_fixture.hpp"
#include "spectral/usage_error.hpp"

namespace fugu::spectral {
namespace {

using GroupGpu = test::Gpu;

constexpr const char* kGroups[] = {"3",   "2^4",     "3^5",       "3^10", "2x3x4x5x7", "6x2^3x3^2x11",
                                   "5^7", "37x3x64", "3x101x2^5", "32^3", "1x3x1",     "1024x9"};

template <class T>
void expect_near(const std::vector<std::complex<T>>& found, const std::vector<std::complex<T>>& expected,
                 double relative) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
    error = std::max(error, static_cast<double>(std::abs(found[i] - expected[i])));
  }
  EXPECT_LE(error, relative * largest);
}

template <class T>
void expect_complex(double relative, const device::Stream& stream) {
  for (const char* name : kGroups) {
    SCOPED_TRACE(name);
    const CharacterGroup group = CharacterGroup::parse(name);
    std::mt19937 random(2);
    std::vector<std::complex<T>> values(static_cast<std::size_t>(2 * group.order()));
    for (auto& value : values)
      value = {static_cast<T>(random() % 2001) - 1000, static_cast<T>(random() % 2001) - 1000};
    std::vector<std::complex<T>> gpu = values, cpu = values;
    cuda::vilenkin_chrestenson(group, std::span(gpu), stream);
    vilenkin_chrestenson(group, std::span(cpu));
    expect_near(gpu, cpu, relative);
    cuda::inverse_vilenkin_chrestenson(group, std::span(gpu), stream);
    expect_near(gpu, values, relative);
  }
}

TEST_F(GroupGpu, Complex64EqualsTheCpus) {
  expect_complex<float>(1e-4, *stream);
}

TEST_F(GroupGpu, Complex128EqualsTheCpus) {
  expect_complex<double>(1e-12, *stream);
}

TEST_F(GroupGpu, PartsOfRowsAreRefused) {
  const CharacterGroup group = CharacterGroup::parse("3^2");
  std::vector<std::complex<float>> values(10);
  EXPECT_EQ(test::usage_error([&] { cuda::vilenkin_chrestenson(group, std::span(values), *stream); }),
            "10 values are not whole rows of 9, the group's order");
}

}  // namespace
}  // namespace fugu::spectral
