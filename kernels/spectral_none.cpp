// The spectral launchers of a build without CUDA. A device context cannot be made there, so nothing calls
// them; they exist so that everything above them links, and they fail if reached.
#include "kernels/group/group_launch.hpp"
#include "kernels/sbox/sbox_launch.hpp"
#include "kernels/spectral_launch.hpp"

namespace fugu::kernels {
namespace {

constexpr int kNoCuda = 35;  // cudaErrorInsufficientDriver

}  // namespace

int launch_walsh_pass(Element, const WalshPass&, void*, std::uint64_t, int, std::uint32_t*, CUstream_st*) {
  return kNoCuda;
}
int launch_walsh_received(Element, const WalshPass&, void*, const ReceivedParts&, std::uint64_t,
                          CUstream_st*) {
  return kNoCuda;
}
int launch_walsh_chain(Element, const WalshPass&, const WalshPass&, const ChainShape&, std::uint32_t*, void*,
                       void*, std::uint64_t, int, std::uint32_t*, CUstream_st*) {
  return kNoCuda;
}
int walsh_once_occupancy(Element, int, int*) {
  return kNoCuda;
}
int launch_walsh_once(Element, void*, int, int, std::uint32_t*, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_first(const std::uint32_t*, std::int16_t*, int, std::uint32_t*, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_only(const WalshPass&, const std::uint32_t*, std::int32_t*, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_widen(const WalshPass&, const std::int16_t*, std::int32_t*, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_narrow(const WalshPass&, const std::int16_t*, std::int16_t*, std::uint32_t*, std::uint64_t,
                          CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_only_statistics(const WalshPass&, const std::uint32_t*, std::uint64_t,
                                   const SpectrumStatistics&, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_narrow_statistics(const WalshPass&, const std::int16_t*, std::uint64_t,
                                     const SpectrumStatistics&, CUstream_st*) {
  return kNoCuda;
}
int launch_boolean_wide_statistics(const WalshPass&, const std::int32_t*, std::uint64_t,
                                   const SpectrumStatistics&, CUstream_st*) {
  return kNoCuda;
}
int launch_moebius_first(const WalshPass&, const std::uint32_t*, std::uint32_t*, std::uint64_t,
                         CUstream_st*) {
  return kNoCuda;
}
int launch_moebius_pass(const WalshPass&, std::uint32_t*, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_degree_only(const WalshPass&, const std::uint32_t*, int, const SpectrumStatistics&, CUstream_st*) {
  return kNoCuda;
}
int launch_degree_last(const WalshPass&, const std::uint32_t*, int, const SpectrumStatistics&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_profile(const ComponentProfile&, CUstream_st*) {
  return kNoCuda;
}
int launch_group_pass(const GroupRing&, const GroupPass&, void*, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_group_axis(const GroupRing&, std::uint32_t, std::uint64_t, const void*, void*, std::uint64_t,
                      CUstream_st*) {
  return kNoCuda;
}
int launch_box_values(const BoxValues&, CUstream_st*) {
  return kNoCuda;
}
int launch_narrow_values(const NarrowValues&, CUstream_st*) {
  return kNoCuda;
}
int launch_box_coordinates(const BoxCoordinates&, CUstream_st*) {
  return kNoCuda;
}
int launch_one_bit_agreements(const OneBitAgreements&, CUstream_st*) {
  return kNoCuda;
}
int launch_one_bit_differences(const OneBitDifferences&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_spectra(const ComponentSpectra&, CUstream_st*) {
  return kNoCuda;
}
int launch_difference_rows(const DifferenceRows&, CUstream_st*) {
  return kNoCuda;
}
int launch_autocorrelation_rows(const AutocorrelationRows&, CUstream_st*) {
  return kNoCuda;
}
int launch_autocorrelation_columns(const AutocorrelationColumns&, CUstream_st*) {
  return kNoCuda;
}
int launch_wide_components(const WideComponents&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_rows(const ComponentRows&, CUstream_st*) {
  return kNoCuda;
}
int launch_wide_spectra(const WideSpectra&, CUstream_st*) {
  return kNoCuda;
}
int launch_wide_rows(const WideRows&, CUstream_st*) {
  return kNoCuda;
}
int launch_wide_differences(const WideDifferences&, CUstream_st*) {
  return kNoCuda;
}
int launch_wide_columns(const WideColumns&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_summaries(const ComponentSummaries<ComponentFindings>&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_summaries(const ComponentSummaries<WideFindings>&, CUstream_st*) {
  return kNoCuda;
}
int launch_boomerang_rows(const BoomerangRows<std::uint16_t>&, CUstream_st*) {
  return kNoCuda;
}
int launch_boomerang_rows(const BoomerangRows<std::uint32_t>&, CUstream_st*) {
  return kNoCuda;
}
int launch_coordinate_signs(const CoordinateSigns&, CUstream_st*) {
  return kNoCuda;
}
int launch_transparency_totals(const TransparencyTotals&, CUstream_st*) {
  return kNoCuda;
}
int launch_component_degrees(const ComponentDegrees&, CUstream_st*) {
  return kNoCuda;
}
int launch_small_boxes(const SmallBoxes&, CUstream_st*) {
  return kNoCuda;
}
int launch_reorder(std::size_t, const void*, void*, std::uint64_t, int, bool, bool, CUstream_st*) {
  return kNoCuda;
}
int launch_convolve_pass(Element, const WalshPass&, void*, const void*, std::uint64_t, int, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_no_if(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_m(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_sm(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_sm_mp(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_shfl_xor_sm(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_fwt_kernel_shfl_xor_sm_mp(const PaperStep&, CUstream_st*) {
  return kNoCuda;
}
int launch_dyadic_step(std::int64_t*, std::uint64_t, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_dyadic_multiply(std::int64_t*, const std::int64_t*, std::uint64_t, CUstream_st*) {
  return kNoCuda;
}
int launch_dyadic_scale(std::int64_t*, std::uint64_t, int, CUstream_st*) {
  return kNoCuda;
}
int launch_kronecker_step(const float*, const float*, float*, std::uint32_t, std::uint32_t, CUstream_st*) {
  return kNoCuda;
}
int launch_character_table(const CharacterTable&, CUstream_st*) {
  return kNoCuda;
}

}  // namespace fugu::kernels
