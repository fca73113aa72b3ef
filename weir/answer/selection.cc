#include "weir/answer/selection.h"

#include <algorithm>

#include "weir/base/wide.h"

namespace weir {
namespace {

char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

bool WaitsLonger(const Applied& a, const Applied& b) {
  return a.retry != b.retry ? a.retry > b.retry : a.reset > b.reset;
}

// a.remaining / a.limit < b.remaining / b.limit, exactly.
bool SmallerShare(const Applied& a, const Applied& b) {
  return static_cast<Wide>(a.remaining) * b.quota->capacity() <
         static_cast<Wide>(b.remaining) * a.quota->capacity();
}

bool Tighter(const Applied& a, const Applied& b) {
  if (a.denied != b.denied) return a.denied;
  return a.denied ? WaitsLonger(a, b) : SmallerShare(a, b);
}

bool Lower(const Applied& a, const Applied& b) {
  if (a.denied != b.denied) return a.denied;
  return a.denied ? WaitsLonger(a, b) : a.remaining < b.remaining;
}

}  // namespace

Selection::Selection(const AnswerFacts& facts) {
  for (const Applied& applied : facts.applied) {
    if (IsShown(applied)) Add(applied);
  }
  for (std::size_t i = 1; i < size_; ++i) {
    if (Tighter(*policies_[i].applied, *policies_[tightest_].applied)) tightest_ = i;
    if (Lower(*policies_[i].applied, *policies_[lowest_].applied)) lowest_ = i;
  }
  Name();
}

void Selection::Add(const Applied& applied) {
  denied_ = denied_ || applied.denied;
  for (std::size_t i = 0; i < size_; ++i) {
    const Applied*& known = policies_[i].applied;
    if (known->rule != applied.rule || *known->quota != *applied.quota) continue;
    if (Tighter(applied, *known)) known = &applied;
    return;
  }
  if (size_ < kMost) {
    policies_[size_++].applied = &applied;
    return;
  }
  // An answer must not look better than it is: the worst off stays in view.
  const auto better_off = [](const Policy& a, const Policy& b) {
    return Tighter(*b.applied, *a.applied);
  };
  const auto worst =
      std::min_element(policies_.begin(), policies_.end(),
                       [&](const Policy& a, const Policy& b) { return better_off(b, a); });
  if (Tighter(applied, *worst->applied)) policies_.back().applied = &applied;
}

void Selection::Name() {
  for (std::size_t i = 0; i < size_; ++i) {
    const Rule& rule = *policies_[i].applied->rule;
    policies_[i].name = IdentifierOf(rule, names_[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (!EqualIgnoringCase(policies_[i].name, policies_[j].name)) continue;
      policies_[i].name = IdentifierOf(rule, names_[i], true);
      break;
    }
  }
}

bool Selection::Lists(const Policy& policy, Listing listing) const {
  switch (listing) {
    case Listing::kAll:
      return true;
    case Listing::kTightest:
      return &policy == &tightest();
    case Listing::kViolated:
      return !denied_ || policy.applied->denied;
  }
  return true;
}

}  // namespace weir
