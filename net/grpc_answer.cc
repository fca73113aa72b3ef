#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "net/grpc_application.h"
#include "net/grpc_exchange.h"

// The answering half of GrpcExchange.

namespace weir::net {

namespace {

// What is sent of a stream's output before the rest moves to the front.
constexpr std::size_t kMoveAfter = std::size_t{64} * 1024;

// A field whose texts live for ever.
nghttp2_nv Fixed(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
          value.size(), NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

nghttp2_nv Copied(std::string_view name, std::string_view value) {
  nghttp2_nv field = Fixed(name, value);
  field.flags = NGHTTP2_NV_FLAG_NO_COPY_NAME;
  return field;
}

constexpr std::array<std::string_view, 17> kStatusTexts = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"};

const std::array<nghttp2_nv, 2> kHead = {Fixed(":status", "200"),
                                         Fixed("content-type", "application/grpc")};
const std::array<nghttp2_nv, 1> kOkTrailers = {Fixed("grpc-status", "0")};

}  // namespace

void GrpcExchange::Reply(std::span<const std::uint8_t> message) {
  if (!handler_owes_) return;
  handler_owes_ = false;
  if (pending()) {
    AppendGrpcMessage(out_, message);
    AnswerOk();
  }
  LetGo();
}

void GrpcExchange::Fail(GrpcStatus status, std::string_view text) {
  if (!handler_owes_) return;
  handler_owes_ = false;
  if (pending()) End(status, text);
  LetGo();
}

void GrpcExchange::AnswerOk() {
  answered_ = head_sent_ = true;
  session_->Answer(*this, kHead, true);
}

void GrpcExchange::Send(std::span<const std::uint8_t> message) {
  if (!pending()) return;
  if (out_.size() - sent_ + message.size() > application_->options().max_stream_output) {
    return End(GrpcStatus::kResourceExhausted, "the client does not read what it asked for");
  }
  if (sent_ > kMoveAfter) {
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(std::exchange(sent_, 0)));
  }
  AppendGrpcMessage(out_, message);
  if (!head_sent_) {
    head_sent_ = true;
    session_->Answer(*this, kHead, true);
  } else if (std::exchange(deferred_, false)) {
    session_->ContinueContent(*this);
  }
}

void GrpcExchange::Finish(GrpcStatus status, std::string_view text) {
  if (pending()) End(status, text);
}

void GrpcExchange::End(GrpcStatus status, std::string_view text) {
  answered_ = true;
  status_ = status;
  message_ = PercentEncode(text);
  if (head_sent_) {
    if (std::exchange(deferred_, false)) session_->ContinueContent(*this);
    return;
  }
  head_sent_ = true;
  std::array<nghttp2_nv, 5> head = {kHead[0], kHead[1]};
  std::size_t size = kHead.size();
  head[size++] = Fixed("grpc-status", kStatusTexts[static_cast<std::size_t>(status)]);
  if (!message_.empty()) head[size++] = Copied("grpc-message", message_);
  if (encoding_ == Encoding::kUnsupported) {
    head[size++] = Fixed("grpc-accept-encoding", "identity,gzip");
  }
  session_->Answer(*this, std::span(head).first(size), false);
}

void GrpcExchange::AnswerPlain(std::string_view status, std::string_view text) {
  answered_ = head_sent_ = plain_ = true;
  const std::string length = std::to_string(text.size());
  const std::array<nghttp2_nv, 3> head = {Fixed(":status", status),
                                          Fixed("content-type", "text/plain"),
                                          Copied("content-length", length)};
  if (!head_method_) out_.assign(text.begin(), text.end());
  session_->Answer(*this, head, !head_method_);
}

Http2Exchange::Fill GrpcExchange::FillContent(std::span<std::uint8_t> out) {
  const std::size_t size = std::min(out.size(), out_.size() - sent_);
  if (size > 0) std::memcpy(out.data(), out_.data() + sent_, size);
  sent_ += size;
  if (sent_ < out_.size()) return {size, false};
  if (!answered_) {
    out_.clear();
    sent_ = 0;
    deferred_ = size == 0;
    return {size, false};
  }
  return {size, true};
}

std::span<const nghttp2_nv> GrpcExchange::Trailers() {
  if (plain_) return {};
  if (status_ == GrpcStatus::kOk && message_.empty()) return kOkTrailers;
  trailers_[0] = Fixed("grpc-status", kStatusTexts[static_cast<std::size_t>(status_)]);
  trailers_[1] = Copied("grpc-message", message_);
  return std::span(trailers_).first(message_.empty() ? 1 : 2);
}

}  // namespace weir::net
