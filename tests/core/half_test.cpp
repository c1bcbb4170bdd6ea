// 16-bit floats by their definition: sign, exponent and fraction, and the nearest value, ties to even.
#include "fugu/core/half.hpp"

#include "support/testing.hpp"

namespace fugu::core {
namespace {

template <class Half, int exponent_bits, int fraction_bits>
struct Layout {
  using Type = Half;
  static constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint16_t kInfinity = ((1 << exponent_bits) - 1) << fraction_bits;

  // The value of bits below kInfinity.
  static double value(std::uint16_t bits) {
    const int exponent = bits >> fraction_bits;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - kBias - fraction_bits);
    return std::ldexp((1 << fraction_bits) + fraction, exponent - kBias - fraction_bits);
  }
};

template <class L>
struct HalfOf : testing::Test {};
using Layouts = testing::Types<Layout<Float16, 5, 10>, Layout<Bfloat16, 8, 7>>;
TYPED_TEST_SUITE(HalfOf, Layouts);

TYPED_TEST(HalfOf, EveryValueIsThatOfItsBits) {
  using Half = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits <= TypeParam::kInfinity; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected =
        half == TypeParam::kInfinity ? std::numeric_limits<double>::infinity() : TypeParam::value(half);
    ASSERT_EQ(to_float(Half{half}), expected) << bits;
    ASSERT_EQ(to_float(Half{static_cast<std::uint16_t>(half | 0x8000)}), -expected) << bits;
    ASSERT_EQ(rounded<Half>(static_cast<float>(expected)).bits, half);
    ASSERT_EQ(rounded<Half>(static_cast<float>(-expected)).bits, half | 0x8000);
  }
  EXPECT_TRUE(std::isnan(to_float(Half{static_cast<std::uint16_t>(TypeParam::kInfinity + 1)})));
  EXPECT_GT(rounded<Half>(std::numeric_limits<float>::quiet_NaN()).bits & 0x7fff, TypeParam::kInfinity);
}

// The middle between two neighbours is a float; beyond the largest value, infinity begins in the middle to
// the next power of two.
TYPED_TEST(HalfOf, RoundsToTheNearestAndTiesToEven) {
  using Half = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits < TypeParam::kInfinity; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const double step = bits + 1 < TypeParam::kInfinity
                            ? TypeParam::value(static_cast<std::uint16_t>(low + 1)) - TypeParam::value(low)
                            : TypeParam::value(low) - TypeParam::value(static_cast<std::uint16_t>(low - 1));
    const auto middle = static_cast<float>(TypeParam::value(low) + step / 2);
    ASSERT_EQ(rounded<Half>(middle).bits, low + (low & 1)) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, 0.0f)).bits, low) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, std::numeric_limits<float>::infinity())).bits, low + 1);
  }
}

}  // namespace
}  // namespace fugu::core
