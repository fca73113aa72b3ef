#include "http_api/proto_json.h"

#include <algorithm>
#include <limits>

#include "http_api/json_text.h"

namespace weir::http_api {
namespace {

std::uint64_t Clamp32(std::uint64_t n) {
  return std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max());
}

void AppendLimit(const DescriptorStatus& status, std::string* out) {
  out->append(",\"currentLimit\":{");
  const std::size_t first = out->size();
  const auto comma = [&] {
    if (out->size() != first) out->push_back(',');
  };
  if (status.quota->limit != 0) {
    out->append("\"requestsPerUnit\":");
    AppendJsonNumber(Clamp32(status.quota->limit), out);
  }
  if (status.quota->unit != Unit::kUnknown) {
    comma();
    out->append("\"unit\":\"").append(NameOf(status.quota->unit)).append("\"");
  }
  if (status.rule != nullptr && !status.rule->name.empty()) {
    comma();
    out->append("\"name\":");
    AppendJsonString(status.rule->name, out);
  }
  out->push_back('}');
}

void AppendStatus(const DescriptorStatus& status, std::string* out) {
  out->append(status.over ? "{\"code\":\"OVER_LIMIT\"" : "{\"code\":\"OK\"");
  if (status.quota != nullptr) AppendLimit(status, out);
  const std::uint64_t remaining =
      status.unlimited ? std::numeric_limits<std::uint32_t>::max() : Clamp32(status.remaining);
  if (remaining != 0) {
    out->append(",\"limitRemaining\":");
    AppendJsonNumber(remaining, out);
  }
  if (status.quota != nullptr) {
    out->append(",\"durationUntilReset\":\"");
    AppendProtoDuration(status.reset, out);
    out->push_back('"');
  }
  out->push_back('}');
}

}  // namespace

void AppendProtoDuration(Duration duration, std::string* out) {
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(std::max(duration, Duration{}));
  const auto millis = static_cast<std::uint64_t>(rounded.count());
  AppendJsonNumber(millis / 1000, out);
  if (const std::uint64_t rest = millis % 1000; rest != 0) {
    out->append(rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
    AppendJsonNumber(rest, out);
  }
  out->push_back('s');
}

void AppendProtoAnswer(const ProtoAnswer& answer, std::string* out) {
  out->append(answer.over_limit ? "{\"overallCode\":\"OVER_LIMIT\"" : "{\"overallCode\":\"OK\"");
  if (!answer.statuses.empty()) {
    out->append(",\"statuses\":[");
    for (const DescriptorStatus& status : answer.statuses) {
      if (&status != answer.statuses.data()) out->push_back(',');
      AppendStatus(status, out);
    }
    out->push_back(']');
  }
  if (!answer.headers.empty()) {
    out->append(",\"responseHeadersToAdd\":[");
    for (const HeaderLine& header : answer.headers) {
      out->append(&header == answer.headers.data() ? "{\"key\":" : ",{\"key\":");
      AppendJsonString(header.name, out);
      if (!header.value.empty()) {
        out->append(",\"value\":");
        AppendJsonString(header.value, out);
      }
      out->push_back('}');
    }
    out->push_back(']');
  }
  out->push_back('}');
}

}  // namespace weir::http_api
