// A wallet's payload is what Qt's QDataStream writes: { QString folder, u32 entries, entries x { QString
// name, u32 type, QByteArray value } } to its end. A QString is its size in bytes as u32, ffffffff for null,
// and UTF-16BE.
#include "fugu/format/kwallet/detail/payload.hpp"

#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/reader.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kNull = 0xffffffff;
constexpr const char* kEndsEarly = "the wallet's content ends early; --to payload writes it as it is";

enum class EntryType : std::uint32_t { password = 1, stream = 2, map = 3 };  // of KWallet::Wallet

// A QByteArray; data() is null if the array is.
Bytes byte_array(Reader& reader) {
  const std::uint32_t size = reader.big(4);
  return size == kNull ? Bytes() : reader.take(size);
}

// A QString: the same with an even size.
Bytes string(Reader& reader) {
  const Bytes bytes = byte_array(reader);
  if (bytes.size() % 2 != 0) throw Error(Errc::damaged, kEndsEarly);
  return bytes;
}

// Whether `read` takes all of the value.
template <class Read>
bool holds(Bytes value, Read read) {
  try {
    Reader reader(value, kEndsEarly);
    read(reader);
    return reader.at_end();
  } catch (const Error&) {
    return false;
  }
}

bool is_map(Bytes value) {
  return holds(value, [](Reader& reader) {
    for (std::uint32_t pairs = reader.big(4); pairs != 0; --pairs) {
      string(reader);
      string(reader);
    }
  });
}

void write_string(JsonWriter& json, Bytes text) {
  text.data() == nullptr ? json.null() : json.text(text, Charset::utf16_big);
}

void write_map(JsonWriter& json, Bytes value) {
  Reader reader(value, kEndsEarly);
  const std::uint32_t pairs = reader.big(4);
  json.begin_object();
  for (std::uint32_t i = 0; i < pairs; ++i) {
    json.name(string(reader), Charset::utf16_big);
    write_string(json, string(reader));
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
  const bool is_text = type == EntryType::password && holds(value, string);
  const bool is_pairs = type == EntryType::map && is_map(value);
  const bool is_stream = type == EntryType::stream;
  json.name(is_text || is_pairs || is_stream || value.data() == nullptr ? "value" : "base64");
  if (is_text) {
    Reader reader(value, kEndsEarly);
    write_string(json, string(reader));
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
  json.name(string(reader), Charset::utf16_big);
  json.begin_object();
  const std::uint32_t entries = reader.big(4);
  for (std::uint32_t i = 0; i < entries; ++i) {
    json.name(string(reader), Charset::utf16_big);
    const auto type = static_cast<EntryType>(reader.big(4));
    write_entry(json, type, byte_array(reader));
  }
  json.end_object();
}

}  // namespace

void write_wallet_json(Bytes payload, stream::Sink& sink) {
  JsonWriter json(sink);
  Reader reader(payload, kEndsEarly);
  json.begin_object();
  while (!reader.at_end()) write_folder(json, reader);
  json.end_object();
}

}  // namespace fugu::format
