// Reads the files of the second implementation in vectors/golden/sealed.kit and vectors/bad/sealed.kit.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "fugu/auth/mac.hpp"
#include "sealed_support.hpp"
#include "support/hex.hpp"
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

class Kit {
 public:
  // Opens one file of the kit. Chunks of one segment and of many must give the same result.
  void check(const Record& record) {
    const Bytes file = bytes_of_hex(record.at("file"));
    const auth::SecretBytes bytes{std::span<const std::byte>(bytes_of_hex(record.at("secret")))};
    const bool key = record.at("slot") == "key";
    const format::SealedSecret secret{key ? format::SealedSlot::key : format::SealedSlot::passphrase, bytes};
    const format::SealedBounds bounds{.min_segment_log2 =
                                          static_cast<unsigned>(std::stoul(record.at("min_segment_log2")))};
    for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{96}, std::size_t{1} << 20}) {
      const Opened opened =
          bench_.open(file, secret, bounds, chunk_bytes, chunk_bytes != 96 ? Seekable::yes : Seekable::no);
      EXPECT_EQ(class_of(opened), record.at("class"));
      const std::size_t allowed = std::stoul(record.at("released"));
      if (opened.ok()) {
        EXPECT_EQ(opened.released.size(), allowed);
        EXPECT_EQ(test::hex_of(auth::sha256(opened.released)), record.at("released_sha256"));
      } else {
        check_prefix(opened.released, allowed);
      }
    }
  }

 private:
  // Every plaintext of the bad kit is pattern().
  static void check_prefix(const Bytes& released, std::size_t allowed) {
    ASSERT_LE(released.size(), allowed);
    EXPECT_EQ(released, pattern(released.size()));
  }

  SealedBench bench_;
};

void check_kit(const std::string& name, std::size_t least) {
  const std::vector<Record> records = read_kit(name);
  EXPECT_GE(records.size(), least);
  Kit kit;
  for (const Record& record : records) {
    SCOPED_TRACE(record.at("name"));
    kit.check(record);
  }
}

TEST(SealedKit, GoldenFilesOpen) {
  check_kit("golden/sealed.kit", 60);
}
TEST(SealedKit, BadFilesFailInTheirClass) {
  check_kit("bad/sealed.kit", 240);
}

}  // namespace
}  // namespace fugu::test
