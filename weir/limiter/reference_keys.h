#pragma once

#include <string_view>

#include "weir/core/check.h"

namespace weir::reference_keys {

// The texts under which envoyproxy/ratelimit keeps and reports counters, byte for byte: an instance
// of either can take over the other's Redis and boards.  Nothing is escaped in them, so two
// descriptors can share a text; that is theirs, and only the reference profile does it.
//
// Results live in `arena`.

// "<prefix><domain>_<key>_<value>_..._<start of the window, Unix seconds>".  Where a pattern shares
// one counter among its values, the pattern stands for the value.
std::string_view CacheKey(const Policy& policy, std::string_view domain,
                          const DescriptorMatch& match, const Descriptor& descriptor,
                          const Quota& quota, WallTime now, std::string_view prefix, Arena& arena);

// "<domain>.<key>[_<value>]...": with values where the rules name them or ask for them
// (`detailed_metric`, `value_to_metric`), and always for a limit that came with the request.
// Empty if it is the rule's own stat_key.
std::string_view StatKey(const Policy& policy, Policy::NodeIndex domain,
                         const DescriptorMatch& match, const Descriptor& descriptor, Arena& arena);

}  // namespace weir::reference_keys
