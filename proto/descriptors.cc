#include "proto/descriptors.h"

#include <protozero/pbf_reader.hpp>

#include "proto/descriptor_bytes.h"

namespace weir::proto {
namespace {

// Field numbers of google/protobuf/descriptor.proto, as far as names need them.
constexpr protozero::pbf_tag_type kSetFile = 1;
constexpr protozero::pbf_tag_type kFileName = 1;
constexpr protozero::pbf_tag_type kFilePackage = 2;
constexpr protozero::pbf_tag_type kFileMessage = 4;
constexpr protozero::pbf_tag_type kFileEnum = 5;
constexpr protozero::pbf_tag_type kFileService = 6;
constexpr protozero::pbf_tag_type kName = 1;  // Of messages, enums, services and methods.
constexpr protozero::pbf_tag_type kNestedMessage = 3;
constexpr protozero::pbf_tag_type kNestedEnum = 4;
constexpr protozero::pbf_tag_type kServiceMethod = 2;

std::string_view ViewOf(protozero::data_view view) {
  return {view.data(), view.size()};
}

std::string_view TextAt(protozero::pbf_reader message, protozero::pbf_tag_type field) {
  std::string_view text;
  while (message.next(field)) text = ViewOf(message.get_view());
  return text;
}

std::string Within(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : scope + "." + std::string(name);
}

std::string AddNamed(protozero::pbf_reader thing, const std::string& scope,
                     std::vector<std::string>& symbols) {
  return symbols.emplace_back(Within(scope, TextAt(thing, kName)));
}

void AddMessage(protozero::pbf_reader message, const std::string& scope,
                std::vector<std::string>& symbols) {
  const std::string name = AddNamed(message, scope, symbols);
  while (message.next()) {
    if (message.tag() == kNestedMessage) {
      AddMessage(message.get_message(), name, symbols);
    } else if (message.tag() == kNestedEnum) {
      AddNamed(message.get_message(), name, symbols);
    } else {
      message.skip();
    }
  }
}

void AddService(protozero::pbf_reader service, const std::string& scope,
                std::vector<std::string>& symbols) {
  const std::string name = AddNamed(service, scope, symbols);
  while (service.next(kServiceMethod)) AddNamed(service.get_message(), name, symbols);
}

protozero::pbf_reader Files() {
  return protozero::pbf_reader(reinterpret_cast<const char*>(kDescriptorSet.data()),
                               kDescriptorSet.size());
}

}  // namespace

std::vector<DescriptorFile> DescriptorFiles() {
  std::vector<DescriptorFile> out;
  protozero::pbf_reader set = Files();
  while (set.next(kSetFile)) {
    const protozero::data_view bytes = set.get_view();
    protozero::pbf_reader file(bytes);
    const std::string package(TextAt(file, kFilePackage));
    DescriptorFile& described = out.emplace_back();
    described.name = TextAt(file, kFileName);
    described.bytes = ViewOf(bytes);
    while (file.next()) {
      switch (file.tag()) {
        case kFileMessage:
          AddMessage(file.get_message(), package, described.symbols);
          break;
        case kFileEnum:
          AddNamed(file.get_message(), package, described.symbols);
          break;
        case kFileService:
          AddService(file.get_message(), package, described.symbols);
          break;
        default:
          file.skip();
      }
    }
  }
  return out;
}

std::vector<std::string> ServiceNames() {
  std::vector<std::string> names;
  protozero::pbf_reader set = Files();
  while (set.next(kSetFile)) {
    protozero::pbf_reader file = set.get_message();
    const std::string package(TextAt(file, kFilePackage));
    while (file.next(kFileService)) AddNamed(file.get_message(), package, names);
  }
  return names;
}

}  // namespace weir::proto
