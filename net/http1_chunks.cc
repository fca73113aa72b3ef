#include "net/http1_chunks.h"

#include <algorithm>

#include "net/http1_head.h"

namespace weir::net {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void ChunkDecoder::Reset(std::uint64_t max_body) {
  at_ = At::kSizeFirst;
  size_ = 0;
  room_ = max_body;
  line_ = 0;
}

ChunkDecoder::Step ChunkDecoder::Put(std::string_view bytes, std::string* body) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    if (at_ == At::kData) {
      const std::size_t take =
          static_cast<std::size_t>(std::min<std::uint64_t>(size_, bytes.size() - used));
      body->append(bytes.substr(used, take));
      used += take;
      size_ -= take;
      if (size_ == 0) at_ = At::kDataReturn;
      continue;
    }
    const Status status = TakeByte(bytes[used++]);
    if (status != Status::kMore) return {status, used};
  }
  return {Status::kMore, used};
}

bool ChunkDecoder::EndOfLine(char c, At next) {
  if (c != '\r') return false;
  at_ = next;
  return true;
}

ChunkDecoder::Status ChunkDecoder::TakeDigit(char c) {
  const int digit = HexValue(c);
  if (digit < 0) return Status::kBad;
  if (size_ > room_ / 16) {
    // One more digit makes it larger than the room whatever the digit is, unless all are zero.
    return Status::kTooLarge;
  }
  size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
  at_ = At::kSize;
  return size_ > room_ ? Status::kTooLarge : Status::kMore;
}

ChunkDecoder::Status ChunkDecoder::TakeByte(char c) {
  if (++line_ > kMaxLine) return Status::kBad;
  bool good = true;
  switch (at_) {
    case At::kSizeFirst:
      return TakeDigit(c);
    case At::kSize:
      if (EndOfLine(c, At::kSizeFeed)) break;
      if (c != ';' && c != ' ' && c != '\t') return TakeDigit(c);
      at_ = c == ';' ? At::kExtension : At::kSpace;
      break;
    case At::kSpace:
      good = c == ';' || c == ' ' || c == '\t';
      if (c == ';') at_ = At::kExtension;
      break;
    case At::kExtension:
      good = EndOfLine(c, At::kSizeFeed) || IsValueChar(c);
      break;
    case At::kSizeFeed:
      good = c == '\n';
      at_ = size_ == 0 ? At::kTrailer : At::kData;
      room_ -= size_;
      line_ = 0;
      break;
    case At::kDataReturn:
      good = EndOfLine(c, At::kDataFeed);
      break;
    case At::kDataFeed:
      good = c == '\n';
      at_ = At::kSizeFirst;
      line_ = 0;
      break;
    case At::kTrailer:
      if (EndOfLine(c, At::kLastFeed)) break;
      good = IsTokenChar(c);
      at_ = At::kTrailerName;
      break;
    case At::kTrailerName:
      good = c == ':' || IsTokenChar(c);
      if (c == ':') at_ = At::kTrailerText;
      break;
    case At::kTrailerText:
      good = EndOfLine(c, At::kTrailerFeed) || IsValueChar(c);
      break;
    case At::kTrailerFeed:
      good = c == '\n';
      at_ = At::kTrailer;
      break;
    case At::kLastFeed:
      return c == '\n' ? Status::kDone : Status::kBad;
    case At::kData:
      break;
  }
  return good ? Status::kMore : Status::kBad;
}

}  // namespace weir::net
