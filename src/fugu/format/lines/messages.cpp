// Messages one by one through a codec's own functions, for formats without faster ones.
#include <functional>
#include <utility>

#include "fugu/engine/engine.hpp"
#include "fugu/format/lines/lines.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr double kCertainBits = 64;

// Opens or seals each message as a job of its own on the calling thread.
class EachMessage final : public MessageCipher {
 public:
  using Work = std::function<MessageFindings(const Job& job, const AskSecret& secret)>;

  // The secret is asked for once, by the calling thread.
  EachMessage(const Codec& codec, const AskSecret& ask, bool derives_keys, Work work)
      : kind_(ask.kind()), derives_keys_(derives_keys), work_(std::move(work)) {
    if (codec.needs_secret()) secret_ = auth::SecretBytes(ask(kind_).span());
  }

  MessageFindings run(core::WipedBytes& message) const override {
    stream::MemorySource source(message);
    stream::MemorySink sink;
    const MessageFindings findings = work_({engine::local_engine(), source, sink}, {kind_, secret_});
    message.assign(sink.bytes().begin(), sink.bytes().end());
    return findings;
  }

  bool derives_keys() const override { return derives_keys_; }

 private:
  SecretKind kind_;
  auth::SecretBytes secret_;
  bool derives_keys_;
  Work work_;
};

}  // namespace

std::unique_ptr<MessageCipher> opening_cipher(const Codec& codec, const OpenRequest& request,
                                              std::span<const core::WipedBytes> some) {
  if (codec.open_messages != nullptr) return codec.open_messages(request, some);
  return std::make_unique<EachMessage>(
      codec, request.secret, /*derives_keys=*/false,
      [&codec, options = request.options, accepted = request.accept_weak_evidence](const Job& job,
                                                                                   const AskSecret& secret) {
        const Opened opened = codec.open(job, {options, secret, accepted});
        return MessageFindings{opened.evidence.certain ? kCertainBits : opened.evidence.bits,
                               opened.all_content};
      });
}

std::unique_ptr<MessageCipher> sealing_cipher(const Codec& codec, const SealRequest& request) {
  if (codec.seal_messages != nullptr) return codec.seal_messages(request);
  return std::make_unique<EachMessage>(
      codec, request.secret, /*derives_keys=*/true,
      [&codec, options = request.options](const Job& job, const AskSecret& secret) {
        codec.seal(job, {options, secret});
        return MessageFindings{};
      });
}

}  // namespace fugu::format
