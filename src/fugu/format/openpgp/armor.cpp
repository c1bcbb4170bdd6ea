// ASCII armor, also inside a mail or quoted in one, as gpg finds it.
#include <array>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/openpgp/detail/packets.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kBegin = "-----BEGIN PGP MESSAGE-----";
constexpr std::string_view kEnd = "-----END PGP MESSAGE-----";
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kChecksumChars = 5;

// Noted where there is a `salvage`.
void damaged(const char* what, SalvageReport* salvage = nullptr) {
  const std::string text = std::string("the armor is damaged: ") + what;
  if (salvage == nullptr) throw Error(Errc::damaged, text);
  note_damage(*salvage, text);
}

bool is_control(char c) {
  return (c >= '\0' && c < ' ' && std::string_view("\t\n\f\r").find(c) == std::string_view::npos) ||
         c == '\x7f';
}

// Where a line of the text is the first of an armor, perhaps behind marks of quotation; npos for none.
std::size_t find_begin(std::string_view text) {
  for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) {
    const std::size_t line = text.substr(0, at).find_last_of('\n') + 1;
    if (text.substr(line, at - line).find_first_not_of("> |") != text.npos) continue;
    return std::ranges::none_of(text.substr(0, at), is_control) ? at
                                                                : text.npos;  // not inside a binary message
  }
  return text.npos;
}

// The base64 lines alone. The checksum after them is kept, and whether text stands around the armor.
class ArmorBody final : public stream::Source {
 public:
  ArmorBody(stream::Source& inner, bool& stands_in_text, SalvageReport* salvage)
      : inner_(inner), stands_in_text_(stands_in_text), salvage_(salvage) {}

  std::size_t read(std::span<std::byte> into) override {
    if (!begun_) begin();
    std::size_t filled = 0;
    while (filled < into.size() && (at_ < line_.size() || next_body_line())) {
      const std::size_t bytes = std::min(into.size() - filled, line_.size() - at_);
      std::ranges::copy(bytes_in(line_).subspan(at_, bytes),
                        into.begin() + static_cast<std::ptrdiff_t>(filled));
      at_ += bytes;
      filled += bytes;
    }
    return filled;
  }
  void cancel() noexcept override { inner_.cancel(); }

  // Known after the end.
  std::optional<std::uint32_t> checksum() const { return checksum_; }

 private:
  void begin() {
    while (!begun_) {
      if (!next_line()) damaged("its first line");
      const std::size_t at = find_begin(line_);
      begun_ = at != line_.npos && line_.ends_with(kBegin);
      stands_in_text_ |= !line_.empty() && (!begun_ || at != 0);
      if (begun_) quotation_ = line_.substr(0, at);
    }
    while (next_line()) {
      if (line_.empty()) return;  // headers end here
    }
    damaged("it ends in its headers");
  }
  // False at the end; line_ is empty then.
  bool next_body_line() {
    at_ = 0;
    if (ended_) return false;
    bool is_line = next_line();
    const bool is_base64 = salvage_ != nullptr && is_line && line_.size() > kChecksumChars;
    if (is_line && line_.starts_with('=') && !is_base64) {
      read_checksum();
      is_line = next_line();
    }
    if (is_line && (!line_.starts_with('-') || (is_base64 && !line_.starts_with("--")))) {
      if (salvage_ != nullptr) line_ += '\n';
      return true;
    }
    if (!is_line) damaged("its last line is missing", salvage_);
    if (is_line && line_ != kEnd) damaged("its last line", salvage_);
    line_.clear();
    ended_ = true;
    if (is_line && salvage_ == nullptr) require_end();
    return false;
  }
  // Other text may follow, as in a mail, but no second message.
  void require_end() {
    while (next_line()) {
      if (find_begin(line_) != line_.npos || std::ranges::any_of(line_, is_control))
        bytes_follow_the_message();
      stands_in_text_ |= !line_.empty();
    }
  }
  void read_checksum() {
    const auto value = parse_base64(std::string_view(line_).substr(1));
    if (line_.size() != kChecksumChars || !value || value->size() != 3)
      return damaged("its checksum", salvage_);
    checksum_ = static_cast<std::uint32_t>(load_big(*value));
  }
  // Removes the line end and the white space before it; false if there is no line.
  bool next_line() {
    line_.clear();
    bool any = false;
    for (std::optional<char> c = next(); c; c = next()) {
      any = true;
      if (*c == '\n') break;
      if (line_.size() == kMaxLineBytes && begun_ && !ended_) damaged("a line of more than 4096 characters");
      if (line_.size() < kMaxLineBytes) line_ += *c;
    }
    for (const char mark : quotation_) {
      if (line_.starts_with(mark)) line_.erase(0, 1);
    }
    line_.erase(line_.find_last_not_of(" \t\r") + 1);
    return any;
  }
  std::optional<char> next() {
    if (next_ == held_) {
      held_ = inner_.read(buffer_);
      next_ = 0;
      if (held_ == 0) return std::nullopt;
    }
    return static_cast<char>(buffer_[next_++]);
  }

  stream::Source& inner_;
  bool& stands_in_text_;
  std::string quotation_;  // what stands before each line
  SalvageReport* salvage_;
  std::array<std::byte, 16384> buffer_;
  std::size_t held_ = 0;
  std::size_t next_ = 0;
  std::string line_;
  std::size_t at_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  std::optional<std::uint32_t> checksum_;
};

// Computes CRC-24 (RFC 9580, 6.1) and compares it with the armor's, if present.
class Dearmored final : public stream::Source {
 public:
  Dearmored(stream::Source& inner, bool& stands_in_text, SalvageReport* salvage)
      : body_(inner, stands_in_text, salvage),
        bytes_(decoder(stream::borrow(body_), salvage)),
        salvage_(salvage) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t bytes = bytes_->read(into);
    for (const std::byte byte : into.first(bytes)) add(byte);
    if (bytes < into.size() && body_.checksum() && body_.checksum() != (crc_ & 0xffffffU))
      damaged("its checksum does not fit", salvage_);
    return bytes;
  }
  void cancel() noexcept override { body_.cancel(); }

 private:
  static std::unique_ptr<stream::Source> decoder(std::unique_ptr<stream::Source> text,
                                                 SalvageReport* salvage) {
    return salvage == nullptr ? stream::base64_decoder(std::move(text))
                              : damaged_text(*salvage, std::move(text), TextEncoding::base64);
  }
  void add(std::byte byte) {
    crc_ ^= std::to_integer<std::uint32_t>(byte) << 16;
    for (int bit = 0; bit < 8; ++bit) {
      crc_ <<= 1;
      if ((crc_ & 0x1000000U) != 0) crc_ ^= 0x1864cfbU;
    }
  }

  ArmorBody body_;
  std::unique_ptr<stream::Source> bytes_;
  SalvageReport* salvage_;
  std::uint32_t crc_ = 0xb704ce;
};

}  // namespace

bool is_armor(std::span<const std::byte> head) {
  return find_begin(text_of(head)) != std::string_view::npos;
}

std::unique_ptr<stream::Source> dearmored(stream::Source& inner, bool& stands_in_text,
                                          SalvageReport* salvage) {
  return std::make_unique<Dearmored>(inner, stands_in_text, salvage);
}

}  // namespace fugu::format
