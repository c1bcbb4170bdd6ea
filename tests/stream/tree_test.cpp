// Trees: which names and links stay inside, and directories that are filled.
#include "fugu/stream/tree.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fugu/error.hpp"
#include "scratch.hpp"

namespace fugu::stream {
namespace {

namespace fs = std::filesystem;

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

TEST(OutputTree, FillsADirectory) {
  Scratch scratch;
  const auto tree = output_tree(scratch.path("out"), {});
  EXPECT_FALSE(fs::exists(scratch.path("out")));
  tree->make_directory({}, {.permissions = 0700, .group = {}, .modified = {}});
  tree->make_directory({"d"}, {.permissions = 0500, .group = {}, .modified = {}});
  put(*tree, {"f"});
  put(*tree, {"d", "f"});
  tree->make_link({"d", "l"}, "../f");
  EXPECT_EQ(read_file(scratch.path("out/f")), kBytes);
  EXPECT_EQ(read_file(scratch.path("out/d/f")), kBytes);
  EXPECT_EQ(fs::read_symlink(scratch.path("out/d/l")), "../f");
  EXPECT_EQ(fs::status(scratch.path("out")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(scratch.path("out/d")).permissions(), fs::perms::owner_all);
}

TEST(OutputTree, AFileThatFailsLeavesNothing) {
  Scratch scratch;
  const auto tree = output_tree(scratch.directory(), {});
  const auto fail = [](Sink& sink) {
    sink.write(kBytes);
    throw Error(Errc::damaged, "no");
  };
  EXPECT_THROW(tree->make_file({"f"}, std::nullopt, fail), Error);
  EXPECT_TRUE(scratch.names().empty());
}

TEST(OutputTree, ReplacesFilesAndLinksOnlyWhenTold) {
  Scratch scratch;
  const auto tree = output_tree(scratch.directory(), {});
  put(*tree, {"f"});
  tree->make_link({"l"}, "f");
  EXPECT_THROW(put(*tree, {"f"}), Error);
  EXPECT_THROW(tree->make_link({"l"}, "g"), Error);
  const auto forced = output_tree(scratch.directory(), {.replace = true});
  put(*forced, {"f"});
  forced->make_link({"l"}, "g");
  EXPECT_EQ(fs::read_symlink(scratch.path("l")), "g");
}

// Links exist already in every place that a path can go through.
TEST(OutputTree, WritesThroughNoLink) {
  Scratch scratch;
  Scratch outside;
  write_file(outside.path("kept"), kBytes);
  ::symlink(outside.directory().c_str(), scratch.path("d").c_str());
  ::symlink(outside.path("kept").c_str(), scratch.path("f").c_str());
  ::symlink(outside.path("new").c_str(), scratch.path("g").c_str());
  const auto tree = output_tree(scratch.directory(), {.replace = true});
  EXPECT_THROW(tree->make_directory({"d"}, {}), Error);
  EXPECT_THROW(put(*tree, {"d", "x"}), Error);
  EXPECT_THROW(tree->make_link({"d", "x"}, "y"), Error);
  EXPECT_THROW(put(*tree, {"f"}), Error);
  EXPECT_THROW(put(*tree, {"g"}), Error);
  EXPECT_EQ(outside.names(), std::vector<std::string>{"kept"});
  EXPECT_EQ(read_file(outside.path("kept")), kBytes);
}

TEST(OutputTree, RefusesNamesThatLeadOut) {
  Scratch scratch;
  const auto tree = output_tree(scratch.path("out"), {});
  tree->make_directory({}, {.permissions = 0700, .group = {}, .modified = {}});
  for (const TreePath& path : {TreePath{".."}, TreePath{"..", "x"}, TreePath{"/x"}, TreePath{"a/../../x"}}) {
    EXPECT_THROW(put(*tree, path), Error);
    EXPECT_THROW(tree->make_directory(path, {}), Error);
    EXPECT_THROW(tree->make_link(path, "x"), Error);
  }
  EXPECT_THROW(tree->make_link({"l"}, "../x"), Error);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"out"});
}

TEST(OutputTree, ReadsBackWhatWasWritten) {
  Scratch scratch;
  const auto tree = output_tree(scratch.directory(), {});
  tree->make_directory({"d"}, {.permissions = 0755, .group = {}, .modified = {}});
  put(*tree, {"d", "f"});
  tree->make_link({"l"}, "d/f");
  ::mkfifo(scratch.path("p").c_str(), 0600);
  const auto source = open_tree(scratch.directory());
  std::vector<std::pair<std::string, TreeEntryKind>> seen;
  for (const TreeEntry& entry : source->list({})) seen.emplace_back(entry.name, entry.kind);
  const std::vector<std::pair<std::string, TreeEntryKind>> wanted{
      {"d", TreeEntryKind::directory}, {"l", TreeEntryKind::link}, {"p", TreeEntryKind::other}};
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(source->link_target({"l"}), "d/f");
  std::vector<std::byte> bytes(100);
  bytes.resize(source->open({"d", "f"})->read(bytes));
  EXPECT_EQ(bytes, kBytes);
  EXPECT_THROW(open_tree(scratch.path("none")), Error);
}

}  // namespace
}  // namespace fugu::stream
