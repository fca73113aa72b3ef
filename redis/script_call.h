#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redis/key_writer.h"
#include "redis/reply.h"
#include "redis/scripts.h"
#include "weir/core/check.h"

namespace weir::redis {

// One call of a counting script: writes hits as its keys and arguments, and its answer into their
// outcomes.  Reused; after the first few calls nothing is allocated.  Not thread-safe.
class ScriptCall {
 public:
  // A script of so many keys holds the store for about 200 us.
  static constexpr std::size_t kMostKeys = 64;

  // What a hit of a group is there for; the numbers are the general script's.
  enum class Role : std::uint8_t {
    kAlone = 0,      // Charged by its own verdict.
    kEnforcing = 1,  // Charged if every enforcing hit of the group passes.
    kNoSay = 2,      // Charged by its own verdict, if the enforcing ones pass.
    kLook = 3,       // Not charged.
    kSoft = 4,       // As kNoSay; where all of these are denied nothing of the group is charged.
    kStillWhenOver = 5,  // As kAlone, but only looked at where another goes over and it does not.
    kStill = 6,          // Looked at, and a sign for kStillWhenOver to do so too.
  };

  struct Target {
    Check* check = nullptr;  // Null: nobody waits any more.
    std::uint32_t hit = 0;
  };

  // Which script would take the check in one call: the lean one of its algorithm where it is a
  // single plain hit, else the general one.
  static Script ScriptFor(const Check& check);

  // Empties the call.  `tick`, if given, stands in for the store's clock.
  void Start(Script script, std::optional<std::int64_t> tick = {});

  // Adds a hit to a lean call, or to a probe.
  // REQUIRES: script() is ScriptFor() the hit alone; FitsSharedStore(quota), but for a probe
  void AddLean(Check& check, std::uint32_t hit, const KeyWriter& keys);

  // Adds a hit to the group that the next EndGroup() closes.
  // REQUIRES: script() is kGeneral; FitsSharedStore(quota)
  void AddToGroup(Check& check, std::uint32_t hit, Role role, const KeyWriter& keys);
  void EndGroup();

  // A whole check, in one group: each hit in its role.  Hits that FitsSharedStore() refuses are
  // left out; their outcomes are the caller's to fill.
  void AddGroup(Check& check, const KeyWriter& keys);

  // Appends the command.
  void AppendTo(std::string& out) const;

  // Writes the outcomes of all targets that are still waited for.  False if the reply does not have
  // the call's shape: then nothing was written.
  bool Fill(const Reply& reply) const;

  Script script() const { return script_; }
  bool empty() const { return targets_.empty(); }
  std::size_t keys() const { return keys_; }
  std::vector<Target>& targets() { return targets_; }
  const std::vector<Target>& targets() const { return targets_; }

  // The store's clock in an answer of any script, in SharedTicks; nothing if it is no such answer.
  static std::optional<std::int64_t> TickIn(const Reply& reply);

 private:
  struct Answer {
    std::int64_t level = 0;
    std::int64_t previous = 0;
    std::int64_t fleet = 0;
  };
  static Outcome OutcomeAt(const Answer& answer, const Target& target, std::int64_t tick);
  void AddKey(const Hit& hit, const Quota& quota, const KeyWriter& keys);

  Script script_ = Script::kProbe;
  std::vector<Target> targets_;
  std::size_t keys_ = 0;
  std::size_t arguments_ = 0;
  std::string key_text_;
  std::string argument_text_;
  std::string scratch_;
  std::size_t flags_at_ = 0;  // Of the group's latest hit, in argument_text_.
};

}  // namespace weir::redis
