#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::proto {

// One .proto file that Weir's services are made of, as server reflection hands it out.
struct DescriptorFile {
  std::string_view name;             // "envoy/service/ratelimit/v3/rls.proto"
  std::string_view bytes;            // A serialized google.protobuf.FileDescriptorProto.
  std::vector<std::string> symbols;  // Full names of its messages, enums and services, nested
                                     // ones too, and of the services' methods; no leading dot.
};

// Every file of this folder and everything they import, imports first.  The views stay valid for
// the life of the process.  Made anew by each call: ask once.
std::vector<DescriptorFile> DescriptorFiles();

// The services those files declare, by their full names.
std::vector<std::string> ServiceNames();

}  // namespace weir::proto
