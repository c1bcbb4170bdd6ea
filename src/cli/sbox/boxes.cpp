// Boxes by their names, from files, and in batches.
#include "cli/sbox/operations.hpp"

#include <iterator>

#include "fugu/spectral/named/named.hpp"

namespace fugu::cli {
namespace {

constexpr Choice<BitOrder> kBitOrders[] = {
    {"lsb", BitOrder::lsb}, {"msb", BitOrder::msb}, {"sage", BitOrder::sage}};

std::optional<int> bits_option(const Arguments& arguments, std::string_view option, int most) {
  if (!arguments.has(option)) return std::nullopt;
  return static_cast<int>(number_value(arguments, option, 1, static_cast<std::uint64_t>(most), 0));
}

bool is_file(const std::string& operand) {
  std::error_code ignored;
  return operand == kStandardStream || std::filesystem::exists(operand, ignored);
}

void require_outputs_apart(const Arguments& arguments, const std::vector<std::string>& operands) {
  std::vector<std::string> files;
  std::ranges::copy_if(operands, std::back_inserter(files), is_file);
  std::vector<std::string> outputs;
  for (const char* option : {"output", "plot"})
    if (auto output = arguments.value(option)) outputs.push_back(std::move(*output));
  require_apart(secret_files(arguments), files, outputs);
}

// A name from fugu sbox list. Empty for any other name. Throws Error{usage} for a family with invalid
// parameters.
std::optional<spectral::SBox> listed_box(const std::string& name) {
  if (std::optional<spectral::SBox> box = initial_box(name)) return box;
  return with_context(fmt::format("'{}' is not a box", printable(name)),
                      [&] { return spectral::named_box(name); });
}

// " (did you mean AES?)" for a name that is nearly one of the list, or nothing.
std::string nearest_box(std::string_view operand) {
  const auto key = [](std::string_view name) {
    return spectral::box_key(name.substr(0, name.find_first_of(": ")));
  };
  std::vector<std::string> keys{"blowfish"};
  std::vector<std::string_view> names{"blowfish:1"};
  for (const spectral::BoxName& row : spectral::box_names()) {
    keys.push_back(key(row.name));
    names.push_back(row.name);
  }
  const auto nearest =
      format::nearest_word(key(operand), std::vector<std::string_view>(keys.begin(), keys.end()));
  if (!nearest) return "";
  const auto place = std::ranges::find(keys, *nearest) - keys.begin();
  return fmt::format(" (did you mean {}?)", names[static_cast<std::size_t>(place)]);
}

// Throws Error{io} for an operand that names nothing.
void require_something(const std::string& operand) {
  std::error_code ignored;
  if (operand == kStandardStream) return;
  if (std::filesystem::status(operand, ignored).type() != std::filesystem::file_type::not_found) return;
  throw Error(Errc::io,
              fmt::format("neither a file nor a named box{}; see fugu sbox list", nearest_box(operand)));
}

std::optional<NamedBox> built_in_box(const std::string& operand, const Arguments& arguments) {
  if (is_file(operand)) return std::nullopt;
  std::optional<spectral::SBox> box = keyed_box(operand, arguments);
  if (!box) box = listed_box(operand);
  if (!box) return std::nullopt;
  return NamedBox{operand, std::move(*box)};
}

}  // namespace

std::optional<std::uint32_t> field_option(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("field");
  if (!text) return std::nullopt;
  if (const auto polynomial = word_of(*text, 32)) return polynomial;
  refuse("--field takes a polynomial such as 0x11b, not '{}'", printable(*text));
}

BoxOptions box_options(const Arguments& arguments) {
  return {.parse = format_option(arguments),
          .inputs = bits_option(arguments, "inputs", spectral::kMaxInputs),
          .outputs = bits_option(arguments, "outputs", spectral::kMaxOutputs),
          .bit_order = choice_value(arguments, "bit-order", kBitOrders).value_or(BitOrder::lsb),
          .field = field_option(arguments)};
}

std::string box_list(bool is_json) {
  std::vector<spectral::BoxName> rows(spectral::box_names().begin(), spectral::box_names().end());
  rows.push_back({"Blowfish_initial_S1 to _S4", "8 x 32", "before a key is mixed in"});
  std::string text;
  auto boxes = nlohmann::ordered_json::array();
  for (const auto& [name, size, origin] : rows) {
    text += fmt::format("{:<36}{}, {}\n", name, size, origin);
    boxes.push_back({{"name", name}, {"size", size}, {"origin", origin}});
  }
  return is_json ? json_text({{"version", kJsonVersion}, {"boxes", boxes}}) : text;
}

void check_box_options(const Arguments& arguments, const std::vector<std::string>& operands) {
  require_outputs_apart(arguments, operands);
  if (arguments.has("key") && std::ranges::none_of(operands, is_keyed_name))
    refuse("--key is for blowfish:1 to blowfish:4");
  const auto is_name = [](const std::string& operand) { return !is_file(operand) && is_box(operand); };
  if (!std::ranges::all_of(operands, is_name)) return;
  for (const char* option : {"from", "inputs", "outputs", "bit-order", "batch"}) {
    if (arguments.has(option))
      refuse("--{} is for boxes in files, and {} is built in", option, printable(operands.front()));
  }
}

bool is_box(const std::string& operand) {
  return is_file(operand) || is_keyed_name(operand) || listed_box(operand);
}

std::vector<std::string> box_operands(const Arguments& arguments, std::size_t skipped) {
  const auto& operands = arguments.operands();
  std::vector<std::string> names(
      operands.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, operands.size())), operands.end());
  if (names.empty()) names.emplace_back(kStandardStream);
  return names;
}

std::optional<std::uint32_t> word_of(std::string_view text, int bits) {
  const std::optional<std::uint32_t> value = number_of(text);
  return value && std::uint64_t{*value} >> bits == 0 ? value : std::nullopt;
}

NamedBox read_only_box(const Arguments& arguments, std::size_t skipped) {
  const std::vector<std::string> names = box_operands(arguments, skipped);
  if (names.size() == 1) return read_one_box(names[0], arguments);
  refuse("{} takes one box, not {}", arguments.operands()[0], names.size());
}

NamedBox read_one_box(const std::string& operand, const Arguments& arguments) {
  if (std::optional<NamedBox> box = built_in_box(operand, arguments)) return std::move(*box);
  const BoxOptions options = box_options(arguments);
  if (is_univariate(options) && !is_file(operand)) return {operand, parse_box(operand, options)};
  return in_file(operand, [&]() -> NamedBox {
    require_something(operand);
    const auto [bytes, file] = read_all(operand, arguments);
    return {operand, parse_box(bytes, options), file};
  });
}

Boxes::Boxes(const std::string& operand, const Arguments& arguments) : operand_(operand) {
  if (!arguments.has("batch")) {
    one_ = read_one_box(operand, arguments);
    file_ = one_->file;
    return;
  }
  one_ = built_in_box(operand, arguments);
  if (one_) return;
  in_file(operand, [&] {
    require_something(operand);
    options_ = box_options(arguments);
    begin_batch(read_all(operand, arguments));
  });
}

void Boxes::begin_batch(FileBytes file) {
  file_ = file.file;
  bytes_ = std::move(file.bytes);
  if (!is_npy(bytes_, options_)) {
    lines_ = lines_of(bytes_);
    if (lines_.empty()) refuse("no boxes");
    return;
  }
  if (options_.bit_order == BitOrder::sage) refuse_sage_order();
  npy_ = npy_parts(bytes_);
  (void)integers_of(0, 1);
}

std::size_t Boxes::size() const {
  if (one_) return 1;
  return npy_ ? to_size(npy_->header.shape.rows) : lines_.size();
}

// The values of these rows. Errors are those of the whole array.
Array<std::int64_t> Boxes::integers_of(std::size_t first, std::size_t count) const {
  const auto& [header, payload] = *npy_;
  const std::size_t row = payload.size() / to_size(header.shape.rows);
  try {
    if (row * header.shape.rows == payload.size())
      return npy_integers({header.descr, {count, header.shape.columns, true}},
                          payload.substr(first * row, count * row));
  } catch (const Error&) {  // found again in the whole array
  }
  return npy_integers(header, payload);
}

std::vector<std::optional<NamedBox>> Boxes::read(std::size_t first, std::size_t count) const {
  if (one_) return {*one_};
  const Array<std::int64_t> integers = npy_ ? integers_of(first, count) : Array<std::int64_t>();
  const std::size_t columns = npy_ ? to_size(npy_->header.shape.columns) : 0;
  const auto box = [&](std::size_t i) {
    if (!npy_) return parse_box(lines_[i].text, options_);
    return box_of_row(integers.span().subspan((i - first) * columns, columns), options_);
  };
  std::vector<std::optional<NamedBox>> boxes(count);
  for (std::size_t i = first; i < first + count; ++i) {
    try {
      boxes[i - first] = {fmt::format("{}:{}", operand_, i + 1), box(i), file_};
    } catch (const Error& error) {
      const std::lock_guard lock(refusing_);
      refused_.emplace(i, error.text());
    }
  }
  return boxes;
}

void Boxes::report_refused() const {
  if (refused_.empty()) return;
  const auto& [first, reason] = *refused_.begin();
  const std::string_view unit = npy_ ? "row" : "line";
  const std::size_t number = npy_ ? first + 1 : lines_[first].number;
  std::string text = refused_.size() == 1
                         ? fmt::format("{} {} is not a box", unit, number)
                         : fmt::format("{} {}s are not boxes; {} {}", refused_.size(), unit, unit, number);
  text += ": " + reason;
  if (refused_.size() < size()) text += "; the others were reported";
  in_file(operand_, [&] { throw Error(Errc::usage, text); });
}

}  // namespace fugu::cli
