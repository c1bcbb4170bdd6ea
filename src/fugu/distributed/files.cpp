#include "fugu/distributed/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <type_traits>

#include "fugu/distributed/detail/shared_output.hpp"
#include "fugu/distributed/detail/watch.hpp"
#include "fugu/distributed/secret.hpp"
#include "fugu/distributed/values.hpp"

namespace fugu::distributed {
namespace {

// The public part of a plan, which has a fixed size.
struct PlanFacts {
  core::Direction direction;
  std::uint64_t input_bytes;
  std::size_t header_bytes;
  mode::Mode mode;
  mode::Padding padding;
  core::ByteOrder words;
  core::ByteOrder counter;
  bool pads_streams;
};
static_assert(std::is_trivially_copyable_v<PlanFacts>);

void broadcast(const Communicator& communicator, FilePlan& plan) {
  const std::string name(plan.codec != nullptr ? plan.codec->name : "");
  plan.codec = format::find_codec(distributed::broadcast(communicator, name));
  format::UnitPlan& units = plan.units;
  mode::Settings& settings = units.settings;
  PlanFacts facts{units.direction,  units.input_bytes, units.header.size(), settings.mode,
                  settings.padding, settings.words,    settings.counter,    settings.pads_streams};
  distributed::broadcast(communicator, std::as_writable_bytes(std::span(&facts, 1)));
  units.direction = facts.direction;
  units.input_bytes = facts.input_bytes;
  units.header.resize(facts.header_bytes);
  distributed::broadcast(communicator, units.header);
  // It may be derived from the passphrase, as the key is.
  auth::SecretBytes iv = settings.iv ? auth::SecretBytes(*settings.iv) : auth::SecretBytes();
  distributed::broadcast(communicator, iv);
  distributed::broadcast(communicator, units.key);
  settings = {.mode = facts.mode,
              .padding = facts.padding,
              .words = facts.words,
              .counter = facts.counter,
              .pads_streams = facts.pads_streams};
  if (!iv.empty()) std::ranges::copy(std::as_const(iv).span(), settings.iv.emplace().begin());
}

// More than any header: there are data.
constexpr std::uint64_t kMinBytesAlone = 4096;

// A rank of one thread whose file waits for no disk, beside so many that no processor is idle: threads for
// reading and writing would only take its chunks out of the cache.
bool works_alone(const Communicator& communicator, const FileJob& job, const FilePlan& plan,
                 const SharedSink* sink) {
  return job.engine.threads() == 1 && job.chunk_bytes == 0 && plan.units.input_bytes >= kMinBytesAlone &&
         sink != nullptr && sink->is_in_memory() && job.processors != 0 &&
         static_cast<unsigned>(communicator.size()) >= job.processors;
}

// The whole input, for one rank, which reads at offsets alone. Throws Stopped instead of reading once another
// rank has failed.
class SharedSource final : public stream::Source {
 public:
  SharedSource(stream::Source& file, const Watch& watch) : file_(file), watch_(watch) {}

  std::size_t read(std::span<std::byte>) override {
    throw Error(Errc::engine, "the input of ranks has no position");
  }
  std::optional<std::uint64_t> size_bytes() const override { return file_.size_bytes(); }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    if (watch_.is_stopped()) throw Stopped();
    return file_.read_at(into, offset);
  }

 private:
  stream::Source& file_;
  const Watch& watch_;
};

// This rank's share of the work, range by range.
class RankJob {
 public:
  RankJob(const Communicator& communicator, const FileJob& job, const FilePlan& plan, stream::Source& input,
          const SharedOutput& output)
      : communicator_(communicator),
        job_(job),
        plan_(plan),
        units_(plan.units, plan.codec->units->work(plan.units)),
        input_(input),
        output_(output) {}

  // Returns the end of this rank's output.
  std::uint64_t run() {
    RangeQueue queue(communicator_,
                     ranges_of(units_.count(), least_units(), static_cast<unsigned>(communicator_.size())));
    stream::PumpCounters counters;
    std::uint64_t end = 0;
    watched(communicator_, counters, job_.tell, queue, [&](const Watch& watch) {
      while (const std::optional<UnitRange> range = queue.next())
        end = std::max(end, run_range(*range, counters, watch));
    });
    return end;
  }

 private:
  // The job's least range, in units.
  std::uint64_t least_units() const {
    const std::uint64_t unit_bytes = plan_.units.input_bytes / units_.count();
    return job_.least_range_bytes / std::max<std::uint64_t>(unit_bytes, 1);
  }

  // Returns the end of this range's output.
  std::uint64_t run_range(const UnitRange& range, stream::PumpCounters& counters, const Watch& watch) {
    SharedSource source(input_, watch);
    const std::unique_ptr<stream::Sink> nowhere = stream::discard();
    const std::unique_ptr<SharedSink> sink =
        output_.sink(units_.output_offset(range.first), units_.output_offset(range.end));
    stream::Sink& to = sink ? static_cast<stream::Sink&>(*sink) : *nowhere;
    format::Job part{job_.engine, source, to, job_.chunk_bytes, &counters};
    if (works_alone(communicator_, job_, plan_, sink.get())) {
      if (memory_.size() == 0) memory_ = engine::allocate_host_chunk(units_.chunk_bytes());
      part.memory = memory_.span();
      part.chunk_bytes = format::kAloneChunkBytes;
    }
    units_.run(part, range.first, range.end);
    return sink ? sink->position() : 0;
  }

  const Communicator& communicator_;
  const FileJob& job_;
  const FilePlan& plan_;
  format::FileUnits units_;
  stream::Source& input_;
  const SharedOutput& output_;
  engine::Chunk memory_;  // for work alone
};

// A rank notices that another has failed between two of these.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Work that no progress shows and whose parts are known.
template <class Work>
void watched(const Communicator& communicator, Work work) {
  RangeQueue nothing(communicator, {});
  watched(communicator, {}, {}, nothing, work);
}

// Calls step(offset, piece) for each piece of `bytes`.
template <class Byte, class Step>
void in_pieces(const Watch& watch, std::span<Byte> bytes, Step step) {
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    if (watch.is_stopped()) throw Stopped();
    step(at, bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at)));
  }
}

}  // namespace

void run_file(const Communicator& communicator, const FileJob& job, const std::function<FilePlan()>& plan) {
  FilePlan made;
  at_root(communicator, [&] { made = plan(); });
  broadcast(communicator, made);
  std::unique_ptr<stream::Source> input;
  together(communicator, [&] { input = stream::open_regular_file(job.input); });
  SharedOutput output(communicator, job.output, job.output_options, job.reserved_bytes);
  output.commit(RankJob(communicator, job, made, *input, output).run());
}

void read_part(const Communicator& communicator, const std::string& path, std::uint64_t offset,
               std::span<std::byte> into) {
  watched(communicator, [&](const Watch& watch) {
    const std::unique_ptr<stream::Source> file = stream::open_regular_file(path);
    in_pieces(watch, into, [&](std::size_t at, std::span<std::byte> piece) {
      if (!file->read_at(piece, offset + at)) throw Error(Errc::io, "became shorter while it was read");
    });
  });
}

void write_parts(const Communicator& communicator, const std::string& output,
                 const stream::OutputFileOptions& options, std::span<const FilePart> parts) {
  SharedOutput shared(communicator, output, options);
  std::uint64_t end = 0;
  watched(communicator, [&](const Watch& watch) {
    for (const FilePart& part : parts) {
      const std::unique_ptr<SharedSink> sink = shared.sink(part.offset, part.offset + part.bytes.size());
      in_pieces(watch, part.bytes, [&](std::size_t, auto piece) { sink->write(piece); });
      end = std::max(end, sink->position());
    }
  });
  shared.commit(end);
}

void SharedSink::write_parts(std::span<const std::span<const std::byte>> parts) {
  as_output([&] { part_.write_parts(parts); });
  for (const std::span<const std::byte> part : parts) position_ += part.size();
}

SharedOutput::SharedOutput(const Communicator& communicator, const std::string& output,
                           const stream::OutputFileOptions& options, std::uint64_t reserved_bytes)
    : communicator_(communicator) {
  if (output.empty()) return;
  at_root(communicator, [&] { as_output([&] { path_ = stream::shared_temporary_path(output); }); });
  path_ = broadcast(communicator, path_);
  together(communicator, [&] {
    if (!communicator.is_root())
      as_output([&] { foreign_ = std::make_unique<stream::ForeignTemporary>(path_); });
  });
  at_root(communicator, [&] {
    as_output([&] {
      stream::OutputFileOptions shared = options;
      shared.shared_as = path_;
      made_ = std::make_unique<stream::OutputFile>(output, shared);
      made_->reserve(reserved_bytes);
    });
  });
  together(communicator, [&] { as_output([&] { open_and_lock(); }); });
}

// Where parts of two machines meet in a page of an NFS file, each machine's cache would write the whole page,
// with zeros for the other's bytes; Linux writes no more than was asked for while a process holds a lock of
// less than the whole file. Other file systems may know no locks: they need none.
void SharedOutput::open_and_lock() {
  file_ = stream::Descriptor(
      stream::retry_interrupted([&] { return ::open(path_.c_str(), O_RDWR | O_CLOEXEC); }));
  if (!file_) throw system_error("cannot open", errno);
  struct flock own_byte {};
  own_byte.l_type = F_WRLCK;
  own_byte.l_start = communicator_.rank();
  own_byte.l_len = 1;
  if (::fcntl(file_.get(), F_OFD_SETLK, &own_byte) != 0 && errno == ENOLCK)
    throw system_error("cannot lock a part", errno);
}

std::unique_ptr<SharedSink> SharedOutput::sink(std::uint64_t begin, std::uint64_t end) const {
  constexpr int kMinRanks = 4;  // with fewer ranks write(2) is as fast
  if (!file_) return nullptr;
  return std::make_unique<SharedSink>(file_.get(), begin, communicator_.size() < kMinRanks ? 0 : end);
}

void SharedOutput::commit(std::uint64_t end) {
  if (path_.empty()) return;
  together(communicator_, [&] {
    as_output([&] {
      if (stream::retry_interrupted([&] { return ::fsync(file_.get()); }) != 0)
        throw system_error("sync failed", errno);
      file_.close_checked();
    });
  });
  std::uint64_t bytes = 0;
  check(MPI_Reduce(&end, &bytes, 1, MPI_UINT64_T, MPI_MAX, 0, communicator_.get()), "MPI_Reduce");
  at_root(communicator_, [&] {
    as_output([&] {
      made_->set_shared_bytes(bytes);
      made_->commit();
    });
  });
}

}  // namespace fugu::distributed
