#include "weir/fleet/live_count.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "weir/base/hash.h"

namespace weir {
namespace {

// Unseeded: all instances must agree.
std::uint64_t MemberHash(std::string_view id) {
  return Hash64(id, 0);
}

FleetView FirstView(const LiveCountOptions& options) {
  FleetView view;
  view.source = options.source;
  if (options.source == FleetSource::kStatic) {
    view.count = std::max<std::uint32_t>(1, options.count);
    if (options.ordinal && *options.ordinal < view.count) view.self = *options.ordinal;
    return view;
  }
  view.count = std::max<std::uint32_t>(1, options.expected);
  view.joined = false;
  return view;
}

std::uint32_t PlaceOf(const std::vector<std::uint64_t>& members, std::uint64_t self) {
  const auto at = std::lower_bound(members.begin(), members.end(), self);
  if (at == members.end() || *at != self) return FleetView::kNoSelf;
  return static_cast<std::uint32_t>(at - members.begin());
}

}  // namespace

LiveCount::LiveCount(LiveCountOptions options)
    : options_(std::move(options)), view_(std::make_shared<const FleetView>(FirstView(options_))) {}

std::uint64_t LiveCount::HashOfSelf() const {
  return MemberHash(options_.self);
}

void LiveCount::Report(std::span<const std::string_view> members, Instant now) {
  if (members.empty()) {
    ReportFailure(now);
    return;
  }
  FleetView next;
  next.members.reserve(members.size() + 1);
  for (const std::string_view id : members) next.members.push_back(MemberHash(id));
  if (!options_.self.empty()) next.members.push_back(HashOfSelf());
  std::sort(next.members.begin(), next.members.end());
  next.members.erase(std::unique(next.members.begin(), next.members.end()), next.members.end());
  next.count = static_cast<std::uint32_t>(next.members.size());
  Adopt(std::move(next), now);
}

void LiveCount::ReportCount(std::uint32_t count, Instant now) {
  if (count == 0) {
    ReportFailure(now);
    return;
  }
  FleetView next;
  next.count = count;
  Adopt(std::move(next), now);
}

void LiveCount::ReportFailure(Instant) {
  if (options_.source == FleetSource::kStatic) return;
  const std::lock_guard lock(mutex_);
  failed_ = true;
  answering_since_.reset();
  FleetView next = *view_.Get();
  if (next.frozen) return;
  next.frozen = true;
  view_.Publish(std::make_shared<const FleetView>(std::move(next)));
}

void LiveCount::ReportHeartbeats(std::uint32_t count) {
  const std::lock_guard lock(mutex_);
  heartbeats_ = count;
}

void LiveCount::Adopt(FleetView next, Instant now) {
  if (options_.source == FleetSource::kStatic) return;
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const FleetView> before = view_.Get();
  if (!answering_since_) answering_since_ = now;
  // The first answer of all has no outage behind it.
  const bool settling = failed_ && before->joined && now - *answering_since_ < options_.settle;
  if (!settling) failed_ = false;
  if (settling) {
    std::vector<std::uint64_t> both;
    std::set_union(next.members.begin(), next.members.end(), before->members.begin(),
                   before->members.end(), std::back_inserter(both));
    next.members = std::move(both);
    next.count =
        std::max({next.count, before->count, static_cast<std::uint32_t>(next.members.size())});
  }
  if (next.members.size() > kMostMembers) next.members.clear();
  next.source = options_.source;
  next.seen = now;
  next.frozen = settling;
  next.self = PlaceOf(next.members, HashOfSelf());
  view_.Publish(std::make_shared<const FleetView>(std::move(next)));
}

bool LiveCount::Stale(Instant now) const {
  if (options_.source == FleetSource::kStatic) return false;
  const std::shared_ptr<const FleetView> view = view_.Get();
  return !view->joined || view->Age(now) > options_.stale_after;
}

bool LiveCount::Disagrees() const {
  const std::lock_guard lock(mutex_);
  return options_.source == FleetSource::kStatic && heartbeats_ != 0 &&
         heartbeats_ != view_.Get()->count;
}

double LiveCount::PossibleOvershoot() const {
  const std::shared_ptr<const FleetView> view = view_.Get();
  return view->joined ? 0 : 1.0 / view->count;
}

}  // namespace weir
