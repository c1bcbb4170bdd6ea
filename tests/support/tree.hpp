// Memory as a tree of files: a source with arbitrary contents, and a sink that keeps what it gets.
#pragma once

#include <map>
#include <string>

#include "fugu/error.hpp"
#include "fugu/stream/tree.hpp"
#include "support/memory.hpp"

namespace fugu::test {

// Files, links and directories by their paths; links and directories have no bytes.
struct Tree {
  std::map<std::string, Bytes> files;
  std::map<std::string, std::string> links;
  std::map<std::string, int> directories;  // how often each was created
};

class TreeBytes final : public stream::TreeSource {
 public:
  // `tree` outlives it. A path that begins with a name and a slash is in the directory of that name.
  explicit TreeBytes(const Tree& tree) : tree_(tree) {}

  stream::TreeListing list(const stream::TreePath& directory) override {
    std::vector<stream::TreeEntry> entries = more_top_entries;
    if (!directory.empty()) entries.clear();
    const auto add = [&](const auto& paths, stream::TreeEntryKind kind) {
      const std::string top = directory.empty() ? "" : stream::text_of(directory) + '/';
      for (const auto& [path, content] : paths) {
        const bool is_here = path.starts_with(top) && path.find('/', top.size()) == path.npos;
        if (is_here) entries.push_back({path.substr(top.size()), kind});
      }
    };
    add(tree_.files, stream::TreeEntryKind::file);
    add(tree_.links, stream::TreeEntryKind::link);
    add(tree_.directories, stream::TreeEntryKind::directory);
    return {std::move(entries), problem};
  }

  stream::FileAttributes attributes(const stream::TreePath&) override { return {}; }

  std::unique_ptr<stream::Source> open(const stream::TreePath& file) override {
    const auto found = tree_.files.find(stream::text_of(file));
    if (found == tree_.files.end()) throw Error(Errc::io, "no such file");
    return std::make_unique<BytesSource>(found->second);
  }

  std::string link_target(const stream::TreePath& link) override {
    return tree_.links.at(stream::text_of(link));
  }

  std::vector<stream::TreeEntry> more_top_entries;  // as a directory that was tampered with has them
  std::optional<Error> problem;                     // every listing's

 private:
  const Tree& tree_;
};

class TreeKeeper final : public stream::TreeSink {
 public:
  void make_directory(const stream::TreePath& path, const stream::FileAttributes&) override {
    ++tree.directories[stream::text_of(path)];
  }
  void make_file(const stream::TreePath& path, const std::optional<stream::FileAttributes>&,
                 const std::function<void(stream::Sink&)>& write) override {
    BytesSink sink;
    write(sink);
    tree.files[stream::text_of(path)] = std::move(sink.bytes);
  }
  void make_link(const stream::TreePath& path, const std::string& target) override {
    tree.links[stream::text_of(path)] = target;
  }

  Tree tree;
};

}  // namespace fugu::test
