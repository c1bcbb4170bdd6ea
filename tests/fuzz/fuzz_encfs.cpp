// An EncFS volume with any configuration that asks for few iterations, and one file and one link of any name.
// Input: size of the configuration u16, size of a name u8, the configuration, the name, the file's content.
#include <algorithm>

#include "fuzz.hpp"
#include "support/tree.hpp"

namespace {

using namespace fugu;

std::span<const std::byte> take(std::span<const std::byte>& from, std::uint64_t bytes) {
  const auto taken = from.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, from.size())));
  from = from.subspan(taken.size());
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint64_t config_bytes = input.number(2);
  const std::uint64_t name_bytes = input.number(1);
  auto rest = input.rest();
  const auto config = take(rest, config_bytes);
  const auto named = take(rest, name_bytes);
  const std::string name(reinterpret_cast<const char*>(named.data()), named.size());
  const format::Codec* const codec = format::find_codec("encfs");
  fuzz::require(codec != nullptr, "no such codec");
  static_cast<void>(codec->recognise(config, config.size()));
  const format::OptionValues options(codec->options);
  const auth::SecretBytes passphrase(std::string_view("hello"));
  test::Tree tree;
  tree.files[std::string(codec->tree_heads.front())] = fuzz::Bytes(config.begin(), config.end());
  tree.files[name] = fuzz::Bytes(rest.begin(), rest.end());
  tree.links["l"] = name;
  test::TreeBytes source(tree);
  test::TreeKeeper sink;
  fuzz::try_to([&] {
    fuzz::BytesSource described(config);
    if (!fuzz::asks_for_few(codec->describe(described, options))) return;
    static_cast<void>(
        codec->open_tree({fuzz::engine(), source, sink, 0, nullptr, {}},
                         {options, format::AskSecret(format::SecretKind::passphrase, passphrase)}));
  });
  for (const auto& [path, bytes] : sink.tree.files)
    fuzz::require(stream::is_tree_name(path), "a file outside the directory");
  for (const auto& [path, target] : sink.tree.links)
    fuzz::require(stream::stays_inside({path}, target), "a link out of the directory");
  return 0;
}
