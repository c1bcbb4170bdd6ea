// Messages one by one through a codec's own functions, for formats without faster ones, and what tells a text
// of many messages, one per line, from one message whose text is wrapped.
#include <algorithm>
#include <utility>

#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/message.hpp"
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

constexpr std::size_t kMinWrapped = 60;  // characters of a line: programs wrap at 60, 64 and 76
constexpr double kMinPaddingBits = 8;
constexpr std::size_t kMaxWatchedBytes = std::size_t{4} << 20;  // of a line
constexpr const char* kLengthsDiffer = "its lines differ in length, and each is a message by itself";

bool have_different_lengths(const std::vector<std::string_view>& lines, bool ends) {
  const std::size_t first = lines.front().size();
  const auto before_last = std::span(lines).first(lines.size() - (ends ? 1 : 0));
  const bool differ =
      std::ranges::any_of(before_last, [&](std::string_view line) { return line.size() != first; });
  return differ || (ends && lines.back().size() > first);
}

core::WipedBytes decoded_line(std::string_view line, TextEncoding encoding) {
  core::WipedBytes bytes(line.size() + core::kBlockBytes);
  const stream::DecodedText decoded = decode_text(line, encoding, bytes);
  bytes.resize(decoded ? decoded.bytes : 0);
  return bytes;
}

bool ends_in_padding(const MessageCipher& cipher, core::WipedBytes message) {
  try {
    return cipher.run(message).bits >= kMinPaddingBits;
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return false;
  }
}

// Null where none opens the first lines.
std::unique_ptr<MessageCipher> cipher_for(const std::vector<std::string_view>& lines, TextEncoding encoding,
                                          const MakeCipher& make) {
  std::vector<core::WipedBytes> some;
  for (const std::string_view line : std::span(lines).first(std::min(lines.size(), kTrialMessages)))
    some.push_back(decoded_line(line, encoding));
  try {
    return make(some);
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return nullptr;
  }
}

// Only the last line of a wrapped text may differ from the first in length, and is then shorter.
class WatchedText final : public stream::Source {
 public:
  WatchedText(std::unique_ptr<stream::Source> inner, TextEncoding encoding)
      : inner_(std::move(inner)), encoding_(encoding) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t bytes = inner_->read(into);
    if (is_watching_) look(text_of(into.first(bytes)), bytes < into.size());
    return bytes;
  }

  std::optional<std::uint64_t> size_bytes() const override { return inner_->size_bytes(); }
  std::optional<stream::FileId> file_id() const override { return inner_->file_id(); }
  void cancel() noexcept override { inner_->cancel(); }

 private:
  void look(std::string_view text, bool ends) {
    for (std::size_t feed = text.find('\n'); feed != text.npos && is_watching_; feed = text.find('\n')) {
      line_ += text.substr(0, feed);
      text.remove_prefix(feed + 1);
      judge(trimmed(line_));
      line_.clear();
    }
    line_ += text;
    if (ends) judge(trimmed(line_));
    if (line_.size() > kMaxWatchedBytes) is_watching_ = false;
  }

  void judge(std::string_view line) {
    if (line.empty() || !is_watching_) return;
    if (first_bytes_ == 0) first_bytes_ = line.size();
    const bool is_message = line.size() != first_bytes_ || has_last_;
    if (is_message && decoded_line(line, encoding_).size() % core::kBlockBytes != 0) is_watching_ = false;
    if (is_watching_ && (has_last_ || line.size() > first_bytes_))
      throw Error(Errc::unknown_format, std::string(kLengthsDiffer).append(kAdviceForMany));
    has_last_ = line.size() < first_bytes_;
  }

  std::unique_ptr<stream::Source> inner_;
  TextEncoding encoding_;
  bool is_watching_ = true;
  std::string line_;  // begun
  std::size_t first_bytes_ = 0;
  bool has_last_ = false;  // a shorter line, so that none may follow
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

std::vector<std::string_view> lines_of(std::string_view head, bool ends) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const std::size_t feed = head.find_first_of("\r\n");
    if (feed == head.npos && !ends) break;
    const std::string_view line = trimmed(head.substr(0, feed));
    if (!line.empty()) lines.push_back(line);
    head.remove_prefix(feed == head.npos ? head.size() : feed + 1);
  }
  return lines;
}

bool is_wrapped(const std::vector<std::string_view>& lines, bool ends) {
  return !have_different_lengths(lines, ends) && lines.front().size() >= kMinWrapped;
}

std::string why_many_messages(std::string_view head, bool ends, TextEncoding encoding,
                              const MakeCipher& cipher) {
  const std::vector<std::string_view> lines = lines_of(head, ends);
  if (lines.size() < 2 || is_dressed(head, encoding, ends)) return {};
  const bool differ = have_different_lengths(lines, ends);
  if (is_wrapped(lines, ends)) return {};
  const auto bytes_of = [&](std::string_view line) { return decoded_line(line, encoding).size(); };
  if (std::ranges::any_of(lines, [&](std::string_view line) { return bytes_of(line) == 0; })) return {};
  const std::unique_ptr<MessageCipher> opens = cipher_for(lines, encoding, cipher);
  const auto is_broken = [&](std::string_view line) { return bytes_of(line) % core::kBlockBytes != 0; };
  if (opens && opens->has_whole_blocks() && std::ranges::any_of(lines, is_broken)) return {};
  if (differ) return kLengthsDiffer;
  if (!opens) return {};
  const std::size_t judged = opens->derives_keys() ? std::min(lines.size(), kTrialMessages) : lines.size();
  const bool are_paddings = std::ranges::all_of(std::span(lines).first(judged), [&](std::string_view line) {
    return ends_in_padding(*opens, decoded_line(line, encoding));
  });
  return are_paddings ? "each of its lines ends in a padding, as a message by itself does" : "";
}

std::unique_ptr<stream::Source> watched_text(std::unique_ptr<stream::Source> source, TextEncoding encoding) {
  return std::make_unique<WatchedText>(std::move(source), encoding);
}

}  // namespace fugu::format
