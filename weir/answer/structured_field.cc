#include "weir/answer/structured_field.h"

#include <algorithm>
#include <cassert>

#include "weir/answer/base64.h"

namespace weir {
namespace {

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsAlpha(char c) {
  return IsLower(c) || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::int64_t Clamp(std::int64_t value) {
  return std::clamp(value, -kLargestFieldInteger, kLargestFieldInteger);
}

std::int64_t Clamp(std::uint64_t value) {
  return static_cast<std::int64_t>(
      std::min(value, static_cast<std::uint64_t>(kLargestFieldInteger)));
}

void WriteString(TextWriter& out, std::string_view text) {
  assert(IsFieldString(text));
  out.Put('"');
  std::size_t plain = 0;  // From here on nothing needed a backslash.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"' && text[i] != '\\') continue;
    out.Put(text.substr(plain, i - plain));
    out.Put('\\');
    plain = i;
  }
  out.Put(text.substr(plain));
  out.Put('"');
}

void WriteBytes(TextWriter& out, std::string_view bytes) {
  out.Put(':');
  WriteBase64(bytes, Padding::kEqual, out);
  out.Put(':');
}

}  // namespace

bool IsFieldTokenChar(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~:/";
  return IsAlpha(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
}

bool IsFieldKeyChar(char c) {
  constexpr std::string_view kMarks = "_-.*";
  return IsLower(c) || IsDigit(c) || kMarks.find(c) != std::string_view::npos;
}

bool IsFieldString(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

bool IsFieldToken(std::string_view text) {
  return !text.empty() && (IsAlpha(text.front()) || text.front() == '*') &&
         std::all_of(text.begin(), text.end(), IsFieldTokenChar);
}

bool IsFieldKey(std::string_view text) {
  return !text.empty() && (IsLower(text.front()) || text.front() == '*') &&
         std::all_of(text.begin(), text.end(), IsFieldKeyChar);
}

void FieldListWriter::Open() {
  start_ = out_->size();
  if (members_ > 0) out_->Put(", ");
  ++members_;
}

void FieldListWriter::Key(std::string_view key) {
  assert(members_ > 0 && IsFieldKey(key));
  out_->Put(';');
  out_->Put(key);
}

bool FieldListWriter::Close() {
  if (!out_->full()) return true;
  out_->Rewind(start_);
  --members_;
  return false;
}

void FieldListWriter::String(std::string_view text) {
  Open();
  WriteString(*out_, text);
}

void FieldListWriter::Token(std::string_view text) {
  assert(IsFieldToken(text));
  Open();
  out_->Put(text);
}

void FieldListWriter::Integer(std::int64_t value) {
  Open();
  out_->PutNumber(Clamp(value));
}

void FieldListWriter::Integer(std::uint64_t value) {
  Integer(Clamp(value));
}

void FieldListWriter::Bytes(std::string_view bytes) {
  Open();
  WriteBytes(*out_, bytes);
}

void FieldListWriter::String(std::string_view key, std::string_view text) {
  Key(key);
  out_->Put('=');
  WriteString(*out_, text);
}

void FieldListWriter::Token(std::string_view key, std::string_view text) {
  assert(IsFieldToken(text));
  Key(key);
  out_->Put('=');
  out_->Put(text);
}

void FieldListWriter::Integer(std::string_view key, std::int64_t value) {
  Key(key);
  out_->Put('=');
  out_->PutNumber(Clamp(value));
}

void FieldListWriter::Integer(std::string_view key, std::uint64_t value) {
  Integer(key, Clamp(value));
}

void FieldListWriter::Bytes(std::string_view key, std::string_view bytes) {
  Key(key);
  out_->Put('=');
  WriteBytes(*out_, bytes);
}

void FieldListWriter::True(std::string_view key) {
  Key(key);
}

}  // namespace weir
