#include "fugu/distributed/files.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "fugu/core/wipe.hpp"
#include "fugu/distributed/detail/range_queue.hpp"
#include "fugu/distributed/detail/shared_output.hpp"
#include "fugu/distributed/detail/watch.hpp"
#include "fugu/distributed/secret.hpp"

namespace fugu::distributed {
namespace {

// The public part of a plan, which has a fixed size.
struct PlanFacts {
  core::Direction direction;
  std::uint64_t input_bytes;
  std::size_t header_bytes;
};
// The settings as bytes.
struct SettingFacts {
  mode::Mode mode;
  mode::Padding padding;
  bool has_iv;
  std::array<std::byte, core::kBlockBytes> iv;
  core::ByteOrder words;
  core::ByteOrder counter;
};
static_assert(std::is_trivially_copyable_v<PlanFacts> && std::is_trivially_copyable_v<SettingFacts>);

// Settings and key: the IV may be derived from the passphrase too. Copied byte by byte, as SecretBytes does.
auth::SecretBytes secret_of(const format::PartPlan& parts) {
  const mode::Settings& settings = parts.settings;
  SettingFacts facts{settings.mode,           settings.padding,
                     settings.iv.has_value(), settings.iv.value_or(mode::Iv{}),
                     settings.words,          settings.counter};
  auth::SecretBytes secret(sizeof facts + parts.key.size());
  std::memcpy(secret.data(), &facts, sizeof facts);
  core::wipe(&facts, sizeof facts);
  const volatile std::byte* const key = parts.key.span().data();
  for (std::size_t i = 0; i < parts.key.size(); ++i) secret.data()[sizeof facts + i] = key[i];
  return secret;
}

void take_secret(const auth::SecretBytes& secret, format::PartPlan& parts) {
  SettingFacts facts;
  std::memcpy(&facts, secret.span().data(), sizeof facts);
  parts.settings = {
      .mode = facts.mode, .padding = facts.padding, .words = facts.words, .counter = facts.counter};
  if (facts.has_iv) std::ranges::copy(facts.iv, parts.settings.iv.emplace().begin());
  core::wipe(&facts, sizeof facts);
  parts.key = auth::SecretBytes(secret.span().subspan(sizeof facts));
}

void broadcast(const Communicator& communicator, FilePlan& plan) {
  const std::string name(plan.codec != nullptr ? plan.codec->name : "");
  plan.codec = format::find_codec(distributed::broadcast(communicator, name));
  format::PartPlan& parts = plan.parts;
  PlanFacts facts{parts.direction, parts.input_bytes, parts.header.size()};
  distributed::broadcast(communicator, std::as_writable_bytes(std::span(&facts, 1)));
  parts.direction = facts.direction;
  parts.input_bytes = facts.input_bytes;
  parts.header.resize(facts.header_bytes);
  distributed::broadcast(communicator, parts.header);
  auth::SecretBytes secret = secret_of(parts);
  distributed::broadcast(communicator, secret);
  take_secret(secret, parts);
}

// The job's least range, in units.
std::uint64_t least_units(const FileJob& job, const FilePlan& plan, std::uint64_t units) {
  const std::uint64_t unit_bytes = plan.parts.input_bytes / units;
  return job.least_range_bytes / std::max<std::uint64_t>(unit_bytes, 1);
}

// More than any header: there are data.
constexpr std::uint64_t kLeastBytesAlone = 4096;

// A rank of one thread whose file waits for no disk, beside so many that no processor is idle: threads for
// reading and writing would only take its chunks out of the cache.
bool works_alone(const Communicator& communicator, const FileJob& job, const FilePlan& plan,
                 const SharedSink* sink) {
  return job.engine.threads() == 1 && job.chunk_bytes == 0 && plan.parts.input_bytes >= kLeastBytesAlone &&
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

// Returns the end of this range's output.
std::uint64_t run_range(const Communicator& communicator, const UnitRange& range, const FileJob& job,
                        const FilePlan& plan, stream::Source& input, const SharedOutput& output,
                        stream::PumpCounters& counters, const Watch& watch) {
  const format::PartFunctions& parts = *format::parts_of(*plan.codec);
  SharedSource source(input, watch);
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  const auto place_of = [&](std::uint64_t unit) { return parts.output_offset(plan.parts, unit); };
  const std::unique_ptr<SharedSink> sink = output.sink(place_of(range.first));
  stream::Sink& to = sink ? static_cast<stream::Sink&>(*sink) : *nowhere;
  format::Job part{job.engine, source, to, job.chunk_bytes, &counters};
  part.alone = works_alone(communicator, job, plan, sink.get());
  if (part.alone) part.chunk_bytes = format::kAloneChunkBytes;
  parts.run(plan.parts, part, range.first, range.end);
  return sink ? sink->position() : 0;
}

// Returns the end of this rank's output.
std::uint64_t run_part(const Communicator& communicator, const FileJob& job, const FilePlan& plan,
                       stream::Source& input, const SharedOutput& output) {
  const std::uint64_t units = format::parts_of(*plan.codec)->units(plan.parts);
  RangeQueue queue(communicator, ranges_of(units, least_units(job, plan, units),
                                           static_cast<unsigned>(communicator.size())));
  stream::PumpCounters counters;
  Watch watch(communicator, counters, job.tell, queue);
  std::uint64_t end = 0;
  std::exception_ptr failure;
  try {
    while (const std::optional<UnitRange> range = queue.next())
      end = std::max(end, run_range(communicator, *range, job, plan, input, output, counters, watch));
  } catch (...) {
    failure = std::current_exception();
  }
  watch.end(failure != nullptr);
  agree(communicator, failure);
  return end;
}

}  // namespace

void run_file(const Communicator& communicator, const FileJob& job, const std::function<FilePlan()>& plan) {
  FilePlan made;
  at_root(communicator, [&] { made = plan(); });
  broadcast(communicator, made);
  std::unique_ptr<stream::Source> input;
  together(communicator, [&] { input = stream::open_regular_file(job.input); });
  SharedOutput output(communicator, job.output, job.output_options);
  output.commit(run_part(communicator, job, made, *input, output));
}

}  // namespace fugu::distributed
