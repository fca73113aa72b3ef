#include "net/http2_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace weir::net {

namespace {

constexpr std::array<std::uint8_t, 8> kDrainPing = {'d', 'r', 'a', 'i', 'n', 0, 0, 0};
constexpr std::array<std::uint8_t, 8> kKeepalivePing = {'a', 'l', 'i', 'v', 'e', 0, 0, 0};
// Over this many times the header bound the peer means harm.
constexpr std::size_t kFloodFactor = 4;
// What RFC 9113 section 6.5.2 adds for each field.
constexpr std::size_t kFieldOverhead = 32;

}  // namespace

Http2Session::Http2Session(Transport& transport, const Http2Options& options, Duration max_age,
                           std::unique_ptr<Http2Application> application)
    : transport_(transport),
      options_(options),
      application_(std::move(application)),
      resets_(options.reset_burst, options.reset_per_second),
      controls_(options.control_burst, options.control_per_second),
      born_(transport.now().steady),
      max_age_(max_age),
      last_read_(born_) {
  Attach();
  if (session_ == nullptr) {
    failed_ = true;  // Out of memory.
    return;
  }
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_concurrent_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(options.stream_window)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(options.max_header_list)},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, options.connection_window);
}

Http2Session::~Http2Session() {
  // Before nghttp2's part: the application gives up calls that may still ask for this session.
  failed_ = true;
  application_.reset();
  nghttp2_session_del(session_);
}

void Http2Session::OnBytes(std::span<const std::uint8_t> bytes) {
  if (failed_) return;
  last_read_ = transport_.now().steady;
  in_read_ = true;
  const ssize_t taken = nghttp2_session_mem_recv(session_, bytes.data(), bytes.size());
  FindDataOnClosedStreams(bytes);
  if (taken < 0) SendAwayAfter(static_cast<int>(taken));
  application_->OnReadEnd();
  in_read_ = false;
  Pump();
  if (taken < 0) failed_ = true;
}

void Http2Session::OnPeerClosed() {
  // HTTP/2 has no half-closed connections.
  failed_ = true;
}

Instant Http2Session::OnTime() {
  const Instant now = transport_.now().steady;
  Instant next = application_->OnTime();
  if (now >= drain_deadline_) SendFinalGoaway();
  next = std::min({next, drain_deadline_, Keepalive(now), Age(now)});
  Pump();
  return next;
}

Instant Http2Session::Keepalive(Instant now) {
  if (options_.keepalive_interval <= Duration(0)) return kNever;
  if (now >= ping_deadline_) {
    failed_ = true;
    return kNever;
  }
  if (!ping_pending_ && now >= last_read_ + options_.keepalive_interval) {
    nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kKeepalivePing.data());
    ping_pending_ = true;
    ping_deadline_ = now + options_.keepalive_timeout;
  }
  return ping_pending_ ? ping_deadline_ : last_read_ + options_.keepalive_interval;
}

Instant Http2Session::Age(Instant now) {
  if (max_age_ <= Duration(0) || max_age_ > kNever - born_) return kNever;
  const Instant drain_at = born_ + max_age_;
  if (now < drain_at) return drain_at;
  Drain();
  if (options_.max_age_grace <= Duration(0)) return drain_deadline_;
  const Duration grace = std::min(options_.max_age_grace, kNever - drain_at);
  const Instant close_at = drain_at + grace;
  if (now >= close_at) failed_ = true;
  return std::min(drain_deadline_, close_at);
}

// RFC 9113 section 6.8: the first GOAWAY warns, so that requests under way are not lost; the second
// one, a round trip later, names the last request that will be answered.
void Http2Session::Drain() {
  if (draining_) return;
  draining_ = true;
  nghttp2_submit_shutdown_notice(session_);
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kDrainPing.data());
  drain_deadline_ = transport_.now().steady + Http2Options::kDrainNotice;
  PumpSoon();
}

void Http2Session::SendFinalGoaway() {
  if (final_goaway_ || !draining_) return;
  final_goaway_ = true;
  drain_deadline_ = kNever;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

bool Http2Session::finished() const {
  if (failed_) return true;
  // Between the two GOAWAYs of a drain requests may still be on their way.
  if (draining_ && !final_goaway_ && !sent_away_) return false;
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

void Http2Session::Answer(Http2Exchange& exchange, std::span<const nghttp2_nv> head,
                          bool with_content) {
  if (!exchange.request_ended_) {
    exchange.reset_after_answer_ = true;
    ++early_answers_;
  }
  nghttp2_data_provider content{};
  content.source.ptr = nullptr;
  content.read_callback = [](nghttp2_session*, std::int32_t stream_id, std::uint8_t* out,
                             std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                             void* self) {
    return static_cast<Http2Session*>(self)->FillContent(stream_id, {out, size}, *flags);
  };
  nghttp2_submit_response(session_, exchange.stream_id_, head.data(), head.size(),
                          with_content ? &content : nullptr);
  if (!in_read_) PumpSoon();
}

void Http2Session::ContinueContent(Http2Exchange& exchange) {
  nghttp2_session_resume_data(session_, exchange.stream_id_);
  if (!in_read_) PumpSoon();
}

void Http2Session::Reset(Http2Exchange& exchange, std::uint32_t error_code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, exchange.stream_id_, error_code);
  if (!in_read_) PumpSoon();
}

void Http2Session::SendAwayAfter(int error) {
  std::uint32_t code = NGHTTP2_INTERNAL_ERROR;
  if (error == NGHTTP2_ERR_FLOODED || error == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS) {
    code = NGHTTP2_ENHANCE_YOUR_CALM;
  } else if (error == NGHTTP2_ERR_BAD_CLIENT_MAGIC) {
    code = NGHTTP2_PROTOCOL_ERROR;
  }
  SendAway(code);
}

ssize_t Http2Session::FillContent(std::int32_t stream_id, std::span<std::uint8_t> out,
                                  std::uint32_t& flags) {
  Http2Exchange* exchange = ExchangeOf(stream_id);
  if (exchange == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const Http2Exchange::Fill fill = exchange->FillContent(out);
  if (!fill.last) {
    return fill.bytes == 0 ? ssize_t{NGHTTP2_ERR_DEFERRED} : static_cast<ssize_t>(fill.bytes);
  }
  flags |= NGHTTP2_DATA_FLAG_EOF;
  const std::span<const nghttp2_nv> trailers = exchange->Trailers();
  if (!trailers.empty()) {
    flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_trailer(session_, stream_id, trailers.data(), trailers.size());
  }
  return static_cast<ssize_t>(fill.bytes);
}

Http2Exchange* Http2Session::ExchangeOf(std::int32_t stream_id) {
  if (stream_id == last_id_) return last_exchange_;
  last_id_ = stream_id;
  last_exchange_ =
      static_cast<Http2Exchange*>(nghttp2_session_get_stream_user_data(session_, stream_id));
  return last_exchange_;
}

// nghttp2 forgets a stream when it closes, and then ignores what comes for it.  This callback still
// hears of HEADERS, of DATA only if it is accepted.
void Http2Session::OnBeginFrame(const nghttp2_frame_hd& head) {
  if (head.type == NGHTTP2_DATA) {
    accepted_.push_back(head.stream_id);
  } else if (head.type == NGHTTP2_HEADERS) {
    if (head.stream_id > last_opened_) {
      last_opened_ = head.stream_id;
    } else if (ExchangeOf(head.stream_id) == nullptr && !WasResetByUs(head.stream_id)) {
      SendAway(NGHTTP2_STREAM_CLOSED);
    }
  }
}

void Http2Session::FindDataOnClosedStreams(std::span<const std::uint8_t> bytes) {
  std::size_t next = 0;
  bool wrong = false;
  scan_.Scan(bytes, [&](std::int32_t stream_id) {
    if (next < accepted_.size() && accepted_[next] == stream_id) {
      ++next;
    } else {
      wrong = wrong || !WasResetByUs(stream_id);
    }
  });
  accepted_.clear();
  if (wrong && !sent_away_) SendAway(NGHTTP2_STREAM_CLOSED);
}

bool Http2Session::WasResetByUs(std::int32_t stream_id) const {
  return std::find(reset_by_us_.begin(), reset_by_us_.end(), stream_id) != reset_by_us_.end();
}

int Http2Session::OnBeginHeaders(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  Http2Exchange& exchange = application_->NewExchange(*this);
  exchange.stream_id_ = frame.hd.stream_id;
  exchange.begun_ = last_read_;
  exchange.request_ended_ = false;
  exchange.reset_after_answer_ = false;
  exchange.check_.Reset();
  exchange.header_list_ = 0;
  nghttp2_session_set_stream_user_data(session_, frame.hd.stream_id, &exchange);
  last_id_ = frame.hd.stream_id;
  last_exchange_ = &exchange;
  ++active_;
  return 0;
}

int Http2Session::OnField(const nghttp2_frame& frame, std::string_view name,
                          std::string_view value) {
  if (frame.hd.type != NGHTTP2_HEADERS) return 0;
  Http2Exchange* exchange = ExchangeOf(frame.hd.stream_id);
  if (exchange == nullptr) return 0;
  exchange->header_list_ += name.size() + value.size() + kFieldOverhead;
  const FieldName field = FieldNameOf(name);
  bool good = true;
  if (exchange->header_list_ > options_.max_header_list) {
    if (exchange->header_list_ > kFloodFactor * options_.max_header_list) SendAway();
  } else if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
    good = exchange->check_.AddField(field, name, value);
    if (good) exchange->OnField(field, name, value);
  } else {
    good = exchange->check_.AddTrailer(field, name, value);
  }
  if (good) return 0;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id,
                            NGHTTP2_PROTOCOL_ERROR);
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int Http2Session::OnFrame(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      if (Http2Exchange* exchange = ExchangeOf(frame.hd.stream_id)) {
        OnHeadersFrame(frame, *exchange);
      }
      break;
    case NGHTTP2_DATA:
      if (frame.hd.length == 0 && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) CountControl();
      if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        if (Http2Exchange* exchange = ExchangeOf(frame.hd.stream_id)) OnRequestEnd(*exchange);
      }
      break;
    case NGHTTP2_PING:
      if ((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) OnPingAck(frame.ping);
      CountControl();
      break;
    case NGHTTP2_SETTINGS:
    case NGHTTP2_PRIORITY:
      CountControl();
      break;
    default:
      break;
  }
  return 0;
}

void Http2Session::OnHeadersFrame(const nghttp2_frame& frame, Http2Exchange& exchange) {
  const bool ended = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  const bool request = frame.headers.cat == NGHTTP2_HCAT_REQUEST;
  const bool too_large = exchange.header_list_ > options_.max_header_list;
  // A second section of fields must be the last: RFC 9113 section 8.1.
  const bool good = request ? too_large || exchange.check_.FinishHead(ended) : ended;
  if (!good) return Reset(exchange, NGHTTP2_PROTOCOL_ERROR);
  if (request) {
    exchange.request_ended_ = ended;
    exchange.OnHead(too_large);
  }
  if (ended) OnRequestEnd(exchange);
}

void Http2Session::OnRequestEnd(Http2Exchange& exchange) {
  if (!exchange.check_.FinishContent()) return Reset(exchange, NGHTTP2_PROTOCOL_ERROR);
  exchange.request_ended_ = true;
  exchange.OnRequestEnd();
}

int Http2Session::OnContent(std::uint8_t flags, std::int32_t stream_id,
                            std::span<const std::uint8_t> piece) {
  Http2Exchange* exchange = ExchangeOf(stream_id);
  if (exchange == nullptr) return 0;
  if (!exchange->check_.AddContent(piece.size())) {
    Reset(*exchange, NGHTTP2_PROTOCOL_ERROR);
    return 0;
  }
  exchange->OnContent(piece, (flags & NGHTTP2_FLAG_END_STREAM) != 0);
  return 0;
}

int Http2Session::OnStreamClosed(std::int32_t stream_id, std::uint32_t error_code) {
  Http2Exchange* exchange = ExchangeOf(stream_id);
  last_id_ = 0;
  last_exchange_ = nullptr;
  if (exchange == nullptr) return 0;
  --active_;
  if (exchange->reset_after_answer_) --early_answers_;
  const bool rapid =
      error_code != NGHTTP2_NO_ERROR && last_read_ - exchange->begun_ < Http2Options::kPatience;
  nghttp2_session_set_stream_user_data(session_, stream_id, nullptr);
  exchange->OnStreamClosed(error_code);
  if (rapid && !resets_.Take(last_read_)) SendAway();
  return 0;
}

void Http2Session::OnSent(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_RST_STREAM) {
    if (reset_by_us_.size() < kRememberedResets) {
      reset_by_us_.push_back(frame.hd.stream_id);
    } else {
      reset_by_us_[next_reset_++ % kRememberedResets] = frame.hd.stream_id;
    }
    return;
  }
  if (early_answers_ == 0 || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
  const Http2Exchange* exchange = ExchangeOf(frame.hd.stream_id);
  if (exchange != nullptr && exchange->reset_after_answer_ && !exchange->request_ended_) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_NO_ERROR);
  }
}

void Http2Session::OnPingAck(const nghttp2_ping& ping) {
  if (std::equal(kDrainPing.begin(), kDrainPing.end(), ping.opaque_data)) {
    SendFinalGoaway();
  } else if (std::equal(kKeepalivePing.begin(), kKeepalivePing.end(), ping.opaque_data)) {
    ping_pending_ = false;
    ping_deadline_ = kNever;
    transport_.Wake();
  }
}

void Http2Session::CountControl() {
  if (!controls_.Take(last_read_)) SendAway();
}

void Http2Session::SendAway(std::uint32_t error_code) {
  sent_away_ = true;
  nghttp2_session_terminate_session(session_, error_code);
}

void Http2Session::Pump() {
  if (failed_ || in_read_ || pumping_) return;
  pumping_ = true;
  std::size_t unsent = transport_.unsent();
  while (unsent < kOutputBound) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) failed_ = true;
    if (size <= 0) break;
    transport_.Write({data, static_cast<std::size_t>(size)});
    unsent += static_cast<std::size_t>(size);
  }
  pumping_ = false;
}

// Later in this turn, when no caller's frame is left that a closing stream could pull away.
void Http2Session::PumpSoon() {
  if (!failed_ && !pumping_) transport_.Wake();
}

}  // namespace weir::net
