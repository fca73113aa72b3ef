#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include <google/protobuf/stubs/logging.h>

#include "rls/oracle.h"

// The first byte chooses the message; the rest is read by protobuf's code and by ours.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool kQuiet = (google::protobuf::SetLogHandler(nullptr), true);
  static_cast<void>(kQuiet);
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const std::string difference =
      (data[0] & 1U) == 0 ? weir::rls::CompareRequest(bytes) : weir::rls::CompareResponse(bytes);
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
