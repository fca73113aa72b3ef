#include <utility>

#include "cli/asker.h"
#include "cli/grpc_client.h"
#include "cli/quota_text.h"
#include "rls/client_codec.h"
#include "rls/service.h"

namespace weir::cli {
namespace {

std::string_view WordOf(rls::Code code) {
  switch (code) {
    case rls::Code::kOk:
      return "OK";
    case rls::Code::kOverLimit:
      return "OVER_LIMIT";
    default:
      return "UNKNOWN";
  }
}

// "50/SECOND, 12 left, resets in 0.5s".
std::string DetailOf(const rls::ReceivedStatus& status) {
  if (!status.has_limit) return "no limit";
  std::string out = std::to_string(status.requests_per_unit);
  if (status.unit != Unit::kUnknown) out += "/" + std::string(NameOf(status.unit));
  if (!status.name.empty()) out += " (" + std::string(status.name) + ")";
  out += ", " + std::to_string(status.remaining) + " left";
  if (status.reset > Duration{}) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(status.reset);
    out += ", resets in " + DurationText(ms);
  }
  return out;
}

Heard Read(const rls::ReceivedResponse& response) {
  Heard out;
  out.kind = response.code == rls::Code::kOverLimit ? Heard::Kind::kOver : Heard::Kind::kOk;
  out.word = WordOf(response.code);
  for (const rls::ReceivedStatus& status : response.statuses) {
    if (!out.detail.empty()) out.detail += "; ";
    if (response.statuses.size() > 1) out.detail += std::string(WordOf(status.code)) + " ";
    out.detail += DetailOf(status);
  }
  for (const rls::ReceivedHeader& header : response.response_headers) {
    out.headers.emplace_back(header.key, header.value);
  }
  return out;
}

class GrpcAsker final : public Asker {
 public:
  GrpcAsker(std::unique_ptr<GrpcClient> client, const Request& request)
      : client_(std::move(client)) {
    rls::EncodeRequest(request, message_);
  }

  Result<Heard, Unreachable> Ask() override {
    const auto answer = client_->Call(rls::kShouldRateLimit, message_);
    if (!answer) return answer.error();
    if (answer->status != net::GrpcStatus::kOk) {
      return Heard{Heard::Kind::kRefused, std::string(NameOf(answer->status)), answer->text, {}};
    }
    const std::span<const std::uint8_t> bytes(
        reinterpret_cast<const std::uint8_t*>(answer->message.data()), answer->message.size());
    if (rls::DecodeResponse(bytes, response_) != rls::Decoding::kOk) {
      return Unreachable{"the answer is not a RateLimitResponse"};
    }
    return Read(response_);
  }

 private:
  const std::unique_ptr<GrpcClient> client_;
  std::string message_;
  rls::ReceivedResponse response_;
};

}  // namespace

AskerOrReason NewGrpcAsker(const std::string& where, const Request& request, Duration timeout) {
  auto client = GrpcClient::Connect(where, timeout);
  if (!client) return std::move(client).error();
  return std::unique_ptr<Asker>(std::make_unique<GrpcAsker>(*std::move(client), request));
}

}  // namespace weir::cli
