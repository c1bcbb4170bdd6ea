// Directories that are written without following links out of them.
#include <unistd.h>

#include "fugu/stream/posix/detail/temporary_file.hpp"
#include "fugu/stream/posix/detail/tree_directories.hpp"

namespace fugu::stream {
namespace {

void require_names(const TreePath& path) {
  for (const std::string& name : path) {
    if (!is_tree_name(name)) throw Error(Errc::io, "a name leads out of its directory");
  }
}

class OutputTree final : public TreeSink {
 public:
  OutputTree(std::string top, OutputTreeOptions options)
      : top_(std::move(top)), options_(std::move(options)) {
    while (top_.size() > 1 && top_.ends_with('/')) top_.pop_back();  // with a slash, a link is followed
  }

  // The owner may write to it while it is being filled.
  void make_directory(const TreePath& path, const FileAttributes& like) override {
    require_names(path);
    const mode_t mode = like.permissions | 0700;
    if (path.empty()) return make_top(mode);
    const std::shared_ptr<const Descriptor> parent = tree().parent_of(path);
    make_below(parent->get(), path.back(), mode);
    require_directory(open_below(parent->get(), path.back()));
  }

  void make_file(const TreePath& path, const std::optional<FileAttributes>& like,
                 const std::function<void(Sink&)>& write) override {
    require_names(path);
    OutputFile file(path.back(), {.replace = options_.replace,
                                  .like = like,
                                  .threads = options_.threads,
                                  .within = output_directory(tree().parent_of(path))});
    write(file);
    file.commit();
  }

  void make_link(const TreePath& path, const std::string& target) override {
    require_names(path);
    if (!stays_inside(path, target)) throw Error(Errc::io, "a link leads out of its directory");
    const std::shared_ptr<const Descriptor> parent = tree().parent_of(path);
    if (options_.replace) return replace_with_link(parent->get(), path.back(), target);
    if (::symlinkat(target.c_str(), parent->get(), path.back().c_str()) == 0) return;
    if (errno == EEXIST) throw Error(Errc::io, "exists; not overwritten (use ⟦f⟧)");
    throw system_error("cannot create a link", errno);
  }

 private:
  void make_top(mode_t mode) {
    if (!tree_) open_top(make_below(base(), top_, mode));
  }

  // Opens the top at the first call.
  TreeDirectories& tree() {
    if (!tree_) open_top(false);
    return *tree_;
  }

  // A link is followed only for an existing top that the user has named.
  void open_top(bool is_new) {
    Descriptor top = is_new || options_.within ? open_below(base(), top_)
                                               : Descriptor(::open(top_.c_str(), kDirectoryFlags));
    tree_.emplace(std::make_shared<const Descriptor>(require_directory(std::move(top))),
                  "cannot open its directory");
  }

  int base() {
    if (options_.within && !base_) base_ = options_.within();
    return base_ ? base_->get() : AT_FDCWD;
  }

  // Kept for the next file of the directory.
  std::shared_ptr<OutputDirectory> output_directory(std::shared_ptr<const Descriptor> opened) {
    if (!output_ || output_->opened() != opened)
      output_ = std::make_shared<OutputDirectory>(std::move(opened));
    return output_;
  }

  std::string top_;
  OutputTreeOptions options_;
  std::shared_ptr<const Descriptor> base_;  // of the top
  std::optional<TreeDirectories> tree_;
  std::shared_ptr<OutputDirectory> output_;
};

}  // namespace

std::unique_ptr<TreeSink> output_tree(const std::string& path, const OutputTreeOptions& options) {
  return std::make_unique<OutputTree>(path, options);
}

}  // namespace fugu::stream
