#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "redis/connection.h"

namespace weir::redis {

// Asks Sentinels who the primary is: one at a time, the one that answered last first, around the
// list until one of them knows.  Belongs to the loop's thread.
class Sentinels final : private ConnectionObserver, private PendingCall {
 public:
  // `found` gets the primary's address each time it is told, also if it is the same as before.
  // REQUIRES: endpoint.kind is kSentinel.  `tls` may be null; it must outlive this.
  Sentinels(net::Loop& loop, const Endpoint& endpoint, const net::TlsClient* tls,
            std::uint64_t seed, std::function<void(const ServerAddress&)> found);
  ~Sentinels() override { connection_.Close(); }

  // Asks (again).  Nothing to do while a question is under way.
  void Ask();

  // Times that no Sentinel could be reached, and that one was reached that knows no such name.
  std::uint64_t unreachable() const { return unreachable_; }
  std::uint64_t unknown() const { return unknown_; }

 private:
  void OnUp(const ServerFacts&) override;
  void OnDown(Cause, std::string_view) override;
  void OnReply(const Reply& reply, const Now& now) override;
  void OnLost(Cause, bool) override {}  // OnDown() follows.
  void Send();
  void TryNext();

  const std::vector<ServerAddress> servers_;
  const std::string name_;
  const std::function<void(const ServerAddress&)> found_;
  Connection connection_;
  Backoff backoff_;
  net::Loop& loop_;
  net::Timer next_;
  std::size_t place_ = 0;
  bool wanted_ = true;  // Somebody waits for an answer.
  bool asked_ = false;
  bool moving_ = false;  // Leaving one for the next is no loss.
  std::uint64_t unreachable_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace weir::redis
