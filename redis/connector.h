#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/loop.h"
#include "net/watch.h"
#include "redis/endpoint.h"
#include "weir/core/failure_policy.h"

namespace weir::redis {

// Told how an attempt to connect ended.
class ConnectorObserver {
 public:
  ConnectorObserver() = default;
  ConnectorObserver(const ConnectorObserver&) = delete;
  ConnectorObserver& operator=(const ConnectorObserver&) = delete;
  virtual ~ConnectorObserver() = default;

  // A non-blocking, connected socket, now the observer's.
  virtual void OnConnected(int fd) = 0;
  virtual void OnNotConnected(Cause cause, std::string_view why) = 0;
};

// Looks a name up and opens a connection, without blocking the loop.  One attempt at a time; has no
// time limit of its own.  Belongs to the loop's thread.
class Connector final : private net::SocketObserver {
 public:
  Connector(net::Loop& loop, ConnectorObserver& observer) : loop_(loop), observer_(observer) {}
  ~Connector() override { Cancel(); }

  // The observer is told exactly once, also within this call, unless Cancel() comes first.
  // REQUIRES: no attempt is under way.
  void Start(const ServerAddress& server);
  void Cancel();

 private:
  struct Lookup;

  void OnReady(bool readable, bool writable) override;
  void OnFound(int status, const sockaddr* address);
  void Open(const sockaddr* address, socklen_t length);
  void Fail(Cause cause, std::string_view why);

  net::Loop& loop_;
  ConnectorObserver& observer_;
  Lookup* lookup_ = nullptr;  // Owns itself; libuv may hold on to it.
  int fd_ = -1;
  std::unique_ptr<net::SocketWatch> watch_;
};

}  // namespace weir::redis
