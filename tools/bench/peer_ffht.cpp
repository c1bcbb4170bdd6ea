#include "fht.h"
#include "walsh_peers.hpp"

namespace fugu::bench {

void ffht(float* data, int n) {
  fht_float(data, n);
}

}  // namespace fugu::bench
