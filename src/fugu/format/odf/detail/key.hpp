// Decrypts the files of a document, after finding the form of its password. Private to odf.
#pragma once

#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/inflate.hpp"
#include "fugu/format/odf/detail/manifest.hpp"
#include "fugu/format/odf/detail/package.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::format {

// Programs derive the key from a password in different ways: in its charset, in the padding of their SHA-1,
// and in the number of bits that the cipher feeds back. All files of a document share the form that fits one.
class OdfOpener {
 public:
  OdfOpener(engine::Engine& engine, const auth::SecretBytes& password, OutputLimit limit);

  // Whether a form fits the file with this `ciphertext`; it is then used from here on.
  bool fits(const OdfEntry& entry, std::span<const std::byte> ciphertext);

  // Throws Error{damaged} when checksum or size are wrong.
  OdfContent open(const OdfEntry& entry, core::WipedBytes ciphertext) const;

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
