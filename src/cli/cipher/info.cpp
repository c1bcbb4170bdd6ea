// fugu info: what a file says about itself. No key is needed, nothing is decrypted.
#include <fmt/format.h>

#include <array>

#include <vector>

#include "cli/cipher/files.hpp"
#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::cli {
namespace {

struct Info {
  std::string file;
  std::string encoding = "binary";
  std::string salt;                    // hexadecimal
  std::optional<std::uint64_t> bytes;  // of the ciphertext; unknown for pipes and base64
  std::optional<format::SealedHeader> sealed;
  std::optional<std::uint64_t> file_bytes;  // of a sealed file
};

constexpr std::size_t kHeaderBytes = 16;

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

Info look(const std::string& name) {
  auto source = open_input(name);
  const std::optional<std::uint64_t> size = source->size_bytes();
  std::array<std::byte, kHeaderBytes> header{};
  std::size_t got = source->read(header);
  Info info{.file = name, .salt = {}, .bytes = {}, .sealed = {}, .file_bytes = size};
  if (detect(std::span(header).first(got)) == Detected::sealed) {
    source = stream::prepend(std::span(header).first(got), std::move(source));
    info.sealed = format::read_sealed_header(*source);
    return info;
  }
  if (detect(std::span(header).first(got)) == Detected::salted_base64) {
    info.encoding = "base64";
    source = stream::base64_decoder(stream::prepend(std::span(header).first(got), std::move(source)));
    got = source->read(header);
  } else if (size) {
    info.bytes = *size - std::min<std::uint64_t>(*size, kHeaderBytes);
  }
  if (detect(std::span(header).first(got)) != Detected::salted) {
    throw Error(Errc::unknown_format,
                "the format is not recognised: neither sealed nor with the salt header of openssl enc");
  }
  if (got < kHeaderBytes) throw Error(Errc::damaged, "file ends inside its header: it was truncated");
  info.salt = hex(std::span(header).subspan(format::kSaltedMagic.size()));
  return info;
}

std::optional<std::uint64_t> plaintext_bytes(const Info& info) {
  if (!info.file_bytes) return std::nullopt;
  return format::claimed_plain_bytes(*info.sealed, *info.file_bytes);
}

std::string size_text(const Info& info) {
  if (!info.file_bytes) return "unknown: not a file";
  const std::optional<std::uint64_t> bytes = plaintext_bytes(info);
  if (!bytes) return "unknown: the file was truncated";
  const std::uint64_t segments = *bytes / info.sealed->segment_bytes() + 1;
  return fmt::format("{} bytes in {} segment{} of {} (not verified)", *bytes, segments,
                     segments == 1 ? "" : "s", info.sealed->segment_bytes());
}

std::string opens_with(const format::SealedHeader& header) {
  if (header.slot == format::SealedSlot::key) return "a key";
  return fmt::format("a passphrase (scrypt, N = 2^{}, r = {}, p = {})", header.cost.log2_n, header.cost.r,
                     header.cost.p);
}

std::string sealed_text(const Info& info) {
  return fmt::format(
      "{}: sealed, version 1\n  plaintext: {}\n  opens with: {}\n  cipher: Blowfish-448 CTR, a key a "
      "segment\n"
      "  authentication: Poly1305 a segment\n",
      input_title(info.file), size_text(info), opens_with(*info.sealed));
}

nlohmann::ordered_json sealed_json(const Info& info) {
  const format::SealedHeader& header = *info.sealed;
  const std::optional<std::uint64_t> bytes = plaintext_bytes(info);
  nlohmann::ordered_json row{{"file", info.file}, {"format", "sealed"}, {"version", 1}};
  row["slot"] = header.slot == format::SealedSlot::key ? "key" : "passphrase";
  if (header.slot == format::SealedSlot::passphrase) row["scrypt_log2_n"] = header.cost.log2_n;
  row["segment_bytes"] = header.segment_bytes();
  row["header_bytes"] = header.bytes.size();
  row["claimed_plaintext_bytes"] = bytes ? nlohmann::ordered_json(*bytes) : nlohmann::ordered_json();
  row["authenticated"] = true;
  return row;
}

std::string text(const Info& info) {
  if (info.sealed) return sealed_text(info);
  std::string lines =
      fmt::format("{}: openssl enc, salt {}, {}\n", input_title(info.file), info.salt, info.encoding);
  if (info.bytes) {
    lines += fmt::format(
        "  ciphertext: {} bytes{}\n", *info.bytes,
        *info.bytes % core::kBlockBytes == 0 ? "" : ", no whole blocks: bf-cfb or bf-ofb, or damaged");
  }
  return lines + "  not stored: cipher, digest, iterations, key length\n  authentication: none\n";
}

nlohmann::ordered_json json(const Info& info) {
  if (info.sealed) return sealed_json(info);
  nlohmann::ordered_json row{
      {"file", info.file}, {"format", "openssl"}, {"encoding", info.encoding}, {"salt", info.salt}};
  row["ciphertext_bytes"] = info.bytes ? nlohmann::ordered_json(*info.bytes) : nlohmann::ordered_json();
  row["authenticated"] = false;
  return row;
}

}  // namespace

int run_info(const Arguments& arguments) {
  int status = kSuccess;
  auto rows = nlohmann::ordered_json::array();
  for (const std::string& name : input_names(arguments)) {
    try {
      const Info info = look(name);
      if (arguments.has("json")) {
        rows.push_back(json(info));
      } else {
        write_text(text(info));
      }
    } catch (const ReaderGone&) {
      throw;
    } catch (const Error& error) {
      say(fmt::format("{}: {}", input_title(name), error.text()));
      status = worse(status, exit_status(error.code()));
    }
  }
  if (arguments.has("json")) write_result(json_text(rows));
  return status;
}

}  // namespace fugu::cli
