// Many short messages under one key schedule: the lines of a text, the fields of a table.
#include "fugu/format/raw/raw.hpp"

#include <algorithm>

#include "fugu/engine/engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/judge/story.hpp"

namespace fugu::format {
namespace {

using mode::Padding;

class RawMessages final : public MessageCipher {
 public:
  RawMessages(const RawParameters& parameters, bool all_content, const auth::SecretBytes& secret,
              Direction direction)
      : parameters_(parameters),
        all_content_(all_content),
        direction_(direction),
        key_(raw_key(parameters, secret)) {
    cipher::expand(key_.span(), schedule_);
    if (raw_header_bytes(parameters.iv_place) == 0)
      parameters_.settings.iv = raw_iv(parameters, secret, schedule_);
  }

  MessageFindings run(core::WipedBytes& message) const override {
    if (direction_ == Direction::decrypt) return open(message);
    seal(message);
    return {};
  }

  bool has_whole_blocks() const override {
    return mode::is_padded(parameters_.settings.mode) && !mode::keeps_length(parameters_.settings.padding);
  }

 private:
  MessageFindings open(core::WipedBytes& message) const {
    cut(message);
    mode::Settings settings = parameters_.settings;
    if (const std::size_t bytes = raw_header_bytes(parameters_.iv_place)) {
      if (message.size() < bytes) throw Error(Errc::damaged, ends_inside_iv(bytes));
      settings.iv = raw_iv(parameters_, key_, schedule_, std::span(message).first(bytes));
      message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
    const std::size_t bytes = stream(settings).process(message, message.size(), true);
    const std::size_t removed = message.size() - bytes;
    message.resize(bytes);
    if (parameters_.size != nullptr) {
      const auto text = parameters_.size->text_in(message);
      if (!text) throw Error(Errc::wrong_key, kWrongSize);
      message = core::WipedBytes(text->begin(), text->end());
    }
    const bool is_independent = raw_header_bytes(parameters_.iv_place) != 0 || mode::is_padded(settings.mode);
    return {padding_bits(settings.padding, removed), all_content_, is_independent};
  }

  // As --skip and --length say.
  void cut(core::WipedBytes& message) const {
    if (message.size() < parameters_.skip)
      throw Error(Errc::damaged, "the data ends inside what ⟦skip⟧ leaves out");
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(parameters_.skip));
    if (parameters_.length && *parameters_.length < message.size())
      message.resize(static_cast<std::size_t>(*parameters_.length));
  }

  void seal(core::WipedBytes& message) const {
    mode::Settings settings = parameters_.settings;
    const std::vector<std::byte> header = raw_header(parameters_, schedule_);
    const std::size_t iv_bytes = header.size();
    if (iv_bytes != 0) settings.iv = raw_iv(parameters_, key_, schedule_, header);
    message.insert(message.begin(), header.begin(), header.end());
    const std::size_t plain_bytes = message.size() - iv_bytes;
    refuse_ambiguous_end(std::span(message).last(plain_bytes));
    message.resize(message.size() + mode::kMaxPaddingBytes);
    message.resize(iv_bytes +
                   stream(settings).process(std::span(message).subspan(iv_bytes), plain_bytes, true));
  }

  // Data whose end open() would take for padding.
  void refuse_ambiguous_end(std::span<const std::byte> data) const {
    const Padding padding = parameters_.settings.padding;
    const auto end = data.last(std::min(data.size(), kBlockBytes));
    const bool is_whole = is_filler(padding) || data.size() % kBlockBytes == 0;
    if (!may_be_data(padding).empty() && is_whole && mode::padding_bytes(padding, end).value_or(0) != 0)
      throw Error(Errc::usage, "ends in what decryption takes off as padding: give another ⟦pad⟧");
  }

  mode::CipherStream stream(const mode::Settings& settings) const {
    return {engine::local_engine(), schedule_, settings, direction_};
  }

  RawParameters parameters_;
  bool all_content_;
  Direction direction_;
  auth::SecretBytes key_;
  cipher::Schedule schedule_;
};

}  // namespace

std::unique_ptr<MessageCipher> raw_messages(const RawParameters& parameters, bool all_content,
                                            const auth::SecretBytes& secret, Direction direction) {
  return std::make_unique<RawMessages>(parameters, all_content, secret, direction);
}

}  // namespace fugu::format
