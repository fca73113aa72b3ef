#include "redis/reply.h"

#include <cstdio>
#include <cstdlib>

#include <hiredis/read.h>

namespace weir::redis {

// hiredis calls these for each item it has read.  What they return stands for the item and must
// not be null; nobody follows it.
struct ReplyReaderCallbacks {
  static void* Add(const redisReadTask* task, ReplyItem item, const char* text, std::size_t size) {
    auto& reader = *static_cast<ReplyReader*>(task->privdata);
    if (reader.complete_) {
      reader.complete_ = false;
      reader.items_.clear();
      reader.texts_.clear();
    }
    if (reader.items_.size() == ReplyReader::kMostItems ||
        reader.texts_.size() + size > ReplyReader::kMostBuffered) {
      reader.too_many_ = true;
      return nullptr;
    }
    if (text != nullptr) {
      // hiredis moves its buffer when it likes, also within a reply.
      item.text_at = static_cast<std::uint32_t>(reader.texts_.size());
      item.text_size = static_cast<std::uint32_t>(size);
      reader.texts_.append(text, size);
    }
    reader.items_.push_back(item);
    return &reader;
  }

  static void* String(const redisReadTask* task, char* text, std::size_t size) {
    const auto type = task->type == REDIS_REPLY_ERROR    ? ReplyItem::Type::kError
                      : task->type == REDIS_REPLY_STATUS ? ReplyItem::Type::kStatus
                                                         : ReplyItem::Type::kString;
    return Add(task, {.type = type}, text, size);
  }
  static void* Array(const redisReadTask* task, int elements) {
    return Add(task, {.type = ReplyItem::Type::kArray, .integer = elements}, nullptr, 0);
  }
  static void* Integer(const redisReadTask* task, long long value) {
    return Add(task, {.type = ReplyItem::Type::kInteger, .integer = value}, nullptr, 0);
  }
  static void* Nil(const redisReadTask* task) { return Add(task, {}, nullptr, 0); }
  static void Free(void*) {}
};

namespace {

redisReplyObjectFunctions functions = {&ReplyReaderCallbacks::String, &ReplyReaderCallbacks::Array,
                                       &ReplyReaderCallbacks::Integer, &ReplyReaderCallbacks::Nil,
                                       &ReplyReaderCallbacks::Free};

redisReader* NewReader(ReplyReader* owner) {
  redisReader* const reader = redisReaderCreateWithFunctions(&functions);
  if (reader == nullptr) {
    std::fputs("weir: out of memory\n", stderr);
    std::abort();
  }
  reader->privdata = owner;
  // 0: an empty buffer is kept for the next reply instead of being given back.
  reader->maxbuf = 0;
  return reader;
}

}  // namespace

std::size_t Reply::After(std::size_t i) const {
  std::size_t left = 1;
  while (left > 0 && i < items_.size()) {
    left += elements(i);
    --left;
    ++i;
  }
  return i;
}

bool Reply::IsIntegers(std::size_t n) const {
  if (elements() != n || size() != n + 1) return false;
  for (std::size_t i = 1; i <= n; ++i) {
    if (type(i) != Type::kInteger) return false;
  }
  return true;
}

ReplyReader::ReplyReader() : reader_(NewReader(this)) {}

ReplyReader::~ReplyReader() {
  redisReaderFree(reader_);
}

void ReplyReader::Reset() {
  redisReaderFree(reader_);
  reader_ = NewReader(this);
  error_.clear();
  complete_ = true;
  too_many_ = false;
}

void ReplyReader::Feed(std::span<const std::uint8_t> bytes) {
  if (!error_.empty() || bytes.empty()) return;
  if (reader_->len - reader_->pos + bytes.size() > kMostBuffered) {
    Break("a reply larger than 1 MiB");
    return;
  }
  redisReaderFeed(reader_, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

ReplyReader::State ReplyReader::Next() {
  if (!error_.empty()) return State::kBroken;
  void* reply = nullptr;
  const int result = redisReaderGetReply(reader_, &reply);
  if (too_many_) return Break("a reply with too many items");
  if (result != REDIS_OK) return Break(reader_->errstr);
  if (reply == nullptr) return State::kMore;
  complete_ = true;
  return State::kReply;
}

ReplyReader::State ReplyReader::Break(std::string_view why) {
  error_ = why.empty() ? "no reply of this protocol" : why;
  return State::kBroken;
}

}  // namespace weir::redis
