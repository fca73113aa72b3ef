#include "sim/link_store.h"

#include <algorithm>
#include <utility>

#include "weir/base/hash.h"

namespace weir::sim {
namespace {

bool RefusesConnections(const Fault* fault) {
  return fault != nullptr &&
         (fault->kind == FaultKind::kRefuse || fault->kind == FaultKind::kFailover);
}

// What the store says instead of counting, if the fault is an error of its own.
Cause ErrorOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kReadonly:
      return Cause::kReadonly;
    case FaultKind::kLoading:
      return Cause::kLoading;
    case FaultKind::kOom:
      return Cause::kOom;
    case FaultKind::kClusterDown:
      return Cause::kClusterDown;
    default:
      return Cause::kNone;
  }
}

}  // namespace

LinkStore::Ghost::Ghost(const Check& from) {
  charging = from.charging;
  hits = from.hits;
  for (Hit& hit : hits) {
    if (hit.quota == nullptr) continue;
    hit.quota = &quotas.emplace_back(*hit.quota);
    hit.key = {};
  }
}

LinkStore::LinkStore(StoreServer& server, std::span<const Fault> faults, std::size_t instance,
                     const Now& start, const LinkOptions& options)
    : server_(server), faults_(faults), instance_(instance), start_(start), options_(options) {}

LinkStore::~LinkStore() = default;

double LinkStore::Draw() {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(MixHash(options_.seed, ++draws_) >> 11U) * kUnit;
}

Duration LinkStore::OneWay() {
  return options_.latency +
         Duration(static_cast<std::int64_t>(Draw() * static_cast<double>(options_.jitter.count())));
}

Duration LinkStore::Penalty(const Fault* fault) {
  if (fault == nullptr || fault->kind != FaultKind::kLoss) return {};
  return Draw() * fault->one_in < 1.0 ? options_.resend : Duration{};
}

LinkStore::Call& LinkStore::NewCall() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<Call>());
    idle_.push_back(all_.back().get());
  }
  Call& call = *idle_.back();
  idle_.pop_back();
  call.checks.clear();
  call.ghosts.clear();
  call.arrived = false;
  call.cause = Cause::kNone;
  call.ambiguous = false;
  return call;
}

void LinkStore::Fill(Check& check, Cause cause, bool ambiguous) {
  check.outcomes.resize(check.hits.size());
  for (Outcome& outcome : check.outcomes) {
    outcome = {};
    outcome.cause = cause;
    outcome.ambiguous = ambiguous;
  }
}

void LinkStore::Connect(const Fault* fault, Duration t) {
  if (connected_ || t < next_connect_) return;
  const bool silent = fault != nullptr && fault->kind == FaultKind::kBlackhole;
  if (RefusesConnections(fault) || silent) {
    why_not_ = silent ? Cause::kTimeout : Cause::kRefused;
    return RetryLater(t);
  }
  connected_ = true;
  failed_connects_ = 0;
}

void LinkStore::RetryLater(Duration t) {
  const Duration span =
      std::min(options_.last_retry, options_.first_retry * (1 << std::min(failed_connects_, 10U)));
  ++failed_connects_;
  next_connect_ =
      t + Duration(static_cast<std::int64_t>(Draw() * static_cast<double>(span.count())));
}

void LinkStore::Reconnect() {
  connected_ = true;
  failed_connects_ = 0;
}

std::size_t LinkStore::Commit(std::span<Check* const> checks, const Now& now) {
  const Duration t = Since(now);
  const Fault* const fault = ActingOn(faults_, instance_, t);
  const std::uint64_t number = ++calls_made_;
  for (Check* check : checks) check->call = number;
  Connect(fault, t);
  if (connected_ && RefusesConnections(fault) && calls_.empty()) {
    connected_ = false;
    why_not_ = Cause::kRefused;
    RetryLater(t);
  }
  if (!connected_) {
    for (Check* check : checks) Fill(*check, why_not_, false);
    return 0;
  }
  Call& call = NewCall();
  call.checks.assign(checks.begin(), checks.end());
  for (Check* check : checks) check->pending = true;
  call.sent = t;
  call.due = t + OneWay() + Penalty(fault);
  if (!calls_.empty() && !calls_.back()->arrived) call.due = std::max(call.due, calls_.back()->due);
  calls_.push_back(&call);
  return checks.size();
}

void LinkStore::Execute(Call& call, Duration t) {
  for (Check* check : call.checks) server_.Execute(*check, t);
  for (const auto& ghost : call.ghosts) server_.Execute(*ghost, t);
  executed_ += call.checks.size() + call.ghosts.size();
}

void LinkStore::Arrive(Call& call, Duration t) {
  const Fault* const fault = ActingOn(faults_, instance_, t);
  call.arrived = true;
  Duration back = OneWay() + Penalty(fault);
  if (fault != nullptr) {
    switch (fault->kind) {
      case FaultKind::kBlackhole:
      case FaultKind::kFreeze:
        // The transport sends it again, or the store reads it, once that is over.
        call.arrived = false;
        call.due = fault->to;
        return;
      case FaultKind::kRefuse:
      case FaultKind::kFailover:
      case FaultKind::kCutBefore:
        return Drop(Cause::kReset, t);
      case FaultKind::kCutAfter:
        Execute(call, t);
        return Drop(Cause::kReset, t);
      case FaultKind::kGarbage:
        call.cause = Cause::kProtocol;
        call.ambiguous = true;
        break;
      case FaultKind::kDelay:
        back += fault->amount;
        break;
      case FaultKind::kNoScript:
        if (forgot_scripts_ != fault) back += OneWay() + OneWay();
        forgot_scripts_ = fault;
        break;
      default:
        call.cause = ErrorOf(fault->kind);
        break;
    }
  }
  if (call.cause == Cause::kNone || call.ambiguous) Execute(call, t);
  call.due = t + back;
}

void LinkStore::AnswerFirst() {
  Call& call = *calls_.front();
  calls_.pop_front();
  for (Check* check : call.checks) {
    if (call.cause != Cause::kNone) Fill(*check, call.cause, call.ambiguous);
    check->pending = false;
    check->Done();
  }
  idle_.push_back(&call);
}

// The connection is gone, and nobody can say how far its calls had come.
void LinkStore::Drop(Cause cause, Duration t) {
  connected_ = false;
  why_not_ = cause;
  RetryLater(t);
  const Fault* const fault = ActingOn(faults_, instance_, t);
  const bool frozen = fault != nullptr && fault->kind == FaultKind::kFreeze;
  std::deque<Call*> calls = std::exchange(calls_, {});
  for (Call* call : calls) {
    if (frozen && !call->arrived) {
      Call& ghost = NewCall();
      for (const Check* check : call->checks) {
        ghost.ghosts.push_back(std::make_unique<Ghost>(*check));
      }
      ghost.due = fault->to;
      lost_.push_back(&ghost);
    }
    for (Check* check : call->checks) {
      Fill(*check, cause, true);
      check->pending = false;
      check->Done();
    }
    idle_.push_back(call);
  }
}

void LinkStore::ArriveLost(Duration t) {
  while (!lost_.empty() && lost_.front()->due <= t) {
    Execute(*lost_.front(), t);
    idle_.push_back(lost_.front());
    lost_.pop_front();
  }
}

Instant LinkStore::Poll(const Now& now) {
  const Duration t = Since(now);
  ArriveLost(t);
  Connect(ActingOn(faults_, instance_, t), t);
  if (connected_ && !calls_.empty() && RefusesConnections(ActingOn(faults_, instance_, t))) {
    Drop(Cause::kReset, t);
  }
  // A dropped connection leaves no calls, and new ones are not due yet.
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (!calls_[i]->arrived && calls_[i]->due <= t) Arrive(*calls_[i], t);
  }
  while (!calls_.empty() && calls_.front()->arrived && calls_.front()->due <= t) AnswerFirst();
  if (!calls_.empty() && calls_.front()->sent + options_.drop_after <= t) Drop(Cause::kTimeout, t);
  return NextEvent();
}

Instant LinkStore::NextEvent() const {
  Duration next = Duration::max();
  bool first = true;
  for (const Call* call : calls_) {
    // An answer waits for those before it.
    if (!call->arrived || first) next = std::min(next, call->due);
    if (first) next = std::min(next, call->sent + options_.drop_after);
    first = false;
  }
  if (!lost_.empty()) next = std::min(next, lost_.front()->due);
  if (!connected_) next = std::min(next, next_connect_);
  return next == Duration::max() ? kNever : start_.steady + next;
}

}  // namespace weir::sim
