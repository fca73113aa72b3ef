#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace weir::observe {

// Where finished lines go.
class LineSink {
 public:
  LineSink() = default;
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;
  virtual ~LineSink() = default;

  // One or more whole lines, each with its line break.  Must not block for long: loops call it.
  virtual void Write(std::string_view lines) = 0;
};

// Lines on their way from loops to whoever writes them to a file: bounded, never blocking for
// longer than a copy.  Lines that do not fit are dropped and counted, so that a slow disk costs log
// lines and never decisions.
//
// Thread-safe.  Starts no thread: a writer comes and takes.
class LineQueue final : public LineSink {
 public:
  static constexpr std::size_t kMostBytes = 4U << 20U;

  explicit LineQueue(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // Takes all of `lines` or nothing.
  void Write(std::string_view lines) override;

  // Puts everything queued into `out`, replacing it; its old memory is used again.  Returns whether
  // there was anything.
  bool Take(std::string& out);

  std::uint64_t dropped() const;

 private:
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::string lines_;
  std::uint64_t dropped_ = 0;
};

}  // namespace weir::observe
