// fugu.so by itself: published vectors, the modes that legacy lacks, and its life in a process.
#include <sys/wait.h>
#include <unistd.h>

#include "library.hpp"
#include "mode/naive.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::provider {
namespace {

// Null for modes that EVP does not have.
const char* evp_name(mode::Mode mode) {
  constexpr const char* kNames[] = {"BF-ECB", "BF-CBC", "BF-CFB", "BF-CFB8",
                                    "BF-OFB", "BF-CTR", nullptr,  nullptr};
  return kNames[static_cast<std::size_t>(mode)];
}

// Processes pieces of 1, 2, 3 ... bytes.
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
  EXPECT_EQ(EVP_CIPHER_get_mode(fetch(library, "BF-CTR").get()), EVP_CIPH_CTR_MODE);
  EXPECT_EQ(EVP_CIPHER_get_mode(fetch(library, "BF-CFB8").get()), EVP_CIPH_CFB_MODE);
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

TEST(Provider, RefusesAnEmptyKeyAndANumBeyondABlock) {
  const Library library({kFugu});
  const Context context(EVP_CIPHER_CTX_new());
  const Bytes key(16);
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), fetch(library, "BF-CBC").get(), nullptr, nullptr, 1, nullptr),
            1);
  EXPECT_EQ(EVP_CIPHER_CTX_set_key_length(context.get(), 0), 1);
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), nullptr, octets(key), octets(key), 1, nullptr), 0);
  EXPECT_EQ(EVP_CipherInit_ex2(context.get(), fetch(library, "BF-CFB").get(), nullptr, nullptr, 1, nullptr),
            1);
  EXPECT_EQ(EVP_CIPHER_CTX_set_num(context.get(), 8), 0);
}

// Output overwrites input while bytes are held. The legacy provider overwrites input that it has not read
// yet.
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

// Loads the module, uses it, forks inside a message, and unloads it.
Bytes whole_life() {
  const Library library({kFugu});
  return by_evp(library, mode::Mode::cbc, test::pattern(16), Bytes(8), true, test::pattern(4096));
}

TEST(Provider, LivesAnyNumberOfTimesOnManyThreads) {
  const Bytes expected = whole_life();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) EXPECT_EQ(whole_life(), expected);
    });
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
