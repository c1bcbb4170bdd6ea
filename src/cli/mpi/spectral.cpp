// fugu-mpi spectral: one transform over the memories of all ranks.
#include "fugu/distributed/spectral.hpp"
#include "cli/commands.hpp"
#include "cli/lab/work.hpp"
#include "cli/mpi/ranks.hpp"
#include "fugu/distributed/gpu.hpp"
#include "fugu/distributed/values.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"

namespace fugu::cli {
namespace {

using distributed::Communicator;

constexpr std::size_t kTypeBytes[] = {4, 8, 4, 8};

// The type of a file's values and their offset.
struct ValueFile {
  std::uint64_t offset = 0;
  int log2_size = 0;
  bool is_table = false;  // bytes that are 0 or 1
  bool is_npy = true;
  ValueType type = ValueType::int32;

  std::size_t value_bytes() const { return is_table ? 1 : kTypeBytes[static_cast<std::size_t>(type)]; }
};

void set_npy_type(ValueFile& file, const std::string& descr) {
  file.is_table = descr == "|b1" || descr == "|u1";
  if (file.is_table) return;
  const auto* const found = std::ranges::find(kNpyTypes, descr);
  if (found == std::end(kNpyTypes))
    refuse("fugu-mpi cannot read values of type {}, only bool, uint8, int32, int64, float32 and float64",
           descr);
  file.type = static_cast<ValueType>(found - std::begin(kNpyTypes));
}

ValueFile look_at(const std::string& name, std::optional<ValueType> type) {
  const auto source = stream::open_regular_file(name);
  std::string head(std::min<std::uint64_t>(source->size_bytes().value_or(0), 1 << 16), '\0');
  head.resize(source->read(std::as_writable_bytes(std::span(head))));
  ValueFile file;
  std::uint64_t values = 0;
  file.is_npy = head.starts_with(kNpyMagic);
  if (file.is_npy) {
    if (type) refuse("--type is for raw values: an .npy file states its type");
    const auto [header, beginning] = npy_parts(head);
    file.offset = head.size() - beginning.size();
    if (header.shape.rows != 1) refuse("the input has several rows; give one function");
    set_npy_type(file, header.descr);
    values = header.shape.columns;
  } else {
    if (!type) refuse("not an .npy file: give the type of its values with --type");
    file.type = *type;
    values = *source->size_bytes() / file.value_bytes();
  }
  if (source->size_bytes() != file.offset + values * file.value_bytes())
    throw Error(Errc::damaged, "its length does not match its header or --type");
  file.log2_size = spectral::log2_exact(values);
  return file;
}

// The values of a rank that takes part, their narrower form in a file, and the memory of its GPU. Not
// cleared: what does not fit is noticed at once.
template <class T>
struct RankBuffers {
  std::unique_ptr<T[]> f;
  std::unique_ptr<T[]> g;
  std::unique_ptr<std::byte[]> narrow;
  std::optional<device::Stream> stream;
  device::Buffer<T> on_gpu;
};

// One run on this rank.
class SpectralRun {
 public:
  SpectralRun(const Communicator& world, const Arguments& arguments) : world_(world), arguments_(arguments) {}

  int run() {
    distributed::together(world_, [&] { check_words(); });
    try {
      work_ = rank_work(world_, arguments_);
      distributed::at_root(world_, [&] { files_ = look_at_all(); });
      share_facts();
      choose_ranks();
      start();
      return kSuccess;
    } catch (...) {
      return end_run(names_.front(), [this] { return report(); });
    }
  }

 private:
  void check_words() {
    const auto& operands = arguments_.operands();
    if (operands.empty() || std::ranges::count(kOperationsByRanks, operands[0]) == 0)
      refuse("an operation is missing: {}; see fugu-mpi spectral --help", alternatives(kOperationsByRanks));
    operation_ = operands[0];
    names_.assign(operands.begin() + 1, operands.end());
    const std::size_t wanted = operation_ == "convolve" ? 2 : 1;
    if (names_.size() != wanted) refuse("{} takes {}", operation_, wanted == 2 ? "two files" : "one file");
    output_ = arguments_.value("output").value_or("");
    if (operation_ == "nonlinearity" ? !output_.empty() : output_.empty())
      throw Error(Errc::usage, operation_ == "nonlinearity" ? "nonlinearity prints its result: leave out -o"
                                                            : "-o OUT is missing");
    static_cast<void>(choice_value(arguments_, "type", kValueTypes));
  }

  std::vector<ValueFile> look_at_all() const {
    std::vector<ValueFile> files;
    for (const std::string& name : names_)
      files.push_back(look_at(name, choice_value(arguments_, "type", kValueTypes)));
    if (files.back().log2_size != files.front().log2_size) refuse("the functions differ in length");
    if (operation_ == "nonlinearity" && !files.front().is_table)
      refuse("nonlinearity takes a truth table: an .npy file of bool, or of uint8 0 and 1");
    if (files.back().is_table != files.front().is_table || files.back().type != files.front().type)
      refuse("the two functions have different types");
    return files;
  }

  void share_facts() {
    files_.resize(names_.size());
    distributed::broadcast(world_, std::as_writable_bytes(std::span(files_)));
  }

  bool on_gpus() const { return arguments_.value("engine") == "cuda:local"; }
  bool convolves() const { return operation_ == "convolve" || operation_ == "autocorrelate"; }
  int log2_size() const { return files_.front().log2_size; }

  void choose_ranks() {
    log2_ranks_ = on_gpus() ? distributed::log2_gpu_ranks(log2_size(), world_.size())
                            : distributed::log2_transform_ranks(log2_size(), world_.size());
    const int count = 1 << log2_ranks_;
    ranks_.emplace(world_, count);
    if (count < world_.size())
      say_note(fmt::format("{} of the {} ranks take part: a power of two, with enough values for each", count,
                           world_.size()));
  }

  // Convolutions are computed in 64 bits, and so is a spectrum that does not fit 32.
  void start() {
    ValueType type = files_.front().type;
    if (files_.front().is_table) type = log2_size() > 30 ? ValueType::int64 : ValueType::int32;
    if (convolves() && type == ValueType::int32) type = ValueType::int64;
    std::visit([&](auto zero) { run_as<decltype(zero)>(type); }, kZeros[static_cast<std::size_t>(type)]);
  }

  // All that a rank needs is allocated before ranks exchange anything.
  template <class T>
  void run_as(ValueType type) {
    RankBuffers<T> buffers;
    distributed::together(world_, [&] {
      if (ranks_->in()) allocate(buffers);
    });
    const std::span<T> f(buffers.f.get(), local_values());
    const std::span<T> g(buffers.g.get(), buffers.g ? local_values() : 0);
    read(0, f, buffers.narrow.get());
    if (names_.size() == 2) read(1, g, buffers.narrow.get());
    std::string text;
    by_participants([&] { text = transform(f, g, buffers); });
    if (operation_ == "nonlinearity") return write_result(text);
    write(std::span<const T>(f), type);
  }

  // 0 on ranks that do not take part.
  std::size_t local_values() const {
    return ranks_->in() ? std::size_t{1} << (log2_size() - log2_ranks_) : 0;
  }

  template <class T>
  void allocate(RankBuffers<T>& buffers) {
    const std::size_t values = local_values();
    buffers.f = std::make_unique_for_overwrite<T[]>(values);
    if (names_.size() == 2) buffers.g = std::make_unique_for_overwrite<T[]>(values);
    const std::size_t bytes = files_.front().value_bytes();
    if (bytes != sizeof(T)) buffers.narrow = std::make_unique_for_overwrite<std::byte[]>(values * bytes);
    if (!on_gpus()) return;
    gpu_ = std::make_unique<device::Context>(work_.gpu);
    buffers.stream.emplace(*gpu_);
    buffers.on_gpu = device::Buffer<T>(*buffers.stream, values, device::Contents::open);
    buffers.stream->synchronize();  // it is used on other streams too
  }

  // Work of the ranks that take part, which agree among themselves; then the others learn of a failure.
  template <class Work>
  void by_participants(Work work) {
    std::exception_ptr failure;
    try {
      if (ranks_->in()) work();
    } catch (const Error& error) {
      if (!distributed::is_agreed(error)) throw;
      failure = std::current_exception();
    }
    distributed::agree(world_, failure);
  }

  template <class T>
  void read(std::size_t index, std::span<T> values, std::byte* narrow) {
    const ValueFile& file = files_[index];
    if (file.is_table) return read_as<std::uint8_t>(index, values, narrow);
    if (file.type == ValueType::int32 && sizeof(T) != sizeof(std::int32_t))
      return read_as<std::int32_t>(index, values, narrow);
    read_bytes(index, std::as_writable_bytes(values));
  }

  void read_bytes(std::size_t index, std::span<std::byte> into) {
    const std::uint64_t first = into.size() * static_cast<std::uint64_t>(world_.rank());
    distributed::read_part(world_, names_[index], files_[index].offset + first, into);
  }

  // Reads values of a narrower type; a truth table becomes its polarity, except for convolve.
  template <class From, class T>
  void read_as(std::size_t index, std::span<T> values, std::byte* narrow) {
    const std::span<From> from(reinterpret_cast<From*>(narrow), values.size());
    read_bytes(index, std::as_writable_bytes(from));
    distributed::together(world_, [&] {
      if (files_[index].is_table && std::ranges::any_of(from, [](From x) { return x != 0 && x != 1; }))
        refuse("not a truth table: a byte is neither 0 nor 1");
    });
    const bool polarity = files_[index].is_table && operation_ != "convolve";
    std::ranges::transform(from, values.begin(),
                           [&](From x) { return static_cast<T>(polarity ? 1 - 2 * x : x); });
  }

  // Returns the text of nonlinearity.
  template <class T>
  std::string transform(std::span<T> mine, std::span<T> other, const RankBuffers<T>& buffers) {
    const int n = log2_size();
    const distributed::Transform<T> walsh = transform_of(buffers);
    if (convolves()) {
      convolve(mine, other.empty() ? mine : other, walsh);
      return {};
    }
    const bool fits = distributed::sums_fit(*ranks_, std::span<const T>(mine), n);
    distributed::together(*ranks_, [&] {
      if (!fits) refuse("coefficients may exceed {}-bit integers; use wider values", 8 * sizeof(T));
    });
    if (operation_ == "inverse") {
      distributed::inverse_walsh(*ranks_, mine, n, walsh);
      return {};
    }
    walsh(mine);
    return operation_ == "nonlinearity" ? nonlinearity(std::span<const T>(mine)) : "";
  }

  template <class T>
  void convolve(std::span<T> f, std::span<T> g, const distributed::Transform<T>& walsh) {
    if constexpr (!std::is_same_v<T, std::int32_t>)
      distributed::dyadic_convolve(*ranks_, f, g, log2_size(), walsh);
  }

  template <class T>
  std::string nonlinearity(std::span<const T> spectrum) {
    std::uint64_t largest = 0;
    if constexpr (std::is_integral_v<T>) largest = distributed::largest_magnitude(*ranks_, spectrum);
    const std::uint64_t half = (std::uint64_t{1} << log2_size()) / 2;
    return fmt::format("variables {}\nnonlinearity {}\nlargest coefficient {}\n", log2_size(),
                       half == 0 ? 0 : half - largest / 2, largest);
  }

  bool spans_gpus() const { return on_gpus() && log2_ranks_ > 0; }

  // The distribution of the transform's results.
  distributed::Split split(std::size_t value_bytes) const {
    return spans_gpus() ? distributed::gpu_split_of(*ranks_, log2_size(), value_bytes)
                        : distributed::split_of(*ranks_, log2_size());
  }

  // Collective among the ranks that take part.
  template <class T>
  distributed::Transform<T> transform_of(const RankBuffers<T>& buffers) {
    const int n = log2_size();
    if (!on_gpus()) {
      return
          [this, n](std::span<T> mine) { distributed::walsh(*ranks_, mine, n, {.threads = work_.threads}); };
    }
    if (spans_gpus()) gpus_ = std::make_unique<distributed::GpuRanks>(*ranks_, *gpu_);
    return [this, n, &buffers](std::span<T> mine) {
      const device::DeviceSpan<T> there = buffers.on_gpu.span();
      spectral::cuda::upload(there, mine, *buffers.stream);
      if (spans_gpus()) {
        buffers.stream->synchronize();
        distributed::walsh(*gpus_, there, n);
      } else {
        spectral::cuda::walsh(there, n, spectral::Ordering::natural, *buffers.stream);
      }
      spectral::cuda::download(mine, there, *buffers.stream);
    };
  }

  // `offset`: of the values in the output. Convolutions are slabs again.
  template <class T>
  void add_parts(std::vector<distributed::FilePart>& parts, std::size_t offset,
                 std::span<const T> mine) const {
    const auto add = [&](std::uint64_t global, std::span<const T> run) {
      parts.push_back({offset + global * sizeof(T), std::as_bytes(run)});
    };
    if (convolves()) return add(mine.size() * static_cast<std::uint64_t>(world_.rank()), mine);
    for (const auto& run : distributed::interleaved_runs(split(sizeof(T)), world_.rank()))
      add(run.global, mine.subspan(run.local, run.values));
  }

  // Reports the current exception.
  int report() const {
    try {
      throw;
    } catch (const stream::OutputError& error) {
      return say_failure(output_title(output_), error);
    } catch (...) {
      const Error error = current_failure();
      const std::string text = error.code() == Errc::memory
                                   ? "not enough memory; spread the ranks over more machines"
                                   : error.text();
      return say_failure(input_title(names_.front()), Error(error.code(), text));
    }
  }

  template <class T>
  void write(std::span<const T> values, ValueType type) {
    const ValueFile& like = files_.front();
    std::string header;
    std::vector<distributed::FilePart> parts;
    distributed::together(world_, [&] {
      if (like.is_npy)
        header = npy_header(kNpyTypes[static_cast<std::size_t>(type)],
                            {1, std::uint64_t{1} << log2_size(), false});
      if (world_.is_root() && !header.empty()) parts.push_back({0, std::as_bytes(std::span(header))});
      if (ranks_->in()) add_parts(parts, header.size(), values);
    });
    stream::OutputFileOptions options;
    options.replace = arguments_.has("force");
    distributed::write_parts(world_, output_, options, parts);
    note_false_name(output_, like.is_npy);
  }

  const Communicator& world_;
  const Arguments& arguments_;
  std::string operation_;
  std::vector<std::string> names_;
  std::string output_;
  RankWork work_;
  std::vector<ValueFile> files_;
  std::optional<Communicator> ranks_;  // participating ranks, 2^log2_ranks_
  int log2_ranks_ = 0;
  std::unique_ptr<device::Context> gpu_;
  std::unique_ptr<distributed::GpuRanks> gpus_;
};

}  // namespace

int spectral_by_ranks(const Communicator& world, const Arguments& arguments) {
  return SpectralRun(world, arguments).run();
}

}  // namespace fugu::cli
