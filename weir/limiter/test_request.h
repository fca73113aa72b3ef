#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/core/descriptor.h"

namespace weir {

// A request written down as an expression, for tests:
//
//   TestRequest("shop", {{{"tenant", "acme"}}, {{"tenant", "acme"}, {"path", "/login"}}})
//
// Keeps the entries and descriptors that a Request only points to; the texts are the caller's.
class TestRequest {
 public:
  TestRequest(std::string_view domain, std::initializer_list<std::vector<Entry>> descriptors,
              std::uint64_t cost = 1)
      : domain_(domain), entries_(descriptors), cost_(cost) {
    for (const auto& entries : entries_) descriptors_.push_back({.entries = entries});
  }
  TestRequest(const TestRequest&) = delete;
  TestRequest& operator=(const TestRequest&) = delete;

  Descriptor& operator[](std::size_t i) { return descriptors_[i]; }
  TestRequest& WithLimit(std::size_t i, std::uint32_t limit, Unit unit) {
    descriptors_[i].limit = LimitOverride{.requests_per_unit = limit, .unit = unit};
    return *this;
  }
  TestRequest& WithCost(std::size_t i, std::uint64_t cost) {
    descriptors_[i].cost = cost;
    return *this;
  }
  TestRequest& AsRefund(std::size_t i, std::uint64_t cost, WallTime charged = {}) {
    descriptors_[i].cost = cost;
    descriptors_[i].refund = true;
    descriptors_[i].charged = charged;
    return *this;
  }

  Request request() const { return {domain_, descriptors_, cost_}; }

 private:
  std::string_view domain_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<Descriptor> descriptors_;
  std::uint64_t cost_;
};

}  // namespace weir
