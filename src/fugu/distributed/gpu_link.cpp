// The stream and the events that every link between GPUs has.
#include "fugu/distributed/detail/gpu_link.hpp"

namespace fugu::distributed::detail {

GpuLink::GpuLink(const Communicator& ranks, const device::Context& context)
    : ranks_(ranks), stream_(context), left_(events(context)), used_(events(context)) {}

GpuLink::Events GpuLink::events(const device::Context& context) {
  const auto one = [&] { return device::Event(context, device::EventKind::order); };
  return {one(), one(), one(), one()};
}

}  // namespace fugu::distributed::detail
