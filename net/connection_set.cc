#include "net/connection_set.h"

#include <utility>
#include <vector>

#include <unistd.h>

namespace weir::net {

bool ConnectionBudget::Take() {
  if (used_.fetch_add(1, std::memory_order_relaxed) < most_) return true;
  Return();
  refused_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

ConnectionSet::ConnectionSet(Loop& loop, SessionFactory factory, ConnectionOptions options,
                             ConnectionBudget& budget)
    : loop_(loop), factory_(std::move(factory)), options_(options), budget_(budget) {}

ConnectionSet::~ConnectionSet() {
  *alive_ = false;
  for (std::size_t i = 0; i < connections_.size(); ++i) budget_.Return();
}

void ConnectionSet::Adopt(int fd, PeerInfo peer) {
  load_.fetch_add(1, std::memory_order_relaxed);
  if (loop_.on_loop_thread()) return Open(fd, std::move(peer));
  loop_.Post([this, alive = alive_, &budget = budget_, fd, who = std::move(peer)]() mutable {
    if (*alive) return Open(fd, std::move(who));
    close(fd);
    budget.Return();
  });
}

void ConnectionSet::Open(int fd, PeerInfo peer) {
  auto connection =
      std::make_unique<Connection>(loop_, fd, std::move(peer), options_, factory_, *this);
  Connection& opened = *connection;
  connections_.emplace(&opened, std::move(connection));
  if (draining_) opened.Drain();
}

void ConnectionSet::OnClosed(Connection& connection) {
  connections_.erase(&connection);
  load_.fetch_sub(1, std::memory_order_relaxed);
  budget_.Return();
  ReportDrained();
}

void ConnectionSet::Drain(std::function<void()> done) {
  draining_ = true;
  drained_ = std::move(done);
  for (const auto& [connection, owned] : connections_) connection->Drain();
  ReportDrained();
}

void ConnectionSet::CloseAll() {
  for (const auto& [connection, owned] : connections_) connection->Close();
}

void ConnectionSet::ReportDrained() {
  if (draining_ && connections_.empty() && drained_) std::exchange(drained_, nullptr)();
}

}  // namespace weir::net
