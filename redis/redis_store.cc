#include "redis/redis_store.h"

#include <utility>

#include "redis/command.h"
#include "redis/error_reply.h"
#include "redis/node.h"
#include "weir/base/hash.h"
#include "weir/core/shared_quota.h"

namespace weir::redis {
namespace {

ConnectionOptions ConnectionOptionsFrom(const RedisStoreOptions& options) {
  ConnectionOptions out;
  out.drop_after = std::max<Duration>(std::chrono::seconds(1), 10 * options.timeout);
  out.most_calls = options.most_calls;
  out.seed = options.seed;
  return out;
}

Outcome Uncounted(Cause cause, bool ambiguous, NodeId node) {
  Outcome outcome;
  outcome.cause = cause;
  outcome.ambiguous = ambiguous;
  outcome.node = node;
  return outcome;
}

bool Countable(const Hit& hit) {
  return hit.purpose == Purpose::kProbe || FitsSharedStore(*hit.quota);
}

// Loads a script again, in front of the call that missed it.
class ReloadCall final : public PendingCall {
 public:
  void OnReply(const Reply&, const Now&) override { delete this; }
  void OnLost(Cause, bool) override { delete this; }
};

}  // namespace

RedisStore::RedisStore(net::Loop& loop, const Endpoint& endpoint, const net::TlsClient* tls,
                       const RedisStoreOptions& options, RedisStoreObserver* observer)
    : loop_(loop),
      options_(options),
      observer_(observer),
      keys_(endpoint.prefix),
      node_(std::make_unique<Node>(loop, NodeId{0}, endpoint.servers.front(), endpoint, tls,
                                   ConnectionOptionsFrom(options), options, observer)),
      timer_(loop, [] { /* Wakes the loop: Poll() does the rest. */ }) {
  if (endpoint.kind != Endpoint::Kind::kSentinel) return;
  node_->WhenDown([this] {
    if (sentinels_ != nullptr) sentinels_->Ask();
  });
  sentinels_ =
      std::make_unique<Sentinels>(loop, endpoint, tls, options.seed,
                                  [this](const ServerAddress& primary) { node_->MoveTo(primary); });
}

RedisStore::~RedisStore() {
  closing_ = true;
  sentinels_.reset();
  SendOpen();
  node_->connection().Close();
  while (!finished_.empty()) TellFinished();
  loop_.Forget(*this);
}

Connection& RedisStore::connection() {
  return node_->connection();
}

NodeId RedisStore::NodeOf(const Hit&) const {
  return node_->id();
}

std::optional<Duration> RedisStore::clock_offset() const {
  const std::int64_t shown = shown_offset_.load(std::memory_order_relaxed);
  if (shown == kUnknownOffset) return {};
  return Duration(shown);
}

// -- sending ----------------------------------------------------------------------------------

std::size_t RedisStore::Commit(std::span<Check* const> checks, const Now& now) {
  std::size_t left = 0;
  for (Check* check : checks) left += Take(*check, now) ? 1 : 0;
  pending_ += left;
  return left;
}

// Whether the check is pending now.
bool RedisStore::Take(Check& check, const Now& now) {
  const Cause down = closing_ ? Cause::kReset : node_->connection().down();
  bool any = false;
  check.outcomes.clear();
  for (const Hit& hit : check.hits) {
    const bool countable = Countable(hit);
    any = any || countable;
    const Cause cause = countable ? down : Cause::kScript;
    check.outcomes.push_back(Uncounted(cause, false, node_->id()));
  }
  if (!any || down != Cause::kNone) return false;
  const bool plain = options_.reference_profile && PlainCall::Takes(check);
  AddTo(BatchFor(plain ? Script::kPlain : ScriptCall::ScriptFor(check), check, now), check);
  return true;
}

// The open call that takes the check, so that no counter is charged out of turn: a check behind
// another one of the same counter must not travel in a call that leaves before it.
Batch& RedisStore::BatchFor(Script script, const Check& check, const Now& now) {
  Batch* found = nullptr;
  bool behind = false;  // Of a call that leaves later.
  for (Batch* open : open_) {
    if (open->call.script() == script &&
        (script != Script::kPlain || open->plain.looks_first() == PlainCall::LooksFirst(check))) {
      found = Fits(*open, check) ? open : nullptr;
      behind = false;
    } else if (found != nullptr) {
      for (const Hit& hit : check.hits) {
        behind = behind || open->MayHold(hit.id) ||
                 (hit.previous_id != 0 && open->MayHold(hit.previous_id));
      }
    }
  }
  if (found != nullptr && !behind) return *found;
  if (open_.size() >= kMostOpen) SendOpen();
  if (free_.empty()) {
    free_.push_back(
        pool_.emplace_back(std::make_unique<Batch>(static_cast<BatchOwner&>(*this))).get());
  }
  Batch& batch = *free_.back();
  free_.pop_back();
  std::optional<std::int64_t> tick;
  if (options_.store_clock != nullptr) {
    tick = SharedTicks::TickOf(options_.store_clock->Read().wall);
  }
  if (script == Script::kPlain) {
    batch.BeginPlain(*node_, now.wall, PlainCall::LooksFirst(check), ++next_number_);
  } else {
    batch.Begin(*node_, script, tick, ++next_number_);
  }
  open_.push_back(&batch);
  loop_.AtTurnEnd(*this);
  return batch;
}

bool RedisStore::Fits(Batch& batch, const Check& check) const {
  if (batch.is_plain() || batch.call.script() == Script::kProbe) {
    return batch.targets().size() + check.hits.size() <= PlainCall::kMostHits;
  }
  // A carried hit has two keys.
  const std::size_t keys = check.hits.size() == 1 ? 1 : 2 * check.hits.size();
  return batch.call.keys() + keys <= ScriptCall::kMostKeys;
}

void RedisStore::AddTo(Batch& batch, Check& check) {
  if (batch.is_plain()) {
    for (std::uint32_t i = 0; i < check.hits.size(); ++i) {
      const std::uint64_t draw = MixHash(options_.seed, batch.number * 64 + i);
      const std::uint32_t most = std::max(options_.expiry_jitter_seconds, 1U);
      batch.plain.Add(check, i, static_cast<std::uint32_t>(draw % most));
    }
  } else if (batch.call.script() == Script::kGeneral) {
    batch.call.AddGroup(check, keys_);
  } else {
    batch.call.AddLean(check, 0, keys_);
  }
  for (const Hit& hit : check.hits) {
    batch.Note(hit.id);
    if (hit.previous_id != 0) batch.Note(hit.previous_id);
  }
  check.pending = true;
  check.call = batch.number;
  if (check.deadline < batch.earliest) {
    batch.earliest = check.deadline;
    SetTimer(check.deadline);
  }
}

void RedisStore::SendOpen() {
  for (Batch* batch : open_) Send(*batch);
  open_.clear();
}

void RedisStore::Send(Batch& batch) {
  const auto write = [&](std::string& out) {
    if (batch.is_plain()) {
      out += batch.plain.commands();
    } else {
      batch.call.AppendTo(out);
    }
  };
  const Cause refused =
      node_->connection().Send(batch, write, batch.is_plain() ? batch.plain.replies() : 1);
  if (refused != Cause::kNone) return FailAll(batch, refused, false);
  flying_.push_back(&batch);
  calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Only after an answer that says that nothing ran.
void RedisStore::Repeat(Batch& batch) {
  ++batch.attempts;
  Send(batch);
}

// -- answers ----------------------------------------------------------------------------------

void RedisStore::OnReply(Batch& batch, const Reply& reply, const Now& now) {
  if (batch.is_plain()) return OnPlainReply(batch, reply);
  std::erase(flying_, &batch);
  if (reply.is_error()) return OnError(batch, reply.text());
  if (!batch.call.Fill(reply)) {
    // Whoever answers this is no store of ours; what it will say next belongs to nobody.
    node_->Alert(Cause::kProtocol, "an answer of another shape than was asked for", {});
    FailAll(batch, Cause::kProtocol, true);
    node_->connection().Retire(Cause::kProtocol, "an answer of another shape");
    return;
  }
  offset_.Add(SharedTicks::WallOf(*ScriptCall::TickIn(reply)), batch.sent(), now);
  shown_offset_.store(offset_.value().count(), std::memory_order_relaxed);
  CompleteAll(batch);
}

void RedisStore::OnError(Batch& batch, std::string_view text) {
  const ErrorReply error = Understand(text);
  if (error.remedy == Remedy::kReloadScript && !batch.expired && batch.attempts < kMostAttempts) {
    auto* const reload = new ReloadCall;
    const Cause refused = node_->connection().Send(*reload, [&](std::string& out) {
      AppendCommand(out, {"SCRIPT", "LOAD", TextOf(batch.call.script())});
    });
    if (refused == Cause::kNone) return Repeat(batch);
    delete reload;
  }
  TakeNote(batch, error, text);
  FailAll(batch, error.cause, error.may_have_run);
}

void RedisStore::TakeNote(Batch&, const ErrorReply& error, std::string_view text) {
  if (error.alert) node_->Alert(error.cause, text, error.advice);
  if (error.remedy == Remedy::kRediscover) node_->connection().Retire(error.cause, text);
}

// For each hit its count, and whether the key has its expiry; where a check stands still when over,
// what is there, and then that.
void RedisStore::OnPlainReply(Batch& batch, const Reply& reply) {
  const PlainCall::Taken taken = batch.plain.Take(reply);
  ScriptCall::Target& target = batch.targets()[taken.target];
  if (reply.is_error()) {
    const ErrorReply error = Understand(reply.text());
    TakeNote(batch, error, reply.text());
    if (taken.is_count && target.check != nullptr) {
      target.check->outcomes[target.hit] =
          Uncounted(error.cause, error.may_have_run, batch.node->id());
    }
  }
  if (!batch.plain.done()) return;
  std::erase(flying_, &batch);
  if (batch.plain.looking()) {
    batch.plain.EndLook();
    if (batch.plain.replies() > 0) return Send(batch);
  }
  CompleteAll(batch);
}

void RedisStore::OnLost(Batch& batch, Cause cause, bool may_have_run) {
  std::erase(flying_, &batch);
  FailAll(batch, cause, may_have_run);
}

// -- completing -------------------------------------------------------------------------------

void RedisStore::CompleteAll(Batch& batch) {
  auto& targets = batch.targets();
  std::uint64_t finished = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Check* const check = targets[i].check;
    if (check == nullptr) continue;
    check->outcomes[targets[i].hit].node = batch.node->id();
    if (i + 1 < targets.size() && targets[i + 1].check == check) continue;
    ++finished;
    Finish(*check);
  }
  checks_.store(checks_.load(std::memory_order_relaxed) + finished, std::memory_order_relaxed);
  Recycle(batch);
}

void RedisStore::FailAll(Batch& batch, Cause cause, bool may_have_run) {
  auto& targets = batch.targets();
  may_have_run = may_have_run && !(batch.is_plain() && batch.plain.looking());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Check* const check = targets[i].check;
    if (check == nullptr) continue;
    Outcome& outcome = check->outcomes[targets[i].hit];
    // Of a pipeline, those that have their count keep it.
    if (!batch.is_plain() || !batch.plain.Counted(i)) {
      outcome = Uncounted(cause, may_have_run, NodeId{});
    }
    outcome.node = batch.node->id();
    if (i + 1 < targets.size() && targets[i + 1].check == check) continue;
    Finish(*check);
  }
  Recycle(batch);
}

// A check that is done may commit the next.
void RedisStore::TellFinished() {
  telling_.swap(finished_);
  for (Check* check : telling_) {
    check->pending = false;
    --pending_;
    check->Done();
  }
  telling_.clear();
}

void RedisStore::Recycle(Batch& batch) {
  batch.targets().clear();
  batch.earliest = kNever;
  free_.push_back(&batch);
}

// -- deadlines --------------------------------------------------------------------------------

Instant RedisStore::Poll(const Now& now) {
  SendOpen();
  Expire(now.steady);
  TellFinished();
  SendOpen();
  return finished_.empty() ? timer_.when() : now.steady;
}

// For what was committed behind this turn's Poll().
void RedisStore::OnTurnEnd() {
  SendOpen();
  if (!finished_.empty()) timer_.Set(loop_.now().steady);
}

void RedisStore::Expire(Instant now) {
  Instant next = kNever;
  for (std::vector<Batch*>* list : {&open_, &flying_}) {
    for (Batch* batch : *list) {
      if (batch->earliest <= now) ExpireIn(*batch, now);
      next = std::min(next, batch->earliest);
    }
  }
  if (next != kNever) SetTimer(next);
}

void RedisStore::ExpireIn(Batch& batch, Instant now) {
  batch.earliest = kNever;
  batch.expired = true;
  auto& targets = batch.targets();
  for (std::size_t i = 0; i < targets.size();) {
    Check* const check = targets[i].check;
    std::size_t end = i + 1;
    while (end < targets.size() && targets[end].check == check) ++end;
    if (check != nullptr && check->deadline > now) {
      batch.earliest = std::min(batch.earliest, check->deadline);
    } else if (check != nullptr) {
      for (; i < end; ++i) {
        check->outcomes[targets[i].hit] = Uncounted(Cause::kTimeout, true, batch.node->id());
        targets[i].check = nullptr;
      }
      Finish(*check);
    }
    i = end;
  }
}

void RedisStore::SetTimer(Instant when) {
  if (when < timer_.when()) timer_.Set(when);
}

}  // namespace weir::redis
