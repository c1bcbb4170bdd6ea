// This library and the second implementation, tools/sealed_twin.py, open each other's files.
#include <sys/wait.h>

#include "sealed_support.hpp"
#include "stream/scratch.hpp"
#include "support/testing.hpp"

namespace fugu::test {
namespace {

struct Case {
  std::string name;
  bool key;
  std::string secret;
  unsigned segment_log2;
  std::size_t size;

  format::SealedSecret secret_of(const auth::SecretBytes& bytes, auth::DerivedKeys* run = nullptr) const {
    return {key ? format::SealedSlot::key : format::SealedSlot::passphrase, bytes, run};
  }
};

std::vector<Case> cases() {
  std::vector<Case> cases;
  const auto add = [&](bool key, const std::string& secret, unsigned log2, std::size_t size) {
    cases.push_back({"case" + std::to_string(cases.size()), key, secret, log2, size});
  };
  for (const unsigned log2 : {4u, 6u, 9u}) {
    const std::size_t segment = std::size_t{1} << log2;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, segment - 1, segment, segment + 1, 2 * segment, 7 * segment + 5}) {
      add(true, std::string(32, 'k'), log2, size);
      add(false, "open, sesame \xc3\xa4", log2, size);
    }
  }
  add(true, std::string(16, 'x'), 16, 65536);
  add(true, std::string(1024, 'y'), 16, 3 * 65536 + 77);
  add(false, std::string(100, 'z'), 20, (1 << 20) + 1);
  return cases;
}

TEST(SealedTwin, EachReadsWhatTheOtherWrites) {
  const stream::Scratch scratch;
  SealedBench bench;
  for (const Case& each : cases()) {
    const Bytes plain = pattern(each.size);
    const auth::SecretBytes secret{std::string_view(each.secret)};
    const std::string base = scratch.path(each.name);
    const format::SealedOptions options{
        .segment_log2 = each.segment_log2, .cost = {.log2_n = 10}, .bounds = kTestBounds};
    auth::DerivedKeys run(each.size % 2 ==
                          1);  // of one file, with a shared slot if its secret is a passphrase
    stream::write_file(base + ".fugu", bench.seal(plain, each.secret_of(secret, &run), options, 300));
    stream::write_file(base + ".plain", plain);
    stream::write_file(base + (each.key ? ".key" : ".pass"), secret.span());
  }
  const std::string command = std::string(FUGU_PYTHON) + " -B " + FUGU_TEST_DIR + "/sealed_kits.py " +
                              FUGU_TOOLS_DIR + " " + scratch.directory() + " files";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  FUGU_NEED_PACKAGE(WEXITSTATUS(status) != 77, "python3-cryptography is not installed");
  ASSERT_EQ(WEXITSTATUS(status), 0);
  for (const Case& each : cases()) {
    const auth::SecretBytes secret{std::string_view(each.secret)};
    for (const char* twin : {".twin1", ".twin2", ".twin3"}) {
      if (each.key && twin == std::string(".twin3")) continue;
      const Bytes file = stream::read_file(scratch.path(each.name) + twin);
      const Opened opened = bench.open(file, each.secret_of(secret), kTestBounds, 700);
      EXPECT_TRUE(opened.ok()) << each.name << " " << (opened.ok() ? "" : opened.error->text());
      EXPECT_EQ(opened.released, pattern(each.size)) << each.name;
    }
  }
}

}  // namespace
}  // namespace fugu::test
