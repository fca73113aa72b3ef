#pragma once

#include <cstdint>
#include <string_view>

#include "weir/answer/text_writer.h"

namespace weir {

// The serializer of structured field values (RFC 9651 section 4.1), as far as Weir sends them: no
// Date and no Display String, on which older parsers drop the whole field.

// The range of an Integer.
inline constexpr std::int64_t kLargestFieldInteger = 999'999'999'999'999;

// What may stand in each type's text.
bool IsFieldString(std::string_view text);  // 0x20 to 0x7E only; may be empty.
bool IsFieldToken(std::string_view text);
bool IsFieldKey(std::string_view text);
bool IsFieldTokenChar(char c);  // After the first.
bool IsFieldKeyChar(char c);    // After the first.

// Writes a List, front to back:
//   list.String("burst"); list.Integer("q", 100);        "burst";q=100
//   list.Token("daily");                                 , daily
// Each bare item opens a new member; what has a key is a parameter of the last one.
class FieldListWriter {
 public:
  // `out` must outlive this.
  explicit FieldListWriter(TextWriter& out) : out_(&out) {}

  // REQUIRES: IsFieldString(text)
  void String(std::string_view text);
  // REQUIRES: IsFieldToken(text)
  void Token(std::string_view text);
  // Values out of range become the nearest end of it.
  void Integer(std::int64_t value);
  void Integer(std::uint64_t value);
  void Bytes(std::string_view bytes);

  // REQUIRES, of the following: IsFieldKey(key), and a member
  void String(std::string_view key, std::string_view text);
  void Token(std::string_view key, std::string_view text);
  void Integer(std::string_view key, std::int64_t value);
  void Integer(std::string_view key, std::uint64_t value);
  void Bytes(std::string_view key, std::string_view bytes);
  void True(std::string_view key);

  // Takes back the last member with its parameters if any of it did not fit.  Returns whether it
  // stays.  Call it after the last parameter of each member.
  bool Close();

  // Members so far.  An empty List must not be sent at all (section 3.1).
  std::size_t members() const { return members_; }

 private:
  void Open();
  void Key(std::string_view key);

  TextWriter* out_;
  std::size_t members_ = 0;
  std::size_t start_ = 0;  // Where the last member began, separator included.
};

}  // namespace weir
