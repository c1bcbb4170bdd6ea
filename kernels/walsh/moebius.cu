// The passes of the Moebius transform. The last one gathers the degree instead of writing the normal form.
#include "kernels/walsh/moebius_agent.hpp"
#include "kernels/walsh/walsh_maximum.cuh"

namespace fugu::kernels {
namespace {

struct DegreeSink : MaximumSink {
  std::uint32_t used;

  __device__ void operator()(std::uint64_t at, Parity terms) {
    const std::uint32_t degree = degree_and_one(at, terms, used);
    largest = degree > largest ? degree : largest;
  }
};

template <class Source, class Sink>
auto work_of(const WalshPass& pass, Source source, const Sink& sink, std::uint64_t words) {
  return contiguous_work<Parity, kTileBits>(StageRange{pass.from, pass.to}, source, sink, words);
}

template <class Sink>
auto strided_work_of(const WalshPass& pass, const void* data, const Sink& sink, std::uint64_t words) {
  return strided_work<Parity, kTileBits>(pass, LineSource<Parity>{static_cast<const Parity*>(data)}, sink,
                                         words);
}

template <class Work>
int launch_degree(const Work& work, std::uint64_t words, CUstream_st* stream) {
  return launch_work(GatheredOnce<Work>{work}, tiles_of(words, kTileBits), stream);
}

DegreeSink degree_sink(int variables, const SpectrumStatistics& statistics) {
  const std::uint32_t used = variables >= 5 ? ~0u : (1u << (1u << variables)) - 1;
  return {{statistics, 0}, used};
}

}  // namespace

int launch_moebius_first(const WalshPass& pass, const std::uint32_t* words, std::uint32_t* out,
                         std::uint64_t count, CUstream_st* stream) {
  const ValueSink<Parity> sink{reinterpret_cast<Parity*>(out)};
  return launch_work(work_of(pass, ParitySource{words}, sink, count), tiles_of(count, kTileBits), stream);
}

int launch_moebius_pass(const WalshPass& pass, std::uint32_t* words, std::uint64_t count,
                        CUstream_st* stream) {
  const ValueSink<Parity> sink{reinterpret_cast<Parity*>(words)};
  return launch_work(strided_work_of(pass, words, sink, count), tiles_of(count, kTileBits), stream);
}

int launch_degree_only(const WalshPass& pass, const std::uint32_t* words, int variables,
                       const SpectrumStatistics& statistics, CUstream_st* stream) {
  const std::uint64_t count = words_of(variables);
  return launch_degree(work_of(pass, ParitySource{words}, degree_sink(variables, statistics), count), count,
                       stream);
}

int launch_degree_last(const WalshPass& pass, const std::uint32_t* words, int variables,
                       const SpectrumStatistics& statistics, CUstream_st* stream) {
  const std::uint64_t count = words_of(variables);
  return launch_degree(strided_work_of(pass, words, degree_sink(variables, statistics), count), count,
                       stream);
}

}  // namespace fugu::kernels
