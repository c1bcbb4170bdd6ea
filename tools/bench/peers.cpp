#include "peers.hpp"

#include <vector>

namespace fugu::bench {

std::span<const Peer> peers() {
  static const std::vector<Peer> found {
#if defined(FUGU_HAVE_LIBGCRYPT)
    kLibgcrypt,
#endif
#if defined(FUGU_HAVE_BOTAN_2)
        kBotan2,
#endif
#if defined(FUGU_HAVE_NETTLE)
        kNettle,
#endif
#if defined(FUGU_HAVE_CRYPTOPP)
        kCryptopp,
#endif
  };
  return found;
}

}  // namespace fugu::bench
