// The commit this program was built from, written at every build by tools/embed_commit.cmake.
#pragma once

namespace fugu::cli {

// "1a2b3c4", with "-modified" if tracked files differ from it; "unknown" outside a git checkout.
extern const char* const kBuildCommit;

}  // namespace fugu::cli
