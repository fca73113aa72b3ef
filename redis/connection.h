#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop.h"
#include "net/tls_client.h"
#include "net/watch.h"
#include "redis/backoff.h"
#include "redis/connector.h"
#include "redis/endpoint.h"
#include "redis/reply.h"

namespace weir::redis {

// A call in flight.  Belongs to the caller, and must live until it was told how it ended: by its
// last reply or by OnLost(), whichever comes.
class PendingCall {
 public:
  PendingCall() = default;
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  virtual ~PendingCall() = default;

  // Any reply, an error among them.  `now` is the turn's time.
  virtual void OnReply(const Reply& reply, const Now& now) = 0;
  // There will be none: the connection is gone.  `may_have_run` is false where the command had not
  // left completely.
  virtual void OnLost(Cause cause, bool may_have_run) = 0;

  Instant sent() const { return sent_; }

 private:
  friend class Connection;
  PendingCall* next_ = nullptr;
  Instant sent_{};
  std::uint64_t end_ = 0;      // Where its command ends in the stream.
  std::uint32_t replies_ = 1;  // To come.
};

// What the server said of itself at the handshake.
struct ServerFacts {
  std::string version;  // "7.0.15"
  bool primary = false;
};

class ConnectionObserver {
 public:
  ConnectionObserver() = default;
  ConnectionObserver(const ConnectionObserver&) = delete;
  ConnectionObserver& operator=(const ConnectionObserver&) = delete;
  virtual ~ConnectionObserver() = default;

  virtual void OnUp(const ServerFacts& facts) = 0;
  // It was lost, or an attempt failed.  `why` is for people and holds no secret.
  virtual void OnDown(Cause cause, std::string_view why) = 0;
};

struct ConnectionOptions {
  // From the first attempt's packet to the last answer of the handshake.
  Duration handshake_timeout = std::chrono::milliseconds(500);
  // The connection is dropped when its oldest call is as old: max(1 s, 10 x the call's timeout).
  Duration drop_after = std::chrono::seconds(1);
  // Beyond either, a call is refused with kQueueFull.
  std::size_t most_calls = 4096;
  std::size_t most_unsent = std::size_t{4} << 20U;
  // Scripts are loaded, and a replica is refused; off for talking to Sentinels.
  bool for_counting = true;
  std::uint64_t seed = 0;  // Of the jitter.
};

// One connection to one server, shared by all calls of a loop: commands are gathered and leave in
// one write at the end of the turn, replies come back in order.  Reconnects by itself until
// Close().
//
// No call is ever sent twice, and a reply can only reach the call it belongs to: whatever puts that
// in doubt (an answer that was not asked for, bytes that are no reply, a call too old) ends the
// connection and with it all calls in flight.  Belongs to the loop's thread.
class Connection final : private net::SocketObserver,
                         private net::TurnEndTask,
                         private ConnectorObserver {
 public:
  // `login` is the one to use.  `tls` may be null; it and `observer` must outlive the connection.
  Connection(net::Loop& loop, ServerAddress server, Endpoint::Login login, std::uint32_t database,
             const net::TlsClient* tls, const ConnectionOptions& options,
             ConnectionObserver& observer);
  // REQUIRES: no call in flight (Close() ends them).
  ~Connection() override;

  // Connects.
  void Open();
  // Ends everything; calls in flight are lost as kReset.  Final.
  void Close();
  // Loses the connection, as if its server had, and connects again.
  void Drop(Cause cause, std::string_view why);
  // Takes no more calls, and loses the connection as soon as those in flight have their answers.
  void Retire(Cause cause, std::string_view why);
  // From now on, another server: drops the connection if it is not to that one.
  void MoveTo(const ServerAddress& server);

  bool ready() const { return state_ == State::kReady && retiring_ == Cause::kNone; }
  // Why it is not ready; kNone if it is.
  Cause down() const { return state_ == State::kReady ? retiring_ : down_; }
  const ServerAddress& server() const { return server_; }
  std::size_t in_flight() const { return in_flight_; }
  std::uint64_t reconnects() const { return reconnects_; }

  // Sends what `write` appends: exactly as many commands as `replies`.  kNone, or why the call was
  // not taken; then nobody will tell it anything, and it surely was not executed.
  template <typename Write>
  Cause Send(PendingCall& call, Write&& write, std::uint32_t replies = 1) {
    const Cause refused = Admit();
    if (refused != Cause::kNone) return refused;
    const std::size_t before = out_.size();
    write(out_);
    Enqueue(call, out_.size() - before, replies);
    return Cause::kNone;
  }

 private:
  enum class State : std::uint8_t { kIdle, kWaiting, kConnecting, kHandshake, kReady, kClosed };

  void OnReady(bool readable, bool writable) override;
  void OnTurnEnd() override { Flush(); }
  void OnConnected(int fd) override;
  void OnNotConnected(Cause cause, std::string_view why) override;
  void OnTimer();

  Cause Admit() const;
  void Enqueue(PendingCall& call, std::size_t bytes, std::uint32_t replies);
  void Connect();
  void Greet(const std::string& password);
  void OnGreeting(const Reply& reply);
  void Read();
  void Deliver();
  void LeaveIfRetired();
  void Flush();
  void SendPlain();
  void SendEncrypted();
  bool SendFrom(const char* data, std::size_t size, std::size_t& sent);
  void Lose(Cause cause, std::string_view why);
  void LoseCalls(Cause cause);
  void CloseSocket();
  void SetTimer();

  net::Loop& loop_;
  ServerAddress server_;
  const Endpoint::Login login_;
  const std::uint32_t database_;
  const net::TlsClient* tls_client_;
  const ConnectionOptions options_;
  ConnectionObserver& observer_;

  State state_ = State::kIdle;
  Cause down_ = Cause::kRefused;
  Cause retiring_ = Cause::kNone;  // Why it will be lost once nothing is in flight.
  std::string retiring_why_;
  ServerFacts facts_;
  Connector connector_;
  Backoff backoff_;
  net::Timer timer_;
  Instant state_deadline_ = kNever;
  std::uint64_t reconnects_ = 0;

  int fd_ = -1;
  std::unique_ptr<net::SocketWatch> watch_;
  std::unique_ptr<net::TlsStream> tls_;
  bool blocked_ = false;  // The kernel takes no more for now.
  ReplyReader reader_;
  std::size_t greetings_left_ = 0;

  std::string out_;
  std::size_t sent_ = 0;           // Of out_.
  std::uint64_t stream_sent_ = 0;  // Bytes handed over since the connection opened.
  std::uint64_t stream_end_ = 0;   // Where the next command begins.
  std::vector<std::uint8_t> cipher_;
  std::size_t cipher_sent_ = 0;

  PendingCall* oldest_ = nullptr;
  PendingCall* newest_ = nullptr;
  std::size_t in_flight_ = 0;
};

}  // namespace weir::redis
