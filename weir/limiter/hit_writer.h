#pragma once

#include "weir/base/hash.h"
#include "weir/limiter/match.h"

namespace weir {

// The last step of Match(): turns the matched descriptors of a check into hits, each with the
// identity of its counter.  One use, one check.
class HitWriter {
 public:
  HitWriter(const Policy& policy, const Request& request, const Now& now,
            const MatchOptions& options, Policy::NodeIndex domain, Check& check)
      : policy_(policy),
        request_(request),
        now_(now),
        options_(options),
        domain_(domain),
        check_(check) {}

  void WriteAll();

 private:
  void Append(std::uint32_t descriptor, const Quota& quota, NotEnforced why);
  NotEnforced WhyNotEnforced(const DescriptorMatch& match, const Descriptor& descriptor) const;
  std::uint64_t StableHash(const DescriptorMatch& match, const Descriptor& descriptor) const;
  void IdentifyNative(const DescriptorMatch& match, const Descriptor& descriptor, Hit& hit) const;
  void IdentifyReference(DescriptorMatch& match, const Descriptor& descriptor, Hit& hit) const;

  const Policy& policy_;
  const Request& request_;
  const Now& now_;
  const MatchOptions& options_;
  const Policy::NodeIndex domain_;
  Check& check_;
};

}  // namespace weir
