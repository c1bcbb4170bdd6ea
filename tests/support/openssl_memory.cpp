// OpenSSL allocates and frees a digest's state in each iteration of PBKDF2. AddressSanitizer's allocator
// makes that take more than twice the time, so that blocks of usual sizes are used again at once. What was
// freed is poisoned until then; overflows and leaks are found as in any other block, where the blocks that
// are kept for threads which have not ended are followed through poisoned memory.
#include <malloc.h>
#include <openssl/crypto.h>
#include <sanitizer/asan_interface.h>

#include <array>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kMaxBytes = 512;

struct Kept {
  Kept* next;
};

// OpenSSL frees some blocks of a thread after its thread-local objects have been destroyed.
thread_local bool ends = false;

struct Cache {
  ~Cache() {
    for (std::size_t size = 0; size < kMaxBytes; ++size)
      while (void* const block = take(size)) std::free(block);
    ends = true;
  }

  void* take(std::size_t size) {
    Kept* const block = of_size[size];
    if (block == nullptr) return nullptr;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    of_size[size] = block->next;
    return block;
  }

  void keep(void* block, std::size_t size) {
    of_size[size] = new (block) Kept{of_size[size]};
    ASAN_POISON_MEMORY_REGION(block, size);
  }

  std::array<Kept*, kMaxBytes> of_size{};
};

thread_local Cache cache;

bool is_usual(std::size_t size) {
  return size >= sizeof(Kept) && size < kMaxBytes && !ends;
}

void* allocate(std::size_t size, const char*, int) {
  void* const kept = is_usual(size) ? cache.take(size) : nullptr;
  return kept != nullptr || size == 0 ? kept : std::malloc(size);
}

void* resize(void* block, std::size_t size, const char*, int) {
  return std::realloc(block, size);
}

void release(void* block, const char*, int) {
  const std::size_t size = malloc_usable_size(block);
  if (is_usual(size)) return cache.keep(block, size);
  std::free(block);
}

// OpenSSL refuses it once it has allocated, as other constructors make it do.
[[gnu::constructor(101)]] void set() {
  if (CRYPTO_set_mem_functions(allocate, resize, release) == 0) std::abort();
}

}  // namespace

extern "C" const char* __lsan_default_options() {
  return "use_poisoned=1";
}
