// Feeds arbitrary bytes to an HTTP/1.1 session and holds it to its promise that neither the way the
// bytes are cut nor the moment of the answers changes what is said.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "net/http1_rig.h"

namespace {

using weir::net::Http1Options;
using weir::net::Http1Rig;
using weir::net::RecordingHandler;

Http1Options SmallBounds() {
  Http1Options options;
  options.max_head = 512;
  options.max_headers = 8;
  options.max_target = 64;
  options.max_body = 128;
  options.max_in_hand = 3;
  return options;
}

void Require(bool condition) {
  if (!condition) std::abort();
}

// The interim answer depends on whether the body came along, so it is no part of the comparison.
std::string WithoutContinue(std::string text) {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (std::size_t at = text.find(kContinue); at != std::string::npos; at = text.find(kContinue)) {
    text.erase(at, kContinue.size());
  }
  return text;
}

std::string Run(std::string_view input, std::size_t piece, RecordingHandler::When when,
                std::size_t* requests) {
  Http1Rig rig(SmallBounds());
  rig.handler.when = when;
  std::string out;
  const auto answer = [&] {
    while (when == RecordingHandler::When::kLater && !rig.handler.waiting.empty()) {
      rig.handler.AnswerNth(rig.handler.waiting.size() / 2);
      rig.session.OnTime();
      out += rig.Output();
    }
  };
  while (!input.empty() && !rig.session.finished()) {
    const std::string_view now = input.substr(0, piece);
    input.remove_prefix(now.size());
    out += rig.Send(now);
    answer();
    Require(!rig.session.paused());
  }
  rig.session.OnPeerClosed();
  answer();
  out += rig.Output();
  Require(rig.session.finished());
  *requests = rig.handler.seen.size();
  return WithoutContinue(out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 4096) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::size_t whole = 0;
  std::size_t cut = 0;
  std::size_t late = 0;
  const std::string expected = Run(input, input.size(), RecordingHandler::When::kInline, &whole);
  Require(Run(input, piece, RecordingHandler::When::kAtBatchEnd, &cut) == expected);
  Require(Run(input, piece, RecordingHandler::When::kLater, &late) == expected);
  Require(whole == cut && whole == late);
  return 0;
}
