#include "redis/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "redis/command.h"
#include "redis/error_reply.h"
#include "redis/scripts.h"

namespace weir::redis {
namespace {

constexpr std::size_t kKeptCapacity = std::size_t{256} * 1024;

// HELLO answers pairs of names and values.
std::string_view FactIn(const Reply& reply, std::string_view name) {
  for (std::size_t i = 1; i + 1 < reply.size(); i = reply.After(reply.After(i))) {
    if (reply.text(i) == name) return reply.text(i + 1);
  }
  return {};
}

}  // namespace

Connection::Connection(net::Loop& loop, ServerAddress server, Endpoint::Login login,
                       std::uint32_t database, const net::TlsClient* tls,
                       const ConnectionOptions& options, ConnectionObserver& observer)
    : loop_(loop),
      server_(std::move(server)),
      login_(std::move(login)),
      database_(database),
      tls_client_(tls),
      options_(options),
      observer_(observer),
      connector_(loop, *this),
      backoff_(options.seed),
      timer_(loop, [this] { OnTimer(); }) {}

Connection::~Connection() {
  loop_.Forget(*this);
  CloseSocket();
}

void Connection::Open() {
  if (state_ == State::kIdle) Connect();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  down_ = Cause::kReset;
  connector_.Cancel();
  CloseSocket();
  timer_.Cancel();
  LoseCalls(Cause::kReset);
}

void Connection::Drop(Cause cause, std::string_view why) {
  if (state_ == State::kHandshake || state_ == State::kReady) Lose(cause, why);
}

void Connection::Retire(Cause cause, std::string_view why) {
  if (!ready()) return;
  retiring_ = cause;
  retiring_why_ = why;
  // Checked again behind the replies that are being delivered.
  if (in_flight_ == 0) loop_.AtTurnEnd(*this);
}

void Connection::MoveTo(const ServerAddress& server) {
  if (server == server_ || state_ == State::kClosed) return;
  server_ = server;
  backoff_.Reset();
  if (state_ == State::kHandshake || state_ == State::kReady) {
    Lose(Cause::kMoved, "the primary is elsewhere now");
  } else if (state_ == State::kConnecting) {
    connector_.Cancel();
  }
  if (state_ != State::kClosed && state_ != State::kIdle) Connect();
}

void Connection::Connect() {
  state_ = State::kConnecting;
  state_deadline_ = loop_.now().steady + options_.handshake_timeout;
  SetTimer();
  connector_.Start(server_);
}

void Connection::OnConnected(int fd) {
  fd_ = fd;
  state_ = State::kHandshake;
  reader_.Reset();
  out_.clear();
  cipher_.clear();
  sent_ = cipher_sent_ = 0;
  stream_sent_ = stream_end_ = 0;
  blocked_ = false;
  watch_ = std::make_unique<net::SocketWatch>(loop_, fd_, static_cast<net::SocketObserver&>(*this));
  if (tls_client_ != nullptr) {
    tls_ = tls_client_->Connect(server_.host);
    if (tls_ == nullptr) return Lose(Cause::kProtocol, "no TLS to this host");
    tls_->Read({});
  }
  const Result<std::string, EndpointError> password = login_.Password();
  if (!password.ok()) return Lose(Cause::kAuth, password.error().message);
  Greet(*password);
}

void Connection::OnNotConnected(Cause cause, std::string_view why) {
  Lose(cause, why);
}

// The whole handshake leaves at once; its answers come before any other.
void Connection::Greet(const std::string& password) {
  if (password.empty()) {
    AppendCommand(out_, {"HELLO", "2", "SETNAME", "weir"});
  } else {
    const std::string_view user = login_.user.empty() ? "default" : std::string_view(login_.user);
    AppendCommand(out_, {"HELLO", "2", "AUTH", user, password, "SETNAME", "weir"});
  }
  greetings_left_ = 1;
  if (database_ != 0) {
    AppendCommand(out_, {"SELECT", std::to_string(database_)});
    ++greetings_left_;
  }
  if (options_.for_counting) {
    for (std::size_t i = 0; i < kScripts; ++i) {
      AppendCommand(out_, {"SCRIPT", "LOAD", TextOf(static_cast<Script>(i))});
      ++greetings_left_;
    }
  }
  stream_end_ = out_.size();
  loop_.AtTurnEnd(*this);
  watch_->Want(true, false);
}

void Connection::OnGreeting(const Reply& reply) {
  if (reply.is_error()) {
    const ErrorReply error = Understand(reply.text());
    std::string why(reply.text());
    if (!error.advice.empty()) why += " (" + std::string(error.advice) + ")";
    return Lose(error.cause, why);
  }
  if (reply.elements() > 0) {
    facts_.version = FactIn(reply, "version");
    facts_.primary = FactIn(reply, "role") == "master";
    if (options_.for_counting && !facts_.primary) {
      return Lose(Cause::kReadonly, "the server is a replica");
    }
  }
  if (--greetings_left_ > 0) return;
  state_ = State::kReady;
  state_deadline_ = kNever;
  SetTimer();
  observer_.OnUp(facts_);
}

Cause Connection::Admit() const {
  if (!ready()) return down();
  if (in_flight_ >= options_.most_calls || out_.size() - sent_ >= options_.most_unsent) {
    return Cause::kQueueFull;
  }
  return Cause::kNone;
}

void Connection::Enqueue(PendingCall& call, std::size_t bytes, std::uint32_t replies) {
  stream_end_ += bytes;
  call.end_ = stream_end_;
  call.replies_ = replies;
  call.sent_ = loop_.now().steady;
  call.next_ = nullptr;
  if (newest_ != nullptr) {
    newest_->next_ = &call;
  } else {
    oldest_ = &call;
    SetTimer();
  }
  newest_ = &call;
  ++in_flight_;
  loop_.AtTurnEnd(*this);
}

void Connection::OnReady(bool readable, bool writable) {
  if (writable) blocked_ = false;
  if (readable) Read();
  if (state_ == State::kHandshake || state_ == State::kReady) Flush();
}

void Connection::Read() {
  const std::span<std::uint8_t> buffer = loop_.read_buffer();
  const ssize_t n = recv(fd_, buffer.data(), buffer.size(), 0);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) Lose(Cause::kReset, std::strerror(errno));
    return;
  }
  if (n == 0) return Lose(Cause::kReset, "the server closed the connection");
  const auto bytes = buffer.first(static_cast<std::size_t>(n));
  if (tls_ == nullptr) {
    reader_.Feed(bytes);
    return Deliver();
  }
  tls_->Feed(bytes);
  while (tls_ != nullptr) {
    const std::size_t plain = tls_->Read(buffer);
    if (plain == 0) break;
    reader_.Feed(buffer.first(plain));
    Deliver();
  }
  if (tls_ != nullptr && tls_->state() == net::TlsStream::State::kFailed) {
    Lose(Cause::kProtocol, "TLS failed: the server's certificate is not trusted, or no TLS at all");
  } else if (tls_ != nullptr && tls_->state() == net::TlsStream::State::kClosed) {
    Lose(Cause::kReset, "the server closed the connection");
  }
}

void Connection::Deliver() {
  const Now now = loop_.now();
  for (;;) {
    switch (reader_.Next()) {
      case ReplyReader::State::kMore:
        return LeaveIfRetired();
      case ReplyReader::State::kBroken:
        return Lose(Cause::kProtocol, reader_.error());
      case ReplyReader::State::kReply:
        break;
    }
    if (state_ == State::kHandshake) {
      OnGreeting(reader_.reply());
    } else if (oldest_ == nullptr) {
      // Redis says why it throws a connection out before it does.
      return Lose(Cause::kProtocol, "a reply that nobody asked for");
    } else {
      PendingCall& call = *oldest_;
      if (--call.replies_ == 0) {
        oldest_ = call.next_;
        if (oldest_ == nullptr) newest_ = nullptr;
        --in_flight_;
      }
      backoff_.Reset();
      call.OnReply(reader_.reply(), now);
    }
    if (state_ != State::kHandshake && state_ != State::kReady) return;
  }
}

void Connection::LeaveIfRetired() {
  if (retiring_ != Cause::kNone && in_flight_ == 0) Lose(retiring_, retiring_why_);
}

void Connection::Flush() {
  LeaveIfRetired();
  if (blocked_ || (state_ != State::kHandshake && state_ != State::kReady)) return;
  if (tls_ != nullptr) {
    SendEncrypted();
  } else {
    SendPlain();
  }
  if (watch_ != nullptr) watch_->Want(true, blocked_);
}

void Connection::SendPlain() {
  const std::size_t before = sent_;
  const bool alive = SendFrom(out_.data(), out_.size(), sent_);
  stream_sent_ += sent_ - before;
  if (!alive) return Lose(Cause::kReset, std::strerror(errno));
  if (sent_ < out_.size()) return;
  sent_ = 0;
  out_.clear();
  if (out_.capacity() > kKeptCapacity) std::string().swap(out_);
}

void Connection::SendEncrypted() {
  if (tls_->state() == net::TlsStream::State::kOpen && !out_.empty()) {
    tls_->Write({reinterpret_cast<const std::uint8_t*>(out_.data()), out_.size()});
    stream_sent_ += out_.size();
    out_.clear();
  }
  tls_->TakeOutput(cipher_);
  if (!SendFrom(reinterpret_cast<const char*>(cipher_.data()), cipher_.size(), cipher_sent_)) {
    return Lose(Cause::kReset, std::strerror(errno));
  }
  if (cipher_sent_ < cipher_.size()) return;
  cipher_sent_ = 0;
  cipher_.clear();
}

// False if the connection is gone.
bool Connection::SendFrom(const char* data, std::size_t size, std::size_t& sent) {
  if (sent == size) return true;
  const ssize_t n = send(fd_, data + sent, size - sent, MSG_NOSIGNAL);
  if (n < 0) {
    blocked_ = errno == EAGAIN || errno == EINTR;
    return blocked_;
  }
  sent += static_cast<std::size_t>(n);
  blocked_ = sent < size;
  return true;
}

void Connection::OnTimer() {
  const Instant now = loop_.now().steady;
  if (state_ == State::kWaiting && now >= state_deadline_) return Connect();
  if ((state_ == State::kConnecting || state_ == State::kHandshake) && now >= state_deadline_) {
    return Lose(Cause::kTimeout, "the server does not answer the handshake");
  }
  if (oldest_ != nullptr && now >= oldest_->sent_ + options_.drop_after) {
    return Lose(Cause::kTimeout, "the oldest call is too old");
  }
  SetTimer();
}

void Connection::SetTimer() {
  Instant next = state_deadline_;
  if (oldest_ != nullptr) next = std::min(next, oldest_->sent_ + options_.drop_after);
  // A deadline that moves back is found out when the earlier one comes.
  if (next < timer_.when()) timer_.Set(next);
}

void Connection::Lose(Cause cause, std::string_view why) {
  if (state_ == State::kClosed) return;
  const std::string text(why);
  connector_.Cancel();
  CloseSocket();
  state_ = State::kWaiting;
  down_ = cause;
  retiring_ = Cause::kNone;
  ++reconnects_;
  state_deadline_ = loop_.now().steady + backoff_.Next();
  timer_.Set(state_deadline_);
  LoseCalls(cause);
  observer_.OnDown(cause, text);
}

void Connection::LoseCalls(Cause cause) {
  const std::uint64_t gone = stream_sent_;
  PendingCall* call = std::exchange(oldest_, nullptr);
  newest_ = nullptr;
  in_flight_ = 0;
  while (call != nullptr) {
    PendingCall* const next = call->next_;
    call->OnLost(cause, call->end_ <= gone);
    call = next;
  }
}

void Connection::CloseSocket() {
  watch_.reset();
  tls_.reset();
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  loop_.Forget(*this);
}

}  // namespace weir::redis
