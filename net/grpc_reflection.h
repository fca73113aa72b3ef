#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/grpc_server.h"

namespace weir::net {

// A set of serialized google.protobuf.FileDescriptorProto, indexed by what they declare.
class DescriptorFiles {
 public:
  // Adds a file; its imports may come before or after.  False if it does not parse.
  bool Add(std::string_view serialized);

  // The file and, after it, everything it imports, directly or not, each once; empty if unknown.
  std::vector<std::string_view> WithImports(std::string_view file) const;

  // The file that declares a symbol: a message, field, enum, enum value, service, method or
  // extension, by its full name without a leading dot.  Empty if unknown.
  std::string_view FileOfSymbol(std::string_view symbol) const;
  // The file that extends `type` with this field number.  Empty if unknown.
  std::string_view FileOfExtension(std::string_view type, std::int32_t number) const;
  std::vector<std::int32_t> ExtensionsOf(std::string_view type) const;

 private:
  struct File {
    std::string bytes;
    std::vector<std::string> imports;
  };
  class Indexer;

  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, std::string, std::less<>> symbols_;  // To file names.
  std::map<std::string, std::map<std::int32_t, std::string>, std::less<>> extensions_;
};

// Server reflection, v1 and v1alpha (the same messages): tells tools such as grpcurl what is served
// here.  One answer a request, in order; what is not found is an answer, not the stream's end.
class ReflectionService {
 public:
  // `services` are listed by their full names.  `files` must outlive the service, and the service
  // its router's connections.
  ReflectionService(const DescriptorFiles& files, std::vector<std::string> services);
  ~ReflectionService();
  ReflectionService(const ReflectionService&) = delete;
  ReflectionService& operator=(const ReflectionService&) = delete;

  void AddTo(GrpcRouter& router);

  // A ServerReflectionResponse to a ServerReflectionRequest; empty if that does not parse.
  std::string Answer(std::span<const std::uint8_t> request) const;

 private:
  class Streams;

  const DescriptorFiles& files_;
  std::vector<std::string> services_;
  std::unique_ptr<Streams> streams_;
};

}  // namespace weir::net
