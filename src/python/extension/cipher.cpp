// The cipher: messages, files and streams of bytes, with secrets that are wiped; its S-boxes and weak keys.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <tuple>

#include "fugu/auth/kdf.hpp"
#include "fugu/auth/secret.hpp"
#include "fugu/cipher/keyed_boxes.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/engine/cpu/weak_keys.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/fugu.hpp"
#include "fugu/mode/cipher.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

constexpr std::size_t kShortBytes = std::size_t{1} << 20;
constexpr std::size_t kSliceBytes = std::size_t{8}
                                    << 20;  // between looks at the stop token: a tenth of a second

// A character in UTF-8. Bytes that are not UTF-8 in an environment variable stand in os.environ as lone
// surrogates, and are bytes again here.
std::string_view utf8_of(Py_UCS4 character, std::array<char, 4>& room) {
  const auto bits = [character](int shift, unsigned mask) { return (character >> shift & mask); };
  const auto write = [&room](auto... bytes) {
    room = {static_cast<char>(bytes)...};
    return std::string_view(room.data(), sizeof...(bytes));
  };
  if (character < 0x80) return write(character);
  if (character < 0x800) return write(0xc0 | bits(6, 0x1f), 0x80 | bits(0, 0x3f));
  if (character >= 0xdc80 && character < 0xdd00) return write(bits(0, 0xff));
  if (character >= 0xd800 && character < 0xe000)
    throw nb::value_error("the passphrase has half of a surrogate pair");
  if (character < 0x10000) return write(0xe0 | bits(12, 0xf), 0x80 | bits(6, 0x3f), 0x80 | bits(0, 0x3f));
  return write(0xf0 | bits(18, 7), 0x80 | bits(12, 0x3f), 0x80 | bits(6, 0x3f), 0x80 | bits(0, 0x3f));
}

// Takes the characters one by one: Python would keep the UTF-8 form that it makes of a str, and it shares
// bytes objects of one byte, so neither could be wiped.
Secret passphrase_of_text(nb::handle text) {
  const Py_ssize_t length = PyUnicode_GetLength(text.ptr());
  std::array<char, 4> room{};
  const auto visit = [&](auto use) {
    for (Py_ssize_t i = 0; i < length; ++i) use(utf8_of(PyUnicode_ReadChar(text.ptr(), i), room));
  };
  std::size_t size = 0;
  visit([&size](std::string_view bytes) { size += bytes.size(); });
  auth::SecretBytes utf8(size);
  char* end = reinterpret_cast<char*>(utf8.data());
  visit([&end](std::string_view bytes) { end = std::copy(bytes.begin(), bytes.end(), end); });
  return Secret::passphrase({reinterpret_cast<const char*>(utf8.data()), size});
}

Secret passphrase_of(nb::handle object) {
  if (PyUnicode_Check(object.ptr())) return passphrase_of_text(object);
  const HostBuffer buffer(object, Access::read);
  const std::span bytes = buffer.plain_bytes();
  return Secret::passphrase({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Exactly one of the two is given.
Secret secret_of(const std::optional<nb::object>& passphrase, const std::optional<nb::object>& key) {
  if (passphrase) return passphrase_of(*passphrase);
  return Secret::key(HostBuffer(*key, Access::read).plain_bytes());
}

// Bytes that may be plaintext: they are wiped, in memory that never grew, however the call ends.
class SecretVector {
 public:
  SecretVector() = default;
  explicit SecretVector(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  SecretVector(SecretVector&&) = default;
  SecretVector& operator=(SecretVector&&) = delete;
  ~SecretVector() { core::wipe(bytes_.data(), bytes_.size()); }

  // Once.
  std::span<std::byte> allocate(std::size_t bytes) {
    bytes_.resize(bytes);
    return bytes_;
  }
  nb::bytes first(std::size_t bytes) const { return nb::bytes(bytes_.data(), bytes); }
  nb::bytes all() const { return first(bytes_.size()); }

 private:
  std::vector<std::byte> bytes_;
};

using Given = std::optional<nb::object>;

struct CodecChoice {
  std::string format;
  FormatOptions options;
  std::string engine;
  bool accept_weak_evidence;
  bool salvage;
};

// Runs `work(options)` with the chosen options and engine, for `bytes` of input, until Ctrl-C.
template <class Options, class Work>
auto with_options(const CodecChoice& choice, std::uint64_t bytes, Work work) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    const auto engine = engine::make(choice.engine, {.expected_bytes = bytes});
    const auth::RuledDerivations derivations({.stop = stop});
    Options options;
    options.format = choice.format;
    options.options = choice.options;
    options.engine = engine.get();
    options.stop = stop;
    if constexpr (std::is_same_v<Options, OpenOptions>) {
      options.accept_weak_evidence = choice.accept_weak_evidence;
      options.salvage = choice.salvage;
      options.spelling = Spelling::python;
    }
    return work(options);
  });
}

// 0 if not known.
std::uint64_t file_bytes(const std::string& name) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(name, unknown);
  return unknown ? 0 : bytes;
}

nb::bytes seal_bytes(nb::handle data_object, const Given& passphrase, const Given& key,
                     const CodecChoice& choice) {
  const HostBuffer buffer(data_object, Access::read);
  const std::span data = buffer.plain_bytes();
  const Secret secret = secret_of(passphrase, key);
  const auto sealed = with_options<SealOptions>(
      choice, data.size(), [&](const SealOptions& options) { return seal(data, secret, options); });
  return nb::bytes(sealed.data(), sealed.size());
}

std::pair<nb::bytes, format::Opened> open_bytes(nb::handle data_object, const Given& passphrase,
                                                const Given& key, const CodecChoice& choice) {
  const HostBuffer buffer(data_object, Access::read);
  const std::span data = buffer.plain_bytes();
  const Secret secret = secret_of(passphrase, key);
  format::Opened opened;
  const nb::bytes bytes =
      with_options<OpenOptions>(choice, data.size(), [&](const OpenOptions& options) {
        stream::MemorySink plaintext;
        opened = open(std::make_unique<stream::MemorySource>(data), plaintext, secret, options);
        return SecretVector(plaintext.take());
      }).all();
  return {bytes, opened};
}

// Runs `work(from, to, secret, options)`.
template <class Options, class Work>
auto with_files(nb::handle from_path, nb::handle to_path, const Given& passphrase, const Given& key,
                const CodecChoice& choice, Work work) {
  const std::string from = name_of(from_path);
  const std::string to = name_of(to_path);
  const Secret secret = secret_of(passphrase, key);
  return with_options<Options>(choice, file_bytes(from),
                               [&](const Options& options) { return work(from, to, secret, options); });
}

void seal_file_to(nb::handle from, nb::handle to, const Given& passphrase, const Given& key,
                  const CodecChoice& choice) {
  with_files<SealOptions>(from, to, passphrase, key, choice, [](const auto&... arguments) {
    seal_file(arguments...);
    return true;
  });
}

format::Opened open_file_to(nb::handle from, nb::handle to, const Given& passphrase, const Given& key,
                            const CodecChoice& choice) {
  return with_files<OpenOptions>(from, to, passphrase, key, choice,
                                 [](const auto&... arguments) { return open_file(arguments...); });
}

OpenedDirectory open_directory_to(nb::handle from, nb::handle to, const Given& passphrase, const Given& key,
                                  const CodecChoice& choice) {
  return with_files<OpenOptions>(from, to, passphrase, key, choice,
                                 [](const auto&... arguments) { return open_directory(arguments...); });
}

std::vector<std::string> recognise_bytes(nb::handle object) {
  const HostBuffer data(object, Access::read);
  std::vector<std::string> names;
  for (const format::Codec* codec : recognise(data.plain_bytes())) names.emplace_back(codec->name);
  return names;
}

mode::Padding padding_named(const std::string& name) {
  if (name == "pkcs7") return mode::Padding::pkcs7;
  if (name == "zero") return mode::Padding::zero;
  if (name == "space") return mode::Padding::space;
  if (name == "none") return mode::Padding::none;
  throw Error(Errc::usage, "no padding '" + name + "'; choose from pkcs7, zero, space and none");
}

// A Cipher for any number of Python's threads, one at a time.
class Message {
 public:
  Message(nb::handle key, const std::string& mode, nb::handle iv, bool decrypt, const std::string& padding,
          std::uint64_t offset)
      : cipher_(HostBuffer(key, Access::read).plain_bytes(), mode, HostBuffer(iv, Access::read).plain_bytes(),
                decrypt ? core::Direction::decrypt : core::Direction::encrypt,
                {.padding = padding_named(padding), .offset = offset}) {}

  nb::bytes update(nb::handle object) {
    const HostBuffer buffer(object, Access::read);
    const std::span data = buffer.plain_bytes();
    SecretVector out;
    data.size() <= kShortBytes ? short_update(data, out) : long_update(data, out);
    return out.all();
  }

  nb::bytes finish() {
    SecretVector out;
    std::size_t bytes = 0;
    run_short([&](const std::stop_token&) {
      const std::lock_guard lock(mutex_);
      bytes = cipher_.finish(out.allocate(Cipher::kMaxExtraBytes));
    });
    return out.first(bytes);
  }

 private:
  void short_update(std::span<const std::byte> in, SecretVector& out) {
    run_short([&](const std::stop_token&) {
      const std::lock_guard lock(mutex_);
      cipher_.update(in, out.allocate(cipher_.update_bytes(in.size())));
    });
  }

  // An interrupted call has no effect: the cipher keeps its earlier state.
  void long_update(std::span<const std::byte> in, SecretVector& out) {
    run_long([&](const std::stop_token& stop) {
      const std::lock_guard lock(mutex_);
      Cipher next = cipher_;
      const std::span all = out.allocate(next.update_bytes(in.size()));
      std::size_t written = 0;
      for (std::size_t at = 0; at < in.size(); at += kSliceBytes) {
        throw_if_stopped(stop);
        const std::span slice = in.subspan(at, std::min(kSliceBytes, in.size() - at));
        written += next.update(slice, all.subspan(written));
      }
      cipher_ = next;
    });
  }

  std::mutex mutex_;
  Cipher cipher_;
};

void bind_opened(nb::module_& module) {
  using format::Opened;
  nb::class_<Opened>(module, "Opened")
      .def_prop_ro("parameters", [](const Opened& opened) { return text_of(opened.parameters); })
      .def_prop_ro("certain", [](const Opened& opened) { return opened.evidence.certain; })
      .def_prop_ro("evidence_bits", [](const Opened& opened) { return opened.evidence.bits; })
      .def_ro("authenticated", &Opened::authenticated)
      .def_ro("by_trial", &Opened::by_trial)
      .def_ro("all_content", &Opened::all_content)
      .def_prop_ro("lost", [](const Opened& opened) { return text_of(format::what_is_lost(opened.salvage)); })
      .def_prop_ro("notes", [](const Opened& opened) -> nb::typed<nb::list, nb::str> {
        nb::list notes;
        for (const std::string& note : opened.notes) notes.append(text_of(note));
        return notes;
      });
  nb::class_<FailedPart>(module, "FailedPart")
      .def_prop_ro("path", [](const FailedPart& part) { return text_of(part.path); })
      .def_prop_ro("reason", [](const FailedPart& part) {
        return text_of(spelled(part.error.text(), Spelling::python));
      });
  nb::class_<OpenedDirectory>(module, "OpenedDirectory")
      .def_ro("opened", &OpenedDirectory::opened)
      .def_ro("failed", &OpenedDirectory::failed);
}

using spectral::SBox;

SBox blowfish_box(std::span<const std::uint32_t> words) {
  return {8, 32, {words.begin(), words.end()}};
}

// The consecutive boxes in `words`.
std::vector<SBox> boxes_in(std::span<const std::uint32_t> words) {
  std::vector<SBox> boxes;
  for (; !words.empty(); words = words.subspan(core::kSboxEntries))
    boxes.push_back(blowfish_box(words.first(core::kSboxEntries)));
  return boxes;
}

// The S-boxes before a key is mixed in.
std::vector<SBox> initial_sboxes() {
  return boxes_in(cipher::initial_sboxes());
}

std::vector<SBox> boxes_of_key(std::span<const std::byte> key) {
  cipher::Schedule schedule;
  cipher::expand(key, schedule);
  std::vector<SBox> boxes;
  for (const auto& box : schedule.s) boxes.push_back(blowfish_box(box));
  return boxes;
}

// The S-boxes of a key.
std::vector<SBox> blowfish_sboxes(nb::handle key_object) {
  return boxes_of_key(HostBuffer(key_object, Access::read).plain_bytes());
}

// The S-boxes of a random key, and as many random ones.
std::pair<std::vector<SBox>, std::vector<SBox>> random_sboxes(std::uint64_t seed) {
  const cipher::RandomKey made = cipher::random_key(seed);
  return {boxes_of_key(made.key), boxes_in(made.words)};
}

using WeakKeyTuple = std::tuple<std::uint64_t, int, std::uint32_t, std::uint32_t, std::uint32_t>;

std::vector<WeakKeyTuple> weak_keys(std::uint64_t first, std::uint64_t count) {
  const auto found = result_of(count * core::kSboxEntries, [&](const std::stop_token& stop) {
    const auto shown = begin_steps("keys", count, 0);
    const auto done = [&](std::uint64_t keys) {
      throw_if_stopped(stop);
      if (shown) shown(keys);
    };
    threads::ThreadPool pool(platform::usable_processors());
    return engine::cpu::find_weak_keys(first, count, pool, done);
  });
  std::vector<WeakKeyTuple> all;
  for (const cipher::WeakKey& weak : found) all.emplace_back(weak.key, weak.box, weak.x, weak.y, weak.value);
  return all;
}

}  // namespace

void bind_cipher(nb::module_& module) {
  using namespace nb::literals;
  bind_opened(module);
  nb::class_<CodecChoice>(module, "CodecChoice")
      .def(nb::init<std::string, FormatOptions, std::string, bool, bool>(), "format"_a, "options"_a,
           "engine"_a, "accept_weak_evidence"_a, "salvage"_a);
  module.def("seal", seal_bytes, "data"_a.none(), "passphrase"_a.none(), "key"_a.none(), "choice"_a);
  module.def("open", open_bytes, "data"_a.none(), "passphrase"_a.none(), "key"_a.none(), "choice"_a);
  module.def("seal_file", seal_file_to, "source"_a, "target"_a, "passphrase"_a.none(), "key"_a.none(),
             "choice"_a);
  module.def("open_file", open_file_to, "source"_a, "target"_a, "passphrase"_a.none(), "key"_a.none(),
             "choice"_a);
  module.def("open_directory", open_directory_to, "source"_a, "target"_a, "passphrase"_a.none(),
             "key"_a.none(), "choice"_a);
  module.def("recognise", recognise_bytes, "data"_a.none());
  nb::class_<Message>(module, "Message")
      .def(nb::init<nb::handle, const std::string&, nb::handle, bool, const std::string&, std::uint64_t>(),
           "key"_a.none(), "mode"_a, "iv"_a.none(), "decrypt"_a, "padding"_a, "offset"_a)
      .def("update", &Message::update, "data"_a.none())
      .def("finish", &Message::finish);
  module.def("initial_sboxes", initial_sboxes);
  module.def("blowfish_sboxes", blowfish_sboxes, "key"_a.none());
  module.def("random_sboxes", random_sboxes, "seed"_a);
  module.def("weak_keys", weak_keys, "first"_a, "count"_a);
}

}  // namespace fugu::python
