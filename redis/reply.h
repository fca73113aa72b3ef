#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace weir::redis {

// One piece of a reply (RESP2).  Arrays are followed by their elements, so a reply is a flat list
// in reading order.
struct ReplyItem {
  enum class Type : std::uint8_t { kNil, kInteger, kStatus, kString, kError, kArray };

  Type type = Type::kNil;
  std::int64_t integer = 0;   // kInteger: the number; kArray: how many elements follow.
  std::uint32_t text_at = 0;  // Where the text of kStatus, kString and kError begins.
  std::uint32_t text_size = 0;
};

// A complete reply: a view into its reader, valid until the reader is touched again.
class Reply {
 public:
  Reply(std::span<const ReplyItem> items, std::string_view texts) : items_(items), texts_(texts) {}

  using Type = ReplyItem::Type;

  // Of the item at `i`, 0 being the reply itself.  REQUIRES: i < size()
  Type type(std::size_t i = 0) const { return items_[i].type; }
  std::int64_t integer(std::size_t i = 0) const { return items_[i].integer; }
  // Empty where the item has no text.
  std::string_view text(std::size_t i = 0) const {
    return texts_.substr(items_[i].text_at, items_[i].text_size);
  }
  std::size_t size() const { return items_.size(); }

  bool is_error() const { return type() == Type::kError; }
  // Elements of the array at `i`; 0 if it is none.
  std::size_t elements(std::size_t i = 0) const {
    return type(i) == Type::kArray ? static_cast<std::size_t>(integer(i)) : 0;
  }
  // The index of the item behind the one at `i` and all that it contains: how to step through an
  // array of arrays.
  std::size_t After(std::size_t i) const;

  // Whether this is an array of exactly `n` integers: items 1 to n.
  bool IsIntegers(std::size_t n) const;

 private:
  std::span<const ReplyItem> items_;
  std::string_view texts_;
};

// Cuts a stream of bytes into replies.  Never allocates in steady state, and never holds more than
// `kMostBuffered` bytes or `kMostItems` items of a reply that is not complete: what goes beyond is
// a broken stream, as is anything that is no RESP2.  Once broken, always broken: replies can no
// longer be told apart, so the connection has to go.  Not thread-safe.
class ReplyReader {
 public:
  // The largest replies that are asked for, INFO and CLUSTER SLOTS, stay far below.
  static constexpr std::size_t kMostBuffered = std::size_t{1} << 20U;
  static constexpr std::size_t kMostItems = std::size_t{1} << 16U;

  ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;
  ~ReplyReader();

  // Takes bytes from the peer.  Copies.  Next() must be called until it says kMore before feeding
  // again.
  void Feed(std::span<const std::uint8_t> bytes);

  enum class State : std::uint8_t { kReply, kMore, kBroken };
  // Moves to the next reply.
  State Next();

  // REQUIRES: the last Next() returned kReply
  Reply reply() const { return {items_, texts_}; }

  // What was wrong; empty unless broken.
  const std::string& error() const { return error_; }

  // Forgets everything, for a new connection.
  void Reset();

 private:
  friend struct ReplyReaderCallbacks;

  State Break(std::string_view why);

  redisReader* reader_;
  std::vector<ReplyItem> items_;
  std::string texts_;
  std::string error_;
  bool complete_ = true;  // The items are of a reply already handed out.
  bool too_many_ = false;
};

}  // namespace weir::redis
