#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/connection_set.h"
#include "net/descriptor.h"
#include "net/loop.h"
#include "net/timer.h"
#include "net/watch.h"
#include "weir/base/result.h"

namespace weir::net {

struct ListenError {
  std::string message;  // "cannot listen on :8081: address already in use".
  int code = 0;         // errno: EADDRINUSE, EACCES, ...
};

// Accepts on one address and hands each socket to the least loaded set.  (A few long connections,
// as Envoy keeps them, would lie unevenly under SO_REUSEPORT.)
//
// A socket beyond the budget is accepted and closed at once, so that the peer knows.  So it is when
// the process runs out of descriptors; one is kept in reserve for that.
//
// Belongs to its loop's thread; close it before the sets go.
class Listener final : private SocketObserver {
 public:
  // Binds and listens; the sets must outlive the listener and there must be one at least.  A unix
  // socket's path that nobody listens on any more is replaced.
  static Result<std::unique_ptr<Listener>, ListenError> Open(Loop& loop, const Address& address,
                                                             std::vector<ConnectionSet*> sets,
                                                             ConnectionBudget& budget);
  ~Listener() override;

  // With the port the kernel chose, if it was asked to.
  const Address& bound() const { return bound_; }

  // Sockets closed because no descriptor was free.
  std::uint64_t out_of_descriptors() const { return out_of_descriptors_; }

 private:
  // Per readiness, so that a flood of connections does not hold the turn.
  static constexpr int kAcceptsPerTurn = 64;
  static constexpr Duration kPause = std::chrono::milliseconds(100);

  Listener(Loop& loop, int fd, Address bound, std::vector<ConnectionSet*> sets,
           ConnectionBudget& budget);

  void OnReady(bool readable, bool writable) override;
  bool AcceptOne();
  void HandOver(int fd, const sockaddr_storage& from);
  void OnNoDescriptors();

  Loop& loop_;
  const OwnedDescriptor fd_;
  int reserve_;
  Address bound_;
  std::vector<ConnectionSet*> sets_;
  ConnectionBudget& budget_;
  SocketWatch watch_;
  Timer resume_;
  std::uint64_t out_of_descriptors_ = 0;
};

}  // namespace weir::net
