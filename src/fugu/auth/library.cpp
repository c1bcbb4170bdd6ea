// OpenSSL for this library alone, independent of the user's openssl.cnf and the host program.
#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {
namespace {

// OpenSSL 3.2 and later deadlock if memory runs out while they start, because reporting the error starts
// OpenSSL again. So this first checks that there is memory; throws std::bad_alloc if there is none.
LibraryHandle make_context() {
  constexpr std::size_t kMoreThanThatTakes = 50'000;
  ::operator delete(::operator new(kMoreThanThatTakes));
  ERR_clear_error();
  return LibraryHandle{OSSL_LIB_CTX_new()};
}

// Made once: loading a provider takes longer than most uses of it. A failed attempt is repeated at the next
// use.
struct Library {
  LibraryHandle context = make_context();
  ProviderHandle ordinary{context ? OSSL_PROVIDER_load(context.get(), "default") : nullptr};

  Library() {
    if (!context) throw std::bad_alloc();
    if (!ordinary) openssl_failed(Errc::engine, "OpenSSL's provider 'default' cannot be loaded");
    ERR_clear_error();
  }
};

const Library& library() {
  static const Library made;
  return made;
}

// Loaded on demand: most runs do not need it, and OpenSSL 3.0 dereferences a null pointer when memory runs
// out while it is loaded.
struct Legacy {
  ProviderHandle provider{OSSL_PROVIDER_load(library().context.get(), "legacy")};

  Legacy() { ERR_clear_error(); }
};

}  // namespace

OSSL_LIB_CTX* default_library() {
  return library().context.get();
}

bool has_legacy_library() {
  static const Legacy made;
  return made.provider != nullptr;
}

OSSL_LIB_CTX* legacy_library() {
  if (has_legacy_library()) return library().context.get();
  throw Error(Errc::engine,
              "OpenSSL's provider 'legacy' cannot be loaded; distributions have it in openssl or "
              "openssl-provider-legacy");
}

}  // namespace fugu::auth
