#include "net/grpc_exchange.h"

#include <utility>

#include "net/grpc_application.h"

namespace weir::net {

namespace {

// Buffers above this are not kept for the next call.
constexpr std::size_t kKeptCapacity = std::size_t{64} * 1024;

void ClearKeeping(std::vector<std::uint8_t>& buffer) {
  if (buffer.capacity() > kKeptCapacity) {
    buffer = {};
  } else {
    buffer.clear();
  }
}

}  // namespace

GrpcExchange::GrpcExchange(GrpcApplication& application) : application_(&application) {}

GrpcExchange::~GrpcExchange() = default;

void GrpcExchange::Begin(Http2Session& session, std::size_t place) {
  session_ = &session;
  place_ = place;
  context = nullptr;
  path_.clear();
  user_agent_.clear();
  traceparent_.clear();
  request_id_.clear();
  deadline_ = kNever;
  post_ = head_method_ = grpc_ = bad_timeout_ = false;
  encoding_ = Encoding::kIdentity;
  route_ = nullptr;
  view_ = {};
  stream_open_ = true;
  handler_owes_ = answered_ = head_sent_ = deferred_ = plain_ = false;
  out_.clear();
  sent_ = 0;
  status_ = GrpcStatus::kOk;
}

const PeerInfo& GrpcExchange::peer() const {
  static const PeerInfo kGone;
  return application_ == nullptr ? kGone : application_->transport().peer();
}

std::optional<std::string_view> GrpcExchange::header(std::string_view name) const {
  const std::string* value = nullptr;
  switch (FieldNameOf(name)) {
    case FieldName::kUserAgent:
      value = &user_agent_;
      break;
    case FieldName::kTraceparent:
      value = &traceparent_;
      break;
    case FieldName::kXRequestId:
      value = &request_id_;
      break;
    default:
      break;
  }
  if (value == nullptr || value->empty()) return std::nullopt;
  return *value;
}

void GrpcExchange::OnField(FieldName field, std::string_view, std::string_view value) {
  switch (field) {
    case FieldName::kMethod:
      post_ = value == "POST";
      head_method_ = value == "HEAD";
      break;
    case FieldName::kPath:
      path_ = value;
      break;
    case FieldName::kContentType:
      grpc_ = IsGrpcContentType(value);
      break;
    case FieldName::kGrpcTimeout:
      if (const auto timeout = ParseGrpcTimeout(value)) {
        const Instant now = application_->transport().now().steady;
        deadline_ = *timeout > kNever - now ? kNever : now + *timeout;
      } else {
        bad_timeout_ = true;
      }
      break;
    case FieldName::kGrpcEncoding:
      encoding_ = value == "identity" ? Encoding::kIdentity
                  : value == "gzip"   ? Encoding::kGzip
                                      : Encoding::kUnsupported;
      break;
    case FieldName::kUserAgent:
      user_agent_ = value;
      break;
    case FieldName::kTraceparent:
      traceparent_ = value;
      break;
    case FieldName::kXRequestId:
      request_id_ = value;
      break;
    default:
      break;
  }
}

void GrpcExchange::OnHead(bool too_large) {
  if (too_large) return AnswerPlain("431", "request header fields too large\n");
  if (!grpc_ || !post_) return;  // Not a gRPC client: it gets its answer when it has finished.
  CheckCall();
  if (!answered_ && route_->stream != nullptr) Open();
  if (!answered_ && deadline_ != kNever) application_->Await(*this);
}

void GrpcExchange::CheckCall() {
  if (bad_timeout_) return End(GrpcStatus::kInternal, "malformed grpc-timeout");
  if (encoding_ == Encoding::kUnsupported) {
    return End(GrpcStatus::kUnimplemented, "grpc-encoding is not supported, use gzip or identity");
  }
  route_ = application_->FindRoute(path_);
  if (route_ == nullptr) {
    return End(GrpcStatus::kUnimplemented, application_->router().Missing(path_));
  }
  if (deadline_ <= application_->transport().now().steady) {
    End(GrpcStatus::kDeadlineExceeded, "deadline exceeded");
  }
}

void GrpcExchange::Open() {
  reader_ = route_->stream->OnOpen(*this);
  if (!reader_) End(GrpcStatus::kInternal, "the stream could not be opened");
}

void GrpcExchange::OnContent(std::span<const std::uint8_t> piece, bool last) {
  if (answered_) return;
  if (route_ == nullptr) return;
  if (last && body_.empty() && view_.empty() && reader_ == nullptr) {
    view_ = piece;
    application_->Borrow(*this);
    ParseMessage(view_);
    return;
  }
  if (!view_.empty()) KeepBorrowed();
  if (answered_ || !Keep(piece)) return;
  if (reader_ != nullptr) {
    DeliverStream();
  } else {
    ParseMessage(body_);
  }
}

bool GrpcExchange::Keep(std::span<const std::uint8_t> piece) {
  if (!application_->Buffer(piece.size())) {
    application_->Unbuffer(piece.size());
    End(GrpcStatus::kResourceExhausted, "the connection holds too many incomplete messages");
    return false;
  }
  body_.insert(body_.end(), piece.begin(), piece.end());
  return true;
}

void GrpcExchange::KeepBorrowed() {
  if (view_.empty()) return;
  if (!answered_) Keep(view_);
  view_ = {};
}

void GrpcExchange::DropBody() {
  if (application_ != nullptr) application_->Unbuffer(body_.size());
  ClearKeeping(body_);
  view_ = {};
}

GrpcExchange::Parse GrpcExchange::ParseMessage(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kGrpcPrefixSize) return Parse::kMore;
  const GrpcPrefix prefix = ReadGrpcPrefix(bytes);
  if (prefix.flag > 1) {
    End(GrpcStatus::kInternal, "the message's flag byte is neither 0 nor 1");
  } else if (prefix.flag == 1 && encoding_ != Encoding::kGzip) {
    End(GrpcStatus::kInternal, "a compressed message without grpc-encoding");
  } else if (prefix.length > application_->options().max_message) {
    End(GrpcStatus::kResourceExhausted, "the message has " + std::to_string(prefix.length) +
                                            " bytes, the limit is " +
                                            std::to_string(application_->options().max_message));
  } else if (bytes.size() < kGrpcPrefixSize + prefix.length) {
    return Parse::kMore;
  } else if (reader_ == nullptr && bytes.size() > kGrpcPrefixSize + prefix.length) {
    End(GrpcStatus::kUnimplemented, "a unary method takes one message, there are more");
  } else {
    return Parse::kWhole;
  }
  return Parse::kFailed;
}

// REQUIRES: ParseMessage(bytes) == kWhole
bool GrpcExchange::Decode(std::span<const std::uint8_t> bytes,
                          std::span<const std::uint8_t>& message) {
  const GrpcPrefix prefix = ReadGrpcPrefix(bytes);
  message = bytes.subspan(kGrpcPrefixSize, prefix.length);
  if (prefix.flag == 0) return true;
  switch (InflateGzip(message, application_->options().max_message, inflated_)) {
    case InflateResult::kOk:
      message = inflated_;
      return true;
    case InflateResult::kTooLarge:
      End(GrpcStatus::kResourceExhausted, "the decompressed message is over the limit");
      return false;
    default:
      End(GrpcStatus::kInternal, "the message cannot be decompressed");
      return false;
  }
}

void GrpcExchange::OnRequestEnd() {
  if (answered_) return;
  if (!grpc_) return AnswerPlain("415", "content-type must be application/grpc\n");
  if (!post_) return AnswerPlain("405", "gRPC calls use POST\n");
  if (reader_ != nullptr) {
    if (!body_.empty()) return End(GrpcStatus::kInternal, "the last message is not complete");
    reader_->OnHalfClose();
  } else {
    DeliverUnary();
  }
}

void GrpcExchange::DeliverUnary() {
  const std::span<const std::uint8_t> bytes =
      view_.empty() ? std::span(std::as_const(body_)) : view_;
  if (bytes.empty()) {
    return End(GrpcStatus::kUnimplemented, "a unary method takes one message, there is none");
  }
  switch (ParseMessage(bytes)) {
    case Parse::kFailed:
      return;
    case Parse::kMore:
      return End(GrpcStatus::kInternal, "the message is not complete");
    case Parse::kWhole:
      break;
  }
  std::span<const std::uint8_t> message;
  if (!Decode(bytes, message)) return;
  // The view is used up in this read: nothing is left to be kept.
  view_ = {};
  handler_owes_ = true;
  application_->BatchFor(*route_->unary);
  route_->unary->OnCall(*this, message);
}

void GrpcExchange::DeliverStream() {
  std::size_t used = 0;
  while (!answered_) {
    const auto bytes = std::span(std::as_const(body_)).subspan(used);
    if (ParseMessage(bytes) != Parse::kWhole) break;
    std::span<const std::uint8_t> message;
    if (!Decode(bytes, message)) break;
    reader_->OnMessage(message);
    used += kGrpcPrefixSize + ReadGrpcPrefix(bytes).length;
  }
  application_->Unbuffer(used);
  body_.erase(body_.begin(), body_.begin() + static_cast<std::ptrdiff_t>(used));
}

void GrpcExchange::OnDeadline() {
  End(GrpcStatus::kDeadlineExceeded, "deadline exceeded");
  if (handler_owes_) route_->unary->OnCancel(*this);
}

void GrpcExchange::OnStreamClosed(std::uint32_t) {
  // A deadline that passed was told already.
  const bool tell = pending();
  stream_open_ = false;
  reader_.reset();
  if (!handler_owes_) return LetGo();
  if (tell) route_->unary->OnCancel(*this);
}

void GrpcExchange::Abandon() {
  const bool tell = pending();
  stream_open_ = false;
  reader_.reset();
  application_ = nullptr;
  session_ = nullptr;
  if (!handler_owes_) return LetGo();
  if (tell) route_->unary->OnCancel(*this);
}

// Back to the pool, if neither the stream nor the handler needs it.
void GrpcExchange::LetGo() {
  if (stream_open_ || handler_owes_) return;
  if (application_ == nullptr) {
    delete this;
    return;
  }
  DropBody();
  ClearKeeping(out_);
  ClearKeeping(inflated_);
  message_.clear();
  application_->Recycle(*this);
}

}  // namespace weir::net
