#include "admin/access.h"

#include <cstddef>

namespace weir::admin {
namespace {

bool SameText(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

bool HasToken(const net::HttpRequest& request, std::string_view token) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view sent = request.header("authorization").value_or("");
  if (sent.size() < kScheme.size() || !net::SameHeaderName(sent.substr(0, kScheme.size()), kScheme))
    return false;
  return SameText(sent.substr(kScheme.size()), token);
}

bool IsCrossOrigin(const net::HttpRequest& request) {
  if (const auto site = request.header("sec-fetch-site");
      site && *site != "same-origin" && *site != "none") {
    return true;
  }
  const auto origin = request.header("origin");
  if (!origin) return false;
  const std::size_t scheme = origin->find("://");
  if (scheme == std::string_view::npos) return true;  // "null", from a sandbox.
  return !net::SameHeaderName(origin->substr(scheme + 3), request.header("host").value_or(""));
}

}  // namespace

Access Judge(const net::HttpRequest& request, std::string_view token) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && IsCrossOrigin(request)) return Access::kCrossOrigin;
  if (!token.empty() && !HasToken(request, token)) return Access::kTokenMissing;
  return reads ? Access::kGranted : Access::kBadMethod;
}

}  // namespace weir::admin
