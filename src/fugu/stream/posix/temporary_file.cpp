#include "fugu/stream/posix/detail/temporary_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <algorithm>

#include "fugu/platform/posix/signals.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::stream {
namespace {

enum State : int { free_slot, creating, live };

constexpr std::size_t kMaxNameBytes = 255;  // NAME_MAX
using Name = std::array<char, kMaxNameBytes + 1>;

// Initially all zeros, so that the registry takes no space in the executable.
struct Slot {
  std::atomic<int> state = free_slot;
  std::atomic<int> directory = 0;
  std::atomic<pid_t> process = 0;  // a forked child must not remove its parent's files
  std::array<std::atomic<char>, kMaxNameBytes + 1> name{};
};

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<char>::is_always_lock_free,
              "a signal handler reads the registry");

constexpr const char* kAppeared = "appeared while it was written; not overwritten (use ⟦f⟧)";

constinit std::array<Slot, 1024> registry;
constinit std::atomic<bool> closed = false;  // set by unlink_temporaries(), never cleared

// Async-signal-safe.
Name name_in(const Slot& slot) noexcept {
  Name name{};
  for (std::size_t i = 0; i < kMaxNameBytes; ++i) name[i] = slot.name[i];
  return name;
}

// Writes the first character last: until then there is no name.
void set_name(Slot& slot, std::string_view name) noexcept {
  slot.name[0] = 0;
  for (std::size_t i = slot.name.size(); i-- > 0;) slot.name[i] = i < name.size() ? name[i] : '\0';
}

// Async-signal-safe.
void unlink_slot(const Slot& slot) noexcept {
  if (slot.process != ::getpid()) return;
  ::unlinkat(slot.directory, name_in(slot).data(), 0);
}

// ".NAME.fugu-0123456789abcdef", with as much of the target's name as fits.
std::string temporary_name(std::string_view target, int directory) {
  std::array<std::byte, 8> random;
  platform::system_random(random);
  std::array<char, 2 * random.size()> digits;
  encode_hex(random, digits.data());
  const std::string end = std::string(".fugu-").append(digits.data(), digits.size());
  const long most = ::fpathconf(directory, _PC_NAME_MAX);
  const std::size_t room = std::min(most > 0 ? static_cast<std::size_t>(most) : kMaxNameBytes, kMaxNameBytes);
  std::size_t kept = std::min(target.size(), room > end.size() ? room - end.size() - 1 : 0);
  const auto continues = [&](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // UTF-8
  while (kept != 0 && kept < target.size() && continues(target[kept])) --kept;
  std::string name;
  if (kept != 0) name.append(1, '.').append(target.substr(0, kept));
  return name.append(end);
}

// The target of such a name.
std::string_view target_of(std::string_view temporary) noexcept {
  const std::size_t end = temporary.rfind(".fugu-");
  return end == std::string_view::npos || end == 0 ? "" : temporary.substr(1, end - 1);
}

// Async-signal-safe.
void count_unfinished(const Slot& slot, Unfinished& unfinished) noexcept {
  const Name own = name_in(slot);
  const std::string_view target = target_of(own.data());
  if (slot.process != ::getpid() || target.empty() || ++unfinished.outputs > 1) return;
  std::ranges::copy(target, unfinished.first.begin());
  struct stat status;
  unfinished.first_exists =
      ::fstatat(slot.directory, unfinished.first.data(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

std::size_t claim_slot() {
  for (std::size_t i = 0; i < registry.size(); ++i) {
    int expected = free_slot;
    if (!registry[i].state.compare_exchange_strong(expected, creating)) continue;
    // Stored before `closed` is read: unlink_temporaries() writes that and reads this, so that one sees the
    // other.
    registry[i].process = ::getpid();
    return i;
  }
  throw Error(Errc::io, "too many output files at once");
}

// Marks that a file of the slot is being named. unlink_temporaries() waits for slots in `creating`: on this
// thread, it would wait for itself.
class Naming {
 public:
  explicit Naming(Slot& slot) : block_(platform::asynchronous_signals()), slot_(slot) {
    slot_.state = creating;
    if (!closed) return;
    slot_.state = live;
    throw Error(Errc::interrupted, "stopped");
  }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;
  ~Naming() { slot_.state = live; }

 private:
  platform::SignalBlock block_;
  Slot& slot_;
};

// Runs `work` while the slot's file is being named. Frees the slot when that throws.
template <class Work>
void while_naming(Slot& slot, Work work) {
  try {
    const Naming naming(slot);
    work();
  } catch (...) {
    slot.state = free_slot;
    throw;
  }
}

int create_exclusively(int directory, const char* name, mode_t mode) noexcept {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  return retry_interrupted([&] { return ::openat(directory, name, kFlags, mode); });
}

Descriptor create_unnamed(int directory) noexcept {
  constexpr int kFlags = O_RDWR | O_TMPFILE | O_CLOEXEC;
  return Descriptor(retry_interrupted([&] { return ::openat(directory, ".", kFlags, 0600); }));
}

// Gives an unnamed file its first name; fails with EEXIST instead of replacing.
int give_name(const Descriptor& file, int directory, const char* name) {
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  return ::linkat(AT_FDCWD, path.c_str(), directory, name, AT_SYMLINK_FOLLOW);
}

// rename(2), but fails with EEXIST instead of replacing.
int rename_without_replacing(int directory, const char* from, const char* to) noexcept {
  if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // For file systems without that: a hard link never replaces either, and for a moment both names exist.
  if (::linkat(directory, from, directory, to, 0) != 0) return -1;
  return ::unlinkat(directory, from, 0);
}

// The reason why a name cannot be given without replacing.
Error refusal_error(int error) {
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)
    return Error(Errc::io,
                 "this file system cannot protect a file that appears meanwhile; to overwrite it, use ⟦f⟧");
  return system_error("rename failed", error);
}

}  // namespace

TemporaryFile::TemporaryFile(std::shared_ptr<OutputDirectory> directory, std::string target, bool replace,
                             const std::string& own_name)
    : directory_(std::move(directory)),
      target_(std::move(target)),
      replace_(replace),
      named_(!own_name.empty()) {
  const platform::SignalBlock block(platform::asynchronous_signals());
  slot_ = claim_slot();
  while_naming(registry[slot_],
               [&] { create(named_ ? own_name : temporary_name(target_, directory_->descriptor())); });
}

void TemporaryFile::create(const std::string& name) {
  Slot& slot = registry[slot_];
  const int directory = directory_->descriptor();
  slot.directory = directory;
  set_name(slot, name);
  try {
    if (!directory_->permitted()) try_out(name.c_str());
    permitted_ = directory_->permitted().value_or(0600);
    if (!named_ && directory_->names_later()) file_ = create_unnamed(directory);
    named_ = !file_;
    if (named_) create_named(name.c_str());
  } catch (...) {
    ::unlinkat(directory, name.c_str(), 0);
    throw;
  }
}

// A first file of that name exists only to find out the mode of new files, since reading the umask would
// change it for other threads. The real file is a second one, since others may hold the first open.
void TemporaryFile::try_out(const char* name) const {
  const Descriptor probe(create_exclusively(directory_->descriptor(), name, 0777));
  if (!probe) throw system_error("cannot create a file in its directory", errno);
  const mode_t permitted = status_of(probe.get()).st_mode & 0777;
  remove(name);
  if (can_name_later(name)) directory_->set_names_later();
  directory_->set_permitted(permitted);
}

void TemporaryFile::create_named(const char* name) {
  file_ = Descriptor(create_exclusively(directory_->descriptor(), name, 0600));
  if (!file_) throw system_error("cannot create a file in its directory", errno);
  if (replace_ || directory_->refuses()) return;
  require_refusal(name);
  directory_->set_refuses();
}

void TemporaryFile::remove(const char* name) const {
  if (::unlinkat(directory_->descriptor(), name, 0) != 0) throw system_error("cannot remove a file", errno);
}

// Whether a file can be created unnamed and named in the end. Tested with another file, since not all file
// systems can, and it needs /proc.
bool TemporaryFile::can_name_later(const char* name) const {
  const Descriptor probe = create_unnamed(directory_->descriptor());
  if (!probe || give_name(probe, directory_->descriptor(), name) != 0) return false;
  remove(name);
  return true;
}

// Gives the file `probe` a second name and removes it again, so that failures of commit() show before the
// work.
void TemporaryFile::require_refusal(const char* probe) const {
  const std::string other = temporary_name(target_, directory_->descriptor());
  if (rename_without_replacing(directory_->descriptor(), probe, other.c_str()) != 0)
    throw refusal_error(errno);
  if (::renameat(directory_->descriptor(), other.c_str(), directory_->descriptor(), probe) == 0) return;
  const int failure = errno;
  ::unlinkat(directory_->descriptor(), other.c_str(), 0);
  throw system_error("rename failed", failure);
}

TemporaryFile::~TemporaryFile() {
  Slot& slot = registry[slot_];
  unlink_slot(slot);
  slot.state = free_slot;
}

void TemporaryFile::publish(const std::optional<InPlace>& in_place) {
  if (retry_interrupted([&] { return ::fsync(file_.get()); }) != 0) throw system_error("sync failed", errno);
  if (in_place) in_place->look();
  named_ ? file_.close_checked() : close_copy();
  named_ ? rename_to_target(in_place) : link_to_target(in_place);
  published_ = true;
  set_name(registry[slot_], {});
  directory_->sync();
}

// The file must stay open until it has a name; a file system may report a failed write on close.
void TemporaryFile::close_copy() const {
  Descriptor copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) throw system_error("close failed", errno);
  copy.close_checked();
}

void TemporaryFile::link_to_target(const std::optional<InPlace>& in_place) {
  if (replace_) return replace_target(in_place);
  if (give_name(file_, directory_->descriptor(), target_.c_str()) == 0) return;
  if (errno == EEXIST) throw Error(Errc::io, kAppeared);
  throw system_error("link failed", errno);
}

// Only rename(2) replaces in one step, and it needs a name: for that moment one derived from the target's.
void TemporaryFile::replace_target(const std::optional<InPlace>& in_place) {
  const Naming naming(registry[slot_]);
  const Name own = name_in(registry[slot_]);
  if (give_name(file_, directory_->descriptor(), own.data()) != 0) throw system_error("link failed", errno);
  rename_to_target(in_place);
}

void TemporaryFile::rename_to_target(const std::optional<InPlace>& in_place) {
  const Name own = name_in(registry[slot_]);
  const int directory = directory_->descriptor();
  if (in_place && replace_only(in_place->file, own.data())) return;
  const int result = replace_ ? ::renameat(directory, own.data(), directory, target_.c_str())
                              : rename_without_replacing(directory, own.data(), target_.c_str());
  if (result == 0) return;
  if (errno == EEXIST) throw Error(Errc::io, kAppeared);
  throw replace_ ? system_error("rename failed", errno) : refusal_error(errno);
}

// Exchanges the two names, looks at what was replaced, and takes that back if it was another file. False if
// the file system cannot exchange names. No signal handler removes what is there meanwhile.
bool TemporaryFile::replace_only(const FileId& file, const char* own) {
  const int directory = directory_->descriptor();
  const auto exchange = [&] {
    return ::renameat2(directory, own, directory, target_.c_str(), RENAME_EXCHANGE) == 0;
  };
  const Naming naming(registry[slot_]);
  if (!exchange()) {
    if (errno == EINVAL || errno == ENOSYS) return false;
    throw system_error("rename failed", errno);
  }
  struct stat replaced;
  if (::fstatat(directory, own, &replaced, AT_SYMLINK_NOFOLLOW) != 0 || identity(replaced) != file) {
    if (!exchange()) throw system_error("rename failed", errno);
    throw Error(Errc::io, "was replaced by another file meanwhile");
  }
  ::unlinkat(directory, own, 0);
  return true;
}

void replace_with_link(int directory, const std::string& name, const std::string& target) {
  const platform::SignalBlock block(platform::asynchronous_signals());
  const std::string own = temporary_name(name, directory);
  Slot& slot = registry[claim_slot()];
  int error = 0;
  while_naming(slot, [&] {
    slot.directory = directory;
    set_name(slot, own);
    if (::symlinkat(target.c_str(), directory, own.c_str()) != 0 ||
        ::renameat(directory, own.c_str(), directory, name.c_str()) != 0)
      error = errno;
    if (error != 0) unlink_slot(slot);
  });
  slot.state = free_slot;
  if (error != 0) throw system_error("cannot create a link", error);
}

std::filesystem::path shared_temporary_path(const std::string& output) {
  const std::filesystem::path target = output_target(output);
  const std::filesystem::path directory = directory_of(target);
  const OutputDirectory opened(directory);
  return directory / temporary_name(target.filename().string(), opened.descriptor());
}

ForeignTemporary::ForeignTemporary(const std::filesystem::path& path)
    : directory_(std::make_shared<OutputDirectory>(directory_of(path))) {
  const platform::SignalBlock block(platform::asynchronous_signals());
  slot_ = claim_slot();
  Slot& slot = registry[slot_];
  while_naming(slot, [&] {
    slot.directory = directory_->descriptor();
    set_name(slot, path.filename().string());
  });
}

ForeignTemporary::~ForeignTemporary() {
  registry[slot_].state = free_slot;
}

Unfinished unlink_temporaries() noexcept {
  const int errno_of_the_interrupted = errno;
  Unfinished unfinished;
  closed = true;
  for (const Slot& slot : registry) {
    // Another thread is between two system calls of create(): wait at most 200 ms, then it is stuck in one.
    for (int i = 0; i < 200 && slot.state == creating && slot.process == ::getpid(); ++i)
      ::poll(nullptr, 0, 1);
    if (slot.state == free_slot) continue;
    count_unfinished(slot, unfinished);
    unlink_slot(slot);
  }
  errno = errno_of_the_interrupted;
  return unfinished;
}

}  // namespace fugu::stream
