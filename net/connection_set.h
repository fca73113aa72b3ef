#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "net/connection.h"

namespace weir::net {

// How many connections a process may hold, over all its listeners.  Thread-safe.
class ConnectionBudget {
 public:
  static constexpr std::uint64_t kDefault = 65'536;

  explicit ConnectionBudget(std::uint64_t most = kDefault) : most_(most) {}

  // False at the bound.
  bool Take();
  void Return() { used_.fetch_sub(1, std::memory_order_relaxed); }

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  // Connections that were accepted and closed at once.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> refused_{0};
};

// The connections of one face on one loop.
class ConnectionSet final : public ConnectionOwner {
 public:
  // All must outlive the set.  The factory is called on `loop`.
  ConnectionSet(Loop& loop, SessionFactory factory, ConnectionOptions options,
                ConnectionBudget& budget);
  // Closes what is left.  REQUIRES: on the loop's thread, or the loop does not run; every listener
  // that hands sockets to this set was closed before, and the loop has run its posted work.
  ~ConnectionSet() override;

  // Takes ownership of a connected non-blocking socket whose place in the budget is taken.
  // Thread-safe; the socket is counted in load() at once.
  void Adopt(int fd, PeerInfo peer);

  // Lets every connection finish what it has in hand; connections adopted later start drained.
  // Calls `done` once, on the loop, when none is left.  REQUIRES: on the loop's thread
  void Drain(std::function<void()> done);

  // Closes every connection now.  REQUIRES: on the loop's thread
  void CloseAll();

  // Connections, those on their way included.  Thread-safe.
  std::uint64_t load() const { return load_.load(std::memory_order_relaxed); }

 private:
  void Open(int fd, PeerInfo peer);
  void OnClosed(Connection& connection) override;
  void ReportDrained();

  Loop& loop_;
  const SessionFactory factory_;
  const ConnectionOptions options_;
  ConnectionBudget& budget_;
  std::atomic<std::uint64_t> load_{0};
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  bool draining_ = false;
  std::function<void()> drained_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace weir::net
