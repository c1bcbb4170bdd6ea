// Converts between types of numbers and truth tables, and reads and writes the headers of .npy files.
#include "cli/lab/values.hpp"

#include <sys/mman.h>

#include <charconv>

namespace fugu::cli {
namespace {

// The range of numbers: all 0 or 1, all 1, all 1 or -1, or anything else.
enum class Look : std::uint8_t { bits, ones, signs, other };

constexpr std::size_t kValuesAtATime = std::size_t{1} << 16;

template <class T>
Look look_of(std::span<const T> values) {
  bool zero = false;
  bool minus = false;
  for (const T x : values) {
    zero = zero || x == T{0};
    minus = minus || x == T{-1};
    if ((zero && minus) || (x != T{0} && x != T{1} && x != T{-1})) return Look::other;
  }
  return zero ? Look::bits : minus ? Look::signs : Look::ones;
}

Look look_of(const Values& values) {
  return std::visit([](const auto& v) { return look_of(v.span()); }, values);
}

// Packs up to 64 values into a word; false if one is neither `zero` nor `one`.
template <class T>
bool pack(std::span<const T> values, T zero, T one, std::uint64_t& word) {
  std::array<std::uint8_t, 64> ones{};
  bool all = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ones[i] = values[i] == one;
    all = all && (values[i] == zero || values[i] == one);
  }
  spectral::pack(ones, word);
  return all;
}

template <class T>
[[noreturn]] void refuse_value(std::span<const T> values, bool polarity) {
  const auto foreign = [&](T x) { return x != T{1} && x != (polarity ? T{-1} : T{0}); };
  const auto at = std::ranges::find_if(values, foreign);
  refuse("value {} is {}, not {}", at - values.begin() + 1, *at,
         polarity ? "1 or -1 (a polarity)" : "0 or 1; --from hex reads hexadecimal digits");
}

// pack_word(values, word) packs up to 64 values; returns false, so that nothing is made, unless all are bits.
template <class T, class PackWord>
std::optional<PackedValues> packed_by(std::span<const T> values, threads::ThreadPool& pool,
                                      PackWord pack_word) {
  PackedValues result{std::vector<std::uint64_t>((values.size() + 63) / 64), values.size()};
  std::atomic<bool> all = true;
  pool.for_ranges(result.words.size(), kValuesAtATime / 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t w = first; w < last && all; ++w) {
      const auto part = values.subspan(64 * w, std::min<std::size_t>(64, values.size() - 64 * w));
      if (!pack_word(part, result.words[w])) all = false;
    }
  });
  if (!all) return std::nullopt;
  return result;
}

template <class T>
PackedValues packed(std::span<const T> values, bool polarity, threads::ThreadPool& pool) {
  auto result = packed_by(values, pool, [polarity](std::span<const T> part, std::uint64_t& word) {
    return polarity ? pack(part, T{1}, T{-1}, word) : pack(part, T{0}, T{1}, word);
  });
  if (!result) refuse_value(values, polarity);
  return *std::move(result);
}

// The row that begins at value `first` of a longer list; short rows may begin within a word.
spectral::TruthTable row_of(const PackedValues& values, std::uint64_t first, int variables) {
  spectral::TruthTable table(variables);
  if (variables < 6) {
    table.words()[0] = values.words[static_cast<std::size_t>(first / 64)] >> (first % 64) &
                       ((std::uint64_t{1} << table.size()) - 1);
  } else {
    std::copy_n(values.words.begin() + static_cast<std::ptrdiff_t>(first / 64), table.words().size(),
                table.words().begin());
  }
  return table;
}

// One table per row. Throws Error{usage} for rows that are not 2^0 to 2^30 values long.
Tables tables_of(PackedValues values, std::uint64_t columns) {
  const int variables = spectral::log2_exact(columns);
  Tables tables;
  if (values.count == columns) {
    tables.emplace_back(variables, std::move(values.words));
    return tables;
  }
  tables.reserve(static_cast<std::size_t>(values.count / columns));
  for (std::uint64_t first = 0; first < values.count; first += columns)
    tables.push_back(row_of(values, first, variables));
  return tables;
}

[[noreturn]] void refuse_ambiguous(Look look) {
  throw Error(Errc::usage,
              look == Look::ones
                  ? "all values are 1: give --as table for f = 1, --as values for the polarity of f = 0"
                  : "all values are 0 or 1: give --as table for a truth table, --as values for numbers");
}

PackedValues table_from(const Values& values, const Reading& reading) {
  const Look look = look_of(values);
  if (look == Look::ones && !reading.as) refuse_ambiguous(look);
  const bool polarity = look == Look::signs || reading.as == Meaning::values;
  return packed_values(values, polarity, reading.pool);
}

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
  if (sizes.empty() || sizes.size() > 2) refuse("the .npy array must have one or two dimensions");
  const Shape shape{sizes.size() == 2 ? sizes[0] : 1, sizes.back(), sizes.size() == 2};
  if (shape.rows == 0 || shape.columns == 0) refuse("the input holds no values");
  if (shape.rows > kMaxValues / shape.columns) refuse_shape(text);
  return shape;
}

NpyHeader parse_npy_header(std::string_view header) {
  if (field(header, "fortran_order") != "False")
    refuse("the .npy array is in Fortran order; save it in C order");
  const Shape shape = shape_of(field(header, "shape"));
  const std::string_view descr = field(header, "descr");
  const bool quoted = descr.size() > 2 && descr.front() == '\'' && descr.back() == '\'';
  return {std::string(quoted ? descr.substr(1, descr.size() - 2) : descr), shape};
}

}  // namespace

// Anonymous mappings grow without a copy, and the kernel backs them with huge pages.
Memory::~Memory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Memory::resize(std::size_t bytes) {
  if (bytes == bytes_ || bytes == 0) return;
  void* const mapped =
      data_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapped);
  bytes_ = bytes;
#if defined(MADV_HUGEPAGE)
  ::madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
}

std::uint64_t count_of(const Values& values) {
  return std::visit([](const auto& v) { return std::uint64_t{v.size()}; }, values);
}

Values as_type(Values values, ValueType type, threads::ThreadPool& pool) {
  if (static_cast<std::size_t>(type) == values.index()) return values;
  return std::visit(
      [&](const auto& from) {
        return values_of(type, [&](auto to) { return convert<decltype(to)>(from.span(), pool); });
      },
      values);
}

PackedValues packed_values(const Values& values, bool polarity, threads::ThreadPool& pool) {
  return std::visit([&](const auto& v) { return packed(v.span(), polarity, pool); }, values);
}

std::optional<PackedValues> packed_bytes(std::span<const std::uint8_t> bytes, threads::ThreadPool& pool) {
  return packed_by(bytes, pool, spectral::pack);
}

void reverse_rows(PackedValues& values, std::uint64_t columns) {
  // Moves bit x of a word to x ^ (columns - 1), stage by stage; rows of whole words are reversed word by
  // word.
  constexpr std::uint64_t kLow[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (std::uint64_t& word : values.words) {
    for (unsigned stage = 0; stage < 6 && std::uint64_t{2} << stage <= columns; ++stage) {
      const unsigned distance = 1u << stage;
      word = (word & kLow[stage]) << distance | (word >> distance & kLow[stage]);
    }
  }
  const auto row_words = static_cast<std::size_t>(columns / 64);
  for (std::size_t row = 0; row_words > 1 && row < values.words.size(); row += row_words)
    std::reverse(values.words.begin() + static_cast<std::ptrdiff_t>(row),
                 values.words.begin() + static_cast<std::ptrdiff_t>(row + row_words));
}

spectral::TruthTable reversed(spectral::TruthTable table) {
  PackedValues values{std::move(table.words()), table.size()};
  reverse_rows(values, table.size());
  return {table.variables(), std::move(values.words)};
}

Values numbers_of(const Tables& tables, TableMeans means, ValueType type, threads::ThreadPool& pool) {
  const std::size_t columns = tables.front().size();
  return values_of(type, [&](auto to) {
    Array<decltype(to)> numbers(to_size(std::uint64_t{columns} * tables.size()));
    pool.for_ranges(numbers.size(), kValuesAtATime, [&](std::size_t first, std::size_t last) {
      while (first < last) {
        const std::size_t x = first % columns;
        const std::size_t count = std::min(last - first, columns - x);
        spectral::expand(std::as_bytes(std::span(tables[first / columns].words())).subspan(x / 8), means,
                         numbers.span().subspan(first, count));
        first += count;
      }
    });
    return numbers;
  });
}

std::uint64_t count_of(const Content& content) {
  if (const auto* values = std::get_if<Values>(&content.data)) return count_of(*values);
  if (const auto* packed = std::get_if<PackedValues>(&content.data)) return packed->count;
  const auto& tables = std::get<Tables>(content.data);
  return tables.size() * tables.front().size();
}

void set_rows(Content& content, const Reading& reading) {
  const std::uint64_t count = count_of(content);
  if (count == 0) refuse("the input holds no values");
  Shape& shape = content.shape;
  if (reading.row_bits) {
    shape.columns = std::uint64_t{1} << *reading.row_bits;
  } else if (shape.columns == 0) {
    shape.columns = count;
  }
  spectral::log2_exact(shape.columns);
  if (count % shape.columns != 0) refuse("{} values are not whole rows of {}", count, shape.columns);
  shape.rows = count / shape.columns;
  auto* packed = std::get_if<PackedValues>(&content.data);
  if (packed != nullptr && reading.sage_order && reading.format == ValueFormat::hex)
    reverse_rows(*packed, shape.columns);
  shape.two_dimensional = shape.two_dimensional || shape.rows > 1;
}

std::variant<Values, Tables> meaning_of(Content content, const Reading& reading) {
  const std::uint64_t columns = content.shape.columns;
  if (auto* packed = std::get_if<PackedValues>(&content.data))
    content.data = tables_of(std::move(*packed), columns);
  if (auto* tables = std::get_if<Tables>(&content.data)) {
    if (reading.as != Meaning::values) {
      if (reading.needs == Needs::spectrum)
        refuse("this is a truth table, not a spectrum; --as values reads it as numbers");
      return std::move(*tables);
    }
    content.data =
        numbers_of(*tables, TableMeans::bits, reading.type.value_or(ValueType::int64), reading.pool);
  }
  Values& values = std::get<Values>(content.data);
  if (reading.needs == Needs::table || reading.as == Meaning::table)
    return tables_of(table_from(values, reading), columns);
  if (reading.needs == Needs::function && !reading.as && !content.named) {
    const Look look = look_of(values);
    if (look == Look::bits || look == Look::ones) refuse_ambiguous(look);
  }
  if (reading.type) values = as_type(std::move(values), *reading.type, reading.pool);
  return std::move(values);
}

std::size_t npy_header_bytes(std::string_view head) {
  if (!head.starts_with(kNpyMagic) || head.size() < kPreambleBytes)
    throw Error(Errc::damaged, "not an .npy file");
  const std::size_t major = byte_at(head, 6);
  if (major < 1 || major > 3 || byte_at(head, 7) != 0)
    refuse("unknown .npy version {}.{}: only 1.0, 2.0 and 3.0 can be read", major, byte_at(head, 7));
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
