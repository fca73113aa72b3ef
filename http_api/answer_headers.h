#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "net/http.h"
#include "weir/answer/headers.h"
#include "weir/answer/reference_headers.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/limiter/settle.h"

namespace weir::http_api {

// Which header fields tell limits.
struct LimitHeaders {
  HeaderOptions options;
  // Set: envoyproxy/ratelimit's three headers in the place of those of `options`.
  std::optional<ReferenceHeaderNames> reference;
};

// Gathers, for one decision, what answers say beside their verdict.  Reuse one per loop.
class AnswerHeaders {
 public:
  // `config` must outlive this.
  explicit AnswerHeaders(const LimitHeaders& config) : config_(config) {}

  // REQUIRES: `check` is complete.  What the other functions return is valid until the next call.
  void Gather(const Check& check, const Decision& decision, const Now& now, std::uint64_t cost);

  const AnswerFacts& facts() const { return facts_; }
  std::span<const DescriptorStatus> statuses() const { return statuses_; }
  std::span<const HeaderLine> lines() const { return lines_.lines(); }
  // The same, with `extra` behind.  Room for kMostExtra.
  std::span<const net::HttpHeader> http(std::span<const net::HttpHeader> extra = {});

  static constexpr std::size_t kMostExtra = 4;

 private:
  const LimitHeaders& config_;
  std::vector<Applied> applied_;
  std::vector<DescriptorStatus> statuses_;
  std::vector<ReferenceStatus> reference_;
  AnswerFacts facts_;
  HeaderLines lines_;
  std::array<net::HttpHeader, HeaderLines::kMost + kMostExtra> http_;
};

}  // namespace weir::http_api
