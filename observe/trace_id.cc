#include "observe/trace_id.h"

#include <algorithm>

namespace weir::observe {
namespace {

bool AreHex(std::string_view digits) {
  return std::all_of(digits.begin(), digits.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string_view TraceIdOf(std::string_view traceparent) {
  // 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01; later versions may go on behind a
  // dash.
  constexpr std::size_t kTrace = 3;
  constexpr std::size_t kTraceDigits = 32;
  constexpr std::size_t kParent = kTrace + kTraceDigits + 1;
  constexpr std::size_t kParentDigits = 16;
  constexpr std::size_t kFlags = kParent + kParentDigits + 1;
  constexpr std::size_t kSize = kFlags + 2;
  if (traceparent.size() < kSize) return {};
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace = traceparent.substr(kTrace, kTraceDigits);
  const bool ends = traceparent.size() == kSize || (version != "00" && traceparent[kSize] == '-');
  const bool dashes = traceparent[kTrace - 1] == '-' && traceparent[kParent - 1] == '-' &&
                      traceparent[kFlags - 1] == '-';
  if (!ends || !dashes || version == "ff" || !AreHex(version) || !AreHex(trace) ||
      !AreHex(traceparent.substr(kParent, kParentDigits)) ||
      !AreHex(traceparent.substr(kFlags, 2))) {
    return {};
  }
  return trace.find_first_not_of('0') == std::string_view::npos ? std::string_view() : trace;
}

}  // namespace weir::observe
