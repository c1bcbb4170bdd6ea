// Trees: which names and links stay inside, and directories that are filled.
#include "fugu/stream/tree.hpp"

#include "fugu/stream/posix/walked_directory.hpp"
#include "scratch.hpp"

namespace fugu::stream {
namespace {

namespace fs = std::filesystem;
using OutputTrees = InScratch;
using SourceTrees = InScratch;

const std::vector<std::byte> kBytes(5, std::byte{7});

void put(TreeSink& tree, const TreePath& path) {
  tree.make_file(path, std::nullopt, [](Sink& sink) { sink.write(kBytes); });
}

TEST(TreeNames, OnesThatLeadOutAreNone) {
  for (const std::string_view name : {"", ".", "..", "/", "a/b", "/a", "a/"})
    EXPECT_FALSE(is_tree_name(name)) << name;
  EXPECT_FALSE(is_tree_name(std::string_view("a\0b", 3)));
  for (const std::string_view name : {"a", "...", ".a", "a..", " ", "\\", "\n"})
    EXPECT_TRUE(is_tree_name(name));
}

TEST(TreeLinks, StayInsideByTheirText) {
  const TreePath top{"l"};
  const TreePath deep{"a", "b", "l"};
  for (const char* target : {"x", "x/y", "./x", ".", "x/./y", "x//y"})
    EXPECT_TRUE(stays_inside(top, target)) << target;
  for (const char* target : {"", "/", "/x", "..", "../x", "x/..", "x/../..", "./../x"})
    EXPECT_FALSE(stays_inside(top, target)) << target;
  for (const char* target : {"..", "../..", "../../x", "./../x/y"})
    EXPECT_TRUE(stays_inside(deep, target)) << target;
  for (const char* target : {"../../..", "../../../x", "x/../../..", "../x/.."})
    EXPECT_FALSE(stays_inside(deep, target)) << target;
  EXPECT_FALSE(stays_inside(top, std::string_view("a\0b", 3)));
}

// If two links are allowed, no path through both leads outside. By induction no path through the links of a
// tree does.
TEST(TreeLinks, OneThroughAnotherStaysInside) {
  EXPECT_TRUE(stays_inside({"a", "self"}, "."));
  EXPECT_FALSE(stays_inside({"a", "out"}, "self/self/../../.."));  // read as text, the path ends at the top
}

TEST_F(OutputTrees, FillsADirectory) {
  const auto tree = output_tree(path_, {});
  EXPECT_FALSE(fs::exists(path_));
  tree->make_directory({}, {.permissions = 0700, .group = {}, .modified = {}});
  tree->make_directory({"d"}, {.permissions = 0500, .group = {}, .modified = {}});
  put(*tree, {"f"});
  put(*tree, {"d", "f"});
  tree->make_link({"d", "l"}, "../f");
  EXPECT_EQ(read_file(scratch_.path("out/f")), kBytes);
  EXPECT_EQ(read_file(scratch_.path("out/d/f")), kBytes);
  EXPECT_EQ(fs::read_symlink(scratch_.path("out/d/l")), "../f");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(scratch_.path("out/d")).permissions(), fs::perms::owner_all);
}

TEST_F(OutputTrees, AFileThatFailsLeavesNothing) {
  const auto tree = output_tree(scratch_.directory(), {});
  const auto fail = [](Sink& sink) {
    sink.write(kBytes);
    throw Error(Errc::damaged, "no");
  };
  EXPECT_THROW(tree->make_file({"f"}, std::nullopt, fail), Error);
  EXPECT_TRUE(scratch_.names().empty());
}

TEST_F(OutputTrees, ReplacesFilesAndLinksOnlyWhenTold) {
  const auto tree = output_tree(scratch_.directory(), {});
  put(*tree, {"f"});
  tree->make_link({"l"}, "f");
  EXPECT_THROW(put(*tree, {"f"}), Error);
  EXPECT_THROW(tree->make_link({"l"}, "g"), Error);
  const auto forced = output_tree(scratch_.directory(), {.replace = true});
  put(*forced, {"f"});
  forced->make_link({"l"}, "g");
  EXPECT_EQ(fs::read_symlink(scratch_.path("l")), "g");
}

// Links exist already in every place that a path can go through.
TEST_F(OutputTrees, WritesThroughNoLink) {
  Scratch outside;
  write_file(outside.path("kept"), kBytes);
  ::symlink(outside.directory().c_str(), scratch_.path("d").c_str());
  ::symlink(outside.path("kept").c_str(), scratch_.path("f").c_str());
  ::symlink(outside.path("new").c_str(), scratch_.path("g").c_str());
  const auto tree = output_tree(scratch_.directory(), {.replace = true});
  EXPECT_THROW(tree->make_directory({"d"}, {}), Error);
  EXPECT_THROW(put(*tree, {"d", "x"}), Error);
  EXPECT_THROW(tree->make_link({"d", "x"}, "y"), Error);
  EXPECT_THROW(put(*tree, {"f"}), Error);
  EXPECT_THROW(put(*tree, {"g"}), Error);
  EXPECT_EQ(outside.names(), std::vector<std::string>{"kept"});
  EXPECT_EQ(read_file(outside.path("kept")), kBytes);
}

TEST_F(OutputTrees, RefusesNamesThatLeadOut) {
  const auto tree = output_tree(path_, {});
  tree->make_directory({}, {.permissions = 0700, .group = {}, .modified = {}});
  for (const TreePath& path : {TreePath{".."}, TreePath{"..", "x"}, TreePath{"/x"}, TreePath{"a/../../x"}}) {
    EXPECT_THROW(put(*tree, path), Error);
    EXPECT_THROW(tree->make_directory(path, {}), Error);
    EXPECT_THROW(tree->make_link(path, "x"), Error);
  }
  EXPECT_THROW(tree->make_link({"l"}, "../x"), Error);
  EXPECT_EQ(scratch_.names(), std::vector<std::string>{"out"});
}

TEST_F(OutputTrees, ReadsBackWhatWasWritten) {
  const auto tree = output_tree(scratch_.directory(), {});
  tree->make_directory({"d"}, {.permissions = 0755, .group = {}, .modified = {}});
  put(*tree, {"d", "f"});
  tree->make_link({"l"}, "d/f");
  ::mkfifo(scratch_.path("p").c_str(), 0600);
  const auto source = open_tree(scratch_.directory());
  std::vector<std::pair<std::string, TreeEntryKind>> seen;
  for (const TreeEntry& entry : source->list({}).entries) seen.emplace_back(entry.name, entry.kind);
  const std::vector<std::pair<std::string, TreeEntryKind>> wanted{
      {"d", TreeEntryKind::directory}, {"l", TreeEntryKind::link}, {"p", TreeEntryKind::other}};
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(source->link_target({"l"}), "d/f");
  std::vector<std::byte> bytes(100);
  bytes.resize(source->open({"d", "f"})->read(bytes));
  EXPECT_EQ(bytes, kBytes);
  EXPECT_THROW(open_tree(scratch_.path("none")), Error);
}

// No directory of a tree is reached through a link, whichever name is asked for.
TEST_F(SourceTrees, ReadsThroughNoLink) {
  Scratch outside;
  write_file(outside.path("f"), kBytes);
  fs::create_directory(outside.path("e"));
  ::symlink("f", outside.path("l").c_str());
  ::symlink(outside.directory().c_str(), scratch_.path("d").c_str());
  ::symlink(outside.path("f").c_str(), scratch_.path("f").c_str());
  const auto source = open_tree(scratch_.directory());
  EXPECT_THROW(source->list({"d"}), Error);
  EXPECT_THROW(source->attributes({"d"}), Error);
  EXPECT_THROW(source->attributes({"d", "e"}), Error);
  EXPECT_THROW(source->open({"d", "f"}), Error);
  EXPECT_THROW(source->link_target({"d", "l"}), Error);
  EXPECT_EQ(error_of([&] { source->open({"f"}); }).text(), "is a symbolic link, which is not followed");
}

TEST_F(SourceTrees, ReadsNoCompanionThroughALink) {
  Scratch outside;
  for (const std::string& path : {scratch_.path("a.kwl"), scratch_.path("b.kwl"), scratch_.path("b.salt"),
                                  scratch_.path("c.kwl"), outside.path("c.salt")})
    write_file(path, kBytes);
  ::symlink(outside.path("c.salt").c_str(), scratch_.path("c.salt").c_str());
  ::symlink("nowhere", scratch_.path("d.salt").c_str());
  write_file(scratch_.path("d.kwl"), kBytes);
  const auto source = open_tree(scratch_.directory());
  EXPECT_EQ(source->open({"a.kwl"})->companion(".salt"), nullptr);
  EXPECT_NE(source->open({"b.kwl"})->companion(".salt"), nullptr);
  for (const char* name : {"c.kwl", "d.kwl"})
    EXPECT_EQ(error_of([&] { source->open({name})->companion(".salt"); }).text(),
              "is a symbolic link, which is not followed");
}

// The top may be moved and another take its name: the tree stays the one that was opened.
TEST_F(SourceTrees, StaysInTheDirectoryThatWasOpened) {
  fs::create_directories(scratch_.path("top/d"));
  write_file(scratch_.path("top/d/f"), kBytes);
  const auto source = open_tree(scratch_.path("top"));
  fs::rename(scratch_.path("top"), scratch_.path("moved"));
  fs::create_directory(scratch_.path("top"));
  EXPECT_EQ(source->list({"d"}).entries.size(), 1U);
  EXPECT_NO_THROW(source->open({"d", "f"}));
}

// A second list() begins anew; the descriptor has one read position.
TEST_F(SourceTrees, ListsAgain) {
  write_file(scratch_.path("f"), kBytes);
  const auto source = open_tree(scratch_.directory());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source->list({}).entries.size(), 1U);
}

TEST_F(OutputTrees, StaysInTheDirectoryThatWasMade) {
  Scratch outside;
  const auto tree = output_tree(path_, {});
  tree->make_directory({}, {.permissions = 0700, .group = {}, .modified = {}});
  fs::rename(path_, scratch_.path("moved"));
  ::symlink(outside.directory().c_str(), path_.c_str());
  put(*tree, {"f"});
  tree->make_directory({"d"}, {.permissions = 0700, .group = {}, .modified = {}});
  put(*tree, {"d", "f"});
  EXPECT_TRUE(outside.names().empty());
  EXPECT_TRUE(fs::exists(scratch_.path("moved/d/f")));
}

TEST_F(OutputTrees, MakesItsTopInTheDirectoryThatIsGiven) {
  Scratch outside;
  ::symlink(outside.directory().c_str(), scratch_.path("link").c_str());
  const auto within = WalkedDirectory(scratch_.directory()).open();
  const FileAttributes like{.permissions = 0700, .group = {}, .modified = {}};
  int prepared = 0;
  const auto top = [&] { return ++prepared, within; };
  const auto tree = output_tree("out", {.within = top});
  EXPECT_EQ(prepared, 0);
  tree->make_directory({}, like);
  EXPECT_EQ(prepared, 1);
  put(*tree, {"f"});
  EXPECT_TRUE(fs::exists(scratch_.path("out/f")));
  EXPECT_THROW(output_tree("link", {.within = top})->make_directory({}, like), Error);
  EXPECT_TRUE(outside.names().empty());
}

// What a tree's directory was, and what takes its place before and after it is first opened.
class Walked : public testing::Test {
 protected:
  Walked() {
    fs::create_directories(scratch_.path("top/d/e"));
    write_file(scratch_.path("top/d/e/f"), kBytes);
    fs::create_directories(scratch_.path("other/e"));
    write_file(scratch_.path("other/e/f"), kBytes);
  }

  void exchange(bool by_link) {
    fs::rename(scratch_.path("top/d"), scratch_.path("gone"));
    by_link ? fs::create_directory_symlink("../other", scratch_.path("top/d"))
            : fs::rename(scratch_.path("other"), scratch_.path("top/d"));
  }

  std::string failure() {
    return error_of([&] { open_regular_file(e_->open(), "f"); }).text();
  }

  Scratch scratch_;
  std::shared_ptr<WalkedDirectory> top_ = std::make_shared<WalkedDirectory>(scratch_.path("top"));
  std::shared_ptr<WalkedDirectory> d_ = std::make_shared<WalkedDirectory>(top_, "d");
  std::shared_ptr<WalkedDirectory> e_ = std::make_shared<WalkedDirectory>(d_, "e");
  const std::string replaced_ = "a directory on its path was replaced meanwhile";
};

TEST_F(Walked, IsNotReachedThroughALinkThatComesBeforeTheFirstOpening) {
  exchange(true);
  EXPECT_EQ(failure(), replaced_);
}

TEST_F(Walked, IsNotReachedThroughALinkThatComesLater) {
  e_->open();
  exchange(true);
  EXPECT_EQ(failure(), replaced_);
}

TEST_F(Walked, IsTheOneThatWasOpenedFirst) {
  e_->open();
  exchange(false);
  EXPECT_EQ(failure(), replaced_);
}

TEST_F(Walked, StaysTheSameWhileItIsOpen) {
  const auto opened = e_->open();
  exchange(true);
  EXPECT_EQ(e_->open(), opened);
  EXPECT_NO_THROW(open_regular_file(e_->open(), "f"));
}

TEST_F(Walked, LeavesNoDescriptorOpen) {
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = descriptors();
  e_->open();
  EXPECT_EQ(descriptors(), before);
}

// Its path leads elsewhere by now: only one that is held is still found.
TEST_F(Walked, IsFoundByItsPathUnlessItIsHeld) {
  e_->open();
  const WalkedDirectory named(scratch_.path("top/d"));
  named.open();
  d_->hold();
  exchange(true);
  EXPECT_EQ(error_of([&] { named.open(); }).text(), replaced_);
  EXPECT_NO_THROW(e_->open());
}

}  // namespace
}  // namespace fugu::stream
