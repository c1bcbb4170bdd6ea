// Reads the files of the second implementation in vectors/*/sealed*.kit; SEALED.md, "Test vectors", explains
// the fields.
#include "sealed_support.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::test {
namespace {

using Record = std::map<std::string, std::string>;

std::vector<Record> read_kit(const std::string& name) {
  std::ifstream file(vectors_directory() / name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<Record> records(1);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (line.empty()) {
      if (!records.back().empty()) records.emplace_back();
      continue;
    }
    const std::size_t equals = line.find(" =");
    const std::string value = line.substr(std::min(line.size(), equals + 3));
    EXPECT_TRUE(equals != std::string::npos && records.back().emplace(line.substr(0, equals), value).second)
        << line;
  }
  if (records.back().empty()) records.pop_back();
  return records;
}

// Returns the class in which a user would put the error: its code, and for damage what the text says.
std::string class_of(const Opened& opened) {
  if (opened.ok()) return "success";
  const std::string& text = opened.error->text();
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  switch (opened.error->code()) {
    case Errc::usage:
      return "usage";
    case Errc::wrong_key:
      return "wrong_key";
    case Errc::unknown_format:
      return says("is not a sealed file") ? "unknown_format" : "unsupported";
    case Errc::damaged:
      if (says("header is damaged")) return "damaged_header";
      if (says("it was truncated")) return "truncated";
      if (says("failed authentication")) return "damaged_payload";
      [[fallthrough]];
    default:
      return "unexpected: " + text;
  }
}

// The secret that a record's reader is given.
class RecordSecret {
 public:
  explicit RecordSecret(const Record& record)
      : bytes_(std::span<const std::byte>(bytes_of_hex(record.at("secret")))),
        slot_(record.at("slot") == "key" ? format::SealedSlot::key : format::SealedSlot::passphrase) {}

  format::SealedSecret operator*() const { return {slot_, bytes_}; }

 private:
  auth::SecretBytes bytes_;
  format::SealedSlot slot_;
};

format::SealedBounds bounds_of(const Record& record) {
  return {.min_segment_log2 = static_cast<unsigned>(std::stoul(record.at("min_segment_log2")))};
}

// Opens one file of the kit. Chunks of one segment and of many must give the same result. Every plaintext of
// the bad kits is pattern().
void check_file(SealedBench& bench, const Record& record) {
  const Bytes file = bytes_of_hex(record.at("file"));
  const RecordSecret secret(record);
  for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{96}, std::size_t{1} << 20}) {
    const Opened opened = bench.open(file, *secret, bounds_of(record), chunk_bytes,
                                     chunk_bytes != 96 ? Seekable::yes : Seekable::no);
    EXPECT_EQ(class_of(opened), record.at("class"));
    const std::size_t allowed = std::stoul(record.at("released"));
    if (opened.ok()) {
      EXPECT_EQ(opened.released.size(), allowed);
      EXPECT_EQ(test::hex_of(auth::sha256(opened.released)), record.at("released_sha256"));
    } else {
      EXPECT_LE(opened.released.size(), allowed);
      EXPECT_EQ(opened.released, pattern(opened.released.size()));
    }
  }
}

void check_kit(const std::string& name, std::size_t least) {
  const std::vector<Record> records = read_kit(name);
  EXPECT_GE(records.size(), least);
  SealedBench bench;
  for (const Record& record : records) {
    SCOPED_TRACE(record.at("name"));
    check_file(bench, record);
  }
}

TEST(SealedKit, GoldenFilesOpen) {
  check_kit("golden/sealed.kit", 60);
}
TEST(SealedKit, BadFilesFailInTheirClass) {
  check_kit("bad/sealed.kit", 260);
}
TEST(SealedKit, GoldenFilesOfVersion2Open) {
  check_kit("golden/sealed2.kit", 60);
}
TEST(SealedKit, BadFilesOfVersion2FailInTheirClass) {
  check_kit("bad/sealed2.kit", 260);
}

// Bytes of the plaintext of records of steps, from this offset of the file.
Bytes step_plaintext(std::uint64_t offset, std::size_t size) {
  const auto begin = static_cast<std::size_t>(offset % 251);
  return slice(pattern(begin + size), begin);
}

TEST(SealedKit, EveryStepToASegment) {
  const std::vector<Record> records = read_kit("golden/sealed_steps.kit");
  EXPECT_GE(records.size(), 25u);
  const auto engine = engine::make("auto");
  for (const Record& record : records) {
    SCOPED_TRACE(record.at("name"));
    const format::SealedHeader header = format::parse_sealed_header(bytes_of_hex(record.at("header")));
    EXPECT_EQ(std::to_string(header.version), record.at("version"));
    EXPECT_EQ(std::to_string(header.segment_log2), record.at("segment_log2"));
    const format::SealedKeys keys = format::unlock_sealed(header, *RecordSecret(record));
    EXPECT_EQ(hex_of(keys.file_key.span()), record.at("fk"));
    EXPECT_EQ(hex_of(keys.prk.span()), record.at("prk"));

    const std::uint64_t index = std::stoull(record.at("index"));
    const std::size_t size = std::stoul(record.at("content_bytes"));
    const Bytes plain = step_plaintext(index << header.segment_log2, size);
    BytesSource source(plain);
    BytesSink sink;
    format::sealed_work(core::Direction::encrypt, header, keys)
        .run({*engine, source, sink}, {.first = index, .to_end = size < header.segment_bytes()});
    ASSERT_EQ(sink.bytes.size(), size + 16);
    const std::span<const std::byte> stored(sink.bytes);
    EXPECT_EQ(hex_of(auth::sha256(stored.first(size))), record.at("content_sha256"));
    EXPECT_EQ(hex_of(stored.last(16)), record.at("tag"));
  }
}

Bytes edited(Bytes file, const std::string& edit) {
  const std::string what = edit.substr(0, edit.find(' '));
  const std::size_t number = what == "none" ? 0 : std::stoul(edit.substr(what.size()));
  if (what == "cut") file.resize(file.size() - number);
  if (what == "flip") file.at(number) ^= std::byte{1};
  if (what == "append") file.resize(file.size() + number);
  return file;
}

std::string lost_text(const format::SalvageReport& report) {
  std::string text;
  for (const format::ByteRange& range : report.lost)
    text += (text.empty() ? "" : " ") + std::to_string(range.first) + "-" +
            std::to_string(range.first + range.count - 1);
  return text;
}

TEST(SealedKit, RangesAndSalvage) {
  std::map<std::string, Record> files;
  for (const Record& record : read_kit("golden/sealed2.kit")) files.emplace(record.at("name"), record);
  const std::vector<Record> records = read_kit("golden/sealed_ranges.kit");
  EXPECT_GE(records.size(), 31u);
  SealedBench bench;
  for (const Record& record : records) {
    SCOPED_TRACE(record.at("name"));
    const Record& of = files.at(record.at("of"));
    const std::string& range = record.at("range");
    const Bytes file = edited(bytes_of_hex(of.at("file")), record.at("edit"));
    std::optional<format::SalvageReport> report;
    const auto read = [&](const auto&... opened) {
      if (range == "salvage") {
        report = format::salvage_sealed(opened...);
      } else {
        const std::size_t colon = range.find(':');
        format::decrypt_sealed_range(opened..., std::stoull(range), std::stoull(range.substr(colon + 1)));
      }
    };
    const Opened opened = bench.open_with(file, *RecordSecret(of), read, bounds_of(of));
    EXPECT_EQ(std::to_string(opened.released.size()), record.at("released"));
    EXPECT_EQ(hex_of(auth::sha256(opened.released)), record.at("released_sha256"));
    if (!report) {
      EXPECT_EQ(class_of(opened), record.at("class"));
      continue;
    }
    EXPECT_EQ(report->whole(), record.at("class") == "success");
    EXPECT_EQ(lost_text(*report), record.at("lost"));
    EXPECT_EQ(report->end_lost, record.at("end") == "lost");
    EXPECT_EQ(std::to_string(report->bytes_after_end), record.at("after_end"));
  }
}

}  // namespace
}  // namespace fugu::test
