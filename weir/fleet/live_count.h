#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/snapshot.h"
#include "weir/fleet/fleet_view.h"

namespace weir {

struct LiveCountOptions {
  FleetSource source = FleetSource::kStatic;
  std::uint32_t count = 1;                 // kStatic: how many; at least 1.
  std::optional<std::uint32_t> ordinal{};  // kStatic: which of them this is, from 0.
  std::uint32_t expected = 1;              // Believed until the source has answered once.
  std::string self{};                      // This instance's id among the members.
  // After an outage of the source its answers may name only those who were quick to return.  For
  // this long they can add to the count and not take from it: the time after which a silent
  // instance counts as gone.
  Duration settle = std::chrono::seconds(5);
  // An answer older than this makes the count stale.
  Duration stale_after = std::chrono::seconds(15);
};

// Believes a source about who is alive, as far as it deserves.
//
// An answer replaces the count.  No answer, or an empty one, is a failure of the source and not an
// empty fleet: the last count is frozen, never shrunk, until answers have come again for `settle`.
// This instance itself is always counted, so the count is at least 1.
//
// Thread-safe: one side reports, loops read view() through a Snapshot reader.
class LiveCount {
 public:
  // At most this many members are kept by name; of a larger fleet only the number is.
  static constexpr std::size_t kMostMembers = 1024;

  explicit LiveCount(LiveCountOptions options);

  // The source named the live instances, in any order; this one may be missing from them.
  void Report(std::span<const std::string_view> members, Instant now);
  // The source knows how many, and no names.
  void ReportCount(std::uint32_t count, Instant now);
  // The source did not answer.
  void ReportFailure(Instant now);
  // Heartbeats seen beside another source; see Disagrees().
  void ReportHeartbeats(std::uint32_t count);

  const Snapshot<FleetView>& view() const { return view_; }

  // -- for metrics and warnings --
  bool Stale(Instant now) const;
  // A static count unlike the heartbeats seen; 0 heartbeats say nothing.
  bool Disagrees() const;
  // How far one instance that joined without a count may exceed its share: 1 / expected of each
  // limit; 0 once it knows the count.
  double PossibleOvershoot() const;

 private:
  void Adopt(FleetView next, Instant now);
  std::uint64_t HashOfSelf() const;

  const LiveCountOptions options_;
  mutable std::mutex mutex_;
  std::uint32_t heartbeats_ = 0;
  std::optional<Instant> answering_since_;
  bool failed_ = false;
  Snapshot<FleetView> view_;
};

}  // namespace weir
