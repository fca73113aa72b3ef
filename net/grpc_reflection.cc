#include "net/grpc_reflection.h"

#include <algorithm>
#include <set>
#include <utility>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace weir::net {

namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

pbf_reader ReaderOf(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ServerReflectionRequest
struct Request {
  enum Kind : std::uint32_t {
    kNone = 0,
    kFileByName = 3,
    kFileBySymbol = 4,
    kFileByExtension = 5,
    kExtensionNumbers = 6,
    kListServices = 7,
  };
  std::string host;
  std::uint32_t kind = kNone;
  std::string text;
  std::int32_t number = 0;
};

// Throws protozero::exception.
Request ReadRequest(std::span<const std::uint8_t> bytes) {
  Request request;
  pbf_reader reader = ReaderOf(bytes);
  while (reader.next()) {
    const std::uint32_t tag = reader.tag();
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited || tag > 7) {
      reader.skip();
    } else if (tag == 1) {
      request.host = reader.get_string();
    } else if (tag == Request::kFileByExtension) {
      request.kind = tag;
      pbf_reader inner = reader.get_message();
      while (inner.next()) {
        if (inner.tag_and_type() ==
            protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited)) {
          request.text = inner.get_string();
        } else if (inner.tag_and_type() ==
                   protozero::tag_and_type(2, protozero::pbf_wire_type::varint)) {
          request.number = inner.get_int32();
        } else {
          inner.skip();
        }
      }
    } else if (tag >= Request::kFileByName) {
      request.kind = tag;
      request.text = reader.get_string();
    } else {
      reader.skip();
    }
  }
  return request;
}

void WriteError(pbf_writer& response, GrpcStatus status, std::string_view text) {
  std::string error;
  pbf_writer writer(error);
  writer.add_int32(1, static_cast<std::int32_t>(status));
  writer.add_string(2, text.data(), text.size());
  response.add_message(7, error);
}

void WriteFiles(pbf_writer& response, const std::vector<std::string_view>& files,
                const std::string& wanted) {
  if (files.empty()) return WriteError(response, GrpcStatus::kNotFound, wanted + " is not known");
  std::string answer;
  pbf_writer writer(answer);
  for (const std::string_view file : files) writer.add_bytes(1, file.data(), file.size());
  response.add_message(4, answer);
}

}  // namespace

// Walks a FileDescriptorProto.  Numbers are those of google/protobuf/descriptor.proto.
class DescriptorFiles::Indexer {
 public:
  Indexer(DescriptorFiles& files, std::string name) : files_(files), name_(std::move(name)) {}

  void Message(const std::string& scope, pbf_reader reader) {
    const std::string full = Name(scope, reader);
    while (reader.next()) {
      switch (reader.tag()) {
        case 2:
          Name(full, reader.get_message());
          break;
        case 3:
          Message(full, reader.get_message());
          break;
        case 4:
          Enum(full, reader.get_message());
          break;
        case 6:
          Extension(full, reader.get_message());
          break;
        case 8:
          Name(full, reader.get_message());
          break;
        default:
          reader.skip();
      }
    }
  }

  // Values live beside their enum, not in it.
  void Enum(const std::string& scope, pbf_reader reader) {
    Name(scope, reader);
    while (reader.next(2)) Name(scope, reader.get_message());
  }

  void Service(const std::string& scope, pbf_reader reader) {
    const std::string full = Name(scope, reader);
    while (reader.next(2)) Name(full, reader.get_message());
  }

  void Extension(const std::string& scope, pbf_reader reader) {
    Name(scope, reader);
    std::string type;
    std::int32_t number = 0;
    while (reader.next()) {
      if (reader.tag() == 2) {
        type = reader.get_string();
      } else if (reader.tag() == 3) {
        number = reader.get_int32();
      } else {
        reader.skip();
      }
    }
    if (type.starts_with('.')) type.erase(0, 1);
    files_.extensions_[type][number] = name_;
  }

 private:
  // Field 1 is the name in all of them.
  std::string Name(const std::string& scope, pbf_reader reader) {
    std::string name;
    while (reader.next(1)) name = reader.get_string();
    std::string full = scope.empty() ? name : scope + "." + name;
    files_.symbols_[full] = name_;
    return full;
  }

  DescriptorFiles& files_;
  std::string name_;
};

bool DescriptorFiles::Add(std::string_view serialized) {
  try {
    std::string name;
    std::string package;
    File file{std::string(serialized), {}};
    pbf_reader names(serialized.data(), serialized.size());
    while (names.next()) {
      switch (names.tag()) {
        case 1:
          name = names.get_string();
          break;
        case 2:
          package = names.get_string();
          break;
        case 3:
          file.imports.push_back(names.get_string());
          break;
        default:
          names.skip();
      }
    }
    Indexer indexer(*this, name);
    pbf_reader reader(serialized.data(), serialized.size());
    while (reader.next()) {
      switch (reader.tag()) {
        case 4:
          indexer.Message(package, reader.get_message());
          break;
        case 5:
          indexer.Enum(package, reader.get_message());
          break;
        case 6:
          indexer.Service(package, reader.get_message());
          break;
        case 7:
          indexer.Extension(package, reader.get_message());
          break;
        default:
          reader.skip();
      }
    }
    files_[name] = std::move(file);
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

std::vector<std::string_view> DescriptorFiles::WithImports(std::string_view file) const {
  std::vector<std::string_view> bytes;
  std::vector<std::string_view> todo = {file};
  std::set<std::string_view> seen = {file};
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const auto found = files_.find(todo[i]);
    if (found == files_.end()) continue;
    bytes.emplace_back(found->second.bytes);
    for (const std::string& import : found->second.imports) {
      if (seen.insert(import).second) todo.emplace_back(import);
    }
  }
  return bytes;
}

std::string_view DescriptorFiles::FileOfSymbol(std::string_view symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? std::string_view() : found->second;
}

std::string_view DescriptorFiles::FileOfExtension(std::string_view type,
                                                  std::int32_t number) const {
  const auto found = extensions_.find(type);
  if (found == extensions_.end()) return {};
  const auto file = found->second.find(number);
  return file == found->second.end() ? std::string_view() : file->second;
}

std::vector<std::int32_t> DescriptorFiles::ExtensionsOf(std::string_view type) const {
  std::vector<std::int32_t> numbers;
  const auto found = extensions_.find(type);
  if (found == extensions_.end()) return numbers;
  for (const auto& [number, file] : found->second) numbers.push_back(number);
  return numbers;
}

class ReflectionService::Streams final : public StreamHandler {
 public:
  explicit Streams(const ReflectionService& service) : service_(service) {}

  std::unique_ptr<StreamReader> OnOpen(GrpcStream& stream) override {
    return std::make_unique<Reader>(service_, stream);
  }

 private:
  class Reader final : public StreamReader {
   public:
    Reader(const ReflectionService& service, GrpcStream& stream)
        : service_(service), stream_(stream) {}

    void OnMessage(std::span<const std::uint8_t> message) override {
      const std::string answer = service_.Answer(message);
      if (answer.empty()) {
        return stream_.Finish(GrpcStatus::kInternal, "the request does not parse");
      }
      stream_.Send({reinterpret_cast<const std::uint8_t*>(answer.data()), answer.size()});
    }
    void OnHalfClose() override { stream_.Finish(GrpcStatus::kOk, ""); }

   private:
    const ReflectionService& service_;
    GrpcStream& stream_;
  };

  const ReflectionService& service_;
};

ReflectionService::ReflectionService(const DescriptorFiles& files,
                                     std::vector<std::string> services)
    : files_(files), services_(std::move(services)), streams_(std::make_unique<Streams>(*this)) {
  std::sort(services_.begin(), services_.end());
}

ReflectionService::~ReflectionService() = default;

void ReflectionService::AddTo(GrpcRouter& router) {
  router.AddStream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", *streams_);
  router.AddStream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", *streams_);
}

std::string ReflectionService::Answer(std::span<const std::uint8_t> bytes) const {
  Request request;
  try {
    request = ReadRequest(bytes);
  } catch (const protozero::exception&) {
    return {};
  }
  std::string answer;
  pbf_writer response(answer);
  response.add_string(1, request.host);
  response.add_message(2, reinterpret_cast<const char*>(bytes.data()), bytes.size());
  switch (request.kind) {
    case Request::kFileByName:
      WriteFiles(response, files_.WithImports(request.text), request.text);
      break;
    case Request::kFileBySymbol:
      WriteFiles(response, files_.WithImports(files_.FileOfSymbol(request.text)), request.text);
      break;
    case Request::kFileByExtension:
      WriteFiles(response, files_.WithImports(files_.FileOfExtension(request.text, request.number)),
                 "extension " + std::to_string(request.number) + " of " + request.text);
      break;
    case Request::kExtensionNumbers: {
      if (files_.FileOfSymbol(request.text).empty()) {
        WriteError(response, GrpcStatus::kNotFound, request.text + " is not known");
        break;
      }
      std::string numbers;
      pbf_writer writer(numbers);
      writer.add_string(1, request.text);
      const std::vector<std::int32_t> list = files_.ExtensionsOf(request.text);
      writer.add_packed_int32(2, list.begin(), list.end());
      response.add_message(5, numbers);
      break;
    }
    case Request::kListServices: {
      std::string list;
      pbf_writer writer(list);
      for (const std::string& service : services_) {
        std::string entry;
        pbf_writer(entry).add_string(1, service);
        writer.add_message(1, entry);
      }
      response.add_message(6, list);
      break;
    }
    default:
      WriteError(response, GrpcStatus::kInvalidArgument, "the request asks for nothing");
  }
  return answer;
}

}  // namespace weir::net
