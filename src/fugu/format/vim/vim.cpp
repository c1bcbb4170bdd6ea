// Files that Vim encrypted with 'cryptmethod' blowfish ("VimCrypt~02!") or blowfish2 ("VimCrypt~03!").
//
//   "VimCrypt~02!" or "VimCrypt~03!" | salt 8 | seed 8 | ciphertext, as long as the text
//
// An undo file of ~03 is the same behind a magic number and the version 80 02; of a plain one, the version is
// 00 02, and what is encrypted here follows it (serialize_header() of Vim's undo.c).
//
// Words are little-endian. ~03 is CFB64 from the seed. In ~02 each block is combined with the encryption of
// the ciphertext block eight before it, and each of the first eight with that of the seed: known text in one
// of these reveals the other seven, so new files are never written in ~02. Neither has anything that reveals
// a wrong passphrase.
#include "fugu/format/detail/codecs.hpp"

#include <set>
#include <tuple>

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

constexpr Literal kMagic = "VimCrypt~";
constexpr std::string_view kMagic3 = "VimCrypt~03!";
constexpr Literal kUndo = "Vim\x9fUnDo\xe5\x80\x02VimCrypt~03!";
constexpr std::string_view kPlainUndo("Vim\x9fUnDo\xe5\0\x02", kUndo.size() - kMagic3.size());
constexpr std::size_t kSaltBytes = 8;
constexpr std::size_t kMinTextBytes = 64;  // so many bytes of noise are text in no charset
constexpr int kHashRounds = 1000;
constexpr std::size_t kLanes = 8;  // of VimCrypt~02
constexpr std::size_t kLaneBytes = kLanes * kBlockBytes;
constexpr std::size_t kMaxChunkBytes = kMaxRingBytes / kRingChunks;

struct Header {
  bool is_old = false;   // ~02
  bool is_undo = false;  // an undo file
  std::array<std::byte, kSaltBytes> salt{};
  mode::Iv seed;

  const char* describe() const { return is_old ? "VimCrypt~02! (blowfish)" : "VimCrypt~03! (blowfish2)"; }
};

// Throws Error{unknown_format} for methods other than Blowfish.
void check_method(std::string_view magic) {
  const auto refuse = [](const char* what) { throw Error(Errc::unknown_format, what); };
  if (!magic.starts_with(kMagic)) refuse("no 'VimCrypt~' at the beginning: not a file that Vim encrypted");
  const std::string_view method = magic.substr(kMagic.size(), 2);
  if (method == "02" || method == "03") return;
  if (method == "01") refuse("VimCrypt~01! is PkZip's cipher, not Blowfish: open it with Vim");
  if (method == "04" || method == "05")
    refuse("VimCrypt~04! and ~05! are libsodium's xchacha20, not Blowfish: open it with Vim");
  refuse("'VimCrypt~' with an unknown method");
}

Header read_header(Lookahead& source) {
  Header header;
  header.is_undo = text_of(source.peek(kUndo.size())) == kUndo;
  if (header.is_undo) source.skip(kPlainUndo.size());
  const std::vector<std::byte> magic = source.take(kMagic3.size(), "Vim's header");
  check_method(text_of(magic));
  header.is_old = text_of(magic) != kMagic3;
  std::ranges::copy(source.take(header.salt.size(), "Vim's header"), header.salt.begin());
  std::ranges::copy(source.take(header.seed.size(), "Vim's header"), header.seed.begin());
  return header;
}

auth::SecretBytes hex_of(const auth::SecretBytes& digest) {
  auth::SecretBytes text(2 * digest.size());
  stream::encode_hex(digest.span(), reinterpret_cast<char*>(text.data()));
  return text;
}

// SHA-256 of passphrase and salt as hexadecimal text, then a thousand times SHA-256 of that text and the
// salt.
cipher::Schedule derive_schedule(const auth::SecretBytes& passphrase, const Header& header) {
  auth::SecretBytes digest = auth::digest("sha256", {passphrase.span(), header.salt});
  for (int round = 0; round < kHashRounds; ++round)
    digest = auth::digest("sha256", {hex_of(digest).span(), header.salt});
  return schedule_of(digest.span());
}

mode::Settings cfb_settings(const Header& header) {
  return {.mode = Mode::cfb64, .iv = header.seed, .words = core::ByteOrder::little};
}

// Decrypts ~02. A chunk's keystream is the encryption of the ciphertext 64 bytes before it, so it is computed
// for all blocks at a time.
class OldDecryption {
 public:
  OldDecryption(engine::Engine& engine, const cipher::Schedule& schedule, const Header& header,
                std::size_t chunk_bytes)
      : engine_(engine), schedule_(schedule), keystream_(engine.allocate(chunk_bytes + kLaneBytes)) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      std::ranges::copy(header.seed, before_.begin() + static_cast<std::ptrdiff_t>(lane * kBlockBytes));
  }

  // Every piece but the last is a multiple of 64 bytes and fits the chunk.
  void decrypt(std::span<std::byte> piece) {
    if (piece.empty()) return;
    const std::span<std::byte> stream = keystream_.span();
    std::ranges::copy(before_, stream.begin());
    std::ranges::copy(piece, stream.begin() + kLaneBytes);
    if (piece.size() >= kLaneBytes) std::ranges::copy(piece.last(kLaneBytes), before_.begin());
    const std::size_t blocks = (piece.size() + kBlockBytes - 1) / kBlockBytes;
    const auto whole = stream.first(blocks * kBlockBytes);
    const engine::Segment segment{
        .schedule = &schedule_, .in = whole, .out = whole, .words = core::ByteOrder::little};
    engine_.run(engine::Op::ecb_encrypt, {&segment, 1});
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] ^= stream[i];
  }

 private:
  engine::Engine& engine_;
  const cipher::Schedule& schedule_;
  engine::Chunk keystream_;
  std::array<std::byte, kLaneBytes> before_;  // the ciphertext before the next piece
};

std::size_t chunk_bytes(const Job& job) {
  const std::size_t wanted =
      job.chunk_bytes != 0 ? job.chunk_bytes : std::min(parallel_chunk_bytes(job), kMaxChunkBytes);
  return std::max(kLaneBytes, wanted / kLaneBytes * kLaneBytes);
}

void decrypt_old(const Job& job, const cipher::Schedule& schedule, const Header& header) {
  OldDecryption decryption(job.engine, schedule, header, chunk_bytes(job));
  const auto work = [&](std::span<std::byte> chunk, std::size_t size_bytes, bool) {
    decryption.decrypt(chunk.first(size_bytes));
    return size_bytes;
  };
  pump_chunks(job, job.source, job.sink, chunk_bytes(job), 0, work);
}

// Per byte, whether a wrong key makes it at random: what was combined with a byte of the keystream before
// says nothing when it is combined again, as all of the first lanes are and lanes that repeat.
std::vector<std::uint8_t> fresh_of(std::span<const std::byte> ciphertext) {
  std::set<std::tuple<std::uint64_t, std::size_t, std::byte>> known;
  std::vector<std::uint8_t> fresh;
  for (std::size_t at = 0; at < ciphertext.size(); ++at) {
    const std::size_t block = at / kBlockBytes * kBlockBytes;
    const std::uint64_t input =
        block < kLaneBytes ? 0 : load_big(ciphertext.subspan(block - kLaneBytes, kBlockBytes));
    fresh.push_back(known.insert({input, at - block, ciphertext[at]}).second ? 1 : 0);
  }
  return fresh;
}

Evidence judge(const Job& job, Lookahead& source, const cipher::Schedule& schedule, const Header& header) {
  const auto seen = source.peek(kBeginningBytes);
  if (!header.is_old)
    return {.bits = std::max(0.0, beginning_bits(job.engine, schedule, cfb_settings(header), seen))};
  core::WipedBytes beginning(seen.begin(), seen.end());
  OldDecryption(job.engine, schedule, header, kBeginningBytes).decrypt(beginning);
  return {.bits = std::max(0.0, evidence_of(beginning, fresh_of(seen)).going_on[0].sure)};
}

// Vim takes the passphrase's bytes in its 'encoding', which may be Latin-1.
void try_latin1(const Job& job, Lookahead& source, const auth::SecretBytes& passphrase, const Header& header,
                cipher::Schedule& schedule, Opened& opened) {
  const Latin1 latin1 = to_latin1(passphrase.span());
  if (!latin1.whole || latin1.bytes.size() == passphrase.size()) return;
  const cipher::Schedule other = derive_schedule(latin1.bytes, header);
  const Evidence evidence = judge(job, source, other, header);
  if (evidence.bits <= opened.evidence.bits) return;
  schedule = other;
  opened.evidence = {.certain = false, .bits = std::max(0.0, evidence.bits - 1)};  // of two trials
  opened.notes.push_back("the passphrase fits in Latin-1, not in UTF-8");
}

Opened open_vim(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = read_header(source);
  count_read(job, static_cast<std::size_t>(source.position()));
  const auth::SecretBytes& passphrase = request.secret(SecretKind::passphrase);
  cipher::Schedule schedule = derive_schedule(passphrase, header);
  Opened opened;
  opened.parameters = header.describe();
  opened.evidence = judge(job, source, schedule, header);
  if (!is_sufficient(opened.evidence)) try_latin1(job, source, passphrase, header, schedule, opened);
  const bool is_text = opened.evidence.bits >= 1 || source.peek(kMinTextBytes).size() < kMinTextBytes;
  if (!is_text && !request.accept_weak_evidence)
    throw Error(Errc::wrong_key, "wrong passphrase, or not a text: it decrypts to noise; ⟦yes⟧ writes that");
  const Job rest = with_source(job, source);
  if (header.is_undo) write_counted(job, bytes_in(kPlainUndo));
  if (header.is_old) {
    decrypt_old(rest, schedule, header);
  } else {
    run_cipher(rest, schedule, cfb_settings(header), Direction::decrypt);
  }
  return opened;
}

std::string seal_vim(const Job& job, const SealRequest& request) {
  Header header;
  auth::random_bytes(header.salt);
  auth::random_bytes(header.seed);
  const cipher::Schedule schedule = derive_schedule(request.secret(SecretKind::passphrase), header);
  write_counted(job, bytes_in(kMagic3));
  write_counted(job, header.salt);
  write_counted(job, header.seed);
  run_cipher(job, schedule, cfb_settings(header), Direction::encrypt);
  return header.describe();
}

Description describe_vim(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  const Header header = read_header(source);
  Description description{.title = header.describe()};
  if (header.is_undo) description.add_text("content", "content", "the undo file of a text");
  description.add_text("method", "", header.is_old ? "blowfish" : "blowfish2");
  description.fields.push_back({"mode", std::string(header.is_old ? "cfb64 in eight lanes" : "cfb64"), "mode",
                                header.is_old ? "CFB64 in eight lanes with one IV: weak" : "CFB64"});
  description.fields.push_back({"words", std::string("little"), "words", "little-endian"});
  return description;
}

}  // namespace

const Codec kVimCodec{
    .name = "vim",
    .extensions = kExtensions<".vim">,
    .summary = "Vim with 'cryptmethod' blowfish or blowfish2 (writes blowfish2)",
    .made_by = "Vim 7.3 and later with +cryptv, MacVim",
    .wrong_secret = "nothing but how the text looks",
    .recognise = recognise_if<[](std::span<const std::byte> head) {
      return begins_with<kMagic>(head) || begins_with<kUndo>(head);
    }>,
    .open = open_vim,
    .seal = seal_vim,
    .describe = describe_vim,
    .is_serial = [](const OptionValues&, Direction direction) { return direction == Direction::encrypt; },
};

}  // namespace fugu::format
