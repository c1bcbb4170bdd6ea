// Reads and writes the headers of .npy files.
#include "cli/lab/values.hpp"

#include <charconv>

namespace fugu::cli {
namespace {

constexpr std::size_t kPreambleBytes = 12;
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;

// More values of 16 bytes, complex ones, would overflow a 64-bit size.
constexpr std::uint64_t kMaxValues = std::numeric_limits<std::int64_t>::max() / 16;

std::size_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// The value of `key` in the dictionary of an .npy header, which NumPy writes as a Python literal.
std::string_view field(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    throw Error(Errc::damaged, fmt::format("the .npy header has no '{}'", key));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') : rest.find_first_of(",}");
  if (end == std::string_view::npos) throw Error(Errc::damaged, "the .npy header is truncated");
  return rest.substr(0, rest[end] == ')' ? end + 1 : end);
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

[[noreturn]] void refuse_shape(std::string_view text) {
  throw Error(Errc::damaged,
              fmt::format("the .npy header has no valid shape, but {}", printable(text.substr(0, 60))));
}

// A tuple of sizes: "(4,)", "(2, 3)". With one size the comma makes it a tuple.
std::vector<std::uint64_t> sizes_of(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) refuse_shape(text);
  std::string_view rest = text.substr(1, text.size() - 2);
  std::vector<std::uint64_t> sizes;
  bool comma = false;
  for (skip_spaces(rest); !rest.empty(); skip_spaces(rest)) {
    if (!sizes.empty() && !comma) refuse_shape(text);
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc()) refuse_shape(text);
    sizes.push_back(size);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    skip_spaces(rest);
    comma = rest.starts_with(',');
    if (comma) rest.remove_prefix(1);
  }
  if (sizes.size() == 1 && !comma) refuse_shape(text);
  return sizes;
}

Shape shape_of(std::string_view text) {
  const std::vector<std::uint64_t> sizes = sizes_of(text);
  if (sizes.empty() || sizes.size() > 2) {
    throw Error(Errc::usage, "the .npy array must have one or two dimensions");
  }
  const Shape shape{sizes.size() == 2 ? sizes[0] : 1, sizes.back(), sizes.size() == 2};
  if (shape.rows == 0 || shape.columns == 0) throw Error(Errc::usage, "the input holds no values");
  if (shape.rows > kMaxValues / shape.columns) refuse_shape(text);
  return shape;
}

NpyHeader parse_npy_header(std::string_view header) {
  if (field(header, "fortran_order") != "False") {
    throw Error(Errc::usage, "the .npy array is in Fortran order; save it in C order");
  }
  const Shape shape = shape_of(field(header, "shape"));
  const std::string_view descr = field(header, "descr");
  const bool quoted = descr.size() > 2 && descr.front() == '\'' && descr.back() == '\'';
  return {std::string(quoted ? descr.substr(1, descr.size() - 2) : descr), shape};
}

}  // namespace

std::size_t npy_header_bytes(std::string_view head) {
  if (!head.starts_with(kNpyMagic) || head.size() < kPreambleBytes)
    throw Error(Errc::damaged, "not an .npy file");
  const std::size_t major = byte_at(head, 6);
  if (major < 1 || major > 3 || byte_at(head, 7) != 0) {
    throw Error(Errc::usage, fmt::format("unknown .npy version {}.{}: only 1.0, 2.0 and 3.0 can be read",
                                         major, byte_at(head, 7)));
  }
  const std::size_t low = byte_at(head, 8) + 256 * byte_at(head, 9);
  const std::size_t high = major == 1 ? 0 : byte_at(head, 10) + 256 * byte_at(head, 11);
  const std::size_t bytes = (major == 1 ? 10 : 12) + low + 65536 * high;
  if (bytes > kMaxHeaderBytes) throw Error(Errc::damaged, "the .npy header is truncated");
  return bytes;
}

NpyParts npy_parts(std::string_view bytes) {
  const std::size_t start = npy_header_bytes(bytes);
  if (bytes.size() < start) throw Error(Errc::damaged, "the .npy header is truncated");
  return {parse_npy_header(bytes.substr(0, start)), bytes.substr(start)};
}

std::string npy_header(std::string_view descr, const Shape& shape) {
  const std::string sizes = shape.two_dimensional ? fmt::format("({}, {})", shape.rows, shape.columns)
                                                  : fmt::format("({},)", shape.columns);
  const std::string type = descr.starts_with('[') ? std::string(descr) : fmt::format("'{}'", descr);
  std::string dictionary = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", type, sizes);
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ').push_back('\n');
  std::string header(kNpyMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace fugu::cli
