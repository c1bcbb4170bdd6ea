#include <openssl/crypto.h>

#include <algorithm>
#include <map>
#include <thread>

#include "measure/openssl_stream.hpp"
#include "peer.hpp"

namespace fugu::bench {
namespace {

using cli::OpensslThreads;
using core::Direction;
using mode::Mode;

constexpr Mode kModes[kWorks] = {Mode::ecb,   Mode::ecb,   Mode::cbc, Mode::cbc,
                                 Mode::cfb64, Mode::cfb64, Mode::ofb, Mode::ctr};

class OpenSsl final : public Peer {
 public:
  OpenSsl(const Secrets& secrets, unsigned threads) : pool_(threads) {
    mode::Settings settings;
    std::ranges::copy(std::as_bytes(std::span(secrets.iv)), iv_.begin());
    settings.iv = iv_;
    for (std::size_t i = 0; i < kWorks; ++i) {
      const auto work = static_cast<Work>(i);
      if (work == Work::ctr || (is_serial(work) && threads > 1)) continue;  // OpenSSL has no ctr
      settings.mode = kModes[i];
      streams_.try_emplace(work, settings, decrypts(work) ? Direction::decrypt : Direction::encrypt,
                           std::as_bytes(std::span(secrets.key)), pool_);
    }
  }

  std::string name() const override {
    return std::string("openssl-") + OpenSSL_version(OPENSSL_VERSION_STRING);
  }

  bool run(Work work, std::span<unsigned char> data) override {
    const auto stream = streams_.find(work);
    if (stream == streams_.end()) return false;
    stream->second.restart(iv_);
    stream->second.process(std::as_writable_bytes(data));
    return true;
  }

 private:
  threads::ThreadPool pool_;
  mode::Iv iv_;
  std::map<Work, OpensslThreads> streams_;
};

}  // namespace

std::unique_ptr<Peer> parallel_openssl_peer(const Secrets& secrets) {
  return std::make_unique<OpenSsl>(secrets, std::thread::hardware_concurrency());
}

std::unique_ptr<Peer> openssl_peer(const Secrets& secrets) {
  return std::make_unique<OpenSsl>(secrets, 1);
}

}  // namespace fugu::bench
