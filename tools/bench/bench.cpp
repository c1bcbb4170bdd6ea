// fugu_bench [--csv] [--runs N] ROW...      without ROW: lists the rows
//
// ROW is the beginning of SCOPE/NAME. Prints the tables of `fugu bench`, or its CSV; what was taken before an
// error too. With rows of MPI: mpirun -n RANKS fugu_bench ranks
#include "bench.hpp"

#include <cstdio>
#include <cstdlib>

#include "cli/bench/plan.hpp"
#include "measure/gpu.hpp"

namespace fugu::bench {
namespace {

constexpr double kShortestSample = 2e-3;
constexpr double kShortestGpuSample = 4e-4;
constexpr int kMaxGpuRepeats = 50;
constexpr std::size_t kCopyBytes = std::size_t{4} << 30;

using kernels::BlowfishShape;

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr Operation kEcb{mode::Mode::ecb, core::Direction::encrypt};

std::vector<BlowfishShape> shapes_to_sweep(int sms) {
  std::vector<BlowfishShape> shapes;
  for (const int vectors : {1, 2, 4})
    for (const int threads : {256, 512, 768, 1024})
      for (const int blocks : {sms / 2, sms, 2 * sms, 8 * sms})
        if (vectors < 4 || threads <= 512) shapes.push_back({true, vectors, false, threads, blocks});
  for (const int threads : {512, 768, 1024}) shapes.push_back({true, 2, true, threads, sms});
  shapes.push_back({false, 2, false, 512, 2 * sms});  // one copy of the tables
  return shapes;
}

// ECB encryption over thread-blocks x threads per block x blocks per thread: the basis of
// kernels/blowfish/blowfish_policy.hpp.
void sweep(Bench& bench) {
  KernelSession session(0, kGiB, bench.maker.schedule());
  const Case c = bench.maker.make(kEcb, kGiB);
  session.load(c.input, bench.pool);
  for (const BlowfishShape& shape : shapes_to_sweep(session.device().multiprocessors)) {
    const std::string place = std::string(shape.replicated ? "replicated" : "single") + " tables; " +
                              std::to_string(2 * shape.vectors) + " blocks per thread" +
                              (shape.prefetch ? "; prefetch" : "");
    session.take(c, shape, bench.pool, c.row(Scope::sweep, "cuda:0", 0, place), bench.sampler);
  }
}

std::vector<BenchRow> all_rows() {
  std::vector<BenchRow> rows;
  const auto add = [&](const std::vector<BenchRow>& some) {
    rows.insert(rows.end(), some.begin(), some.end());
  };
  add(peer_rows());
  rows.push_back({Scope::sweep, "shapes", sweep});
  add(spectral_rows());
  add(gpu_spectral_rows());
  add(sbox_rows());
#if defined(FUGU_HAVE_RANKS)
  add(ranks_rows());
#endif
#if defined(FUGU_HAVE_CUDA)
  add(thesis_rows());
#endif
  return rows;
}

std::string key_of(const BenchRow& row) {
  return std::string(name_of(row.scope)) + "/" + row.name;
}

struct Arguments {
  bool csv = false;
  int runs = 9;
  std::string command = "fugu_bench";
  std::vector<std::string> chosen = {};
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    arguments.command.append(" ").append(word);
    if (word == "--csv") {
      arguments.csv = true;
    } else if (word == "--runs" && i + 1 < count) {
      arguments.runs = std::max(std::atoi(words[++i]), 1);
      arguments.command.append(" ").append(std::to_string(arguments.runs));
    } else {
      arguments.chosen.push_back(word);
    }
  }
  return arguments;
}

std::vector<BenchRow> rows_named(const std::string& beginning) {
  std::vector<BenchRow> rows = all_rows();
  std::erase_if(rows, [&](const BenchRow& row) { return !key_of(row).starts_with(beginning); });
  return rows;
}

int run(const Arguments& arguments) {
  if (arguments.chosen.empty()) {
    for (const BenchRow& row : all_rows()) std::puts(key_of(row).c_str());
    return 0;
  }
  std::vector<BenchRow> rows;
  for (const std::string& word : arguments.chosen) {
    const std::vector<BenchRow> named = rows_named(word);
    rows.insert(rows.end(), named.begin(), named.end());
    if (!named.empty()) continue;
    std::fprintf(stderr, "fugu_bench: no row begins with %s; without arguments it lists them\n",
                 word.c_str());
    return 1;
  }
  Bench bench;
  bench.sampler = {arguments.runs,
                   [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); }};
  int status = 0;
  try {
    for (const BenchRow& row : rows) row.run(bench);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fugu_bench: %s\n", error.what());
    status = 6;
  }
  if (!bench.prints || bench.sampler.rows.empty()) return status;
  Report report{describe_machine(bench.sampler.rows, {}), arguments.command, std::move(bench.sampler.rows)};
  const std::string text = arguments.csv ? as_csv(report) : as_text(report);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) return 4;
  return status;
}

}  // namespace

double Gpu::seconds(const std::function<void()>& work, int repeats) {
  from.record(stream);
  for (int i = 0; i < repeats; ++i) work();
  to.record(stream);
  to.synchronize();
  return 1e-3 * static_cast<double>(device::Event::milliseconds(from, to)) / repeats;
}

Gpu& Bench::gpu() {
  if (gpu_) return *gpu_;
  Gpu& gpu = gpu_.emplace();
  const device::Buffer<std::byte> a(gpu.stream, kCopyBytes, device::Contents::open),
      b(gpu.stream, kCopyBytes, device::Contents::open);
  device::wipe(a.span(), gpu.stream);
  on_gpu({Scope::spectral, "cuda:0", 0, "copy", "", "device memory", kCopyBytes}, 0,
         [&] { device::copy_on_device(b.span(), a.span(), gpu.stream); });
  gpu.bytes_per_second = 2e9 * summarize(sampler.rows.back()).median;
  return gpu;
}

void Bench::on_cpu(Row row, const std::function<void()>& work) {
  const int repeats = 1 + static_cast<int>(kShortestSample / std::max(wall_seconds(work), 1e-8));
  const auto run = [&] {
    for (int i = 0; i < repeats; ++i) work();
  };
  sampler.take(std::move(row), {.run = [&] { return wall_seconds(run) / repeats; }});
}

void Bench::on_gpu(Row row, double moved_bytes, const std::function<void()>& work) {
  Gpu& there = gpu();
  work();
  const double once = std::max(there.seconds(work), 1e-6);
  const int repeats = std::clamp(static_cast<int>(kShortestGpuSample / once), 1, kMaxGpuRepeats);
  sampler.take(row, {.run = [&] { return there.seconds(work, repeats); }});
  if (moved_bytes <= 0) return;
  row.engine = "floor";
  row.samples = {{moved_bytes / there.bytes_per_second, 0}};
  sampler.rows.push_back(std::move(row));
}

}  // namespace fugu::bench

int main(int count, char** words) {
  return fugu::bench::run(fugu::bench::parse(count, words));
}
