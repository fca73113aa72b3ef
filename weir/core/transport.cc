#include "weir/core/transport.h"

#include <array>

namespace weir {

std::string_view NameOf(Transport transport) {
  static constexpr std::array<std::string_view, kTransports> kNames = {"library", "grpc", "http",
                                                                       "gateway"};
  return kNames.at(static_cast<std::size_t>(transport));
}

}  // namespace weir
