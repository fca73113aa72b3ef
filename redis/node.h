#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "redis/connection.h"
#include "redis/redis_store.h"

namespace weir::redis {

// One server of a store: its connection, under the number that breakers know it by.
class Node final : private ConnectionObserver {
 public:
  Node(net::Loop& loop, NodeId id, const ServerAddress& server, const Endpoint& endpoint,
       const net::TlsClient* tls, const ConnectionOptions& connection,
       const RedisStoreOptions& options, RedisStoreObserver* observer)
      : id_(id),
        observer_(observer),
        options_(options),
        connection_(loop, server, endpoint.login, endpoint.database, tls, connection, *this),
        survey_(endpoint.prefix, [this](const std::optional<Survey>& survey,
                                        std::string_view why) { OnSurvey(survey, why); }),
        survey_timer_(loop, [this] { TakeSurvey(); }),
        loop_(loop) {
    if (endpoint.kind != Endpoint::Kind::kSentinel) connection_.Open();
  }

  // The server is this one, from now on.
  void MoveTo(const ServerAddress& server) {
    connection_.MoveTo(server);
    connection_.Open();
  }
  // Called each time the server is lost or cannot be reached.
  void WhenDown(std::function<void()> call) { when_down_ = std::move(call); }

  NodeId id() const { return id_; }
  Connection& connection() { return connection_; }

  void Alert(Cause cause, std::string_view text, std::string_view advice) {
    if (observer_ != nullptr) observer_->OnAlert(id_, cause, text, advice);
  }

 private:
  void OnUp(const ServerFacts& facts) override {
    if (observer_ != nullptr) observer_->OnNodeUp(id_, connection_.server(), facts);
    before_.reset();
    TakeSurvey();
  }
  void OnDown(Cause cause, std::string_view why) override {
    if (observer_ != nullptr) observer_->OnNodeDown(id_, connection_.server(), cause, why);
    if (when_down_) when_down_();
  }

  void TakeSurvey() {
    if (observer_ == nullptr || options_.survey_every <= Duration{}) return;
    survey_.Start(connection_);
    survey_timer_.Set(loop_.now().steady + options_.survey_every);
  }
  void OnSurvey(const std::optional<Survey>& survey, std::string_view why) {
    if (!connection_.ready()) return;
    if (survey) {
      observer_->OnSurvey(id_, Judge(*survey, before_, options_.timeout));
      before_ = survey;
    } else {
      observer_->OnSurvey(id_,
                          {{FindingKind::kNotAsked,
                            "the store cannot be checked for eviction, memory and foreign keys: " +
                                std::string(why)}});
    }
  }

  const NodeId id_;
  RedisStoreObserver* observer_;
  const RedisStoreOptions options_;
  std::function<void()> when_down_;
  Connection connection_;
  SurveyCall survey_;
  std::optional<Survey> before_;
  net::Timer survey_timer_;
  net::Loop& loop_;
};

}  // namespace weir::redis
