// Packets of OpenPGP (RFC 9580, 4.2): their headers, the body of one as a source, and the packets inside
// encrypted data as a sink. Private to openpgp.
#pragma once

#include "fugu/format/detail/inflate.hpp"
#include "fugu/format/detail/lookahead.hpp"

namespace fugu::format {

// Whether ASCII armor (RFC 9580, 6) begins in the head, on a line of its own that may be quoted.
bool is_armor(std::span<const std::byte> head);

// Decodes the first armored message. `stands_in_text`: whether there is other text, once all was read. Throws
// Error{damaged} for a wrong checksum and for a truncated text; with a `salvage` they are noted there, and
// what decodes comes. `inner` outlives it.
std::unique_ptr<stream::Source> dearmored(stream::Source& inner, bool& stands_in_text,
                                          SalvageReport* salvage = nullptr);

enum class PacketTag : std::uint8_t {
  public_key_session_key = 1,
  signature = 2,
  symmetric_key_session_key = 3,
  one_pass_signature = 4,
  compressed = 8,
  encrypted = 9,
  marker = 10,
  literal = 11,
  encrypted_with_mdc = 18,
  mdc = 19,
  encrypted_aead = 20,
  padding = 21,
};

// The length of a body, or of its next part.
struct PacketLength {
  std::uint64_t bytes = 0;
  bool partial = false;     // another length follows these bytes
  bool to_the_end = false;  // it ends where the enclosing packet does
};

struct PacketHeader {
  PacketTag tag{};
  PacketLength length;
};

// Parses the header at the beginning of `bytes`; `used` is its size. Empty if they end inside it. Throws
// Error{damaged} for an invalid header.
std::optional<PacketHeader> parse_packet_header(std::span<const std::byte> bytes, std::size_t& used);
std::optional<PacketLength> parse_packet_length(std::span<const std::byte> bytes,
                                                std::size_t& used);  // new format

// Throws the Error{damaged} of bytes that no message owns.
[[noreturn]] void bytes_follow_the_message();

// The body of the last packet, whose header was taken from `source`, which outlives it.
class PacketBody final : public stream::Source {
 public:
  PacketBody(Lookahead& source, PacketLength length, SalvageReport* salvage)
      : source_(source), length_(length), salvage_(salvage) {}

  // Throws Error{damaged} when the source ends before the body does, or goes on after it; with a `salvage` it
  // is noted there.
  std::size_t read(std::span<std::byte> into) override;
  void cancel() noexcept override { source_.cancel(); }

 private:
  std::size_t ends_at(std::size_t filled);

  Lookahead& source_;
  PacketLength length_;
  SalvageReport* salvage_;
};

// Takes decrypted packets and passes the literal data on. Throws Error{damaged} for an invalid message, and
// from finish() for an incomplete one; with a `salvage` a damaged packet is noted there, and the others go
// on. `is_signed` becomes true where there is a signature. `inner` and the two outlive it.
std::unique_ptr<stream::Sink> message_content(stream::Sink& inner, OutputLimit limit, bool& is_signed,
                                              SalvageReport* salvage);

}  // namespace fugu::format
