#include "redis/scripts.h"

#include <array>
#include <string>

#include <openssl/sha.h>

#include "redis/script_texts.h"

namespace weir::redis {
namespace {

std::string HexDigest(std::string_view text) {
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4U];
    hex += "0123456789abcdef"[byte & 15U];
  }
  return hex;
}

}  // namespace

std::string_view NameOf(Script script) {
  switch (script) {
    case Script::kTokenBucket:
      return "token_bucket";
    case Script::kFixedWindow:
      return "fixed_window";
    case Script::kSlidingWindow:
      return "sliding_window";
    case Script::kGeneral:
      return "general";
    case Script::kPlain:
      return "plain";
    case Script::kProbe:
      return "probe";
    case Script::kHeartbeat:
      return "heartbeat";
  }
  return "unknown";
}

std::string_view TextOf(Script script) {
  switch (script) {
    case Script::kTokenBucket:
      return kTokenBucketText;
    case Script::kFixedWindow:
      return kFixedWindowText;
    case Script::kSlidingWindow:
      return kSlidingWindowText;
    case Script::kGeneral:
      return kGeneralText;
    case Script::kPlain:
      return kPlainText;
    case Script::kProbe:
      return kProbeText;
    case Script::kHeartbeat:
      return kHeartbeatText;
  }
  return {};
}

std::string_view DigestOf(Script script) {
  static const std::array<std::string, kScripts> digests = [] {
    std::array<std::string, kScripts> all;
    for (std::size_t i = 0; i < kScripts; ++i) {
      all.at(i) = HexDigest(TextOf(static_cast<Script>(i)));
    }
    return all;
  }();
  return digests.at(static_cast<std::size_t>(script));
}

}  // namespace weir::redis
