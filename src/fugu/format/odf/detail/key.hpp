// Passwords of documents: which of their forms fits, and the contents under it. Private to odf.
#pragma once

#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/inflate.hpp"
#include "fugu/format/odf/detail/manifest.hpp"
#include "fugu/format/odf/detail/package.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::format {

// Programs differ in how they make a key of a password: in its charset, in the padding of their SHA-1, and in
// how many bits the cipher feeds back. The form that fits one file of a document is that of all.
class OdfOpener {
 public:
  OdfOpener(engine::Engine& engine, const auth::SecretBytes& password, OutputLimit limit);

  // Whether a form fits the file, which `ciphertext` is; that one is then used.
  bool fits(const OdfEntry& entry, std::span<const std::byte> ciphertext);

  // Throws Error{damaged} where checksum or size are wrong.
  OdfContent open(const OdfEntry& entry, std::vector<std::byte> ciphertext) const;

 private:
  struct Form {
    std::size_t password = 0;  // in passwords_
    bool is_openoffice = false;
    mode::Mode mode = mode::Mode::cfb64;
  };
  std::vector<Form> forms() const;
  auth::SecretBytes key(const OdfEntry& entry, const Form& form) const;
  void decrypt(const OdfEntry& entry, const Form& form, std::span<const std::byte> key,
               std::span<std::byte> data) const;
  bool is_right(const OdfEntry& entry, std::span<const std::byte> deflated) const;

  engine::Engine& engine_;
  OutputLimit limit_;
  std::vector<auth::SecretBytes> passwords_;
  Form form_;
};

}  // namespace fugu::format
