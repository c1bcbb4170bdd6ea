// What the page does with files: formats(), describe(), open() and seal(), for JavaScript.
#include <emscripten/bind.h>

#include <optional>
#include <utility>
#include <vector>

#include "fugu/format/codec.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"
#include "fugu/stream/tree.hpp"
#include "web/browser.hpp"

namespace fugu::web {
namespace {

using emscripten::val;
using format::Ability;
using format::Codec;
using format::OptionRow;
using format::OptionType;
using format::OptionUse;
using format::SecretKind;

std::string_view type_name(OptionType type) {
  constexpr std::string_view kNames[] = {"flag", "text", "word", "number", "bytes"};
  return kNames[static_cast<std::size_t>(type)];
}

// A row that decides what open() does.
val option_of(const OptionRow& row) {
  return object_of({{"name", row.name},
                    {"type", type_name(row.type)},
                    {"value", row.value},
                    {"help", row.help},
                    {"words", array_of(row.words, text_of)}});
}

val codec_value(const Codec& codec) {
  std::vector<OptionRow> options(codec.options.begin(), codec.options.end());
  std::erase_if(options, [](const OptionRow& option) {
    return option.use != OptionUse::open && option.use != OptionUse::both;
  });
  return object_of({{"name", codec.name},
                    {"summary", codec.summary},
                    {"madeBy", codec.made_by},
                    {"extensions", array_of(codec.extensions, text_of)},
                    {"passphrase", codec.takes(SecretKind::passphrase)},
                    {"key", codec.takes(SecretKind::key)},
                    {"holdsPasswords", codec.holds_passwords},
                    {"isDirectory", codec.can(Ability::tree)},
                    {"companion", codec.companion},
                    {"options", array_of(options, option_of)}});
}

// One row per format, in the order of the program.
val formats() {
  return array_of(format::codecs(), [](const Codec* codec) { return codec_value(*codec); });
}

// The encoding called `name`; empty: it is recognised.
std::optional<format::TextEncoding> encoding_named(const std::string& name) {
  using enum format::TextEncoding;
  for (const format::TextEncoding encoding : {binary, base64, hex})
    if (name == format::name_of(encoding)) return encoding;
  return std::nullopt;
}

// What the page asks for: {format, encoding, options: [[name, value]], secret: Uint8Array, isKey,
// acceptWeak, salvage}.
OpenOptions open_options(const val& request, const std::string& format) {
  OpenOptions options{.format = format};
  const val given = request["options"];
  for (int i = 0; i < given["length"].as<int>(); ++i)
    options.options.emplace_back(given[i][0].as<std::string>(), given[i][1].as<std::string>());
  options.accept_weak_evidence = request["acceptWeak"].as<bool>();
  options.salvage = request["salvage"].as<bool>();
  options.encoding = encoding_named(request["encoding"].as<std::string>());
  return options;
}

auth::SecretBytes secret_of(const val& request) {
  const val bytes = request["secret"];
  auth::SecretBytes secret(bytes["length"].as<std::size_t>());
  if (!secret.empty()) view_of(secret.span()).call<void>("set", bytes);
  return secret;
}

// Supplies the secret, and notes which parts failed.
class PageObserver final : public Observer {
 public:
  explicit PageObserver(const val& request)
      : kind_(request["isKey"].as<bool>() ? SecretKind::key : SecretKind::passphrase),
        secret_(secret_of(request)) {}

  SecretKind secret_kind() const override { return kind_; }

  const auth::SecretBytes& secret(const Codec&) override { return secret_; }

  void begin(const Codec& codec) override { codec_ = &codec; }

  void failed(const std::string& part, const Error& reason) override {
    val row = failure(reason);
    row.set("part", part);
    failed_.call<void>("push", row);
  }

  // What work() finds, for the page.
  val watch(const std::function<format::Opened()>& work) {
    try {
      return found(work());
    } catch (const Error& error) {
      throw Error(error.code(), error.text() + untried(error));
    }
  }

 private:
  val found(const format::Opened& opened) const {
    return object_of({{"format", codec_->name},
                      {"holdsPasswords", codec_->holds_passwords},
                      {"parameters", opened.parameters},
                      {"authenticated", opened.authenticated},
                      {"checked", opened.checked},
                      {"byTrial", opened.by_trial},
                      {"sure", format::is_sufficient(opened.evidence)},
                      {"notes", array_of(opened.notes, text_of)},
                      {"failed", failed_},
                      {"lost", format::what_is_lost(opened.salvage)}});
  }

  SecretKind kind_;
  auth::SecretBytes secret_;
  const Codec* codec_ = nullptr;
  val failed_ = val::array();
};

val description_value(const Codec& codec, format::Description description) {
  std::erase_if(description.fields, [](const auto& field) { return field.label.empty(); });
  const val fields = array_of(description.fields, [](const format::DescriptionField& field) {
    return object_of({{"label", field.label}, {"text", field.text}});
  });
  return object_of({{"format", codec.name}, {"title", description.title}, {"fields", fields}});
}

val names_of(const std::vector<const Codec*>& codecs) {
  return array_of(codecs, [](const Codec* codec) { return text_of(codec->name); });
}

// Says what the input is, without its secret: as `fugu info`.
val describe(val input, std::string format) {
  return guarded([&]() -> val {
    const Codec* const given = format.empty() ? nullptr : format::find_codec(format);
    format::Recognised found = format::recognise(source_of(std::move(input)), {}, given);
    if (given == nullptr && found.codecs.size() > 1)
      return object_of({{"candidates", names_of(found.codecs)}});
    if (given == nullptr && found.codecs.empty())
      throw Error(Errc::unknown_format, !found.other_program.empty()
                                            ? found.other_program
                                            : "the format is not recognised" +
                                                  (found.looks.empty() ? "" : " (" + found.looks + ")"));
    const Codec& codec = given != nullptr ? *given : *found.codecs.front();
    val result = description_value(codec, codec.describe(*found.source, format::OptionValues(codec.options)));
    result.set("encoding", text_of(format::name_of(found.encoding)));
    return result;
  });
}

val describe_directory(val directory) {
  return guarded([&] {
    const auto source = tree_source_of(std::move(directory));
    const Codec& codec = identify(*source);
    const auto head = format::open_tree_head(*source, codec);
    return description_value(codec, codec.describe(*head, format::OptionValues(codec.options)));
  });
}

val open_file(val input, val output, val request) {
  return guarded([&] {
    const auto format = request["format"].as<std::string>();
    PageObserver observer(request);
    const auto sink = sink_of(std::move(output));
    return observer.watch(
        [&] { return open(source_of(std::move(input)), *sink, observer, open_options(request, format)); });
  });
}

val open_directory(val input, val output, val request) {
  return guarded([&] {
    const auto format = request["format"].as<std::string>();
    PageObserver observer(request);
    const auto source = tree_source_of(std::move(input));
    const auto sink = tree_sink_of(std::move(output));
    return observer.watch([&] { return open(*source, *sink, observer, open_options(request, format)); });
  });
}

// Writes the program's own format.
val seal_file(val input, val output, val request) {
  return guarded([&] {
    PageObserver observer(request);
    const auto sink = sink_of(std::move(output));
    return object_of({{"parameters", seal(source_of(std::move(input)), *sink, observer)},
                      {"extension", format::default_codec().extensions.front()}});
  });
}

val headerless_formats() {
  const auto all = format::codecs();
  std::vector<const Codec*> codecs(all.begin(), all.end());
  std::erase_if(codecs, [](const Codec* codec) { return !format::has_files_without_header(*codec); });
  return names_of(codecs);
}

}  // namespace

EMSCRIPTEN_BINDINGS(files) {
  emscripten::function("formats", &formats);
  emscripten::function("headerlessFormats", &headerless_formats);
  emscripten::function("describe", &describe);
  emscripten::function("describeDirectory", &describe_directory);
  emscripten::function("open", &open_file);
  emscripten::function("openDirectory", &open_directory);
  emscripten::function("seal", &seal_file);
}

}  // namespace fugu::web
