#include "weir/limiter/hit_writer.h"

#include <algorithm>
#include <charconv>

#include "weir/limiter/reference_keys.h"

namespace weir {
namespace {

std::uint64_t NonZero(std::uint64_t id) {
  return id != 0 ? id : 1;
}

// The rule's id, then each value behind its length, and behind that its key where no rule knows it:
// no two descriptors compose the same text.  A mark at the end tells a limit brought along from the
// rule's own, which may be of the same size.
std::string_view FramedKey(const DescriptorMatch& match, const Descriptor& descriptor,
                           Arena& arena) {
  constexpr std::size_t kMostDigits = 20;
  const Rule& rule = *match.rule;
  const bool with_keys = match.node == Policy::kNone;
  std::size_t size = rule.id.size() + 1;
  for (const Entry& entry : descriptor.entries) {
    size += entry.value.size() + kMostDigits + 2;
    if (with_keys) size += entry.key.size() + kMostDigits + 2;
  }
  char* const out = arena.Take(size);
  char* at = std::copy(rule.id.begin(), rule.id.end(), out);
  const auto frame = [&](std::string_view text) {
    *at++ = '|';
    at = std::to_chars(at, at + kMostDigits, text.size()).ptr;
    *at++ = ':';
    at = std::copy(text.begin(), text.end(), at);
  };
  for (const Entry& entry : descriptor.entries) {
    frame(entry.value);
    if (with_keys) frame(entry.key);
  }
  if (match.overridden) *at++ = '!';
  return {out, static_cast<std::size_t>(at - out)};
}

}  // namespace

void HitWriter::WriteAll() {
  const bool reference = policy_.profile() == Profile::kReference;
  std::size_t override_at = 0;
  bool later = false;  // Whether some rule has no say, and so waits for those that have.
  const auto pass = [&](bool enforcing) {
    override_at = 0;
    for (std::uint32_t i = 0; i < check_.matches.size(); ++i) {
      const DescriptorMatch& match = check_.matches[i];
      const Quota* own = match.overridden ? &check_.overrides[override_at++] : nullptr;
      if (match.kind != DescriptorMatch::Kind::kCounted) continue;
      const NotEnforced why =
          reference ? NotEnforced::kNo : WhyNotEnforced(match, request_.descriptors[i]);
      if ((why == NotEnforced::kNo) == enforcing) {
        Append(i, own != nullptr ? *own : match.rule->quota, why);
      } else {
        later = true;
      }
    }
  };
  pass(true);
  if (later) pass(false);
}

void HitWriter::Append(std::uint32_t descriptor, const Quota& quota, NotEnforced why) {
  DescriptorMatch& match = check_.matches[descriptor];
  const Descriptor& asked = request_.descriptors[descriptor];
  match.hit = static_cast<std::uint32_t>(check_.hits.size());
  Hit& hit = check_.hits.emplace_back();
  hit.rule = match.rule;
  hit.quota = &quota;
  hit.cost = asked.cost.value_or(request_.cost);
  hit.descriptor = descriptor;
  hit.refund = asked.refund;
  hit.charged = asked.charged;
  hit.not_enforced = why;
  if (policy_.profile() == Profile::kReference) {
    IdentifyReference(match, asked, hit);
  } else {
    IdentifyNative(match, asked, hit);
  }
}

NotEnforced HitWriter::WhyNotEnforced(const DescriptorMatch& match,
                                      const Descriptor& descriptor) const {
  const Rule& rule = *match.rule;
  if (rule.shadow_mode) return NotEnforced::kShadow;
  if (rule.enforce_percent < 100) {
    constexpr std::uint64_t kParts = 10'000;
    const std::uint64_t part = StableHash(match, descriptor) % kParts;
    if (part >= std::uint64_t{rule.enforce_percent} * (kParts / 100)) return NotEnforced::kPercent;
  }
  return rule.quota_mode ? NotEnforced::kSoft : NotEnforced::kNo;
}

// Unseeded, over the same values as the counter's identity: all instances agree on who is held to
// a partly enforced rule, and a higher percentage only adds callers.
std::uint64_t HitWriter::StableHash(const DescriptorMatch& match,
                                    const Descriptor& descriptor) const {
  std::uint64_t hash = Hash64(match.rule->id, 0);
  Policy::NodeIndex at = match.node;
  for (std::size_t i = descriptor.entries.size(); i-- > 0 && at != Policy::kNone;) {
    if (policy_.node(at).open) hash = MixHash(hash, Hash64(descriptor.entries[i].value, 0));
    at = policy_.node(at).parent;
  }
  return hash;
}

void HitWriter::IdentifyNative(const DescriptorMatch& match, const Descriptor& descriptor,
                               Hit& hit) const {
  const std::uint64_t seed = policy_.options().seed;
  std::uint64_t values = match.values;
  if (match.overridden) {
    if (match.node == Policy::kNone) {
      for (const Entry& e : descriptor.entries) {
        values = MixHash(MixHash(values, Hash64(e.key, seed)), Hash64(e.value, seed));
      }
    }
    // A counter has one size: a limit brought along counts apart from the rule's own, and a bigger
    // one apart from a smaller one.
    values = MixHash(MixHash(values, hit.quota->limit),
                     static_cast<std::uint64_t>(hit.quota->window.count()));
  }
  hit.id = NonZero(MixHash(match.rule->id_hash, values));
  const auto& carried = match.rule->carried;
  if (carried && !match.overridden && now_.steady < carried->until) {
    hit.previous_id = NonZero(MixHash(carried->id_hash, values));
  }
  if (options_.keys) hit.key = FramedKey(match, descriptor, check_.arena);
}

void HitWriter::IdentifyReference(DescriptorMatch& match, const Descriptor& descriptor,
                                  Hit& hit) const {
  hit.key = reference_keys::CacheKey(policy_, request_.domain, match, descriptor, *hit.quota,
                                     now_.wall, options_.key_prefix, check_.arena);
  hit.id = NonZero(Hash64(hit.key, policy_.options().seed));
  match.stat_key = reference_keys::StatKey(policy_, domain_, match, descriptor, check_.arena);
}

}  // namespace weir
