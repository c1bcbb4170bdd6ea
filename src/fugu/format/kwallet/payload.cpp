// A wallet's payload is what Qt's QDataStream writes: { QString folder, u32 entries, entries x { QString
// name, u32 type, QByteArray value } } to its end. A QString is its size in bytes as u32, ffffffff for null,
// and UTF-16BE.
#include "fugu/format/kwallet/detail/payload.hpp"

#include <optional>

#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kNull = 0xffffffff;

enum class EntryType : std::uint32_t { password = 1, stream = 2, map = 3 };  // of KWallet::Wallet

class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  std::optional<std::uint32_t> number() {
    const std::optional<Bytes> bytes = take(4);
    return bytes ? std::optional(static_cast<std::uint32_t>(load_big(*bytes))) : std::nullopt;
  }

  // A QByteArray; data() is null if the array is.
  std::optional<Bytes> byte_array() {
    const std::optional<std::uint32_t> size = number();
    if (!size) return std::nullopt;
    return *size == kNull ? Bytes() : take(*size);
  }

  // A QString: the same with an even size.
  std::optional<Bytes> string() {
    const std::optional<Bytes> bytes = byte_array();
    return bytes && bytes->size() % 2 == 0 ? bytes : std::nullopt;
  }

 private:
  std::optional<Bytes> take(std::size_t size) {
    if (size > bytes_.size()) return std::nullopt;
    const Bytes taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  Bytes bytes_;
};

template <class Value>
Value require(const std::optional<Value>& value) {
  if (value) return *value;
  throw Error(Errc::damaged, "the wallet's content ends early; --to payload writes it as it is");
}

bool is_map(Bytes value) {
  Reader reader(value);
  const std::optional<std::uint32_t> pairs = reader.number();
  for (std::uint32_t i = 0; pairs && i < *pairs; ++i) {
    if (!reader.string() || !reader.string()) return false;
  }
  return pairs && reader.at_end();
}

bool is_password(Bytes value) {
  Reader reader(value);
  return reader.string() && reader.at_end();
}

void write_string(JsonWriter& json, Bytes text) {
  text.data() == nullptr ? json.null() : json.text(text, Charset::utf16_big);
}

void write_map(JsonWriter& json, Bytes value) {
  Reader reader(value);
  const std::uint32_t pairs = require(reader.number());
  json.begin_object();
  for (std::uint32_t i = 0; i < pairs; ++i) {
    json.name(require(reader.string()), Charset::utf16_big);
    write_string(json, require(reader.string()));
  }
  json.end_object();
}

std::string name_of(EntryType type) {
  if (type == EntryType::password) return "password";
  if (type == EntryType::stream) return "stream";
  return type == EntryType::map ? "map" : "unknown";
}

// Programs may store anything under any type: a value not of its type is written as bytes.
void write_entry(JsonWriter& json, EntryType type, Bytes value) {
  json.begin_object();
  json.name("type");
  json.text(name_of(type));
  const bool is_text = type == EntryType::password && is_password(value);
  const bool is_pairs = type == EntryType::map && is_map(value);
  const bool is_stream = type == EntryType::stream;
  json.name(is_text || is_pairs || is_stream || value.data() == nullptr ? "value" : "base64");
  if (is_text) {
    write_string(json, require(Reader(value).string()));
  } else if (is_pairs) {
    write_map(json, value);
  } else if (value.data() == nullptr) {
    json.null();
  } else {
    json.base64(value);
  }
  json.end_object();
}

void write_folder(JsonWriter& json, Reader& reader) {
  json.name(require(reader.string()), Charset::utf16_big);
  json.begin_object();
  const std::uint32_t entries = require(reader.number());
  for (std::uint32_t i = 0; i < entries; ++i) {
    json.name(require(reader.string()), Charset::utf16_big);
    const auto type = static_cast<EntryType>(require(reader.number()));
    write_entry(json, type, require(reader.byte_array()));
  }
  json.end_object();
}

}  // namespace

void write_wallet_json(Bytes payload, stream::Sink& sink) {
  JsonWriter json(sink);
  Reader reader(payload);
  json.begin_object();
  while (!reader.at_end()) write_folder(json, reader);
  json.end_object();
}

}  // namespace fugu::format
