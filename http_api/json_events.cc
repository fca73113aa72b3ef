#include "http_api/json_events.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "weir/base/utf8.h"

namespace weir::http_api {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Strings end at a quote; escapes, controls and bytes above ASCII need a second look.
constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

class Reader {
 public:
  Reader(std::string_view text, Arena& arena, JsonEvents& events)
      : begin_(text.data()),
        at_(text.data()),
        end_(text.data() + text.size()),
        arena_(arena),
        events_(events) {}

  JsonResult Run() {
    const JsonEnd end = Read();
    return {end, static_cast<std::size_t>(at_ - begin_)};
  }

 private:
  // What may come next.
  enum class Expect : std::uint8_t { kValue, kFirstElement, kFirstKey, kKey, kAfterValue };

  JsonEnd Read() {
    Expect expect = Expect::kValue;
    for (;;) {
      SkipSpace();
      if (at_ == end_) {
        return expect == Expect::kAfterValue && depth_ == 0 ? JsonEnd::kComplete
                                                            : JsonEnd::kMalformed;
      }
      ok_ = true;
      if (!Next(*at_, &expect)) return JsonEnd::kMalformed;
      if (!ok_) return JsonEnd::kStopped;
    }
  }

  // Takes what begins with `c`; false if it may not stand here.
  bool Next(char c, Expect* expect) {
    switch (*expect) {
      case Expect::kFirstElement:
        if (c == ']') return Close(expect);
        return Value(c, expect);
      case Expect::kValue:
        return Value(c, expect);
      case Expect::kFirstKey:
        if (c == '}') return Close(expect);
        return Key(c, expect);
      case Expect::kKey:
        return Key(c, expect);
      case Expect::kAfterValue:
        if (depth_ == 0) return false;
        if (c == (in_object_[depth_ - 1] ? '}' : ']')) return Close(expect);
        if (c != ',') return false;
        ++at_;
        *expect = in_object_[depth_ - 1] ? Expect::kKey : Expect::kValue;
        return true;
    }
    return false;
  }

  bool Value(char c, Expect* expect) {
    *expect = Expect::kAfterValue;
    switch (c) {
      case '{':
        return Open(true, expect);
      case '[':
        return Open(false, expect);
      case '"': {
        std::string_view text;
        if (!ReadString(&text)) return false;
        ok_ = events_.String(text);
        return true;
      }
      case 't':
        return Word("true") && (ok_ = events_.Bool(true), true);
      case 'f':
        return Word("false") && (ok_ = events_.Bool(false), true);
      case 'n':
        return Word("null") && (ok_ = events_.Null(), true);
      default:
        return ReadNumber();
    }
  }

  bool Open(bool object, Expect* expect) {
    if (depth_ == kMaxJsonDepth) return false;
    ++at_;
    in_object_[depth_++] = object;
    *expect = object ? Expect::kFirstKey : Expect::kFirstElement;
    ok_ = object ? events_.StartObject() : events_.StartArray();
    return true;
  }

  bool Close(Expect* expect) {
    ++at_;
    *expect = Expect::kAfterValue;
    ok_ = in_object_[--depth_] ? events_.EndObject() : events_.EndArray();
    return true;
  }

  bool Key(char c, Expect* expect) {
    std::string_view name;
    if (c != '"' || !ReadString(&name)) return false;
    SkipSpace();
    if (at_ == end_ || *at_ != ':') return false;
    ++at_;
    *expect = Expect::kValue;
    ok_ = events_.Key(name);
    return true;
  }

  void SkipSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  bool Word(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  bool ReadNumber() {
    const char* from = at_;
    while (at_ != end_ && (IsDigit(*at_) || *at_ == '-' || *at_ == '+' || *at_ == '.' ||
                           *at_ == 'e' || *at_ == 'E')) {
      ++at_;
    }
    const auto number = ParseJsonNumber({from, static_cast<std::size_t>(at_ - from)});
    if (!number) {
      at_ = from;
      return false;
    }
    ok_ = events_.Number(*number);
    return true;
  }

  bool ReadString(std::string_view* out) {
    const char* from = ++at_;
    bool above_ascii = false;
    bool escaped = false;
    for (;;) {
      while (at_ != end_ && kPlain[static_cast<unsigned char>(*at_)]) ++at_;
      if (at_ == end_) return false;
      const auto c = static_cast<unsigned char>(*at_);
      if (c == '"') break;
      if (c < 0x20) return false;
      above_ascii |= c >= 0x80;
      escaped |= c == '\\';
      at_ += c == '\\' && at_ + 1 != end_ ? 2 : 1;
    }
    const std::string_view raw(from, static_cast<std::size_t>(at_ - from));
    ++at_;
    if (above_ascii && !IsUtf8(raw)) return false;
    if (!escaped) {
      *out = raw;
      return true;
    }
    return Unescape(raw, out);
  }

  // Escapes never take less room than what they stand for.
  bool Unescape(std::string_view raw, std::string_view* out) {
    char* const memory = arena_.Take(raw.size());
    char* to = memory;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        *to++ = raw[i];
        continue;
      }
      static constexpr std::string_view kNames = "\"\\/bfnrt";
      static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
      const char name = raw[++i];
      if (const std::size_t n = kNames.find(name); n != std::string_view::npos) {
        *to++ = kMeant[n];
      } else if (name != 'u' || !UnescapeUnicode(raw, &i, &to)) {
        return false;
      }
    }
    *out = {memory, static_cast<std::size_t>(to - memory)};
    return true;
  }

  // `*i` is at the `u`, and is left at the last digit.
  static bool UnescapeUnicode(std::string_view raw, std::size_t* i, char** to) {
    std::uint32_t code = 0;
    if (!FourDigits(raw, *i + 1, &code)) return false;
    *i += 4;
    if (code >= 0xdc00 && code <= 0xdfff) return false;  // The second half alone.
    if (code >= 0xd800 && code <= 0xdbff) {
      std::uint32_t low = 0;
      if (raw.substr(*i + 1, 2) != "\\u" || !FourDigits(raw, *i + 3, &low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
      *i += 6;
    }
    PutUtf8(code, to);
    return true;
  }

  static bool FourDigits(std::string_view raw, std::size_t from, std::uint32_t* out) {
    if (raw.size() < from + 4) return false;
    for (std::size_t i = from; i < from + 4; ++i) {
      const int digit = HexValue(raw[i]);
      if (digit < 0) return false;
      *out = *out * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  static void PutUtf8(std::uint32_t code, char** to) {
    const auto put = [to](std::uint32_t byte) { *(*to)++ = static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
      put(0xc0U | code >> 6U);
    } else if (code < 0x10000) {
      put(0xe0U | code >> 12U);
      put(0x80U | (code >> 6U & 0x3fU));
    } else {
      put(0xf0U | code >> 18U);
      put(0x80U | (code >> 12U & 0x3fU));
      put(0x80U | (code >> 6U & 0x3fU));
    }
    put(0x80U | (code & 0x3fU));
  }

  const char* const begin_;
  const char* at_;
  const char* const end_;
  Arena& arena_;
  JsonEvents& events_;
  std::array<bool, kMaxJsonDepth> in_object_{};
  std::size_t depth_ = 0;
  bool ok_ = true;
};

JsonNumber FromDouble(std::string_view text) {
  // Only reached by spellings with a fraction or an exponent; longer ones carry no more meaning.
  constexpr double kExact = 9007199254740992.0;  // 2^53
  std::array<char, 64> copy{};
  JsonNumber number;
  if (text.size() >= copy.size()) return number;
  text.copy(copy.data(), text.size());
  const double value = std::strtod(copy.data(), nullptr);
  number.negative = value < 0;
  if (value >= 0 && value <= kExact && std::floor(value) == value) {
    number.integer = static_cast<std::uint64_t>(value);
  }
  return number;
}

}  // namespace

std::optional<JsonNumber> ParseJsonNumber(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i > from;
  };
  JsonNumber number;
  const bool minus = text.starts_with('-');
  if (minus) i = 1;
  const std::size_t whole = i;
  if (!digits() || (text[whole] == '0' && i > whole + 1)) return std::nullopt;
  if (i == text.size()) {
    std::uint64_t value = 0;
    bool fits = true;
    for (const char c : text.substr(whole)) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      fits = fits && value <= (std::numeric_limits<std::uint64_t>::max() - digit) / 10;
      value = value * 10 + digit;
    }
    number.negative = minus && (value != 0 || !fits);
    if (fits && !number.negative) number.integer = value;
    return number;
  }
  if (text[i] == '.' && (++i, !digits())) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return std::nullopt;
  }
  if (i != text.size()) return std::nullopt;
  return FromDouble(text);
}

JsonResult ReadJson(std::string_view text, Arena& arena, JsonEvents& events) {
  return Reader(text, arena, events).Run();
}

}  // namespace weir::http_api
