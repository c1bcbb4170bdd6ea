#include "web/browser.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "fugu/auth/kdf.hpp"

namespace fugu::web {
namespace {

using emscripten::val;

constexpr std::uint32_t kManyIterations = 20'000;  // of PBKDF2: they take longer than beginning again

struct KeyWanted {};

void require_done(const val& said) {
  const auto text = said.as<std::string>();
  if (!text.empty()) throw Error(Errc::io, text);
}

class BrowserSource final : public stream::Source {
 public:
  explicit BrowserSource(val input)
      : input_(std::move(input)), size_(static_cast<std::uint64_t>(input_["size"].as<double>())) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::span<std::byte> some =
        into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - at_)));
    fetch(some, at_);
    at_ += some.size();
    return some.size();
  }

  std::optional<std::uint64_t> size_bytes() const override { return size_; }

  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    if (offset > size_ || into.size() > size_ - offset) return false;
    fetch(into, offset);
    return true;
  }

  std::optional<std::uint64_t> offset() override { return at_; }
  void advance(std::uint64_t bytes) override { at_ = std::min(size_, at_ + bytes); }

  std::unique_ptr<stream::Source> companion(std::string_view extension) const override {
    val beside = input_.call<val>("companion", std::string(extension));
    return beside.isNull() ? nullptr : source_of(std::move(beside));
  }

 private:
  void fetch(std::span<std::byte> into, std::uint64_t offset) {
    if (!into.empty()) require_done(input_.call<val>("read", static_cast<double>(offset), view_of(into)));
  }

  val input_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
};

class BrowserSink final : public stream::Sink {
 public:
  explicit BrowserSink(val output) : output_(std::move(output)) {}

  void write(std::span<const std::byte> from) override {
    if (!from.empty()) require_done(output_.call<val>("write", view_of(from)));
  }
  void finish() override { require_done(output_.call<val>("finish")); }

 private:
  val output_;
};

class BrowserTree final : public stream::TreeSource {
 public:
  explicit BrowserTree(val directory) : directory_(std::move(directory)) {}

  stream::TreeListing list(const stream::TreePath& path) override {
    const val names = directory_.call<val>("list", stream::text_of(path));
    stream::TreeListing listing;
    for (int i = 0; i < names["length"].as<int>(); ++i) {
      const auto kind =
          names[i]["directory"].as<bool>() ? stream::TreeEntryKind::directory : stream::TreeEntryKind::file;
      listing.entries.push_back({names[i]["name"].as<std::string>(), kind});
    }
    std::ranges::sort(listing.entries, {}, &stream::TreeEntry::name);
    return listing;
  }

  stream::FileAttributes attributes(const stream::TreePath&) override { return {}; }

  std::unique_ptr<stream::Source> open(const stream::TreePath& file) override {
    val opened = directory_.call<val>("open", stream::text_of(file));
    if (opened.isNull()) throw Error(Errc::io, "cannot open: no such file");
    return source_of(std::move(opened));
  }

  // A browser shows no links.
  std::string link_target(const stream::TreePath&) override { throw Error(Errc::io, "cannot read a link"); }

 private:
  val directory_;
};

class BrowserTreeSink final : public stream::TreeSink {
 public:
  explicit BrowserTreeSink(val directory) : directory_(std::move(directory)) {}

  void make_directory(const stream::TreePath& path, const stream::FileAttributes&) override {
    require_names(path);
    directory_.call<void>("directory", stream::text_of(path));
  }

  void make_file(const stream::TreePath& path, const std::optional<stream::FileAttributes>&,
                 const std::function<void(stream::Sink&)>& write) override {
    require_names(path);
    BrowserSink file(directory_.call<val>("file", stream::text_of(path)));
    write(file);
    file.finish();
  }

  void make_link(const stream::TreePath&, const std::string&) override {
    throw Error(Errc::io, "is a link, which a browser cannot save");
  }

 private:
  static void require_names(const stream::TreePath& path) {
    if (!std::ranges::all_of(path, stream::is_tree_name))
      throw Error(Errc::io, "a name leads out of its directory");
  }

  val directory_;
};

std::string_view name_of(Errc code) {
  constexpr std::string_view kNames[] = {"usage",          "io",     "wrong_key", "damaged",
                                         "unknown_format", "engine", "no_device", "mismatch",
                                         "interrupted",    "memory", "undecided"};
  return kNames[static_cast<std::size_t>(code)];
}

// The worker's derivedKey() has the key, or derives it once the call has ended.
bool derive_in_browser(const std::string& digest, const auth::SecretBytes& passphrase,
                       std::span<const std::byte> salt, std::uint32_t iterations, std::span<std::byte> key) {
  if (iterations < kManyIterations) return false;
  const val found = val::global().call<val>("derivedKey", digest, view_of(passphrase.span()), view_of(salt),
                                            iterations, static_cast<unsigned>(key.size()));
  if (found.isFalse()) throw KeyWanted{};
  if (found.isNull()) return false;
  view_of(key).call<void>("set", found);
  return true;
}

}  // namespace

std::unique_ptr<stream::Source> source_of(val input) {
  return std::make_unique<BrowserSource>(std::move(input));
}

std::unique_ptr<stream::Sink> sink_of(val output) {
  return std::make_unique<BrowserSink>(std::move(output));
}

std::unique_ptr<stream::TreeSource> tree_source_of(val directory) {
  return std::make_unique<BrowserTree>(std::move(directory));
}

std::unique_ptr<stream::TreeSink> tree_sink_of(val directory) {
  return std::make_unique<BrowserTreeSink>(std::move(directory));
}

val failure(const Error& error) {
  return object_of({{"error", error.text()}, {"code", name_of(error.code())}});
}

val guarded(const std::function<val()>& work) {
  const auth::RuledDerivations derivations({.fast_pbkdf2 = &derive_in_browser});
  try {
    return work();
  } catch (const KeyWanted&) {
    return object_of({{"again", true}});
  } catch (const Error& error) {
    return failure(error);
  } catch (const std::bad_alloc&) {
    return failure(Error(Errc::memory, "not enough memory in this tab"));
  } catch (const std::exception& error) {
    return failure(Error(Errc::engine, std::string("unexpected failure: ") + error.what()));
  }
}

val object_of(std::initializer_list<Member> members) {
  val object = val::object();
  for (const Member& member : members) object.set(member.name, member.value);
  return object;
}

val view_of(std::span<const std::byte> bytes) {
  return val(
      emscripten::typed_memory_view(bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data())));
}

}  // namespace fugu::web
