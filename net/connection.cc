#include "net/connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace weir::net {

namespace {

// Time for the peer to read the last bytes and close, before the socket goes.
constexpr Duration kLinger = std::chrono::seconds(1);
// A buffer that grew beyond this for one large answer is given back.
constexpr std::size_t kKeptCapacity = std::size_t{256} * 1024;

}  // namespace

Connection::Connection(Loop& loop, int fd, PeerInfo peer, const ConnectionOptions& options,
                       const SessionFactory& factory, ConnectionOwner& owner)
    : loop_(loop),
      fd_(fd),
      peer_(std::move(peer)),
      options_(options),
      factory_(factory),
      owner_(owner),
      watch_(loop, fd, *this),
      timer_(loop, [this] { OnTimer(); }),
      last_activity_(loop.now().steady) {
  state_deadline_ = last_activity_ + options.handshake_timeout;
  if (options.tls != nullptr) {
    peer_.tls = true;
    tls_ = options.tls->Accept();
    if (!tls_) {
      Close();
      return;
    }
  }
  SetTimer();
  WatchWhatMatters();
}

Connection::~Connection() {
  loop_.Forget(*this);
  // The session goes first: it may still cancel calls, and those may want to write.
  state_ = State::kClosed;
  session_.reset();
}

void Connection::Drain() {
  if (state_ == State::kStarting) return Close();
  if (state_ != State::kOpen) return;
  in_call_ = true;
  session_->Drain();
  in_call_ = false;
  wake_ = true;
  loop_.AtTurnEnd(*this);
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  watch_.Want(false, false);
  timer_.Cancel();
  loop_.AtTurnEnd(*this);
}

void Connection::Write(std::span<const std::uint8_t> bytes) {
  if (state_ == State::kClosed) return;
  out_.insert(out_.end(), bytes.begin(), bytes.end());
  if (!in_call_) loop_.AtTurnEnd(*this);
}

void Connection::Wake() {
  wake_ = true;
  loop_.AtTurnEnd(*this);
}

void Connection::OnReady(bool readable, bool writable) {
  if (state_ == State::kClosed) return;
  if (writable) blocked_ = false;
  if (readable) Read();
  if (state_ != State::kClosed) Settle();
}

void Connection::OnTurnEnd() {
  if (state_ == State::kClosed) {
    owner_.OnClosed(*this);  // Destroys this.
    return;
  }
  if (std::exchange(wake_, false)) AskSessionForTime();
  if (state_ != State::kClosed) Settle();
}

void Connection::OnTimer() {
  const Instant now = loop_.now().steady;
  const bool idle =
      options_.idle_timeout > Duration(0) && now >= last_activity_ + options_.idle_timeout;
  if (now >= state_deadline_ || idle) return Close();
  if (now >= session_time_) AskSessionForTime();
  Settle();
}

void Connection::Read() {
  const std::span<std::uint8_t> buffer = loop_.read_buffer();
  const ssize_t n = recv(fd_.get(), buffer.data(), buffer.size(), 0);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) Close();
    return;
  }
  if (n == 0) return OnPeerClosed();
  last_activity_ = loop_.now().steady;
  if (state_ == State::kFinishing || state_ == State::kLingering) return;  // Nobody listens.
  const auto bytes = buffer.first(static_cast<std::size_t>(n));
  in_call_ = true;
  if (tls_) {
    Decrypt(bytes);
  } else {
    Deliver(bytes);
  }
  in_call_ = false;
}

void Connection::Decrypt(std::span<const std::uint8_t> cipher) {
  // The stream copies, so that the same buffer can take the plaintext.
  tls_->Feed(cipher);
  const std::span<std::uint8_t> buffer = loop_.read_buffer();
  bool was_open = tls_->state() == TlsStream::State::kOpen;
  for (;;) {
    const std::size_t n = tls_->Read(buffer);
    if (!was_open && tls_->state() == TlsStream::State::kOpen) {
      was_open = true;
      peer_.certificate_name = tls_->client_name();
      if (const auto alpn = tls_->alpn(); !alpn.empty()) StartSession(ProtocolOfAlpn(alpn), {});
    }
    if (n == 0 || state_ == State::kClosed) break;
    Deliver(buffer.first(n));
  }
  if (tls_->state() == TlsStream::State::kFailed) {
    // The alert that says why is worth one attempt.
    Flush();
    Close();
  } else if (tls_->state() == TlsStream::State::kClosed && !peer_closed_) {
    OnPeerClosed();
  }
}

void Connection::Deliver(std::span<const std::uint8_t> bytes) {
  if (state_ == State::kOpen) {
    session_->OnBytes(bytes);
    return;
  }
  if (state_ != State::kStarting) return;
  if (!first_bytes_.empty()) {
    first_bytes_.insert(first_bytes_.end(), bytes.begin(), bytes.end());
    bytes = first_bytes_;
  }
  if (const auto protocol = SniffProtocol(bytes)) {
    StartSession(*protocol, bytes);
    first_bytes_ = {};
  } else if (first_bytes_.empty()) {
    first_bytes_.assign(bytes.begin(), bytes.end());
  }
}

void Connection::StartSession(Protocol protocol, std::span<const std::uint8_t> bytes) {
  session_ = factory_(*this, protocol);
  if (!session_) return Close();
  state_ = State::kOpen;
  state_deadline_ = kNever;
  wake_ = true;
  loop_.AtTurnEnd(*this);
  if (!bytes.empty()) session_->OnBytes(bytes);
}

void Connection::OnPeerClosed() {
  peer_closed_ = true;
  if (state_ != State::kOpen) return Close();
  const bool nested = std::exchange(in_call_, true);
  session_->OnPeerClosed();
  in_call_ = nested;
}

void Connection::AskSessionForTime() {
  if (state_ != State::kOpen) return;
  in_call_ = true;
  session_time_ = session_->OnTime();
  in_call_ = false;
  SetTimer();
}

// What follows every call into the session.
void Connection::Settle() {
  if (state_ == State::kOpen && session_->finished()) Finish();
  // Before the kernel takes its part: a session that saw the bound reached has held back.
  if (unsent() >= kOutputBound) held_ = true;
  Flush();
  if (state_ == State::kOpen && held_ && unsent() < kOutputBound / 2) {
    held_ = false;
    in_call_ = true;
    session_->OnWritable();
    in_call_ = false;
    if (session_->finished()) Finish();
    if (unsent() >= kOutputBound) held_ = true;
    Flush();
    // A peer that takes all at once must not hold the turn: go on in the next one.
    if (held_) blocked_ = true;
  }
  if (state_ == State::kFinishing && unsent() == 0) {
    if (peer_closed_) return Close();
    shutdown(fd_.get(), SHUT_WR);
    state_ = State::kLingering;
    state_deadline_ = loop_.now().steady + kLinger;
    SetTimer();
  }
  if (state_ != State::kClosed) WatchWhatMatters();
}

void Connection::Finish() {
  state_ = State::kFinishing;
  state_deadline_ = loop_.now().steady + options_.close_timeout;
  session_time_ = kNever;
  SetTimer();
}

void Connection::Flush() {
  if (state_ == State::kClosed || blocked_) return;
  if (tls_) {
    if (sent_ < out_.size() && tls_->state() != TlsStream::State::kHandshake) {
      tls_->Write(std::span(out_).subspan(sent_));
      out_.clear();
      sent_ = 0;
    }
    if (state_ == State::kFinishing && out_.empty()) tls_->Close();
    tls_->TakeOutput(cipher_);
    SendFrom(cipher_, cipher_sent_);
  } else {
    SendFrom(out_, sent_);
  }
}

bool Connection::SendFrom(std::vector<std::uint8_t>& buffer, std::size_t& sent) {
  if (sent == buffer.size()) return true;
  const ssize_t n = send(fd_.get(), buffer.data() + sent, buffer.size() - sent, MSG_NOSIGNAL);
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) {
      blocked_ = true;
    } else {
      Close();
    }
    return false;
  }
  sent += static_cast<std::size_t>(n);
  last_activity_ = loop_.now().steady;
  if (sent < buffer.size()) {
    blocked_ = true;
    return false;
  }
  sent = 0;
  if (buffer.capacity() > kKeptCapacity) {
    buffer = {};
  } else {
    buffer.clear();
  }
  return true;
}

void Connection::SetTimer() {
  if (state_ == State::kClosed) return;
  Instant next = std::min(session_time_, state_deadline_);
  if (options_.idle_timeout > Duration(0)) {
    next = std::min(next, last_activity_ + options_.idle_timeout);
  }
  timer_.Set(next);
}

void Connection::WatchWhatMatters() {
  const bool paused = state_ == State::kOpen && session_->paused();
  watch_.Want(!peer_closed_ && !held_ && !paused, blocked_);
}

}  // namespace weir::net
