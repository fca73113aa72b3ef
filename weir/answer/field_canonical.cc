#include <span>
#include <string>

#include "weir/answer/base64.h"
#include "weir/answer/field_list.h"
#include "weir/answer/structured_field.h"
#include "weir/answer/text_writer.h"

namespace weir {
namespace {

// Writes each type of bare item the way RFC 9651 section 4.1 says.
struct BareItemText {
  std::string& out;

  void operator()(std::int64_t value) const { out += std::to_string(value); }
  void operator()(const FieldDecimal& decimal) const {
    const std::int64_t size = decimal.thousandths < 0 ? -decimal.thousandths : decimal.thousandths;
    if (decimal.thousandths < 0) out += '-';
    out += std::to_string(size / 1000) + '.';
    std::string fraction = std::to_string(1000 + size % 1000).substr(1);
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  void operator()(const std::string& text) const {
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  void operator()(const FieldToken& token) const { out += token.text; }
  void operator()(const FieldBytes& bytes) const {
    std::string text(Base64Size(bytes.bytes.size()), '\0');
    TextWriter writer{std::span<char>(text)};
    WriteBase64(bytes.bytes, Padding::kEqual, writer);
    out += ':' + text + ':';
  }
  void operator()(bool value) const { out += value ? "?1" : "?0"; }
  void operator()(const FieldDate& date) const { out += '@' + std::to_string(date.seconds); }
  void operator()(const FieldDisplayString& display) const {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += "%\"";
    for (const char c : display.text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '%' || c == '"' || byte < 0x20 || byte > 0x7e) {
        out += '%';
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
      } else {
        out += c;
      }
    }
    out += '"';
  }
};

void Append(std::string& out, const FieldParameters& parameters) {
  for (const auto& [key, value] : parameters) {
    out += ';' + key;
    const bool* const flag = std::get_if<bool>(&value);
    if (flag != nullptr && *flag) continue;
    out += '=';
    std::visit(BareItemText{out}, value);
  }
}

void Append(std::string& out, const FieldItem& item) {
  std::visit(BareItemText{out}, item.value);
  Append(out, item.parameters);
}

void Append(std::string& out, const FieldInnerList& list) {
  out += '(';
  for (const FieldItem& item : list.items) {
    if (&item != &list.items.front()) out += ' ';
    Append(out, item);
  }
  out += ')';
  Append(out, list.parameters);
}

}  // namespace

std::string CanonicalField(const FieldList& list) {
  std::string out;
  for (const FieldMember& member : list) {
    if (!out.empty()) out += ", ";
    std::visit([&](const auto& shape) { Append(out, shape); }, member);
  }
  return out;
}

}  // namespace weir
