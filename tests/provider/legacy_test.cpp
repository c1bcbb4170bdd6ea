// Compares fugu.so with OpenSSL's legacy provider: the same calls must give the same results, parameters,
// bytes and error reasons. FUGU_PROVIDER_SEQUENCES is the number of random sequences, 2000 by default.
#include <openssl/core_names.h>
#include <openssl/err.h>

#include "library.hpp"
#include "support/testing.hpp"

namespace fugu::provider {
namespace {

using test::Random;

constexpr std::array<const char*, 4> kModes{"BF-ECB", "BF-CBC", "BF-CFB", "BF-OFB"};
constexpr std::size_t kContexts = 3;

// One provider, with the calls of a sequence.
struct Side {
  explicit Side(std::pair<const char*, const char*> provider) : library({provider}) {
    for (std::size_t i = 0; i < kModes.size(); ++i) ciphers[i] = fetch(library, kModes[i]);
    start_anew();
  }
  void start_anew() {
    for (Context& context : contexts) context.reset(EVP_CIPHER_CTX_new());
  }

  Library library;
  std::array<CipherHandle, kModes.size()> ciphers;
  std::array<Context, kContexts> contexts;
};

// All that the caller of a function can see.
struct Seen {
  int result = 0;
  int length = -1;
  Bytes memory;
  int reason = 0;
  std::array<std::size_t, 4> numbers{};  // keylen, ivlen, padding, num
  Bytes ivs;

  bool operator==(const Seen&) const = default;
};

void look_at_parameters(EVP_CIPHER_CTX* context, Seen& seen) {
  if (EVP_CIPHER_CTX_get0_cipher(context) == nullptr) return;
  unsigned padding = 99;
  unsigned num = 99;
  unsigned char iv[16] = {};
  unsigned char updated[16] = {};
  OSSL_PARAM list[] = {
      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &seen.numbers[0]),
      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &seen.numbers[1]),
      OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
      OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv, sizeof iv),
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, updated, sizeof updated),
      OSSL_PARAM_construct_end()};
  EVP_CIPHER_CTX_get_params(context, list);
  seen.numbers[2] = padding;
  seen.numbers[3] = num;
  for (const auto* value : {iv, updated}) {
    const auto bytes = std::as_bytes(std::span(value, 8));
    seen.ivs.insert(seen.ivs.end(), bytes.begin(), bytes.end());
  }
  seen.ivs.push_back(static_cast<std::byte>(list[4].return_size));
  seen.ivs.push_back(static_cast<std::byte>(list[5].return_size));
}

// A call with random arguments, made with one provider, then with the other.
struct Call {
  std::string text;
  std::size_t context;
  std::function<void(Side&, EVP_CIPHER_CTX*, Seen&)> make;
};

Seen make(const Call& call, Side& side) {
  Seen seen;
  ERR_clear_error();
  EVP_CIPHER_CTX* const context = side.contexts[call.context].get();
  call.make(side, context, seen);
  seen.reason = ERR_GET_REASON(ERR_peek_last_error());
  look_at_parameters(context, seen);
  return seen;
}

// Nums below this have the same effect with both providers. fugu takes those within a block; OpenSSL 3.0
// takes any, and a later release that takes none from 1 on in CFB has only 0 in common.
std::size_t common_nums(const Side& legacy) {
  const Context context(EVP_CIPHER_CTX_new());
  EVP_CipherInit_ex2(context.get(), legacy.ciphers[2].get(), nullptr, nullptr, 1, nullptr);
  const auto takes = [&](int num) { return EVP_CIPHER_CTX_set_num(context.get(), num) == 1; };
  if (!takes(7)) return 1;
  return takes(8) ? 8 : 10;
}

class Sequence {
 public:
  // Returns a random num below `nums`.
  Sequence(std::uint64_t seed, std::size_t nums) : random_(seed), nums_(nums) {}

  Call next() {
    context_ = below(kContexts);
    State& state = states_[context_];
    if (!state.chosen) return choose(state);
    switch (below(16)) {
      case 0:
        return choose(state);
      case 1:
      case 2:
        return restart(state);
      case 3:
        return set_key_length();
      case 4:
        return set_padding();
      case 5:
        return set_number();
      case 6:
        return copy();
      case 7:
        return one_shot();
      case 8:
      case 9:
        return finish();
      default:
        return update(state);
    }
  }

  // Updates how many bytes a context holds, since only calls of contexts that hold none may work in place.
  void learn(const Call& call, const Seen& seen) {
    State& state = states_[call.context];
    if (seen.length < 0 || seen.result != 1) return;
    state.held += call.text.starts_with("update") ? last_bytes_ - static_cast<std::size_t>(seen.length) : 0;
    if (call.text.starts_with("finish")) state.held = 0;
  }

 private:
  struct State {
    bool chosen = false;
    std::size_t held = 0;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  Call choose(State& state) {
    const std::size_t mode = below(kModes.size());
    const bool fresh = one_in(2);
    state = {true, 0};
    return init(std::string("choose ") + kModes[mode], mode, fresh);
  }

  Call restart(State& state) {
    state.held = 0;
    return init("init", kModes.size(), false);
  }

  Call init(std::string text, std::size_t mode, bool fresh) {
    const Bytes key = one_in(3) ? Bytes{} : test::random_bytes(random_, 128);
    const Bytes iv = one_in(3) ? Bytes{} : test::random_bytes(random_, 8);
    const int direction = static_cast<int>(below(3)) - (mode == kModes.size() ? 1 : 0);
    const unsigned padding = below(2) != 0 ? 1 : 0;
    const auto num = static_cast<unsigned>(below(nums_));
    const bool with_params = one_in(4);
    text += " key " + std::to_string(key.size()) + " iv " + std::to_string(iv.size()) + " direction " +
            std::to_string(direction);
    return {text, context_, [=](Side& side, EVP_CIPHER_CTX* context, Seen& seen) {
              if (fresh) EVP_CIPHER_CTX_reset(context);
              unsigned values[] = {padding, num};
              const OSSL_PARAM list[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &values[0]),
                                         OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &values[1]),
                                         OSSL_PARAM_construct_end()};
              const EVP_CIPHER* const cipher = mode == kModes.size() ? nullptr : side.ciphers[mode].get();
              seen.result = EVP_CipherInit_ex2(context, cipher, key.empty() ? nullptr : octets(key),
                                               iv.empty() ? nullptr : octets(iv), std::min(direction, 1),
                                               with_params ? list : nullptr);
            }};
  }

  Call set_key_length() {
    const int bytes = one_in(8) ? static_cast<int>(73 + below(50)) : static_cast<int>(1 + below(72));
    return {"key length " + std::to_string(bytes), context_, [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.result = EVP_CIPHER_CTX_set_key_length(context, bytes);
              seen.length = EVP_CIPHER_CTX_get_key_length(context);
            }};
  }

  Call set_padding() {
    const int padding = static_cast<int>(below(2));
    return {"padding " + std::to_string(padding), context_, [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.result = EVP_CIPHER_CTX_set_padding(context, padding);
            }};
  }

  Call set_number() {
    const int number = static_cast<int>(below(nums_));
    return {"num " + std::to_string(number), context_, [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.result = EVP_CIPHER_CTX_set_num(context, number);
              seen.length = EVP_CIPHER_CTX_get_num(context);
            }};
  }

  Call copy() {
    const std::size_t from = below(kContexts), to = context_;
    if (from != to && states_[from].chosen) states_[to] = states_[from];
    return {"copy of " + std::to_string(from), to, [=](Side& side, EVP_CIPHER_CTX* context, Seen& seen) {
              if (from == to || EVP_CIPHER_CTX_get0_cipher(side.contexts[from].get()) == nullptr) return;
              seen.result = EVP_CIPHER_CTX_copy(context, side.contexts[from].get());
            }};
  }

  std::size_t some_bytes() {
    switch (below(8)) {
      case 0:
        return below(2);
      case 1:
        return below(5000);
      case 2:
        return 8 * below(300);
      default:
        return below(40);
    }
  }

  Call update(const State& state) {
    const Bytes data = test::random_bytes(random_, some_bytes());
    const bool in_place = state.held == 0 && one_in(2);
    last_bytes_ = data.size();
    const std::string text = "update " + std::to_string(data.size()) + (in_place ? " in place" : "");
    return {text, context_, [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.memory = data;
              seen.memory.resize(2 * data.size() + 64, std::byte{0x5a});
              auto* const in = reinterpret_cast<unsigned char*>(seen.memory.data());
              unsigned char* const out = in_place ? in : in + data.size();
              seen.result = EVP_CipherUpdate(context, out, &seen.length, in, static_cast<int>(data.size()));
            }};
  }

  Call finish() {
    return {"finish", context_, [](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.memory.assign(64, std::byte{0x5a});
              seen.result = EVP_CipherFinal_ex(context, reinterpret_cast<unsigned char*>(seen.memory.data()),
                                               &seen.length);
            }};
  }

  // Calls EVP_Cipher() with whole blocks, as its manual requires.
  Call one_shot() {
    const Bytes data = test::random_bytes(random_, 8 * below(20));
    return {"EVP_Cipher " + std::to_string(data.size()), context_,
            [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
              seen.memory.assign(data.size() + 64, std::byte{0x5a});
              seen.result = EVP_Cipher(context, reinterpret_cast<unsigned char*>(seen.memory.data()),
                                       octets(data), static_cast<unsigned>(data.size()));
            }};
  }

  Random random_;
  std::size_t nums_;
  std::array<State, kContexts> states_;
  std::size_t context_ = 0;  // of the call that is being made
  std::size_t last_bytes_ = 0;
};

std::uint64_t sequences() {
  const char* const given = std::getenv("FUGU_PROVIDER_SEQUENCES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : test::cases(2000);
}

TEST(Provider, DoesWhatLegacyDoes) {
  constexpr int kCalls = 40;
  Side fugu(kFugu);
  Side legacy(kLegacy);
  const std::size_t nums = common_nums(legacy);
  std::size_t good_updates = 0;
  for (std::uint64_t seed = 0; seed < sequences(); ++seed) {
    Sequence sequence(seed, nums);
    fugu.start_anew();
    legacy.start_anew();
    std::string history;
    for (int i = 0; i < kCalls; ++i) {
      const Call call = sequence.next();
      history += "\n  " + std::to_string(call.context) + ": " + call.text;
      const Seen expected = make(call, legacy);
      const Seen seen = make(call, fugu);
      EXPECT_EQ(seen.result, expected.result);
      EXPECT_EQ(seen.length, expected.length);
      EXPECT_EQ(seen.reason, expected.reason);
      EXPECT_EQ(seen.numbers, expected.numbers);
      ASSERT_TRUE(seen == expected) << "sequence " << seed << history;
      sequence.learn(call, expected);
      good_updates += expected.length > 0 && expected.result == 1 ? 1 : 0;
    }
  }
  EXPECT_GT(good_updates, sequences()) << "the sequences did hardly anything";
}

std::vector<std::string> names_of(const EVP_CIPHER* cipher) {
  std::vector<std::string> names;
  EVP_CIPHER_names_do_all(
      cipher,
      [](const char* name, void* list) { static_cast<std::vector<std::string>*>(list)->push_back(name); },
      &names);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> listed(const OSSL_PARAM* params) {
  std::vector<std::string> names;
  for (; params->key != nullptr; ++params) names.push_back(params->key + std::to_string(params->data_type));
  std::ranges::sort(names);
  return names;
}

TEST(Provider, HasLegacysNamesAndParameters) {
  const Library fugu({kFugu});
  const Library legacy({kLegacy});
  for (const char* mode : kModes) {
    const CipherHandle ours = fetch(fugu, mode);
    const CipherHandle theirs = fetch(legacy, mode);
    ASSERT_TRUE(ours && theirs) << mode;
    EXPECT_EQ(names_of(ours.get()), names_of(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(theirs.get()));
    for (const auto number : {EVP_CIPHER_get_nid, EVP_CIPHER_get_mode, EVP_CIPHER_get_block_size,
                              EVP_CIPHER_get_key_length, EVP_CIPHER_get_iv_length})
      EXPECT_EQ(number(ours.get()), number(theirs.get()));
    EXPECT_EQ(listed(EVP_CIPHER_gettable_ctx_params(ours.get())),
              listed(EVP_CIPHER_gettable_ctx_params(theirs.get())));
    EXPECT_EQ(listed(EVP_CIPHER_settable_ctx_params(ours.get())),
              listed(EVP_CIPHER_settable_ctx_params(theirs.get())));
  }
  for (const char* name : {"BF", "bf-cbc", "blowfish", "1.3.6.1.4.1.3029.1.2"})
    EXPECT_TRUE(fetch(fugu, name)) << name;
}

}  // namespace
}  // namespace fugu::provider
