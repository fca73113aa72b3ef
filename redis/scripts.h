#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::redis {

// The scripts that count in the store.  Every one
// - reads the store's clock once and answers an array of integers that begins with it, in
//   SharedTicks; ARGV[1], where not empty, replaces the clock (tests);
// - takes all its keys through KEYS, and for each one argument of packed numbers (script_call.h);
// - decides first and writes last, one packed string a key, each with an expiry;
// - opens with a shebang, so that a store that is full or a replica refuses it before it runs.
//
// An integer v of the answer is a level: the one after the hit, v >= 0, or where it was denied the
// one before it, as -1 - v.  kForeign instead of a level: the key holds something that is not ours.
enum class Script : std::uint8_t {
  kTokenBucket,    // A level a key: shared ticks until full.
  kFixedWindow,    // A level a key: units counted.
  kSlidingWindow,  // Two integers a key: the level of the current window, the one before.
  kGeneral,        // Groups of hits, of any algorithm; three integers a hit: as for sliding
                   // windows, then what all instances spent in the last closed epoch,
                   // as -1 - it where the hit stood still.
  kPlain,          // Beside the others: adds to a plain number, for plain_call.h.
  kProbe,          // Counts nothing, and is refused where a write would be.
  kHeartbeat,      // Beside the others: who is alive, for heartbeat.h.
};
inline constexpr std::size_t kScripts = 7;

inline constexpr std::int64_t kForeign = -(std::int64_t{1} << 53);

// "token_bucket", ...: for messages.
std::string_view NameOf(Script script);
// The Lua text, the same in every build.
std::string_view TextOf(Script script);
// Its SHA-1 in hexadecimal, under which the store knows it.
std::string_view DigestOf(Script script);

}  // namespace weir::redis
