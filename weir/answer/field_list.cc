#include "weir/answer/field_list.h"

#include <algorithm>

#include "weir/answer/base64.h"
#include "weir/answer/structured_field.h"
#include "weir/base/utf8.h"

namespace weir {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// One pass over the text; every method returns whether it went well.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool List(FieldList& out) {
    SkipSpaces();
    if (rest_.empty()) return true;
    while (true) {
      if (!Member(out.emplace_back())) return false;
      SkipOptionalWhiteSpace();
      if (rest_.empty()) return true;
      if (!Take(',')) return false;
      SkipOptionalWhiteSpace();
      if (rest_.empty()) return false;  // A trailing comma.
    }
  }

 private:
  bool Member(FieldMember& out) {
    if (Peek() == '(') return InnerList(out.emplace<FieldInnerList>());
    return Item(out.emplace<FieldItem>());
  }

  bool InnerList(FieldInnerList& out) {
    Take('(');
    while (true) {
      SkipSpaces();
      if (Take(')')) return Parameters(out.parameters);
      if (!Item(out.items.emplace_back())) return false;
      if (Peek() != ' ' && Peek() != ')') return false;
    }
  }

  bool Item(FieldItem& out) { return BareItem(out.value) && Parameters(out.parameters); }

  bool Parameters(FieldParameters& out) {
    while (Take(';')) {
      SkipSpaces();
      std::string key;
      if (!Key(key)) return false;
      FieldBareItem value = true;
      if (Take('=') && !BareItem(value)) return false;
      const auto known =
          std::find_if(out.begin(), out.end(), [&](const auto& p) { return p.first == key; });
      if (known != out.end()) {
        known->second = std::move(value);
      } else {
        if (out.size() == kMostFieldParameters) return false;
        out.emplace_back(std::move(key), std::move(value));
      }
    }
    return true;
  }

  bool Key(std::string& out) {
    if (!IsFieldKey(rest_.substr(0, 1))) return false;
    std::size_t length = 1;
    while (length < rest_.size() && IsFieldKeyChar(rest_[length])) ++length;
    TakeText(length, out);
    return true;
  }

  bool BareItem(FieldBareItem& out) {
    switch (Peek()) {
      case '"':
        return String(out.emplace<std::string>());
      case ':':
        return Bytes(out.emplace<FieldBytes>().bytes);
      case '?':
        return Boolean(out.emplace<bool>());
      case '@':
        return Date(out);
      case '%':
        return DisplayString(out.emplace<FieldDisplayString>().text);
      default:
        if (Peek() == '-' || IsDigit(Peek())) return Number(out);
        return Token(out.emplace<FieldToken>().text);
    }
  }

  bool Number(FieldBareItem& out) {
    const bool negative = Take('-');
    const std::size_t whole = Digits();
    if (whole == 0 || whole > 15) return false;
    std::int64_t value = TakeDigits(whole);
    if (!Take('.')) {
      out = negative ? -value : value;
      return true;
    }
    const std::size_t fraction = Digits();
    if (whole > 12 || fraction == 0 || fraction > 3) return false;
    for (std::size_t i = 0; i < 3; ++i) value *= 10;
    std::int64_t thousandths = TakeDigits(fraction);
    for (std::size_t i = fraction; i < 3; ++i) thousandths *= 10;
    value += thousandths;
    out = FieldDecimal{negative ? -value : value};
    return true;
  }

  bool Date(FieldBareItem& out) {
    Take('@');
    FieldBareItem number;
    if ((Peek() != '-' && !IsDigit(Peek())) || !Number(number)) return false;
    const auto* const seconds = std::get_if<std::int64_t>(&number);
    if (seconds == nullptr) return false;
    out = FieldDate{*seconds};
    return true;
  }

  bool String(std::string& out) {
    Take('"');
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c < 0x20 || c > 0x7e) return false;
      if (c == '\\') {
        c = Peek();
        if (c != '"' && c != '\\') return false;
        rest_.remove_prefix(1);
      }
      out.push_back(c);
    }
    return false;
  }

  bool DisplayString(std::string& out) {
    Take('%');
    if (!Take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return IsUtf8(out);
      if (c < 0x20 || c > 0x7e) return false;
      if (c != '%') {
        out.push_back(c);
        continue;
      }
      constexpr std::string_view kHex = "0123456789abcdef";
      if (rest_.size() < 2) return false;
      const std::size_t high = kHex.find(rest_[0]);
      const std::size_t low = kHex.find(rest_[1]);
      if (high == std::string_view::npos || low == std::string_view::npos) return false;
      out.push_back(static_cast<char>(high * 16 + low));
      rest_.remove_prefix(2);
    }
    return false;
  }

  bool Token(std::string& out) {
    if (!IsFieldToken(rest_.substr(0, 1))) return false;
    std::size_t length = 1;
    while (length < rest_.size() && IsFieldTokenChar(rest_[length])) ++length;
    TakeText(length, out);
    return true;
  }

  bool Bytes(std::string& out) {
    Take(':');
    const std::size_t end = rest_.find(':');
    if (end == std::string_view::npos) return false;
    std::optional<std::string> bytes = ReadBase64(rest_.substr(0, end));
    if (!bytes) return false;
    out = *std::move(bytes);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool Boolean(bool& out) {
    Take('?');
    out = Peek() == '1';
    return Take('1') || Take('0');
  }

  char Peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void TakeText(std::size_t length, std::string& out) {
    out.assign(rest_.substr(0, length));
    rest_.remove_prefix(length);
  }
  std::size_t Digits() const {
    std::size_t n = 0;
    while (n < rest_.size() && IsDigit(rest_[n])) ++n;
    return n;
  }
  // REQUIRES: count <= 15
  std::int64_t TakeDigits(std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + (rest_[i] - '0');
    rest_.remove_prefix(count);
    return value;
  }
  void SkipSpaces() {
    while (Take(' ')) {
    }
  }
  void SkipOptionalWhiteSpace() {
    while (Take(' ') || Take('\t')) {
    }
  }

  std::string_view rest_;
};

}  // namespace

const FieldBareItem* FieldItem::Find(std::string_view key) const {
  for (const auto& [name, item] : parameters) {
    if (name == key) return &item;
  }
  return nullptr;
}

std::optional<FieldList> ParseFieldList(std::string_view text) {
  if (text.size() > kLongestField) return std::nullopt;
  FieldList list;
  if (!Parser(text).List(list)) return std::nullopt;
  return list;
}

}  // namespace weir
