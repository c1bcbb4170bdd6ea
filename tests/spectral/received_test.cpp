// Values of a row are found in place or where their part arrived.
#include "kernels/walsh/received_agent.hpp"

#include "support/testing.hpp"

namespace fugu::spectral {
namespace {

// Each value of the row is its index; in its place there are only those of the own part.
TEST(ReceivedParts, EachValueIsFoundWhereItArrived) {
  constexpr int kColumnBits = 3;
  constexpr unsigned kColumns = 1u << kColumnBits;
  for (const unsigned parts : {2u, 4u, 8u}) {
    for (unsigned own = 0; own < parts; ++own) {
      std::vector<int> data(parts * kColumns, -1);
      std::vector<int> arrived;
      for (unsigned part = 0; part < parts; ++part) {
        for (unsigned column = 0; column < kColumns; ++column) {
          const unsigned at = part * kColumns + column;
          if (part == own) {
            data[at] = static_cast<int>(at);
          } else {
            arrived.push_back(static_cast<int>(at));
          }
        }
      }
      const kernels::ReceivedParts received{arrived.data(), kColumnBits, own};
      for (unsigned at = 0; at < data.size(); ++at)
        EXPECT_EQ(*kernels::place_of(data.data(), received, at), static_cast<int>(at))
            << parts << ", " << own;
    }
  }
}

}  // namespace
}  // namespace fugu::spectral
