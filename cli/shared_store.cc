#include "cli/shared_store.h"

#include <utility>

#include <fmt/format.h>

#include "cli/log.h"
#include "weir/base/hash.h"

namespace weir::cli {

SharedStore::SharedStore(const Clock& clock, SharedStoreOptions options)
    : clock_(clock), options_(std::move(options)), fleet_(options_.fleet) {
  options_.heartbeat.key = redis::FleetKey(options_.endpoint.prefix);
  options_.heartbeat.id = options_.fleet.self;
  if (options_.held_denials != 0) {
    denials_ = std::make_unique<HeldDenials>(options_.held_denials);
  }
  FailureOptions failure = options_.failure;
  failure.fleet = &fleet_;
  failure.held = denials_.get();
  state_ = std::make_unique<FailureState>(std::move(failure));
}

SharedStore::~SharedStore() = default;

std::string SharedStore::Start() {
  const redis::Endpoint& endpoint = options_.endpoint;
  if (!endpoint.tls) return {};
  auto tls = net::TlsClient::Create({.ca_file = endpoint.ca_file,
                                     .certificate_file = endpoint.certificate_file,
                                     .key_file = endpoint.key_file});
  if (!tls) return "store " + endpoint.text() + ": " + tls.error().message;
  tls_ = *std::move(tls);
  return {};
}

void SharedStore::OnNodeUp(NodeId node, const redis::ServerAddress& server,
                           const redis::ServerFacts&) {
  const std::lock_guard lock(saying_);
  Cause& down = down_.at(node % down_.size());
  redis::ServerAddress& before = servers_.at(node % servers_.size());
  const bool moved = before != redis::ServerAddress{} && before != server;
  if (moved) {
    // What was held against the old server says nothing about this one.
    state_->Renew(node, clock_.Read().steady);
    LogWarning(fmt::format("store {}: takes the place of {}", server.text(), before.text()));
  }
  before = server;
  if (std::exchange(down, Cause::kNone) != Cause::kNone && !moved) {
    LogInfo(fmt::format("store {}: connected again", server.text()));
  }
}

// Every loop has a connection of its own, and each loses it: one line for all.
void SharedStore::OnNodeDown(NodeId node, const redis::ServerAddress& server, Cause cause,
                             std::string_view why) {
  const std::lock_guard lock(saying_);
  Cause& down = down_.at(node % down_.size());
  if (std::exchange(down, cause) == cause) return;
  LogWarning(fmt::format("store {}: not connected ({}: {}); rules answer by their on_store_failure",
                         server.text(), NameOf(cause), why));
}

void SharedStore::OnAlert(NodeId node, Cause cause, std::string_view text,
                          std::string_view advice) {
  const std::lock_guard lock(saying_);
  Cause& down = down_.at(node % down_.size());
  if (std::exchange(down, cause) == cause) return;
  LogError(
      fmt::format("store: {}: {}{}{}", NameOf(cause), text, advice.empty() ? "" : "; ", advice));
}

void SharedStore::ToldFleet(Cause cause, std::string_view why, std::string_view advice) {
  const std::lock_guard lock(saying_);
  if (cause == Cause::kNone) {
    const std::uint32_t count = fleet_.view().Get()->count;
    const bool back = std::exchange(said_silence_, Cause::kNone) != Cause::kNone;
    if (std::exchange(said_count_, count) == count && !back) return;
    LogInfo(fmt::format("fleet: {} live instances share the limits", count));
    return;
  }
  // Before the first answer, a store that is not there yet has its own line.
  if (said_count_ == 0 && advice.empty()) return;
  if (std::exchange(said_silence_, cause) != Cause::kNone) return;
  LogWarning(fmt::format("fleet: heartbeats are not answered ({}: {}), the last count stands{}{}",
                         NameOf(cause), why, advice.empty() ? "" : "; ", advice));
}

void SharedStore::OnSurvey(NodeId node, const std::vector<redis::Finding>& findings) {
  const std::lock_guard lock(saying_);
  Findings found{};
  Findings& before = findings_.at(node % findings_.size());
  for (const redis::Finding& finding : findings) {
    const auto kind = static_cast<std::size_t>(finding.kind);
    found.at(kind) = true;
    if (!before.at(kind)) LogWarning(fmt::format("store node {}: {}", node, finding.sentence));
  }
  for (std::size_t kind = 0; kind < found.size(); ++kind) {
    if (!before.at(kind) || found.at(kind)) continue;
    LogInfo(fmt::format("store node {}: no longer {}", node,
                        NameOf(static_cast<redis::FindingKind>(kind))));
  }
  before = found;
}

SharedStore::Findings SharedStore::findings() const {
  const std::lock_guard lock(saying_);
  Findings any{};
  for (const Findings& node : findings_) {
    for (std::size_t kind = 0; kind < any.size(); ++kind) any.at(kind) |= node.at(kind);
  }
  return any;
}

void SharedStore::TellBreakers(const Now& now) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Breaker& breaker = state_->node(static_cast<NodeId>(i)).breaker;
    if (!open_[i] && breaker.times_opened() == 0) continue;
    const Breaker::View view = breaker.Read();
    if (view.open == open_[i]) continue;
    open_[i] = view.open;
    if (view.open) {
      LogWarning(fmt::format(
          "store node {}: the breaker opened ({}): rules answer by their on_store_failure", i,
          NameOf(view.cause)));
    } else {
      LogInfo(fmt::format(
          "store node {}: the breaker closed, counts are shared again (open for {:.1f} s in all)",
          i, std::chrono::duration<double>(breaker.OpenFor(now.steady)).count()));
    }
  }
}

namespace {

redis::RedisStoreOptions OptionsFor(const SharedStore& shared, std::size_t number) {
  redis::RedisStoreOptions options = shared.options().redis;
  options.seed = MixHash(options.seed, number);
  // One loop looks for all: what is sampled at random would not be the same for two.
  if (number != 0) options.survey_every = {};
  return options;
}

}  // namespace

LoopStore::LoopStore(net::Loop& loop, SharedStore& shared, std::size_t number)
    : remote_(std::make_unique<redis::RedisStore>(loop, shared.options().endpoint, shared.tls(),
                                                  OptionsFor(shared, number), &shared)),
      failing_(shared.state(), *remote_, static_cast<std::uint32_t>(number)) {
  if (number != 0 || shared.options().fleet.source != FleetSource::kHeartbeats) return;
  heartbeat_ = std::make_unique<redis::Heartbeat>(
      loop, remote_->connection(), shared.options().heartbeat, shared.fleet(),
      [&shared](Cause cause, std::string_view why, std::string_view advice) {
        shared.ToldFleet(cause, why, advice);
      });
}

LoopStore::~LoopStore() {
  if (heartbeat_) heartbeat_->Stop();
  remote_.reset();
}

}  // namespace weir::cli
