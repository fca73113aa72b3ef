#include <utility>

#include <nlohmann/json.hpp>

#include "cli/asker.h"
#include "cli/http_client.h"

namespace weir::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string NumberText(const Json& body, const char* name) {
  const auto found = body.find(name);
  return found == body.end() || !found->is_number_unsigned() ? std::string() : found->dump();
}

std::string TextOf(const Json& body, const char* name) {
  const auto found = body.find(name);
  return found == body.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

// "shop/tenant, 49 of 50 left, basis store".
std::string DetailOf(const Json& body) {
  std::string out = TextOf(body, "rule");
  if (out.empty()) out = "no rule";
  const std::string limit = NumberText(body, "limit");
  const std::string left = NumberText(body, "remaining");
  if (!limit.empty() && !left.empty()) out += ", " + left + " of " + limit + " left";
  const std::string basis = TextOf(body, "basis");
  return basis.empty() ? out : out + ", basis " + basis;
}

bool IsForClients(std::string_view name) {
  return name == "retry-after" || name.starts_with("ratelimit") || name.starts_with("x-ratelimit");
}

Heard Read(const HttpAnswer& answer) {
  Heard out;
  out.word = std::to_string(answer.status);
  const Json body = Json::parse(answer.body, nullptr, false);
  const bool decided = body.is_object() && body.contains("allowed");
  if (answer.status == 200) {
    out.kind = Heard::Kind::kOk;
  } else if (answer.status == 429) {
    out.kind = Heard::Kind::kOver;
  } else {
    out.kind = Heard::Kind::kRefused;
  }
  if (decided) {
    out.detail = DetailOf(body);
  } else if (body.is_object()) {
    out.detail = TextOf(body, "detail");
    if (out.detail.empty()) out.detail = TextOf(body, "overallCode");
  }
  for (const auto& [name, value] : answer.fields) {
    if (IsForClients(name)) out.headers.emplace_back(name, value);
  }
  return out;
}

class HttpAsker final : public Asker {
 public:
  HttpAsker(HttpClient client, HttpUrl url, Duration timeout, std::string body)
      : client_(std::move(client)),
        url_(std::move(url)),
        timeout_(timeout),
        body_(std::move(body)) {}

  Result<Heard, Unreachable> Ask() override {
    if (spent_) {
      auto again = HttpClient::Connect(url_.address, timeout_);
      if (!again) return std::move(again).error();
      client_ = *std::move(again);
    }
    const auto answer = client_.Send("POST", url_.path, body_);
    if (!answer) return answer.error();
    spent_ = answer->field("connection") == "close" || answer->field("content-length").empty();
    return Read(*answer);
  }

 private:
  HttpClient client_;
  const HttpUrl url_;
  const Duration timeout_;
  const std::string body_;
  bool spent_ = false;  // The connection cannot be used again.
};

}  // namespace

std::string CheckBody(const Request& request) {
  Json body{{"domain", request.domain}, {"descriptors", Json::array()}, {"cost", request.cost}};
  for (const Descriptor& descriptor : request.descriptors) {
    Json entries = Json::array();
    for (const Entry& entry : descriptor.entries) {
      entries.push_back({{"key", entry.key}, {"value", entry.value}});
    }
    body["descriptors"].push_back(Json{{"entries", std::move(entries)}});
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AskerOrReason NewHttpAsker(const std::string& url, const Request& request, Duration timeout) {
  auto where = ParseHttpUrl(url);
  if (!where) return std::move(where).error();
  if (where->path.empty() || where->path == "/") where->path = "/v1/check";
  auto client = HttpClient::Connect(where->address, timeout);
  if (!client) return std::move(client).error();
  return std::unique_ptr<Asker>(
      std::make_unique<HttpAsker>(*std::move(client), *where, timeout, CheckBody(request)));
}

}  // namespace weir::cli
