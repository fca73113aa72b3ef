#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/descriptor.h"
#include "net/loop.h"
#include "net/protocol.h"
#include "net/session.h"
#include "net/timer.h"
#include "net/tls.h"
#include "net/watch.h"

namespace weir::net {

struct ConnectionOptions {
  // Null: cleartext.  Must outlive the connections.
  const TlsServer* tls = nullptr;
  // From accepting to the end of the TLS handshake, and to the first byte of the protocol.
  Duration handshake_timeout = std::chrono::seconds(10);
  // Without a byte in either direction; zero: unlimited.
  Duration idle_timeout{0};
  // How long output for a peer that does not read may stand after the session finished.
  Duration close_timeout = std::chrono::seconds(5);
};

class Connection;

// Who owns connections.
class ConnectionOwner {
 public:
  ConnectionOwner() = default;
  ConnectionOwner(const ConnectionOwner&) = delete;
  ConnectionOwner& operator=(const ConnectionOwner&) = delete;
  virtual ~ConnectionOwner() = default;
  // `connection` is closed; destroy it now.
  virtual void OnClosed(Connection& connection) = 0;
};

// One accepted socket: reads at most 64 KiB a readiness into its session and sends once a read, or
// once a turn for output that comes later.  Belongs to its loop's thread.
class Connection final : public Transport, private SocketObserver, private TurnEndTask {
 public:
  // Takes ownership of `fd`, a connected non-blocking socket.  The rest must outlive it.
  Connection(Loop& loop, int fd, PeerInfo peer, const ConnectionOptions& options,
             const SessionFactory& factory, ConnectionOwner& owner);
  ~Connection() override;

  // Lets the session finish; a connection without one closes at once.
  void Drain();

  // Closes now; the owner hears of it at the end of the turn.
  void Close();

  void Write(std::span<const std::uint8_t> bytes) override;
  std::size_t unsent() const override {
    return out_.size() - sent_ + cipher_.size() - cipher_sent_;
  }
  const PeerInfo& peer() const override { return peer_; }
  const Now& now() const override { return loop_.now(); }
  void Wake() override;

 private:
  enum class State : std::uint8_t {
    kStarting,   // Handshake, or waiting for the first bytes.
    kOpen,       // The session speaks.
    kFinishing,  // The session is finished, its output is not out yet.
    kLingering,  // All is out; waiting for the peer to close, so that no reset destroys it.
    kClosed,
  };

  void OnReady(bool readable, bool writable) override;
  void OnTurnEnd() override;
  void OnTimer();

  void Read();
  void Decrypt(std::span<const std::uint8_t> cipher);
  void Deliver(std::span<const std::uint8_t> bytes);
  void StartSession(Protocol protocol, std::span<const std::uint8_t> bytes);
  void OnPeerClosed();
  void AskSessionForTime();
  void Settle();
  void Flush();
  bool SendFrom(std::vector<std::uint8_t>& buffer, std::size_t& sent);
  void Finish();
  void SetTimer();
  void WatchWhatMatters();

  Loop& loop_;
  const OwnedDescriptor fd_;
  PeerInfo peer_;
  const ConnectionOptions& options_;
  const SessionFactory& factory_;
  ConnectionOwner& owner_;
  SocketWatch watch_;
  Timer timer_;
  std::unique_ptr<TlsStream> tls_;
  std::unique_ptr<Session> session_;

  State state_ = State::kStarting;
  bool in_call_ = false;      // In a call into the session: output waits for its end.
  bool blocked_ = false;      // The kernel takes no more output for now.
  bool held_ = false;         // Output passed kOutputBound; reading waits.
  bool peer_closed_ = false;  // Read end of file.
  bool wake_ = false;

  Instant session_time_ = kNever;
  Instant state_deadline_ = kNever;  // Of kStarting, kFinishing and kLingering.
  Instant last_activity_;

  std::vector<std::uint8_t> first_bytes_;
  std::vector<std::uint8_t> out_;  // Plaintext.
  std::size_t sent_ = 0;
  std::vector<std::uint8_t> cipher_;
  std::size_t cipher_sent_ = 0;
};

}  // namespace weir::net
