#include <cstdint>
#include <cstdlib>
#include <span>

#include "redis/error_reply.h"
#include "redis/reply.h"

// Any bytes, in pieces whose size the first byte chooses: the reader ends up broken or asks for
// more, every reply can be walked, and every error is understood as something.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  const std::span bytes(data + 1, size - 1);
  weir::redis::ReplyReader reader;
  using State = weir::redis::ReplyReader::State;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.Feed(bytes.subspan(at, std::min(step, bytes.size() - at)));
    State state = reader.Next();
    for (; state == State::kReply; state = reader.Next()) {
      const weir::redis::Reply reply = reader.reply();
      if (reply.After(0) != reply.size()) std::abort();
      for (std::size_t i = 0; i < reply.size(); ++i) (void)reply.text(i);
      if (reply.is_error()) (void)weir::redis::Understand(reply.text());
    }
    if (state == State::kBroken && reader.error().empty()) std::abort();
  }
  return 0;
}
