#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/core/check.h"

namespace weir::redis {

// The slot of a cluster that a key belongs to: CRC16 (XMODEM) of its hash tag, or of the whole key
// where it has none, modulo 16384.
std::uint16_t SlotOf(std::string_view key);

// Names the counters in a shared store.  Instances that read the same policy agree on the names,
// whatever their seeds:
//
//   weir:{8f14e45fceea167a}b50/1000000/50:shop/tenant|4:acme
//   prefix {tag}           quota          rule and values, as Hit::key
//
// The tag is a hash of the first value of the descriptor: all limits of one caller share a slot of
// a cluster, and no value can smuggle braces in.  The quota is part of the name because a counter
// has one size.  A text longer than kLongestText stands as its 128-bit hash.
class KeyWriter {
 public:
  static constexpr std::size_t kLongestText = 400;

  // REQUIRES: no braces in `prefix`.
  explicit KeyWriter(std::string prefix = "weir:") : prefix_(std::move(prefix)) {}

  // Replaces `out` with the name of the hit's counter under `quota`: its own, or the one that its
  // rule had before a reload.
  void Write(const Hit& hit, const Quota& quota, std::string& out) const;

  // The slot of that name.
  static std::uint16_t SlotOf(const Hit& hit);

  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
};

}  // namespace weir::redis
