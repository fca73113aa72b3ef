#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weir/answer/applied.h"
#include "weir/answer/header_style.h"

namespace weir {

// The policies that one answer talks about, each once and by a name of its own.  Lives on the
// stack; its views point into itself and into the facts.
class Selection {
 public:
  // Beyond it the policies that come last are left out, save the most telling one.
  static constexpr std::size_t kMost = 16;

  struct Policy {
    const Applied* applied = nullptr;
    std::string_view name;  // IdentifierOf(), no two equal when case is ignored (draft-12).
  };

  // Keeps what IsShown(); a rule and quota charged twice (for two descriptors) appears once, as
  // the worse off of the two.
  explicit Selection(const AnswerFacts& facts);
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;

  // In the order of the facts.
  std::span<const Policy> policies() const { return {policies_.data(), size_}; }

  // Whether `policy` is to be listed.
  bool Lists(const Policy& policy, Listing listing) const;

  // The one that says most: of those that denied the longest wait; else the least available,
  // measured against its quota or, for the older styles, as a plain number.  The first of equals.
  // REQUIRES: !policies().empty()
  const Policy& tightest() const { return policies_[tightest_]; }
  const Policy& lowest() const { return policies_[lowest_]; }

 private:
  void Add(const Applied& applied);
  void Name();

  std::array<Policy, kMost> policies_;
  std::array<IdentifierText, kMost> names_;
  std::size_t size_ = 0;
  std::size_t tightest_ = 0;
  std::size_t lowest_ = 0;
  bool denied_ = false;
};

}  // namespace weir
