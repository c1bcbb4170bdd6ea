// Directories that are written without following links out of them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/temporary_file.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::stream {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

void require_names(const TreePath& path) {
  for (const std::string& name : path) {
    if (!is_tree_name(name)) throw Error(Errc::io, "a name leads out of its directory");
  }
}

class OutputTree final : public TreeSink {
 public:
  OutputTree(std::string top, const OutputTreeOptions& options) : top_(std::move(top)), options_(options) {}

  // The owner may write to it while it is being filled.
  void make_directory(const TreePath& path, const FileAttributes& like) override try {
    require_names(path);
    const mode_t mode = like.permissions | 0700;
    if (path.empty()) {
      if (::mkdir(top_.c_str(), mode) != 0 && errno != EEXIST)
        throw system_error("cannot create a directory", errno);
      static_cast<void>(open_top());
      return;
    }
    if (::mkdirat(parent_of(path), path.back().c_str(), mode) != 0 && errno != EEXIST)
      throw system_error("cannot create a directory", errno);
    static_cast<void>(open_below(parent_of(path), path.back()));
  } catch (...) {
    rethrow_as_error();
  }

  void make_file(const TreePath& path, const std::optional<FileAttributes>& like,
                 const std::function<void(Sink&)>& write) override try {
    require_names(path);
    // Uses the open directory's number: if the directory's name is replaced meanwhile, the file does not go
    // there.
    const std::string name = "/proc/self/fd/" + std::to_string(parent_of(path)) + '/' + path.back();
    OutputFile file(
        name,
        {.replace = options_.replace, .like = like, .threads = options_.threads, .follow_links = false});
    write(file);
    file.commit();
  } catch (...) {
    rethrow_as_error();
  }

  void make_link(const TreePath& path, const std::string& target) override try {
    require_names(path);
    if (!stays_inside(path, target)) throw Error(Errc::io, "a link leads out of its directory");
    const int parent = parent_of(path);
    if (options_.replace) return replace_with_link(parent, path.back(), target);
    if (::symlinkat(target.c_str(), parent, path.back().c_str()) == 0) return;
    if (errno == EEXIST) throw Error(Errc::io, "exists; not overwritten (use -f)");
    throw system_error("cannot create a link", errno);
  } catch (...) {
    rethrow_as_error();
  }

 private:
  Descriptor open_top() const {
    Descriptor opened(::open(top_.c_str(), kDirectoryFlags));
    if (!opened) throw system_error("cannot open its directory", errno);
    return opened;
  }

  static Descriptor open_below(int directory, const std::string& name) {
    Descriptor opened(::openat(directory, name.c_str(), kDirectoryFlags | O_NOFOLLOW));
    if (!opened && (errno == ELOOP || errno == ENOTDIR))
      throw Error(Errc::io, "exists and is not a directory; not overwritten");
    if (!opened) throw system_error("cannot open its directory", errno);
    return opened;
  }

  // Keeps a file's directory open for the next ones.
  int parent_of(const TreePath& path) {
    const TreePath wanted(path.begin(), path.end() - 1);
    if (parent_ && wanted == parent_path_) return parent_.get();
    Descriptor opened = open_top();
    for (const std::string& name : wanted) opened = open_below(opened.get(), name);
    parent_ = std::move(opened);
    parent_path_ = wanted;
    return parent_.get();
  }

  std::string top_;
  OutputTreeOptions options_;
  TreePath parent_path_;
  Descriptor parent_;
};

class DiscardedTree final : public TreeSink {
 public:
  void make_directory(const TreePath&, const FileAttributes&) override {}
  void make_file(const TreePath&, const std::optional<FileAttributes>&,
                 const std::function<void(Sink&)>& write) override {
    write(*nowhere_);
  }
  void make_link(const TreePath&, const std::string&) override {}

 private:
  std::unique_ptr<Sink> nowhere_ = discard();
};

}  // namespace

std::unique_ptr<TreeSink> output_tree(const std::string& path, const OutputTreeOptions& options) {
  return with_errors_only([&] { return std::make_unique<OutputTree>(path, options); });
}

std::unique_ptr<TreeSink> discard_tree() {
  return with_errors_only([&] { return std::make_unique<DiscardedTree>(); });
}

}  // namespace fugu::stream
