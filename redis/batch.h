#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "redis/connection.h"
#include "redis/plain_call.h"
#include "redis/script_call.h"
#include "weir/core/check.h"

namespace weir::redis {

class Batch;
class Node;

// Who opens batches, and is told how they end.
class BatchOwner {
 public:
  BatchOwner() = default;
  BatchOwner(const BatchOwner&) = delete;
  BatchOwner& operator=(const BatchOwner&) = delete;
  virtual ~BatchOwner() = default;
  virtual void OnReply(Batch& batch, const Reply& reply, const Now& now) = 0;
  virtual void OnLost(Batch& batch, Cause cause, bool may_have_run) = 0;
};

// One call of a script, from its first hit to its answer.  Pooled by its owner; its memory stays.
class Batch final : public PendingCall {
 public:
  explicit Batch(BatchOwner& owner) : owner_(owner) {}

  void OnReply(const Reply& reply, const Now& now) override { owner_.OnReply(*this, reply, now); }
  void OnLost(Cause cause, bool may_have_run) override {
    owner_.OnLost(*this, cause, may_have_run);
  }

  // For the reference service's commands.
  void BeginPlain(Node& to, WallTime now, bool looks_first, std::uint64_t call_number) {
    Begin(to, Script::kPlain, {}, call_number);
    plain.Start(now, looks_first);
  }
  void Begin(Node& to, Script script, std::optional<std::int64_t> tick, std::uint64_t call_number) {
    node = &to;
    number = call_number;
    attempts = 0;
    earliest = kNever;
    expired = false;
    seen_.fill(0);
    call.Start(script, tick);
  }

  // Remembers that the counter is in here.
  void Note(std::uint64_t id) { seen_[WordOf(id)] |= BitOf(id); }
  // False: it surely is not.
  bool MayHold(std::uint64_t id) const { return (seen_[WordOf(id)] & BitOf(id)) != 0; }

  bool is_plain() const { return call.script() == Script::kPlain; }
  std::vector<ScriptCall::Target>& targets() {
    return is_plain() ? plain.targets() : call.targets();
  }

  Node* node = nullptr;
  ScriptCall call;
  PlainCall plain;             // Instead of `call`, where is_plain().
  std::uint64_t number = 0;    // As Check::call.
  std::uint32_t attempts = 0;  // Sent again so often: only after answers that say nothing ran.
  Instant earliest = kNever;   // Of its checks' deadlines.
  bool expired = false;        // Somebody no longer waits, so it must not run later.

 private:
  static std::size_t WordOf(std::uint64_t id) { return id >> 60U; }
  static std::uint64_t BitOf(std::uint64_t id) { return std::uint64_t{1} << ((id >> 54U) & 63U); }

  BatchOwner& owner_;
  std::array<std::uint64_t, 16> seen_{};
};

}  // namespace weir::redis
