#include "redis/sentinels.h"

#include <charconv>
#include <utility>

#include "redis/command.h"

namespace weir::redis {
namespace {

ConnectionOptions OptionsFor(std::uint64_t seed) {
  ConnectionOptions options;
  options.for_counting = false;
  options.seed = seed;
  return options;
}

}  // namespace

Sentinels::Sentinels(net::Loop& loop, const Endpoint& endpoint, const net::TlsClient* tls,
                     std::uint64_t seed, std::function<void(const ServerAddress&)> found)
    : servers_(endpoint.servers),
      name_(endpoint.sentinel_name),
      found_(std::move(found)),
      connection_(loop, servers_.front(), endpoint.sentinel_login, 0, tls, OptionsFor(seed), *this),
      backoff_(seed + 1),
      loop_(loop),
      next_(loop, [this] {
        // One Sentinel alone reconnects by itself.
        moving_ = true;
        connection_.MoveTo(servers_[place_]);
        moving_ = false;
        if (connection_.ready()) Send();
      }) {
  connection_.Open();
}

void Sentinels::Ask() {
  wanted_ = true;
  if (!asked_ && connection_.ready()) Send();
}

void Sentinels::Send() {
  const Cause refused = connection_.Send(*this, [this](std::string& out) {
    AppendCommand(out, {"SENTINEL", "get-master-addr-by-name", name_});
  });
  asked_ = refused == Cause::kNone;
}

void Sentinels::OnUp(const ServerFacts&) {
  if (wanted_) Send();
}

void Sentinels::OnDown(Cause, std::string_view) {
  asked_ = false;
  if (moving_) return;
  ++unreachable_;
  TryNext();
}

void Sentinels::OnReply(const Reply& reply, const Now&) {
  asked_ = false;
  std::uint16_t port = 0;
  if (reply.elements() == 2 && reply.size() == 3) {
    const std::string_view text = reply.text(2);
    std::from_chars(text.data(), text.data() + text.size(), port);
  }
  if (port == 0) {
    ++unknown_;
    return TryNext();
  }
  wanted_ = false;
  backoff_.Reset();
  found_({.host = std::string(reply.text(1)), .port = port});
}

// Never at once: a list of dead Sentinels must not spin the loop.
void Sentinels::TryNext() {
  if (!wanted_) return;
  place_ = (place_ + 1) % servers_.size();
  next_.Set(loop_.now().steady + backoff_.Next() + std::chrono::milliseconds(1));
}

}  // namespace weir::redis
