#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/key_writer.h"
#include "redis/reply.h"
#include "weir/core/check.h"

namespace weir::redis {

// What one instance admitted for one counter while the store was away, to be added to the store.
struct HandBack {
  const Rule* rule = nullptr;
  const Quota* quota = nullptr;
  std::string_view key;  // As Hit::key.

  // Windows: so many units, charged in the window that holds this tick of the store's clock.  A
  // window that is closed by now takes nothing any more.
  std::uint64_t units = 0;
  std::int64_t charged = 0;
  // The count stops at the limit, so that nobody is locked out by what `open` let pass.
  bool stop_at_limit = false;

  // Token bucket: when the local bucket is full again, when the store's last was said to be (both
  // in SharedTicks), and the share by which local costs were scaled up.  Adds
  // share x (max(local, now) - max(seen, now)) to the level.
  std::int64_t local_full = 0;
  std::int64_t seen_full = 0;
  double share = 1;
};

// One call that hands back up to ScriptCall::kMostKeys counters.  Not thread-safe.
class HandBackCall {
 public:
  void Start(std::optional<std::int64_t> tick = {});
  // REQUIRES: FitsSharedStore(quota)
  void Add(const HandBack& entry, const KeyWriter& keys);
  void AppendTo(std::string& out) const;

  std::size_t size() const { return size_; }

  enum class Result : std::uint8_t { kAdded, kWindowClosed, kForeign };
  // What became of entry `i`; nothing if the reply does not have the call's shape.
  std::optional<Result> ResultOf(const Reply& reply, std::size_t i) const;

 private:
  std::size_t size_ = 0;
  std::string key_text_;
  std::string argument_text_;
  std::string scratch_;
};

}  // namespace weir::redis
