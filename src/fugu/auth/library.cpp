// OpenSSL for this library alone, independent of the user's openssl.cnf and the host program.
#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <algorithm>
#include <cctype>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {
namespace {

// OpenSSL 3.2 and later deadlock if memory runs out while they start, because reporting the error starts
// OpenSSL again. So this first allocates some memory, and throws std::bad_alloc if that fails.
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

const Legacy& legacy() {
  static const Legacy made;
  return made;
}

// `names`: "SHA2-256:SHA-256:SHA256".
bool is_among(std::string_view names, const std::string& name) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  while (!names.empty()) {
    const std::string_view one = names.substr(0, names.find(':'));
    if (std::ranges::equal(one, name, {}, lower, lower)) return true;
    names.remove_prefix(std::min(names.size(), one.size() + 1));
  }
  return false;
}

bool offers_digest(const OSSL_PROVIDER* provider, const std::string& name) {
  int not_kept = 0;
  const OSSL_ALGORITHM* digests = OSSL_PROVIDER_query_operation(provider, OSSL_OP_DIGEST, &not_kept);
  bool found = false;
  for (const OSSL_ALGORITHM* one = digests; one != nullptr && one->algorithm_names != nullptr && !found;
       ++one)
    found = is_among(one->algorithm_names, name);
  OSSL_PROVIDER_unquery_operation(provider, OSSL_OP_DIGEST, digests);
  return found;
}

}  // namespace

OSSL_LIB_CTX* default_library() {
  return library().context.get();
}

bool has_legacy_library() {
  return legacy().provider != nullptr;
}

bool offers_digest(const std::string& name) {
  return offers_digest(library().ordinary.get(), name) ||
         (has_legacy_library() && offers_digest(legacy().provider.get(), name));
}

OSSL_LIB_CTX* legacy_library() {
  if (has_legacy_library()) return library().context.get();
  throw Error(Errc::engine,
              "OpenSSL's provider 'legacy' cannot be loaded; distributions have it in openssl or "
              "openssl-provider-legacy");
}

}  // namespace fugu::auth
