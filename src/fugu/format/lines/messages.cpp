// Messages one by one through a codec's own functions, for formats without faster ones.
#include "fugu/engine/engine.hpp"
#include "fugu/format/lines/lines.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr double kCertainBits = 64;

// The secret is asked for once, by the calling thread.
class KnownSecret {
 public:
  KnownSecret(const Codec& codec, const AskSecret& ask) : kind_(ask.kind()) {
    if (codec.needs_secret()) bytes_ = auth::SecretBytes(ask(kind_).span());
  }

  AskSecret ask() const { return {kind_, bytes_}; }

 private:
  SecretKind kind_;
  auth::SecretBytes bytes_;
};

// The work of `run` on the message, by a job of its own on the calling thread.
template <class Run>
void replace(core::WipedBytes& message, Run run) {
  stream::MemorySource source(message);
  stream::MemorySink sink;
  run(Job{engine::local_engine(), source, sink});
  message.assign(sink.bytes().begin(), sink.bytes().end());
}

class EachOpened final : public MessageCipher {
 public:
  EachOpened(const Codec& codec, const OpenRequest& request)
      : codec_(codec),
        options_(request.options),
        secret_(codec, request.secret),
        accept_weak_evidence_(request.accept_weak_evidence) {}

  MessageFindings run(core::WipedBytes& message) const override {
    Opened opened;
    replace(message, [&](const Job& job) {
      opened = codec_.open(job, {options_, secret_.ask(), accept_weak_evidence_});
    });
    return {opened.evidence.certain ? kCertainBits : opened.evidence.bits, opened.all_content};
  }

 private:
  const Codec& codec_;
  OptionValues options_;
  KnownSecret secret_;
  bool accept_weak_evidence_;
};

class EachSealed final : public MessageCipher {
 public:
  EachSealed(const Codec& codec, const SealRequest& request)
      : codec_(codec), options_(request.options), secret_(codec, request.secret) {}

  MessageFindings run(core::WipedBytes& message) const override {
    replace(message, [&](const Job& job) { codec_.seal(job, {options_, secret_.ask()}); });
    return {};
  }

  bool derives_keys() const override { return true; }

 private:
  const Codec& codec_;
  OptionValues options_;
  KnownSecret secret_;
};

}  // namespace

std::unique_ptr<MessageCipher> opening_cipher(const Codec& codec, const OpenRequest& request,
                                              std::span<const core::WipedBytes> some) {
  if (codec.open_messages != nullptr) return codec.open_messages(request, some);
  return std::make_unique<EachOpened>(codec, request);
}

std::unique_ptr<MessageCipher> sealing_cipher(const Codec& codec, const SealRequest& request) {
  if (codec.seal_messages != nullptr) return codec.seal_messages(request);
  return std::make_unique<EachSealed>(codec, request);
}

}  // namespace fugu::format
