#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weir/base/clock.h"

namespace weir::net {

// Who is at the other end of a connection.
struct PeerInfo {
  std::string address;           // "192.0.2.1", "2001:db8::1" or "unix".
  std::uint16_t port = 0;        // 0 for unix sockets.
  bool tls = false;              // The connection is encrypted.
  std::string certificate_name;  // Subject of a verified client certificate; empty without one.
};

// Queued output above which a connection stops reading.
inline constexpr std::size_t kOutputBound = std::size_t{1} << 20;

// What a session may ask of the connection that carries it.  Belongs to one loop; not thread-safe.
class Transport {
 public:
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // Queues bytes for the peer.  They leave in one write, at the end of the current OnBytes() or,
  // outside of one, at the end of the loop's turn.  Copies `bytes`.
  virtual void Write(std::span<const std::uint8_t> bytes) = 0;

  // Bytes queued and not yet taken by the kernel.  Above kOutputBound the connection stops reading
  // until the peer has drained it, so a peer that never reads costs a bounded amount.
  virtual std::size_t unsent() const = 0;

  virtual const PeerInfo& peer() const = 0;

  // The loop's reading of both clocks for this turn.
  virtual const Now& now() const = 0;

  // Asks for one OnTime() before the end of the loop's turn: something that happened outside of
  // the session's own calls (a late answer) lets it go on with input it had put aside, or moved
  // its deadline nearer.  Calling it several times in a turn is the same as once.
  virtual void Wake() {}

 protected:
  Transport() = default;
};

// One protocol spoken over one connection, without I/O of its own: bytes in, bytes out.  That
// makes it testable from a string and fuzzable.  Owned by the connection; all calls come from the
// connection's loop.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // One read's worth of bytes, in order, valid only during the call.  A read is at most 64 KiB.
  // Answers that are ready are written before this returns.
  virtual void OnBytes(std::span<const std::uint8_t> bytes) = 0;

  // The peer will send no more.  The session may still write what it owes.
  virtual void OnPeerClosed() = 0;

  // Called when the instant returned last time has come (never early), and once at the start.
  // Returns when to be called again; kNever if nothing waits.
  virtual Instant OnTime() = 0;

  // Output that was above kOutputBound has drained below half of it: a session that held some back
  // goes on.
  virtual void OnWritable() {}

  // Finish what is in hand, accept nothing new, then become finished().
  virtual void Drain() = 0;

  // While true the connection reads nothing, so that the peer is held back by its own TCP window.
  // Asked after every call into the session (an OnTime() that Wake() asked for included).
  virtual bool paused() const { return false; }

  // True once the connection should be closed after its queued output has left.
  virtual bool finished() const = 0;
};

}  // namespace weir::net
