#include "net/http1_head.h"

#include <array>
#include <cstring>
#include <limits>

#include "net/http.h"

namespace weir::net {
namespace {

enum : std::uint8_t { kToken = 1, kValue = 2, kTarget = 4, kHost = 8 };

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 256; ++c) {
    const bool visible = c > 0x20 && c < 0x7f;
    if (visible || c >= 0x80) classes[c] |= kValue | kTarget;
    if (c == ' ' || c == '\t') classes[c] |= kValue;
    if (visible) classes[c] |= kToken | kHost;
  }
  for (const char c : std::string_view("\"(),/:;<=>?@[\\]{}")) {
    classes[static_cast<unsigned char>(c)] &= static_cast<std::uint8_t>(~kToken);
  }
  // A list, a user name or a path in Host is read differently by different servers.
  for (const char c : std::string_view("\"(),/;<>?@\\^`{|}#")) {
    classes[static_cast<unsigned char>(c)] &= static_cast<std::uint8_t>(~kHost);
  }
  classes['#'] &= static_cast<std::uint8_t>(~kTarget);
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = MakeClasses();

bool AllOf(std::string_view text, std::uint8_t wanted) {
  std::uint8_t common = wanted;
  for (const char c : text) common &= kClasses[static_cast<unsigned char>(c)];
  return common == wanted;
}

bool IsAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

HeadVerdict Refuse(int status, std::string_view reason) {
  HeadVerdict verdict;
  verdict.status = status;
  verdict.reason = reason;
  return verdict;
}

std::string_view TrimSpace(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

bool IsAbsoluteUri(std::string_view target) {
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos || colon == 0 || !IsAlpha(target.front())) return false;
  for (const char c : target.substr(0, colon)) {
    if (!IsAlpha(c) && !IsDigit(c) && c != '+' && c != '-' && c != '.') return false;
  }
  const std::string_view rest = target.substr(colon + 3);
  return !rest.empty() && rest.front() != '/' && rest.front() != '?';
}

bool ParseLength(std::string_view digits, std::uint64_t* out) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (digits.empty()) return false;
  std::uint64_t n = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (n > (kMax - digit) / 10) return false;
    n = n * 10 + digit;
  }
  *out = n;
  return true;
}

// One pass over the head, line by line.
class HeadCheck {
 public:
  HeadCheck(std::string_view head, const HeadLimits& limits) : rest_(head), limits_(limits) {}

  HeadVerdict Run() {
    if (!CheckRequestLine(NextLine())) return verdict_;
    for (std::string_view line = NextLine(); !line.empty(); line = NextLine()) {
      if (!CheckField(line)) return verdict_;
    }
    CheckWhole();
    return verdict_;
  }

 private:
  // The scanner has made sure that every line feed ends a line and follows a carriage return.
  std::string_view NextLine() {
    const std::size_t feed = rest_.find('\n');
    if (feed == std::string_view::npos || feed == 0) return {};
    const std::string_view line = rest_.substr(0, feed - 1);
    rest_.remove_prefix(feed + 1);
    return line;
  }

  bool Fail(int status, std::string_view reason) {
    verdict_ = Refuse(status, reason);
    return false;
  }

  bool CheckRequestLine(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return Fail(400, "malformed request line");
    const std::string_view method = line.substr(0, space);
    line.remove_prefix(space + 1);
    const std::size_t second = line.find(' ');
    if (second == std::string_view::npos) return Fail(400, "malformed request line");
    const std::string_view target = line.substr(0, second);
    if (!IsToken(method)) return Fail(400, "method is not a token");
    if (target.size() > limits_.max_target) return Fail(414, "request target too long");
    if (target.empty() || !AllOf(target, kTarget)) return Fail(400, "malformed request target");
    if (!CheckVersion(line.substr(second + 1))) return false;
    const bool form = method == "CONNECT"
                          ? AllOf(target, kHost)
                          : target.front() == '/' || (target == "*" && method == "OPTIONS") ||
                                IsAbsoluteUri(target);
    return form || Fail(400, "malformed request target");
  }

  bool CheckVersion(std::string_view version) {
    if (version == "HTTP/1.1") return true;
    if (version == "HTTP/1.0") {
      version_1_0_ = true;
      return true;
    }
    if (version == "HTTP/2.0") return Fail(505, "this port speaks HTTP/1.1, not HTTP/2");
    if (version.size() == 8 && version.starts_with("HTTP/") && IsDigit(version[5]) &&
        version[6] == '.' && IsDigit(version[7])) {
      return Fail(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    }
    return Fail(400, "malformed request line");
  }

  bool CheckField(std::string_view line) {
    if (++fields_ > limits_.max_headers) return Fail(431, "too many header fields");
    if (line.front() == ' ' || line.front() == '\t') return Fail(400, "folded header line");
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Fail(400, "header line without a colon");
    const std::string_view name = line.substr(0, colon);
    if (!IsToken(name)) return Fail(400, "header name is not a token");
    const std::string_view raw = line.substr(colon + 1);
    if (!AllOf(raw, kValue)) return Fail(400, "control character in a header value");
    switch (name.size()) {
      case 4:
        return !SameHeaderName(name, "host") || CheckHost(TrimSpace(raw));
      case 6:
        return !SameHeaderName(name, "expect") || CheckExpect(TrimSpace(raw));
      case 14:
        return !SameHeaderName(name, "content-length") || CheckLength(TrimSpace(raw));
      case 17:
        return !SameHeaderName(name, "transfer-encoding") || CheckCoding(TrimSpace(raw));
      default:
        return true;
    }
  }

  bool CheckHost(std::string_view value) {
    if (hosts_++ != 0) return Fail(400, "more than one Host");
    return AllOf(value, kHost) || Fail(400, "malformed Host");
  }

  bool CheckExpect(std::string_view value) {
    // RFC 9110 section 10.1.1: an HTTP/1.0 client cannot mean it.
    if (version_1_0_) return true;
    if (!SameHeaderName(value, "100-continue")) return Fail(417, "unknown expectation");
    return verdict_.expect_continue = true;
  }

  bool CheckLength(std::string_view value) {
    if (has_length_) return Fail(400, "more than one Content-Length");
    has_length_ = true;
    return ParseLength(value, &verdict_.content_length) || Fail(400, "malformed Content-Length");
  }

  bool CheckCoding(std::string_view value) {
    if (verdict_.chunked) return Fail(400, "more than one Transfer-Encoding");
    if (version_1_0_) return Fail(400, "Transfer-Encoding in HTTP/1.0");
    if (!SameHeaderName(value, "chunked")) return Fail(400, "unsupported Transfer-Encoding");
    return verdict_.chunked = true;
  }

  void CheckWhole() {
    if (verdict_.chunked && has_length_) {
      Fail(400, "both Content-Length and Transfer-Encoding");
    } else if (hosts_ == 0 && !version_1_0_) {
      Fail(400, "no Host");
    }
  }

  std::string_view rest_;
  const HeadLimits& limits_;
  HeadVerdict verdict_;
  std::size_t fields_ = 0;
  int hosts_ = 0;
  bool has_length_ = false;
  bool version_1_0_ = false;
};

}  // namespace

bool IsTokenChar(char c) {
  return (kClasses[static_cast<unsigned char>(c)] & kToken) != 0;
}

bool IsValueChar(char c) {
  return (kClasses[static_cast<unsigned char>(c)] & kValue) != 0;
}

bool IsToken(std::string_view text) {
  return !text.empty() && AllOf(text, kToken);
}

HeadScanner::Found HeadScanner::Scan(std::string_view data) {
  while (scanned_ < data.size()) {
    const void* feed = std::memchr(data.data() + scanned_, '\n', data.size() - scanned_);
    if (feed == nullptr) {
      scanned_ = data.size();
      return Found::kMore;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(feed) - data.data());
    if (at == line_ || data[at - 1] != '\r') return Found::kBareFeed;
    const bool empty = at - 1 == line_;
    scanned_ = line_ = at + 1;
    if (empty) return Found::kEnd;
  }
  return Found::kMore;
}

HeadVerdict CheckHead(std::string_view head, const HeadLimits& limits) {
  return HeadCheck(head, limits).Run();
}

}  // namespace weir::net
