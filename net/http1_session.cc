#include "net/http1_session.h"

#include <algorithm>

namespace weir::net {
namespace {

// Buffers that one large request blew up are given back.
constexpr std::size_t kKeptCapacity = 64 * 1024;

void ClearBounded(std::string* s) {
  if (s->capacity() > kKeptCapacity) std::string().swap(*s);
  s->clear();
}

}  // namespace

Http1Session::Http1Session(Transport& transport, HttpHandler& handler, const Http1Options& options)
    : transport_(transport), handler_(handler), options_(options) {
  UpdateDeadline();
}

Http1Session::~Http1Session() {
  for (Exchange* e = front_; e != nullptr; e = e->next) {
    if (!e->answered) handler_.OnCancel(*e);
  }
}

// ---- input

void Http1Session::OnBytes(std::span<const std::uint8_t> bytes) {
  if (input_done_) return;  // Lingering: discarded.
  const std::string_view data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  inside_ = true;
  if (input_.empty()) {
    const std::size_t used = Take(data);
    if (!input_done_) input_.assign(data.substr(used));
  } else {
    input_.append(data);
    Resume();
  }
  inside_ = false;
  Settle();
}

void Http1Session::Resume() {
  const std::size_t used = Take(input_);
  if (input_done_ || used == input_.size()) {
    ClearBounded(&input_);
  } else {
    input_.erase(0, used);
  }
}

std::size_t Http1Session::Take(std::string_view data) {
  std::size_t used = 0;
  do {
    used += TakeUntilHeld(data.substr(used));
    if (batch_open_) {
      batch_open_ = false;
      handler_.OnBatchEnd();
    }
    // The batch's answers may have made room for what was held.
  } while (held_ && !Full());
  return used;
}

std::size_t Http1Session::TakeUntilHeld(std::string_view data) {
  std::size_t used = 0;
  held_ = false;
  bool stuck = false;
  while (!stuck && !input_done_ && used < data.size()) {
    const std::string_view rest = data.substr(used);
    switch (reading_) {
      case Reading::kHead:
        if (Full()) {
          held_ = true;
          return used;
        }
        used += TakeHead(rest, &stuck);
        break;
      case Reading::kBody:
        used += TakeBody(rest, &stuck);
        break;
      case Reading::kChunks:
        used += TakeChunks(rest, &stuck);
        break;
    }
  }
  return used;
}

std::size_t Http1Session::TakeHead(std::string_view data, bool* stuck) {
  if (!crlf_skipped_ && data.front() == '\r') {
    // RFC 9112 section 2.2: one empty line before a request is forgiven.
    *stuck = data.size() < 2;
    if (*stuck) return 0;
    if (data[1] == '\n') {
      crlf_skipped_ = true;
      return 2;
    }
  }
  if (!IsTokenChar(data.front())) {
    // Fails TLS handshakes and other protocols at once instead of at the head's bound.
    Refuse(400, "not an HTTP/1.1 request");
    return 0;
  }
  // Not beyond the bound, so that the verdict does not depend on how the bytes were cut.
  const HeadScanner::Found found = scanner_.Scan(data.substr(0, options_.max_head));
  if (found == HeadScanner::Found::kBareFeed) {
    Refuse(400, "line feed without carriage return");
    return 0;
  }
  if (found == HeadScanner::Found::kMore) {
    *stuck = true;
    if (data.size() >= options_.max_head) {
      scanner_.past_first_line() ? Refuse(431, "request head too large")
                                 : Refuse(414, "request target too long");
    }
    return 0;
  }
  const std::string_view head = data.substr(0, scanner_.end());
  scanner_.Reset();
  crlf_skipped_ = false;
  const HeadVerdict verdict = CheckHead(head, {options_.max_headers, options_.max_target});
  if (!verdict.ok()) {
    Refuse(verdict.status, verdict.reason);
    return head.size();
  }
  if (verdict.content_length > options_.max_body) {
    Refuse(413, "request body too large");
    return head.size();
  }
  const std::size_t after = data.size() - head.size();
  if (verdict.chunked || verdict.content_length > after) {
    BeginBody(head, verdict);
    return head.size();
  }
  // The common case: the whole request is here and nothing is copied.
  if (!ParseHead(head, &head_)) {
    Refuse(400, "malformed header");
    return head.size();
  }
  const auto length = static_cast<std::size_t>(verdict.content_length);
  Dispatch(data.substr(head.size(), length));
  return head.size() + length;
}

void Http1Session::BeginBody(std::string_view head, const HeadVerdict& verdict) {
  head_bytes_.assign(head);
  if (!ParseHead(head_bytes_, &head_)) return Refuse(400, "malformed header");
  body_.clear();
  continue_due_ = verdict.expect_continue;
  if (verdict.chunked) {
    chunks_.Reset(options_.max_body);
    reading_ = Reading::kChunks;
  } else {
    body_length_ = verdict.content_length;
    reading_ = Reading::kBody;
  }
}

std::size_t Http1Session::TakeBody(std::string_view data, bool* stuck) {
  continue_due_ = false;  // The client did not wait.
  const std::size_t take =
      std::min(data.size(), static_cast<std::size_t>(body_length_) - body_.size());
  body_.append(data.substr(0, take));
  *stuck = body_.size() < body_length_;
  if (!*stuck) {
    Dispatch(body_);
    ClearBounded(&body_);
  }
  return take;
}

std::size_t Http1Session::TakeChunks(std::string_view data, bool* stuck) {
  continue_due_ = false;
  const ChunkDecoder::Step step = chunks_.Put(data, &body_);
  switch (step.status) {
    case ChunkDecoder::Status::kMore:
      *stuck = true;
      break;
    case ChunkDecoder::Status::kBad:
      Refuse(400, "malformed chunked body");
      break;
    case ChunkDecoder::Status::kTooLarge:
      Refuse(413, "request body too large");
      break;
    case ChunkDecoder::Status::kDone:
      Dispatch(body_);
      ClearBounded(&body_);
      break;
  }
  return step.consumed;
}

void Http1Session::Dispatch(std::string_view body) {
  reading_ = Reading::kHead;
  const TargetParts target = SplitTarget(head_.method, head_.target);
  HttpRequest request;
  request.method = head_.method;
  request.target = head_.target;
  request.path = target.path;
  request.query = target.query;
  request.headers = head_.headers;
  request.body = body;
  request.version = head_.version;
  request.peer = &transport_.peer();
  request.now = transport_.now();

  Exchange& exchange = Push();
  exchange.close = !head_.keep_alive || draining_;
  exchange.keep_alive = head_.version == 10;
  exchange.head_only = head_.method == "HEAD";
  if (exchange.close) input_done_ = true;
  batch_open_ = true;
  waiting_ = Waiting::kStart;  // What comes next has its whole time.
  handler_.OnRequest(request, exchange);
}

void Http1Session::Refuse(int status, std::string_view reason) {
  reading_ = Reading::kHead;
  continue_due_ = false;
  input_done_ = true;
  // After these the client is likely to be still sending.
  linger_ = status == 413 || status == 414 || status == 417 || status == 431;
  Exchange& exchange = Push();
  exchange.close = true;
  std::string body = "{\"title\":\"";
  body.append(ReasonPhrase(status)).append("\",\"status\":").append(std::to_string(status));
  body.append(",\"detail\":\"").append(reason).append("\"}\n");
  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = body;
  exchange.Reply(response);
}

// ---- output

Http1Session::Exchange& Http1Session::Push() {
  Exchange* exchange = free_;
  if (exchange != nullptr) {
    free_ = exchange->next;
  } else {
    exchanges_.push_back(std::make_unique<Exchange>(*this));
    exchange = exchanges_.back().get();
  }
  exchange->next = nullptr;
  exchange->context = nullptr;
  exchange->answered = exchange->close = exchange->keep_alive = exchange->head_only = false;
  (front_ == nullptr ? front_ : back_->next) = exchange;
  back_ = exchange;
  ++in_hand_;
  return *exchange;
}

void Http1Session::Answer(Exchange& exchange, const HttpResponse& response) {
  const bool was_paused = paused();
  // While draining the last answer is the one that closes.
  const bool last = input_done_ && &exchange == back_;
  AnswerFraming framing;
  framing.close = exchange.close || (draining_ && last);
  framing.keep_alive = exchange.keep_alive;
  framing.head_only = exchange.head_only;
  const std::string_view date = date_.At(transport_.now().wall);
  if (&exchange != front_) {
    AppendAnswer(response, framing, date, &exchange.ready);
    exchange.answered = true;
    return;
  }
  AppendAnswer(response, framing, date, &out_);
  Pop();
  while (front_ != nullptr && front_->answered) {
    out_.append(front_->ready);
    Pop();
  }
  if (inside_) {
    if (out_.size() >= kKeptCapacity) Flush();
    return;
  }
  Settle();
  if (was_paused) transport_.Wake();
}

void Http1Session::Pop() {
  Exchange* done = front_;
  front_ = done->next;
  if (front_ == nullptr) back_ = nullptr;
  --in_hand_;
  ClearBounded(&done->ready);
  done->next = free_;
  free_ = done;
}

void Http1Session::Flush() {
  if (out_.empty()) return;
  transport_.Write({reinterpret_cast<const std::uint8_t*>(out_.data()), out_.size()});
  ClearBounded(&out_);
}

void Http1Session::Settle() {
  if (continue_due_ && in_hand_ == 0) {
    continue_due_ = false;
    out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  Flush();
  const bool nothing_comes = input_done_ || (peer_closed_ && !held_);
  if (nothing_comes && in_hand_ == 0 && (!linger_ || peer_closed_)) finished_ = true;
  UpdateDeadline();
  if (held_ && in_hand_ < options_.max_in_hand) transport_.Wake();
}

// ---- time and endings

bool Http1Session::Full() const {
  return in_hand_ >= options_.max_in_hand || transport_.unsent() + out_.size() > kMaxUnsent;
}

bool Http1Session::PartlyReceived() const {
  return reading_ != Reading::kHead || (!input_.empty() && !held_);
}

void Http1Session::UpdateDeadline() {
  Waiting next = Waiting::kIdle;
  Duration allowed = options_.idle_timeout;
  if (linger_ && in_hand_ == 0) {
    next = Waiting::kLinger;
    allowed = kLinger;
  } else if (input_done_ || held_ || peer_closed_) {
    next = Waiting::kAnswer;
  } else if (continue_due_) {
    next = Waiting::kAnswer;  // The body waits for us.
  } else if (reading_ != Reading::kHead) {
    next = Waiting::kBody;
    allowed = options_.body_timeout;
  } else if (!input_.empty()) {
    next = Waiting::kHead;
    allowed = options_.head_timeout;
  } else if (in_hand_ != 0) {
    next = Waiting::kAnswer;
  }
  if (next == waiting_) return;
  waiting_ = next;
  deadline_ = next == Waiting::kAnswer ? kNever : transport_.now().steady + allowed;
  if (next == Waiting::kLinger) transport_.Wake();
}

void Http1Session::OnPeerClosed() {
  peer_closed_ = true;
  Settle();
}

Instant Http1Session::OnTime() {
  const Instant now = transport_.now().steady;
  if (held_ && !Full()) {
    inside_ = true;
    Resume();
    inside_ = false;
    Settle();
  }
  if (now >= deadline_ && !finished_) {
    if (waiting_ == Waiting::kHead || waiting_ == Waiting::kBody) {
      inside_ = true;
      Refuse(408, "the request took too long to arrive");
      inside_ = false;
      ClearBounded(&input_);
      Settle();
    } else {
      finished_ = true;
    }
  }
  if (finished_) return kNever;
  if (held_ && in_hand_ < options_.max_in_hand) return now + kUnsentPoll;
  // Whatever begins after this moment has at least the shortest of the bounds to live, so looking
  // again then is never late.
  const Duration shortest =
      std::min({options_.head_timeout, options_.body_timeout, options_.idle_timeout});
  return std::min(deadline_, now + shortest);
}

void Http1Session::Drain() {
  draining_ = true;
  if (!PartlyReceived()) {
    input_done_ = true;
    held_ = false;
    ClearBounded(&input_);
  }
  Settle();
}

}  // namespace weir::net
