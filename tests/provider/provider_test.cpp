// fugu.so against OpenSSL's legacy provider: the same calls on both, and every result, parameter, byte and
// reason of an error the same. FUGU_PROVIDER_SEQUENCES says how many random sequences (2 000 where it is not
// set).
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mode/naive.hpp"
#include "support/many_cases.hpp"
#include "support/pattern.hpp"
#include "support/vector_reader.hpp"

namespace fugu::provider {
namespace {

using test::Bytes;
using test::Random;

const unsigned char* octets(const Bytes& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// A library context with the provider `name`, from `folder` (null: where OpenSSL keeps its modules).
class Library {
 public:
  explicit Library(std::initializer_list<std::pair<const char*, const char*>> providers)
      : context_(OSSL_LIB_CTX_new()) {
    for (const auto& [name, folder] : providers) {
      OSSL_PROVIDER_set_default_search_path(context_, folder);
      OSSL_PROVIDER* const provider = OSSL_PROVIDER_load(context_, name);
      if (provider == nullptr) throw std::runtime_error(std::string("OpenSSL has no provider ") + name);
      providers_.push_back(provider);
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    for (OSSL_PROVIDER* provider : providers_) OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(context_);
  }

  OSSL_LIB_CTX* get() const { return context_; }

 private:
  OSSL_LIB_CTX* context_;
  std::vector<OSSL_PROVIDER*> providers_;
};

constexpr std::pair<const char*, const char*> kFugu{"fugu", FUGU_MODULES};
constexpr std::pair<const char*, const char*> kLegacy{"legacy", nullptr};

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
};
struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherHandle = std::unique_ptr<EVP_CIPHER, FreeCipher>;
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

CipherHandle fetch(const Library& library, const char* name, const char* query = nullptr) {
  return CipherHandle(EVP_CIPHER_fetch(library.get(), name, query));
}

constexpr std::array<const char*, 4> kModes{"BF-ECB", "BF-CBC", "BF-CFB", "BF-OFB"};
constexpr std::size_t kContexts = 3;

// One provider under the calls of a sequence.
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

// All that a call lets its caller see.
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

// A call with its arguments drawn: made on one side, then on the other.
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

// Later releases of OpenSSL 3 refuse a num that is no place in a block, as fugu does; earlier ones take any.
bool refuses_large_num(const Side& side) {
  const Context context(EVP_CIPHER_CTX_new());
  EVP_CipherInit_ex2(context.get(), side.ciphers[2].get(), nullptr, nullptr, 1, nullptr);
  return EVP_CIPHER_CTX_set_num(context.get(), 8) != 1;
}

class Sequence {
 public:
  // Draws a num below `nums`.
  Sequence(std::uint64_t seed, std::size_t nums) : random_(seed), nums_(nums) {}

  Call next() {
    Call call;
    call.context = below(kContexts);
    State& state = states_[call.context];
    if (!state.chosen) return choose(call, state);
    switch (below(16)) {
      case 0:
        return choose(call, state);
      case 1:
      case 2:
        return restart(call, state);
      case 3:
        return set_key_length(call);
      case 4:
        return set_padding(call);
      case 5:
        return set_number(call);
      case 6:
        return copy(call);
      case 7:
        return one_shot(call, state);
      case 8:
      case 9:
        return finish(call, state);
      default:
        return update(call, state);
    }
  }

  // What a call did to the bytes that are held: in place is for those who wait for none.
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

  Call& choose(Call& call, State& state) {
    const std::size_t mode = below(kModes.size());
    const bool fresh = one_in(2);
    state = {true, 0};
    call.text = std::string("choose ") + kModes[mode];
    return init(call, mode, fresh);
  }

  Call& restart(Call& call, State& state) {
    state.held = 0;
    call.text = "init";
    return init(call, kModes.size(), false);
  }

  Call& init(Call& call, std::size_t mode, bool fresh) {
    const Bytes key = one_in(3) ? Bytes{} : test::random_bytes(random_, 128);
    const Bytes iv = one_in(3) ? Bytes{} : test::random_bytes(random_, 8);
    const int direction = static_cast<int>(below(3)) - (mode == kModes.size() ? 1 : 0);
    const unsigned padding = below(2) != 0 ? 1 : 0;
    const bool with_params = one_in(4);
    call.text += " key " + std::to_string(key.size()) + " iv " + std::to_string(iv.size()) + " direction " +
                 std::to_string(direction);
    call.make = [=](Side& side, EVP_CIPHER_CTX* context, Seen& seen) {
      if (fresh) EVP_CIPHER_CTX_reset(context);
      unsigned value = padding;
      const OSSL_PARAM list[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &value),
                                 OSSL_PARAM_construct_end()};
      const EVP_CIPHER* const cipher = mode == kModes.size() ? nullptr : side.ciphers[mode].get();
      seen.result = EVP_CipherInit_ex2(context, cipher, key.empty() ? nullptr : octets(key),
                                       iv.empty() ? nullptr : octets(iv), std::min(direction, 1),
                                       with_params ? list : nullptr);
    };
    return call;
  }

  Call& set_key_length(Call& call) {
    const int bytes = one_in(8) ? static_cast<int>(73 + below(50)) : static_cast<int>(1 + below(72));
    call.text = "key length " + std::to_string(bytes);
    call.make = [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.result = EVP_CIPHER_CTX_set_key_length(context, bytes);
      seen.length = EVP_CIPHER_CTX_get_key_length(context);
    };
    return call;
  }

  Call& set_padding(Call& call) {
    const int padding = static_cast<int>(below(2));
    call.text = "padding " + std::to_string(padding);
    call.make = [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.result = EVP_CIPHER_CTX_set_padding(context, padding);
    };
    return call;
  }

  Call& set_number(Call& call) {
    const int number = static_cast<int>(below(nums_));
    call.text = "num " + std::to_string(number);
    call.make = [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.result = EVP_CIPHER_CTX_set_num(context, number);
      seen.length = EVP_CIPHER_CTX_get_num(context);
    };
    return call;
  }

  Call& copy(Call& call) {
    const std::size_t from = below(kContexts);
    if (from != call.context && states_[from].chosen) states_[call.context] = states_[from];
    call.text = "copy of " + std::to_string(from);
    call.make = [=, to = call.context](Side& side, EVP_CIPHER_CTX* context, Seen& seen) {
      if (from == to || EVP_CIPHER_CTX_get0_cipher(side.contexts[from].get()) == nullptr) return;
      seen.result = EVP_CIPHER_CTX_copy(context, side.contexts[from].get());
    };
    return call;
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

  Call& update(Call& call, const State& state) {
    const Bytes data = test::random_bytes(random_, some_bytes());
    const bool in_place = state.held == 0 && one_in(2);
    last_bytes_ = data.size();
    call.text = "update " + std::to_string(data.size()) + (in_place ? " in place" : "");
    call.make = [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.memory = data;
      seen.memory.resize(2 * data.size() + 64, std::byte{0x5a});
      auto* const in = reinterpret_cast<unsigned char*>(seen.memory.data());
      unsigned char* const out = in_place ? in : in + data.size();
      seen.result = EVP_CipherUpdate(context, out, &seen.length, in, static_cast<int>(data.size()));
    };
    return call;
  }

  Call& finish(Call& call, const State&) {
    call.text = "finish";
    call.make = [](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.memory.assign(64, std::byte{0x5a});
      seen.result =
          EVP_CipherFinal_ex(context, reinterpret_cast<unsigned char*>(seen.memory.data()), &seen.length);
    };
    return call;
  }

  // EVP_Cipher(), for whole blocks, as its manual wants.
  Call& one_shot(Call& call, const State&) {
    const Bytes data = test::random_bytes(random_, 8 * below(20));
    call.text = "EVP_Cipher " + std::to_string(data.size());
    call.make = [=](Side&, EVP_CIPHER_CTX* context, Seen& seen) {
      seen.memory.assign(data.size() + 64, std::byte{0x5a});
      seen.result = EVP_Cipher(context, reinterpret_cast<unsigned char*>(seen.memory.data()), octets(data),
                               static_cast<unsigned>(data.size()));
    };
    return call;
  }

  Random random_;
  std::size_t nums_;
  std::array<State, kContexts> states_;
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
  const std::size_t nums = refuses_large_num(legacy) ? 10 : 1;
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
    EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_mode(ours.get()), EVP_CIPHER_get_mode(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), EVP_CIPHER_get_block_size(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(theirs.get()));
    EXPECT_EQ(listed(EVP_CIPHER_gettable_ctx_params(ours.get())),
              listed(EVP_CIPHER_gettable_ctx_params(theirs.get())));
    EXPECT_EQ(listed(EVP_CIPHER_settable_ctx_params(ours.get())),
              listed(EVP_CIPHER_settable_ctx_params(theirs.get())));
  }
  for (const char* name : {"BF", "bf-cbc", "blowfish", "1.3.6.1.4.1.3029.1.2"})
    EXPECT_TRUE(fetch(fugu, name)) << name;
}

const char* evp_name(mode::Mode mode) {
  switch (mode) {
    case mode::Mode::ecb:
      return "BF-ECB";
    case mode::Mode::cbc:
      return "BF-CBC";
    case mode::Mode::cfb64:
      return "BF-CFB";
    case mode::Mode::cfb8:
      return "BF-CFB8";
    case mode::Mode::ofb:
      return "BF-OFB";
    case mode::Mode::ctr:
      return "BF-CTR";
    default:
      return nullptr;
  }
}

// Pieces of 1, 2, 3 ... bytes.
Bytes by_evp(const Library& library, mode::Mode mode, const Bytes& key, const Bytes& iv, bool encrypt,
             const Bytes& data) {
  const CipherHandle cipher = fetch(library, evp_name(mode));
  const Context context(EVP_CIPHER_CTX_new());
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), cipher.get(), nullptr, nullptr, encrypt ? 1 : 0, nullptr), 1);
  EXPECT_EQ(EVP_CIPHER_CTX_set_key_length(context.get(), static_cast<int>(key.size())), 1);
  EXPECT_EQ(
      EVP_CipherInit_ex2(context.get(), nullptr, octets(key), iv.empty() ? nullptr : octets(iv), -1, nullptr),
      1);
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  Bytes out(data.size() + 64);
  std::size_t written = 0;
  for (std::size_t done = 0, bytes = 1; done < data.size(); done += bytes++) {
    bytes = std::min(bytes, data.size() - done);
    int length = 0;
    EXPECT_EQ(EVP_CipherUpdate(context.get(), reinterpret_cast<unsigned char*>(&out[written]), &length,
                               octets(data) + done, static_cast<int>(bytes)),
              1);
    written += static_cast<std::size_t>(length);
  }
  out.resize(written);
  return out;
}

TEST(Provider, GivesEveryPublishedVector) {
  const Library library({kFugu});
  std::size_t tried = 0;
  for (const test::Vector& vector : test::read_all_vectors()) {
    if (vector.words == core::ByteOrder::little || vector.counter == core::ByteOrder::little) continue;
    if (evp_name(vector.mode) == nullptr) continue;
    EXPECT_EQ(by_evp(library, vector.mode, vector.key, vector.iv, true, vector.plaintext), vector.ciphertext)
        << vector.where;
    EXPECT_EQ(by_evp(library, vector.mode, vector.key, vector.iv, false, vector.ciphertext), vector.plaintext)
        << vector.where;
    ++tried;
  }
  EXPECT_GT(tried, 34u);
}

TEST(Provider, HasTheTwoModesThatLegacyLacks) {
  const Library library({kFugu});
  const Bytes iv(8, std::byte{0xff});
  for (const mode::Mode mode : {mode::Mode::ctr, mode::Mode::cfb8}) {
    mode::Settings settings{mode, mode::Padding::none, mode::Iv{}, {}, {}};
    settings.iv->fill(std::byte{0xff});
    const Bytes plaintext = test::pattern(3001);
    const Bytes key = test::pattern(16);
    const Bytes ciphertext = mode::testing::NaiveEncryption(key, settings)(plaintext);
    EXPECT_EQ(by_evp(library, mode, key, iv, true, plaintext), ciphertext);
    EXPECT_EQ(by_evp(library, mode, key, iv, false, ciphertext), plaintext);
  }
}

TEST(Provider, RefusesAnEmptyKey) {
  const Library library({kFugu});
  const Context context(EVP_CIPHER_CTX_new());
  const Bytes key(16);
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), fetch(library, "BF-CBC").get(), nullptr, nullptr, 1, nullptr),
            1);
  EXPECT_EQ(EVP_CIPHER_CTX_set_key_length(context.get(), 0), 1);
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), nullptr, octets(key), octets(key), 1, nullptr), 0);
}

// Output over input, with bytes held: legacy overwrites what it has not read.
TEST(Provider, WorksInPlaceWithBytesHeld) {
  const Library library({kFugu});
  const Bytes key = test::pattern(16);
  const Bytes plaintext = test::pattern(1001);
  mode::Settings settings{mode::Mode::cbc, mode::Padding::none, mode::Iv{}, {}, {}};
  Bytes padded = plaintext;
  padded.insert(padded.end(), 7, std::byte{7});
  const Bytes ciphertext = mode::testing::NaiveEncryption(key, settings)(padded);
  const Context context(EVP_CIPHER_CTX_new());
  const Bytes iv(8);
  EXPECT_EQ(
      EVP_DecryptInit_ex2(context.get(), fetch(library, "BF-CBC").get(), octets(key), octets(iv), nullptr),
      1);
  Bytes out;
  for (std::size_t done = 0, bytes = 11; done < ciphertext.size(); done += bytes) {
    bytes = std::min(bytes, ciphertext.size() - done);
    Bytes memory(ciphertext.begin() + static_cast<std::ptrdiff_t>(done),
                 ciphertext.begin() + static_cast<std::ptrdiff_t>(done + bytes));
    memory.resize(bytes + 16);
    int length = 0;
    auto* const place = reinterpret_cast<unsigned char*>(memory.data());
    EXPECT_EQ(EVP_DecryptUpdate(context.get(), place, &length, place, static_cast<int>(bytes)), 1);
    out.insert(out.end(), memory.begin(), memory.begin() + length);
  }
  Bytes last(16);
  int length = 0;
  EXPECT_EQ(EVP_DecryptFinal_ex(context.get(), reinterpret_cast<unsigned char*>(last.data()), &length), 1);
  out.insert(out.end(), last.begin(), last.begin() + length);
  EXPECT_EQ(out, plaintext);
}

TEST(Provider, StandsBesideLegacyInEitherOrder) {
  const Library first({kFugu, kLegacy});
  const Library second({kLegacy, kFugu});
  for (const Library* library : {&first, &second}) {
    for (const char* query : {"provider=fugu", "provider=legacy"}) {
      const CipherHandle cipher = fetch(*library, "BF-CBC", query);
      ASSERT_TRUE(cipher);
      EXPECT_EQ(std::string("provider=") + OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher.get())),
                query);
    }
    EXPECT_TRUE(fetch(*library, "BF-CBC"));
  }
}

// Loads, works, forks inside a message, unloads.
Bytes whole_life() {
  const Library library({kFugu});
  return by_evp(library, mode::Mode::cbc, test::pattern(16), Bytes(8), true, test::pattern(4096));
}

TEST(Provider, LivesAnyNumberOfTimesOnManyThreads) {
  const Bytes expected = whole_life();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) EXPECT_EQ(whole_life(), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Provider, GoesOnInAChildProcess) {
  const Library library({kFugu});
  const Bytes expected = whole_life();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Bytes got =
        by_evp(library, mode::Mode::cbc, test::pattern(16), Bytes(8), true, test::pattern(4096));
    ::_exit(got == expected && whole_life() == expected ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fugu::provider
