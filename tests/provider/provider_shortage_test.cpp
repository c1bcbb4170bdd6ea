// If memory runs out, the provider says so, and nothing else about the data. operator new fails when a test
// wants it to.
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

#include "provider/core.hpp"
#include "support/testing.hpp"

namespace {

enum class Shortage { passing, lasting };  // one allocation fails, or all from that one on

std::atomic<bool> is_under_way = false;
std::atomic<bool> is_lasting = false;
std::atomic<long> allocations_left = 0;  // before one fails

bool fails() {
  if (!is_under_way) return false;
  const long left = allocations_left--;
  return left == 0 || (left < 0 && is_lasting);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) throw std::bad_alloc();
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}

// Lets allocations fail after `allocations` more of all threads.
void begin_shortage(long allocations, Shortage shortage) {
  is_lasting = shortage == Shortage::lasting;
  allocations_left = allocations;
  is_under_way = true;
}

// Returns how many more allocations would have succeeded; below 0 if one has failed.
long end_shortage() noexcept {
  is_under_way = false;
  return allocations_left;
}

}  // namespace

// g++ would warn of free() with memory of `new` if this were inlined.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// AddressSanitizer's own versions do not call those above.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes) {
  return operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace fugu::provider {
namespace {

int last_reason = 0;

void new_error(const OSSL_CORE_HANDLE*) {}
void set_error(const OSSL_CORE_HANDLE*, std::uint32_t reason, const char*, va_list) {
  last_reason = ERR_GET_REASON(reason);
}

const Core& core() {
  static const OSSL_DISPATCH functions[] = {
      {OSSL_FUNC_CORE_NEW_ERROR, reinterpret_cast<void (*)()>(new_error)},
      {OSSL_FUNC_CORE_VSET_ERROR, reinterpret_cast<void (*)()>(set_error)},
      {0, nullptr}};
  static const Core made(nullptr, functions);
  return made;
}

template <class Function>
Function* function_of(std::string_view cipher, int id) {
  for (const OSSL_ALGORITHM* row = ciphers(); row->algorithm_names != nullptr; ++row) {
    if (!std::string_view(row->algorithm_names).starts_with(cipher)) continue;
    for (const OSSL_DISPATCH* entry = row->implementation; entry->function_id != 0; ++entry)
      if (entry->function_id == id) return reinterpret_cast<Function*>(entry->function);
  }
  return nullptr;
}

struct Outcome {
  std::vector<int> done;  // the results of the calls
  int reason = 0;         // of the last failure
  bool short_of_memory = false;
};

// Decrypts zeros, which have no valid padding, or a part of a block.
Outcome decrypt(std::size_t bytes, long allocations, Shortage shortage) {
  const auto create = function_of<OSSL_FUNC_cipher_newctx_fn>("BF-CBC", OSSL_FUNC_CIPHER_NEWCTX);
  const auto copy = function_of<OSSL_FUNC_cipher_dupctx_fn>("BF-CBC", OSSL_FUNC_CIPHER_DUPCTX);
  const auto free = function_of<OSSL_FUNC_cipher_freectx_fn>("BF-CBC", OSSL_FUNC_CIPHER_FREECTX);
  const auto init = function_of<OSSL_FUNC_cipher_decrypt_init_fn>("BF-CBC", OSSL_FUNC_CIPHER_DECRYPT_INIT);
  const auto update = function_of<OSSL_FUNC_cipher_update_fn>("BF-CBC", OSSL_FUNC_CIPHER_UPDATE);
  const auto finish = function_of<OSSL_FUNC_cipher_final_fn>("BF-CBC", OSSL_FUNC_CIPHER_FINAL);
  const std::array<unsigned char, 16> zeros{};
  std::array<unsigned char, 64> out{};
  std::size_t written = 0;
  std::vector<int> done;
  done.reserve(5);
  last_reason = 0;
  begin_shortage(allocations, shortage);
  void* const original = create(const_cast<Core*>(&core()));
  void* const context = original != nullptr ? copy(original) : nullptr;
  done.push_back(context != nullptr ? 1 : 0);
  if (context != nullptr) {
    done.push_back(init(context, zeros.data(), 16, zeros.data(), 8, nullptr));
    done.push_back(update(context, out.data(), &written, out.size(), zeros.data(), bytes));
    done.push_back(finish(context, out.data(), &written, out.size()));
  }
  free(context);
  free(original);
  const bool short_of_memory = end_shortage() < 0;
  return {std::move(done), last_reason, short_of_memory};
}

TEST(Provider, SaysThatMemoryRanOut) {
  for (const auto& [bytes, reason] : {std::pair(std::size_t{16}, PROV_R_BAD_DECRYPT),
                                      std::pair(std::size_t{13}, PROV_R_WRONG_FINAL_BLOCK_LENGTH)}) {
    const auto right = decrypt(bytes, std::numeric_limits<long>::max(), Shortage::passing);
    ASSERT_EQ(right.done, (std::vector{1, 1, 1, 0}));
    ASSERT_EQ(right.reason, reason);
    for (const Shortage shortage : {Shortage::passing, Shortage::lasting}) {
      int shortages = 0;
      for (long failing = 0;; ++failing, ++shortages) {
        const Outcome found = decrypt(bytes, failing, shortage);
        if (!found.short_of_memory) break;
        EXPECT_EQ(found.reason, ERR_R_MALLOC_FAILURE) << "allocation " << failing;
      }
      EXPECT_GE(shortages, 3);  // two contexts, and the text of an error
    }
  }
}

}  // namespace
}  // namespace fugu::provider
