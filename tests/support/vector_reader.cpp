#include "support/vector_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace fugu::test {
namespace {

constexpr std::size_t kMaxKeyBytes = 72;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(std::string(text)), name_(name) {}

  std::vector<Vector> run() {
    for (std::string line; std::getline(text_, line);) {
      ++line_;
      if (line.empty()) {
        end_record();
      } else if (line.front() != '#') {
        take_field(line);
      }
    }
    end_record();
    if (vectors_.empty()) fail("holds no vectors");
    return std::move(vectors_);
  }

 private:
  void take_field(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) fail("not 'field = value'");
    if (fields_.empty()) first_line_ = line_;
    if (!fields_.emplace(line.substr(0, equals), line.substr(equals + 3)).second) fail("field given twice");
  }

  void end_record() {
    if (fields_.empty()) return;
    Vector v;
    v.where = name_ + ":" + std::to_string(first_line_);
    v.mode = mode_of(take("mode"));
    v.words = order_of(take_or("words", "big"));
    v.counter = order_of(take_or("counter", "big"));
    v.key = bytes_of(take("key"));
    v.iv = bytes_of(take_or("iv", ""));
    v.plaintext = bytes_of(take("plaintext"));
    v.ciphertext = bytes_of(take("ciphertext"));
    if (!fields_.empty()) fail("unknown field '" + fields_.begin()->first + "'");
    check(v);
    vectors_.push_back(std::move(v));
  }

  void check(const Vector& v) const {
    const bool has_iv = v.mode != mode::Mode::ecb;
    const bool whole_blocks = v.mode == mode::Mode::ecb || v.mode == mode::Mode::cbc;
    if (v.key.empty() || v.key.size() > kMaxKeyBytes) fail("key is not 1 to 72 bytes");
    if (v.iv.size() != (has_iv ? core::kBlockBytes : 0)) fail("iv has the wrong size for this mode");
    if (v.plaintext.empty()) fail("plaintext is empty");
    if (v.plaintext.size() != v.ciphertext.size()) fail("plaintext and ciphertext differ in size");
    if (whole_blocks && v.plaintext.size() % core::kBlockBytes != 0) fail("not whole blocks");
    if (v.counter != core::ByteOrder::big && v.mode != mode::Mode::ctr) fail("counter is for ctr");
  }

  std::string take(const std::string& field) {
    auto node = fields_.extract(field);
    if (node.empty()) fail("record has no '" + field + "'");
    return node.mapped();
  }

  std::string take_or(const std::string& field, const char* otherwise) {
    return fields_.contains(field) ? take(field) : otherwise;
  }

  mode::Mode mode_of(const std::string& name) const {
    const auto mode = mode::mode_named(name);
    if (!mode) fail("unknown mode '" + name + "'");
    return *mode;
  }

  core::ByteOrder order_of(const std::string& name) const {
    if (name != "big" && name != "little") fail("byte order is 'big' or 'little'");
    return name == "big" ? core::ByteOrder::big : core::ByteOrder::little;
  }

  std::vector<std::byte> bytes_of(const std::string& hex) const {
    if (hex.size() % 2 != 0) fail("odd number of hex digits");
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(digit(hex[i]) * 16 + digit(hex[i + 1])));
    return bytes;
  }

  unsigned digit(char c) const {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    fail("not a lower-case hex digit");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(name_ + ":" + std::to_string(line_) + ": " + what);
  }

  std::istringstream text_;
  std::string name_;
  std::size_t line_ = 0;
  std::size_t first_line_ = 0;
  std::map<std::string, std::string> fields_;
  std::vector<Vector> vectors_;
};

}  // namespace

std::filesystem::path vectors_directory() {
  return FUGU_VECTORS_DIR;
}

std::vector<Vector> parse_vectors(std::string_view text, const std::string& name) {
  return Parser(text, name).run();
}

std::vector<Vector> read_vectors(const std::string& file) {
  const std::filesystem::path path = vectors_directory() / file;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(file + ": cannot be opened");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_vectors(text, file);
}

std::vector<Vector> read_all_vectors() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_directory()))
    if (entry.path().extension() == ".vec") files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw std::runtime_error("vectors/ holds no .vec file");
  std::vector<Vector> all;
  for (const std::string& file : files) {
    std::vector<Vector> vectors = read_vectors(file);
    std::move(vectors.begin(), vectors.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace fugu::test
