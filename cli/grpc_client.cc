#include "cli/grpc_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace weir::cli {
namespace {

constexpr std::size_t kMostText = 4096;

constexpr std::array<std::string_view, 17> kStatusNames{
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
        HexValue(text[i + 2]) >= 0) {
      out += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// At most 8 digits and a unit, as `grpc-timeout` has it.
std::string TimeoutField(Duration timeout) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return std::to_string(std::clamp<std::int64_t>(ms, 1, 99'999'999)) + "m";
}

nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
          value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

std::string_view NameOf(net::GrpcStatus status) {
  const auto number = static_cast<std::size_t>(status);
  return number < kStatusNames.size() ? kStatusNames[number] : "UNKNOWN";
}

// One call: what is sent, and what has come back.
class GrpcClient::Exchange {
 public:
  explicit Exchange(std::string_view message) {
    net::AppendGrpcMessage(body_,
                           {reinterpret_cast<const std::uint8_t*>(message.data()), message.size()});
  }

  ssize_t Produce(std::uint8_t* out, std::size_t room, std::uint32_t* flags) {
    const std::size_t size = std::min(room, body_.size() - sent_);
    std::memcpy(out, body_.data() + sent_, size);
    sent_ += size;
    if (sent_ == body_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
  void OnField(std::string_view name, std::string_view value) {
    if (name == ":status") http_status_ = value.substr(0, 3);
    if (name == "grpc-message") text_ = value.substr(0, kMostText);
    if (name == "grpc-status") {
      unsigned number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      has_status_ = error == std::errc() && end == value.data() + value.size();
      status_ = number < kStatusNames.size() ? static_cast<net::GrpcStatus>(number)
                                             : net::GrpcStatus::kUnknown;
    }
  }
  // False if there is too much of it.
  bool OnData(const std::uint8_t* data, std::size_t size) {
    if (content_.size() + size > kMostAnswer) return false;
    content_.insert(content_.end(), data, data + size);
    return true;
  }
  void OnClose(std::uint32_t error_code) {
    closed = true;
    error_code_ = error_code;
  }

  Result<GrpcAnswer, Unreachable> Answer(const std::string& where) const {
    if (!has_status_) {
      if (!http_status_.empty() && http_status_ != "200") {
        return Unreachable{where + " answers HTTP " + http_status_ + ", not gRPC"};
      }
      return Unreachable{where + " ended the call without a status (" +
                         nghttp2_http2_strerror(error_code_) + ")"};
    }
    GrpcAnswer answer{status_, PercentDecode(text_), {}};
    if (status_ != net::GrpcStatus::kOk) return answer;
    if (content_.size() < net::kGrpcPrefixSize) return Unreachable{where + " sent no message"};
    const net::GrpcPrefix prefix = net::ReadGrpcPrefix(content_);
    if (prefix.flag != 0 || prefix.length != content_.size() - net::kGrpcPrefixSize) {
      return Unreachable{where + " sent something else than one plain message"};
    }
    answer.message.assign(content_.begin() + net::kGrpcPrefixSize, content_.end());
    return answer;
  }

  std::int32_t stream = 0;
  bool closed = false;

 private:
  std::vector<std::uint8_t> body_;
  std::size_t sent_ = 0;
  std::string http_status_;
  bool has_status_ = false;
  net::GrpcStatus status_ = net::GrpcStatus::kUnknown;
  std::string text_;
  std::vector<std::uint8_t> content_;
  std::uint32_t error_code_ = 0;
};

GrpcClient::GrpcClient(ByteStream stream, std::string where, Duration timeout)
    : stream_(std::move(stream)), where_(std::move(where)), timeout_field_(TimeoutField(timeout)) {
  using Session = nghttp2_session;
  static constexpr auto kMine = [](void* user, std::int32_t id) -> Exchange* {
    Exchange* const exchange = static_cast<GrpcClient*>(user)->exchange_;
    return exchange != nullptr && exchange->stream == id ? exchange : nullptr;
  };
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks,
      [](Session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
         const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
        if (Exchange* const exchange = kMine(user, frame->hd.stream_id)) {
          exchange->OnField({reinterpret_cast<const char*>(name), name_size},
                            {reinterpret_cast<const char*>(value), value_size});
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks,
      [](Session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
         void* user) -> int {
        Exchange* const exchange = kMine(user, id);
        return exchange == nullptr || exchange->OnData(data, size) ? 0
                                                                   : NGHTTP2_ERR_CALLBACK_FAILURE;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](Session*, std::int32_t id, std::uint32_t code, void* user) {
        if (Exchange* const exchange = kMine(user, id)) exchange->OnClose(code);
        return 0;
      });
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
}

GrpcClient::~GrpcClient() {
  nghttp2_session_del(session_);
}

Result<std::unique_ptr<GrpcClient>, Unreachable> GrpcClient::Connect(const std::string& where,
                                                                     Duration timeout) {
  auto stream = ByteStream::Connect(where, timeout);
  if (!stream) return std::move(stream).error();
  return std::unique_ptr<GrpcClient>(new GrpcClient(*std::move(stream), where, timeout));
}

std::string GrpcClient::Flush() {
  // All in one write: small ones would each wait for the server's acknowledgement.
  std::vector<std::uint8_t> out;
  const std::uint8_t* data = nullptr;
  for (ssize_t n = 0; (n = nghttp2_session_mem_send(session_, &data)) > 0;) {
    out.insert(out.end(), data, data + n);
  }
  return stream_.Write(out);
}

// Until the exchange's stream is closed.
std::string GrpcClient::Transfer(Exchange& exchange) {
  std::array<std::uint8_t, 16 * 1024> buffer;
  for (;;) {
    if (std::string error = Flush(); !error.empty()) return error;
    if (exchange.closed) return {};
    const auto read = stream_.Read(buffer);
    if (!read) return read.error().message;
    if (*read == 0) return where_ + " closed the connection";
    if (nghttp2_session_mem_recv(session_, buffer.data(), *read) < 0) {
      return where_ + " does not speak HTTP/2 as it should, or says too much";
    }
    if (nghttp2_session_want_read(session_) == 0 && !exchange.closed) {
      return where_ + " ended the connection";
    }
  }
}

Result<GrpcAnswer, Unreachable> GrpcClient::Call(std::string_view path, std::string_view message) {
  Exchange exchange(message);
  nghttp2_data_provider body{};
  body.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room,
                          std::uint32_t* flags, nghttp2_data_source*, void* user) -> ssize_t {
    Exchange* const current = static_cast<GrpcClient*>(user)->exchange_;
    if (current == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return current->Produce(out, room, flags);
  };
  const std::array<nghttp2_nv, 8> fields{
      Field(":method", "POST"),
      Field(":scheme", "http"),
      Field(":path", path),
      Field(":authority", where_.starts_with("unix:") ? "localhost" : std::string_view(where_)),
      Field("te", "trailers"),
      Field("content-type", "application/grpc"),
      Field("user-agent", "weir"),
      Field("grpc-timeout", timeout_field_)};
  exchange.stream =
      nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(), &body, nullptr);
  if (exchange.stream < 0) return Unreachable{where_ + " takes no more calls"};
  exchange_ = &exchange;
  const std::string error = Transfer(exchange);
  exchange_ = nullptr;
  if (!error.empty()) return Unreachable{error};
  return exchange.Answer(where_);
}

}  // namespace weir::cli
