// Directory trees as sources and sinks of many files.
//
// A path is the list of names from the top. No path leads out of its tree: a name is never empty, "." or
// "..", and holds no slash and no zero byte, and links are not followed.
#pragma once

#include <functional>
#include <vector>

#include "fugu/stream/sink.hpp"

namespace fugu::stream {

class WalkedDirectory;

using TreePath = std::vector<std::string>;

// The names with slashes between them.
FUGU_EXPORT std::string text_of(const TreePath& path);

// Whether a path may hold the name. Names too long for a file system are left for it to refuse.
FUGU_EXPORT bool is_tree_name(std::string_view name) noexcept;

// Whether a link at `link` leads to something in the tree. Only the first names of its target may be "..":
// after the name of another link, ".." would start from where that link leads.
FUGU_EXPORT bool stays_inside(const TreePath& link, std::string_view target);

// Whether `path` is `directory` or below it, after following links. Throws Error{io}.
FUGU_EXPORT bool lies_inside(const std::string& path, const std::string& directory);

enum class TreeEntryKind : std::uint8_t { file, directory, link, other };

struct TreeEntry {
  std::string name;
  TreeEntryKind kind = TreeEntryKind::file;
  std::optional<Error> problem = {};  // it cannot be looked at, and its kind is not known
};

struct TreeListing {
  std::vector<TreeEntry> entries;     // in the order of their names
  std::optional<Error> problem = {};  // the listing broke off: entries may be missing
};

// An entry that disappears meanwhile is left out. For one thread at a time per descriptor. Throws Error{io}.
FUGU_EXPORT TreeListing list(const Descriptor& directory);

// All members throw Error{io}.
class FUGU_EXPORT TreeSource {
 public:
  virtual ~TreeSource() = default;

  virtual TreeListing list(const TreePath& directory) = 0;

  virtual FileAttributes attributes(const TreePath& directory) = 0;
  virtual std::unique_ptr<Source> open(const TreePath& file) = 0;
  virtual std::string link_target(const TreePath& link) = 0;
};

// All members throw Error{io}, also for a path whose directory was not created.
class FUGU_EXPORT TreeSink {
 public:
  virtual ~TreeSink() = default;

  // An existing directory stays as it is. The empty path is the top. `like` has its permissions.
  virtual void make_directory(const TreePath& path, const FileAttributes& like) = 0;

  // Calls `write` once; the file appears whole after it, or not at all when it throws. `like` as in
  // OutputFileOptions.
  virtual void make_file(const TreePath& path, const std::optional<FileAttributes>& like,
                         const std::function<void(Sink&)>& write) = 0;

  // `target` satisfies stays_inside().
  virtual void make_link(const TreePath& path, const std::string& target) = 0;
};

// A directory, which stays open, and everything below it. Reads one file after the other, each as
// open_regular_file() does.
FUGU_EXPORT std::unique_ptr<TreeSource> open_tree(const WalkedDirectory& top, unsigned threads = 1);
FUGU_EXPORT std::unique_ptr<TreeSource> open_tree(const std::string& path, unsigned threads = 1);

struct OutputTreeOptions {
  bool replace = false;  // existing files and links
  unsigned threads = 1;  // as in OutputFileOptions

  // Returns the directory for the top, whose path is then a name in it: a link of that name is refused.
  // Called once, before the top is created or opened.
  std::function<std::shared_ptr<const Descriptor>()> within = {};
};

// A directory, created with its top, and everything put below it. Each file is an OutputFile. Nothing is
// written through a link, no matter who created it: existing directories and files must be real ones.
FUGU_EXPORT std::unique_ptr<TreeSink> output_tree(const std::string& path, const OutputTreeOptions& options);

}  // namespace fugu::stream
