#pragma once

#include <span>

namespace weir::proto {

// A google.protobuf.FileDescriptorSet of every .proto file here and of what they import, written at
// build time.
extern const std::span<const unsigned char> kDescriptorSet;

}  // namespace weir::proto
