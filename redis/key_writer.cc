#include "redis/key_writer.h"

#include <array>
#include <charconv>

#include "weir/base/hash.h"

namespace weir::redis {
namespace {

constexpr std::uint16_t kSlots = 16384;

constexpr std::array<std::uint16_t, 256> CrcTable() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    }
    table.at(i) = static_cast<std::uint16_t>(crc);
  }
  return table;
}

std::uint16_t Crc16(std::string_view bytes) {
  static constexpr std::array<std::uint16_t, 256> kTable = CrcTable();
  std::uint32_t crc = 0;
  for (const char c : bytes) {
    crc = ((crc << 8U) ^ kTable[((crc >> 8U) ^ static_cast<unsigned char>(c)) & 0xffU]) & 0xffffU;
  }
  return static_cast<std::uint16_t>(crc);
}

void AppendHex(std::string& out, std::uint64_t value) {
  char text[16];
  for (int i = 15; i >= 0; --i) {
    text[i] = "0123456789abcdef"[value & 15U];
    value >>= 4U;
  }
  out.append(text, sizeof text);
}

void AppendNumber(std::string& out, std::uint64_t value) {
  char text[20];
  const char* const end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, static_cast<std::size_t>(end - text));
}

// The first value of "rule|4:acme|...", wherever the rule's id may end; the whole text if nothing
// in it is framed so.
std::string_view FirstValue(std::string_view key) {
  for (std::size_t bar = key.find('|'); bar != std::string_view::npos;
       bar = key.find('|', bar + 1)) {
    std::size_t size = 0;
    const char* const last = key.data() + key.size();
    const auto [end, error] = std::from_chars(key.data() + bar + 1, last, size);
    if (error != std::errc() || end == last || *end != ':') continue;
    const std::string_view rest = key.substr(static_cast<std::size_t>(end - key.data()) + 1);
    if (size <= rest.size()) return rest.substr(0, size);
  }
  return key;
}

void AppendTag(std::string& out, const Hit& hit) {
  out += '{';
  AppendHex(out, Hash64(FirstValue(hit.key), 0));
  out += '}';
}

void AppendQuota(std::string& out, const Quota& quota) {
  constexpr std::array<char, 3> kLetters = {'b', 'f', 's'};
  out += quota.calendar ? 'm' : kLetters.at(static_cast<std::size_t>(quota.algorithm));
  AppendNumber(out, quota.limit);
  out += '/';
  AppendNumber(out, static_cast<std::uint64_t>(quota.window.count() / 1000));
  if (quota.algorithm == Algorithm::kTokenBucket) {
    out += '/';
    AppendNumber(out, quota.burst);
  }
  out += ':';
}

}  // namespace

std::uint16_t SlotOf(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return Crc16(key) % kSlots;
}

void KeyWriter::Write(const Hit& hit, const Quota& quota, std::string& out) const {
  out.assign(prefix_);
  AppendTag(out, hit);
  AppendQuota(out, quota);
  if (hit.key.size() <= kLongestText) {
    out += hit.key;
    return;
  }
  out += '#';
  AppendHex(out, Hash64(hit.key, 0));
  AppendHex(out, Hash64(hit.key, 1));
}

std::uint16_t KeyWriter::SlotOf(const Hit& hit) {
  std::string tag;  // 18 bytes: one small allocation, and only where there is a cluster.
  AppendTag(tag, hit);
  return redis::SlotOf(tag);
}

}  // namespace weir::redis
