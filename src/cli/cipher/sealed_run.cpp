#include "cli/cipher/sealed_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/transfer.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

std::string text_of(const format::ByteRange& range) {
  return fmt::format("{}-{}", range.first, range.first + range.count - 1);
}

format::Job job(const CipherRun& run, stream::Source& source, stream::Sink& sink) {
  return {run.engine, source, sink, run.chunk_bytes, run.counters, {}};
}

}  // namespace

bool is_sealed(std::span<const std::byte> head) {
  const std::size_t bytes = std::min(head.size(), format::kSealedMagic.size());
  return bytes != 0 && std::ranges::equal(head.first(bytes), std::span(format::kSealedMagic).first(bytes));
}

format::SealedHeader sealed_header(stream::Source& source, format::SealedSlot given) {
  try {
    return format::read_sealed_header(source);
  } catch (const Error& error) {
    if (error.code() != Errc::damaged) throw;
    const char* secret = given == format::SealedSlot::key ? "key" : "passphrase";
    throw WholeMessage(error.code(), fmt::format("{}; the {} was not tried", error.text(), secret));
  }
}

void encrypt_sealed(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                    stream::Source& source, stream::Sink& sink) {
  format::encrypt_sealed(job(run, source, sink), {request.sealed.slot, secret});
}

Decrypted decrypt_sealed(const CipherRequest& request, const auth::SecretBytes& secret, const CipherRun& run,
                         stream::Source& source, stream::Sink& sink) {
  const format::SealedHeader header = sealed_header(source, request.sealed.slot);
  const format::SealedKeys keys = format::unlock_sealed(header, {request.sealed.slot, secret});
  const format::Job work = job(run, source, sink);
  Decrypted result{
      .parameters = "sealed, every segment authentic", .openssl = {}, .authenticated = true, .salvage = {}};
  if (request.sealed.salvage) {
    result.salvage = format::salvage_sealed(work, header, keys);
  } else if (request.sealed.range) {
    format::decrypt_sealed_range(work, header, keys, request.sealed.range->first,
                                 request.sealed.range->count);
  } else {
    format::decrypt_sealed(work, header, keys);
  }
  return result;
}

std::string describe(const format::SalvageReport& report) {
  std::string text;
  for (const format::ByteRange& range : report.lost)
    text += (text.empty() ? "bytes " : ", ") + text_of(range);
  if (!text.empty()) text += " failed authentication";
  if (report.end_lost)
    text += fmt::format("{}the end of the file is missing or damaged", text.empty() ? "" : "; ");
  return text;
}

SealedRange parse_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto first = parse_size(text.substr(0, colon));
  const std::string_view rest = text.substr(std::min(text.size(), colon) + (colon < text.size() ? 1 : 0));
  const auto count = rest.empty() ? std::nullopt : parse_size(rest);
  if (colon == std::string_view::npos || !first || (!rest.empty() && !count))
    throw Error(Errc::usage, "--range takes OFF:LEN or OFF:, sizes such as 4096, 64K or 1GiB");
  return {*first, count};
}

}  // namespace fugu::cli
