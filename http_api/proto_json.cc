#include "http_api/proto_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "http_api/json_text.h"

namespace weir::http_api {
namespace {

void AppendLimit(const ResponseStatus& status, std::string* out) {
  out->append(",\"currentLimit\":{");
  const std::size_t first = out->size();
  const auto comma = [&] {
    if (out->size() != first) out->push_back(',');
  };
  // In the order in which protobuf's own JSON has them.
  if (!status.name.empty()) {
    out->append("\"name\":");
    AppendJsonString(status.name, out);
  }
  if (status.requests_per_unit != 0) {
    comma();
    out->append("\"requestsPerUnit\":");
    AppendJsonNumber(status.requests_per_unit, out);
  }
  if (status.unit != Unit::kUnknown) {
    comma();
    out->append("\"unit\":\"").append(NameOf(status.unit)).append("\"");
  }
  out->push_back('}');
}

void AppendStatus(const ResponseStatus& status, std::string* out) {
  out->append(status.over ? "{\"code\":\"OVER_LIMIT\"" : "{\"code\":\"OK\"");
  if (status.has_limit) AppendLimit(status, out);
  if (status.remaining != 0) {
    out->append(",\"limitRemaining\":");
    AppendJsonNumber(status.remaining, out);
  }
  if (status.has_limit) {
    out->append(",\"durationUntilReset\":\"");
    AppendProtoDuration(status.reset, out);
    out->push_back('"');
  }
  out->push_back('}');
}

void AppendStruct(const Value::Struct& members, std::string* out) {
  out->push_back('{');
  for (const auto& [name, value] : members) {
    if (&name != &members.front().first) out->push_back(',');
    AppendJsonString(name, out);
    out->push_back(':');
    AppendProtoValue(value, out);
  }
  out->push_back('}');
}

void AppendDouble(double number, std::string* out) {
  if (!std::isfinite(number)) {
    out->append("null");
    return;
  }
  char digits[32];
  // Whole numbers as such, as far as doubles count exactly.
  const bool whole = std::floor(number) == number && std::abs(number) < 9007199254740992.0;
  const auto end =
      whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(number))
            : std::to_chars(digits, digits + sizeof digits, number);
  out->append(digits, end.ptr);
}

}  // namespace

void AppendProtoValue(const Value& value, std::string* out) {
  if (const bool* b = std::get_if<bool>(&value.held)) {
    out->append(*b ? "true" : "false");
  } else if (const double* number = std::get_if<double>(&value.held)) {
    AppendDouble(*number, out);
  } else if (const std::string* text = std::get_if<std::string>(&value.held)) {
    AppendJsonString(*text, out);
  } else if (const Value::Struct* members = value.as_struct()) {
    AppendStruct(*members, out);
  } else if (const Value::List* list = std::get_if<Value::List>(&value.held)) {
    out->push_back('[');
    for (const Value& element : *list) {
      if (&element != list->data()) out->push_back(',');
      AppendProtoValue(element, out);
    }
    out->push_back(']');
  } else {
    out->append("null");
  }
}

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

void AppendProtoResponse(const RateLimitResponse& response, std::string* out) {
  out->append(response.over ? "{\"overallCode\":\"OVER_LIMIT\"" : "{\"overallCode\":\"OK\"");
  if (!response.statuses.empty()) {
    out->append(",\"statuses\":[");
    for (const ResponseStatus& status : response.statuses) {
      if (&status != response.statuses.data()) out->push_back(',');
      AppendStatus(status, out);
    }
    out->push_back(']');
  }
  if (!response.headers.empty()) {
    out->append(",\"responseHeadersToAdd\":[");
    for (const HeaderLine& header : response.headers) {
      out->append(&header == response.headers.data() ? "{\"key\":" : ",{\"key\":");
      AppendJsonString(header.name, out);
      if (!header.value.empty()) {
        out->append(",\"value\":");
        AppendJsonString(header.value, out);
      }
      out->push_back('}');
    }
    out->push_back(']');
  }
  if (response.metadata != nullptr) {
    out->append(",\"dynamicMetadata\":");
    AppendStruct(*response.metadata, out);
  }
  out->push_back('}');
}

}  // namespace weir::http_api
