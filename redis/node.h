#pragma once

#include <string>
#include <utility>

#include "redis/connection.h"
#include "redis/redis_store.h"

namespace weir::redis {

// One server of a store: its connection, under the number that breakers know it by.
class Node final : private ConnectionObserver {
 public:
  Node(net::Loop& loop, NodeId id, const ServerAddress& server, const Endpoint& endpoint,
       const net::TlsClient* tls, const ConnectionOptions& options, RedisStoreObserver* observer)
      : id_(id),
        observer_(observer),
        connection_(loop, server, endpoint.login, endpoint.database, tls, options, *this) {
    connection_.Open();
  }

  NodeId id() const { return id_; }
  Connection& connection() { return connection_; }

  void Alert(Cause cause, std::string_view text, std::string_view advice) {
    if (observer_ != nullptr) observer_->OnAlert(id_, cause, text, advice);
  }

 private:
  void OnUp(const ServerFacts& facts) override {
    if (observer_ != nullptr) observer_->OnNodeUp(id_, connection_.server(), facts);
  }
  void OnDown(Cause cause, std::string_view why) override {
    if (observer_ != nullptr) observer_->OnNodeDown(id_, connection_.server(), cause, why);
  }

  const NodeId id_;
  RedisStoreObserver* observer_;
  Connection connection_;
};

}  // namespace weir::redis
