// Work that is asked to stop ends with Error{interrupted}.
#include <chrono>
#include <thread>

#include "fugu/spectral/groups/vilenkin_chrestenson.hpp"
#include "fugu/spectral/properties.hpp"
#include "fugu/spectral/sbox/algebra.hpp"
#include "fugu/spectral/sbox/boomerang.hpp"
#include "fugu/spectral/sbox/invariants.hpp"
#include "fugu/spectral/sbox/linear.hpp"
#include "fugu/spectral/walsh.hpp"
#include "spectral/made_boxes.hpp"
#include "spectral/usage_error.hpp"
#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

std::stop_token asked() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

TEST(Stop, TransformsLookAtTheTokenOnOneThreadAndOnMany) {
  for (const unsigned threads : {1u, 2u}) {
    std::vector<std::int32_t> values(std::size_t{1} << 19);
    expect_interrupted([&] { walsh(std::span(values), 19, {.threads = threads, .stop = asked()}); });
    expect_interrupted([&] { inverse_walsh(std::span(values), 19, {.threads = threads, .stop = asked()}); });
    expect_interrupted([&] { properties(TruthTable(19), {.threads = threads, .stop = asked()}); });
    expect_interrupted([&] { TruthTable::from_polynomial("x0", 19, {.threads = threads, .stop = asked()}); });
    expect_interrupted([&] { polynomial_text(TruthTable(19), {.threads = threads, .stop = asked()}); });
  }
}

TEST(Stop, TransformsOverGroupsLookAtTheToken) {
  std::vector<std::complex<double>> values(19683);
  expect_interrupted(
      [&] { vilenkin_chrestenson(CharacterGroup::parse("3^9"), std::span(values), {.stop = asked()}); });
}

TEST(Stop, SBoxMeasurementsLookAtTheToken) {
  const SBox box = test::random_box(8, 8);
  const SBoxOptions options{.stop = asked()};
  expect_interrupted([&] { linear(box, options); });
  expect_interrupted([&] { boomerang(box, options); });
  expect_interrupted([&] { exhaustive_components(box, options); });
  expect_interrupted([&] { equations(box, 2, options); });
  expect_interrupted([&] { gamma_rank(box, options); });
  expect_interrupted([&] { delta_rank(box, options); });
  expect_interrupted([&] { annihilators(component(box, 1), options); });
}

// This would take some 15 minutes.
TEST(Stop, ItIsNoticedInTheMiddle) {
  std::stop_source source;
  std::thread asking([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  expect_interrupted([&] { gamma_rank(test::random_box(8, 8), {.stop = source.get_token()}); });
  asking.join();
}

TEST(Stop, ATokenThatNothingAsksChangesNothing) {
  std::stop_source source;
  std::vector<std::int32_t> values(std::size_t{1} << 19);
  values[5] = 7;
  std::vector<std::int32_t> same = values;
  walsh(std::span(values), 19, {.threads = 1, .stop = source.get_token()});
  walsh(std::span(same), 19, {.threads = 1});
  EXPECT_EQ(values, same);
}

}  // namespace
}  // namespace fugu::spectral
