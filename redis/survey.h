#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/connection.h"

namespace weir::redis {

// What was seen of a server at one moment.
struct Survey {
  std::string version;  // Of Redis, or of what Valkey says it is compatible with.
  bool primary = true;
  bool cluster = false;
  std::string eviction_policy;   // "noeviction"; empty if it did not say.
  std::uint64_t max_memory = 0;  // 0: no bound.
  std::uint64_t used_memory = 0;
  std::uint64_t evicted_keys = 0;  // Since it started.
  // Of a few keys picked at random:
  std::uint32_t sampled = 0;
  std::uint32_t ours = 0;     // Named as KeyWriter names them.
  std::uint32_t foreign = 0;  // Under our prefix, but not so.
  Duration latency{};         // One empty exchange took so long.
};

// Reads what INFO answers; unknown lines are skipped.
Survey ReadInfo(std::string_view info);

// Counts a sampled key.
void CountKey(Survey& survey, std::string_view key, std::string_view prefix);

enum class FindingKind : std::uint8_t {
  kNotAsked,  // The server would not say.
  kEvicting,  // Its policy may evict counters.
  kEvicted,   // It did, since the last look.
  kNoMemoryBound,
  kNearlyFull,
  kReplica,
  kOldVersion,
  kForeignKeys,  // Under our prefix.
  kShared,       // Many keys that are not ours.
  kSlow,
};
inline constexpr std::size_t kFindingKinds = 10;

// "evicting", "evicted", ...: for metrics.
std::string_view NameOf(FindingKind kind);

// Something to know about the store, as a sentence that says what it means and what to do.
struct Finding {
  FindingKind kind = FindingKind::kNotAsked;
  std::string sentence;
};

// What a survey means.  `before`: the one a minute earlier, if any; `timeout`: of a call.  Pure.
std::vector<Finding> Judge(const Survey& now, const std::optional<Survey>& before,
                           Duration timeout);

// Takes a survey over a connection: INFO and some RANDOMKEYs, in one write.  At most one at a time.
// Belongs to the connection's loop.
class SurveyCall final : public PendingCall {
 public:
  static constexpr std::uint32_t kSamples = 16;

  // `done` gets the survey, or nothing and why there is none.
  using Receiver = std::function<void(const std::optional<Survey>&, std::string_view why)>;
  SurveyCall(std::string prefix, Receiver done)
      : prefix_(std::move(prefix)), done_(std::move(done)) {}

  // False if one is under way or the connection takes no call.
  bool Start(Connection& connection);
  bool busy() const { return busy_; }

 private:
  void OnReply(const Reply& reply, const Now& now) override;
  void OnLost(Cause cause, bool may_have_run) override;

  const std::string prefix_;
  const Receiver done_;
  Survey survey_;
  std::string why_;
  std::uint32_t taken_ = 0;
  bool busy_ = false;
};

}  // namespace weir::redis
