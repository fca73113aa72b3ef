#pragma once

#include <array>
#include <span>
#include <vector>

#include "net/http.h"
#include "weir/answer/headers.h"
#include "weir/answer/rate_limit_response.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"

namespace weir::http_api {

// Gathers, for one decision, what an HTTP answer says beside its verdict: header fields in the
// configured style, or the reference service's three where `reference_headers` asks for them.
// Reuse one per loop.
class AnswerHeaders {
 public:
  // `options` must outlive this.
  explicit AnswerHeaders(const ResponseOptions& options) : options_(options) {}

  // REQUIRES: `check` is complete.  What the other functions return is valid until the next call.
  void Gather(const Check& check, const Decision& decision, const Now& now, std::uint64_t cost);

  const AnswerFacts& facts() const { return facts_; }
  // The lines, and `extra` behind, of which at most kMostExtra.
  std::span<const net::HttpHeader> lines(std::span<const net::HttpHeader> extra = {});

  static constexpr std::size_t kMostExtra = 4;

 private:
  void GatherReference(const Check& check);

  const ResponseOptions& options_;
  std::vector<Applied> applied_;
  std::vector<DescriptorStatus> statuses_;
  std::vector<ReferenceStatus> reference_;
  AnswerFacts facts_;
  HeaderLines lines_;
  std::array<net::HttpHeader, HeaderLines::kMost + kMostExtra> http_;
};

}  // namespace weir::http_api
