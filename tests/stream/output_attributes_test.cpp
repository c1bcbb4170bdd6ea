// Attributes of an output file: permissions, owner, time of change, holes.
#include <sys/xattr.h>

#include <cerrno>
#include <tuple>

#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

using OutputAttributes = InScratch;
using Holes = InScratch;

mode_t mode_of(const std::string& path) {
  return status_of_path(path).st_mode & 07777;
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

// Makes a file of mode `input`, and from it an output under the umask `mask`. Returns the output's mode.
mode_t mode_made_from(mode_t input, mode_t mask) {
  const Scratch scratch;
  put(scratch.path("in"), "text");
  EXPECT_EQ(::chmod(scratch.path("in").c_str(), input), 0);
  const Umask umask(mask);
  OutputFile(scratch.path("out"), {.like = open_file(scratch.path("in"))->attributes()}).commit();
  return mode_of(scratch.path("out"));
}

TEST_F(OutputAttributes, PermissionsAreTheInputsLessTheUmask) {
  EXPECT_EQ(mode_made_from(0600, 022), 0600u);
  EXPECT_EQ(mode_made_from(0644, 022), 0644u);
  EXPECT_EQ(mode_made_from(0755, 022), 0755u);
  EXPECT_EQ(mode_made_from(0400, 022), 0400u);
  EXPECT_EQ(mode_made_from(0664, 022), 0644u);
  EXPECT_EQ(mode_made_from(0777, 077), 0700u);
  EXPECT_EQ(mode_made_from(06755, 0), 0755u) << "never set-user-ID";
}

TEST_F(OutputAttributes, AnotherGroupGetsOnlyWhatAllGet) {
  const Umask umask(0);
  const gid_t own = ::getegid();
  for (const auto& [given, made] :
       {std::pair{0640u, 0600u}, {0664u, 0644u}, {0775u, 0755u}, {0606u, 0606u}}) {
    const FileAttributes like{.permissions = given, .group = own + 1, .modified = {}};
    OutputFile(path_, {.like = like}).commit();
    EXPECT_EQ(mode_of(path_), made);
    std::filesystem::remove(path_);
  }
}

// user::rw-, user:65534:rw-, group::---, mask::rw-, other::--- as the kernel stores it: stat(2) says 0660.
constexpr std::array<unsigned char, 44> kList{
    2,    0, 0, 0,                          // version
    1,    0, 6, 0, 0xff, 0xff, 0xff, 0xff,  // the owner
    2,    0, 6, 0, 0xfe, 0xff, 0,    0,     // user 65534
    4,    0, 0, 0, 0xff, 0xff, 0xff, 0xff,  // the group
    0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff,  // the mask
    0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,  // others
};
constexpr const char* kAccessList = "system.posix_acl_access";
constexpr const char* kDefaultList = "system.posix_acl_default";

// Returns false if the file system has no such attributes.
bool set_attribute(const std::string& path, const char* name, std::span<const unsigned char> value) {
  if (::setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0) return true;
  EXPECT_EQ(errno, EOPNOTSUPP);
  return false;
}

std::vector<unsigned char> attribute_of(const std::string& path, const char* name) {
  std::vector<unsigned char> value(1000);
  const ssize_t bytes = ::getxattr(path.c_str(), name, value.data(), value.size());
  value.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return value;
}

void replace(const std::string& path, const OutputFileOptions& options = {.replace = true}) {
  write_output(path, bytes_of("new"), options);
}

TEST_F(OutputAttributes, ReplacedFilesKeepTheirAccessControlList) {
  put(path_, "old");
  if (!set_attribute(path_, kAccessList, kList)) GTEST_SKIP() << "no access control lists here";
  replace(path_);
  EXPECT_EQ(attribute_of(path_, kAccessList), std::vector(kList.begin(), kList.end()))
      << "without it the owning group could read";
  EXPECT_EQ(mode_of(path_), 0660u);
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);  // disables the list's entries
  replace(path_);
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(OutputAttributes, ReplacedFilesGetNoListFromTheirDirectory) {
  put(path_, "old");
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  if (!set_attribute(scratch_.directory(), kDefaultList, kList))
    GTEST_SKIP() << "no access control lists here";
  replace(path_);
  EXPECT_TRUE(attribute_of(path_, kAccessList).empty());
  EXPECT_EQ(mode_of(path_), 0640u);
}

TEST_F(OutputAttributes, ReplacedFilesKeepTheirOwnersAttributes) {
  put(path_, "old");
  const std::array<unsigned char, 3> value{1, 0, 2};
  if (!set_attribute(path_, "user.one", value)) GTEST_SKIP() << "no user attributes here";
  ASSERT_TRUE(set_attribute(path_, "user.none", {}));
  replace(path_);
  EXPECT_EQ(attribute_of(path_, "user.one"), std::vector(value.begin(), value.end()));
  EXPECT_EQ(::getxattr(path_.c_str(), "user.none", nullptr, 0), 0);
}

TEST_F(OutputAttributes, WhoeverWasShutOutOfTheInputIsShutOutOfAReplacedFile) {
  for (const auto& [input, old, made] :
       {std::tuple{0600u, 0644u, 0600u}, {0644u, 0600u, 0600u}, {0640u, 0604u, 0600u}}) {
    put(path_, "old");
    ASSERT_EQ(::chmod(path_.c_str(), old), 0);
    replace(path_, {.replace = true,
                    .like = FileAttributes{.permissions = input, .group = ::getegid(), .modified = {}}});
    EXPECT_EQ(mode_of(path_), made);
  }
}

TEST_F(OutputAttributes, AccessControlListsAreNotTakenForTheGroups) {
  const std::string path = scratch_.path("in");
  put(path, "text");
  if (!set_attribute(path, kAccessList, kList)) GTEST_SKIP() << "no access control lists here";
  ASSERT_EQ(mode_of(path), 0660u);
  const Umask umask(0);
  OutputFile(path_, {.like = open_file(path)->attributes()}).commit();
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(OutputAttributes, OnlyFilesOpenedByNameHaveThem) {
  put(scratch_.path("in"), "text");
  const std::unique_ptr<Source> named = open_file(scratch_.path("in"));
  EXPECT_TRUE(named->attributes());
  EXPECT_FALSE(from_descriptor(0)->attributes());
  EXPECT_FALSE(open_file("/dev/null")->attributes());
}

TEST_F(OutputAttributes, TimeOfChangeIsTheInputs) {
  put(scratch_.path("in"), "text");
  const timespec times[] = {{86400, 0}, {1'000'000'000, 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, scratch_.path("in").c_str(), times, 0), 0);
  FileAttributes like = *open_file(scratch_.path("in"))->attributes();
  write_output(scratch_.path("kept"), pattern(1000), {.like = like});
  EXPECT_EQ(status_of_path(scratch_.path("kept")).st_mtim.tv_sec, 1'000'000'000);
  EXPECT_EQ(status_of_path(scratch_.path("kept")).st_mtim.tv_nsec, 123'456'789);
  EXPECT_GT(status_of_path(scratch_.path("kept")).st_atim.tv_sec, 1'000'000'000);
  like.modified.reset();
  OutputFile(scratch_.path("new"), {.like = like}).commit();
  EXPECT_GT(status_of_path(scratch_.path("new")).st_mtim.tv_sec, 1'000'000'000);
}

TEST_F(OutputAttributes, ModeIsThatOfANewFileButOnlyOnceWhole) {
  for (const mode_t mask : {0u, 022u, 027u, 077u, 0111u}) {
    const std::string path = scratch_.path("out" + std::to_string(mask));
    const Umask umask(mask);
    OutputFile file(path, {});
    for (const std::string& name : scratch_.names()) {
      if (name[0] == '.') {
        EXPECT_EQ(mode_of(scratch_.path(name)), 0600u) << mask;
      }
    }
    file.commit();
    EXPECT_EQ(mode_of(path), 0666u & ~mask);
  }
}

TEST_F(OutputAttributes, ReplacedFilesKeepTheirMode) {
  put(path_, "old");
  for (const mode_t mode : {0600u, 0640u, 0755u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    OutputFile(path_, {.replace = true}).commit();
    EXPECT_EQ(mode_of(path_), mode);
  }
}

constexpr uid_t kNobody = 65534;

// Runs `call` as another user. Returns false if that is not permitted.
template <class Call>
bool as_nobody(Call call) {
  if (::geteuid() != 0 || ::setegid(kNobody) != 0 || ::seteuid(kNobody) != 0) return false;
  call();
  EXPECT_EQ(::seteuid(0), 0);
  EXPECT_EQ(::setegid(0), 0);
  return true;
}

TEST_F(OutputAttributes, AnothersFileIsNotOpenedToStrangersByReplacingIt) {
  put(path_, "of root");
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(scratch_.directory().c_str(), 0777), 0);
  const bool ran = as_nobody([&] { OutputFile(path_, {.replace = true}).commit(); });
  if (!ran) GTEST_SKIP() << "needs root to become another user";
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(OutputAttributes, RootLeavesReplacedFilesToTheirOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  put(path_, "of nobody");
  ASSERT_EQ(::chown(path_.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  OutputFile(path_, {.replace = true}).commit();
  const struct stat status = status_of_path(path_);
  EXPECT_EQ(status.st_uid, kNobody);
  EXPECT_EQ(status.st_gid, kNobody);
  EXPECT_EQ(mode_of(path_), 0640u);
}

TEST_F(OutputAttributes, DirectoryWithoutWritePermissionIsRefused) {
  ASSERT_EQ(::chmod(scratch_.directory().c_str(), 0555), 0);
  const auto refused = [&] { EXPECT_EQ(error_of([&] { OutputFile(path_, {}); }).code(), Errc::io); };
  if (::geteuid() != 0) {
    refused();
  } else {
    as_nobody(refused);
  }
}

// A file system may treat holes in any way, but none allocates more than all their blocks.
struct Written {
  off_t bytes;
  blkcnt_t blocks;  // of 512 bytes
};

Written write_in_steps(const std::string& path, std::span<const std::byte> bytes, std::size_t step) {
  OutputFile file(path, {.replace = true});
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(step, bytes.size())))
    file.write(bytes.first(std::min(step, bytes.size())));
  file.commit();
  const struct stat status = status_of_path(path);
  return {status.st_size, status.st_blocks};
}

TEST_F(Holes, BlocksOfZerosTakeNoSpace) {
  Bytes bytes(8 << 20);
  bytes[0] = bytes[5'000'000] = std::byte{1};
  for (const std::size_t step : {std::size_t{1} << 20, std::size_t{8} << 20, std::size_t{1'000'000}}) {
    const Written written = write_in_steps(path_, bytes, step);
    EXPECT_EQ(written.bytes, 8 << 20) << step;
    EXPECT_LT(written.blocks * 512, 256 << 10) << step;
    EXPECT_EQ(read_file(path_), bytes) << step;
  }
}

TEST_F(Holes, AtTheEndAndOnlyHoles) {
  for (const std::size_t size : {std::size_t{4096}, std::size_t{1} << 20, (std::size_t{1} << 20) + 5}) {
    const Written written = write_in_steps(path_, Bytes(size), size);
    EXPECT_EQ(written.bytes, static_cast<off_t>(size));
    EXPECT_LE(written.blocks * 512, 8192) << size;
    EXPECT_EQ(read_file(path_), Bytes(size));
  }
}

// Zeros and data are in every arrangement of eight half blocks, and steps of writing begin inside blocks.
TEST_F(Holes, NeverChangeTheContent) {
  for (unsigned arrangement = 0; arrangement < 256; ++arrangement) {
    Bytes bytes(8 * 2048 + arrangement % 3, std::byte{0});
    for (unsigned half = 0; half < 8; ++half) {
      if ((arrangement >> half & 1u) != 0) bytes[half * 2048 + 2047] = std::byte{0xa5};
    }
    for (const std::size_t step : {100u, 4096u, 5000u, 20000u}) {
      EXPECT_EQ(write_in_steps(path_, bytes, step).bytes, static_cast<off_t>(bytes.size()));
      ASSERT_EQ(read_file(path_), bytes) << arrangement << " in steps of " << step;
    }
  }
}

TEST_F(Holes, DataWithoutZerosHasNone) {
  const Written written = write_in_steps(path_, pattern(1 << 20), 1 << 20);
  EXPECT_EQ(written.bytes, 1 << 20);
  EXPECT_GE(written.blocks * 512, 1 << 20);
}

TEST_F(Holes, SpaceThatWasReservedStays) {
  OutputFile file(path_, {});
  file.reserve(1 << 20);
  file.write(Bytes(1 << 20));
  file.commit();
  EXPECT_GE(status_of_path(path_).st_blocks * 512, 1 << 20);
}

}  // namespace
}  // namespace fugu::stream
