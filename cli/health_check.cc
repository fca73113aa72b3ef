#include "cli/health_check.h"

#include <array>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "cli/grpc_client.h"
#include "cli/http_client.h"

namespace weir::cli {
namespace {

// HealthCheckResponse.ServingStatus, in the order of its numbers.
constexpr std::array<std::string_view, 4> kWords{"UNKNOWN", "SERVING", "NOT_SERVING",
                                                 "SERVICE_UNKNOWN"};
constexpr std::uint64_t kServing = 1;

// Of a HealthCheckResponse; a number that has no name for what is not one.
std::uint64_t ReadStatus(std::string_view message) {
  std::uint64_t status = 0;
  try {
    protozero::pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::varint)) {
        status = reader.get_uint64();
      } else {
        reader.skip();
      }
    }
  } catch (const protozero::exception&) {
    return kWords.size();
  }
  return status;
}

}  // namespace

Result<HealthAnswer, Unreachable> AskGrpcHealth(const std::string& where, std::string_view service,
                                                Duration timeout) {
  auto client = GrpcClient::Connect(where, timeout);
  if (!client) return std::move(client).error();
  std::string request;
  if (!service.empty()) {
    protozero::pbf_writer(request).add_string(1, service.data(), service.size());
  }
  const auto answer = (*client)->Call("/grpc.health.v1.Health/Check", request);
  if (!answer) return answer.error();
  if (answer->status != net::GrpcStatus::kOk) {
    const std::string word(NameOf(answer->status));
    return HealthAnswer{false, answer->text.empty() ? word : word + ": " + answer->text};
  }
  const std::uint64_t status = ReadStatus(answer->message);
  return HealthAnswer{status == kServing,
                      std::string(status < kWords.size() ? kWords[status] : "UNKNOWN")};
}

Result<HealthAnswer, Unreachable> AskHttpHealth(std::string_view url, Duration timeout) {
  auto where = ParseHttpUrl(url);
  if (!where) return std::move(where).error();
  if (where->path.empty() || where->path == "/") where->path = "/healthcheck";
  auto client = HttpClient::Connect(where->address, timeout);
  if (!client) return std::move(client).error();
  const auto answer = client->Send("GET", where->path, "");
  if (!answer) return answer.error();
  return HealthAnswer{answer->status == 200, "HTTP " + std::to_string(answer->status)};
}

}  // namespace weir::cli
