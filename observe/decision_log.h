#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "observe/decision_line.h"
#include "observe/first_denials.h"
#include "observe/line_queue.h"
#include "observe/service_counts.h"
#include "weir/base/counter.h"
#include "weir/core/check.h"
#include "weir/core/decision.h"
#include "weir/core/descriptor.h"

namespace weir::observe {

struct DecisionLogOptions {
  // Parts of the decisions that are logged, from 0 (none) to 1 (all).  Always logged are what a
  // rule that is not enforced would have denied and, unless `deny` is 0, the first denial of a
  // counter in each minute.
  double allow = 0.001;
  double deny = 0.1;
  // No log writes more than this in one second of steady time; first denials take at most half of
  // it, and those beyond are sampled like others.
  std::uint64_t lines_per_second = 1000;
  KeyPrivacy privacy;
  // Of the choice which decisions to log: the same seed and the same decisions give the same lines.
  std::uint64_t seed = 0;
};

// Writes decisions as lines of JSON, a sample of the ordinary ones; the fields are described in
// docs/decision-log.md.
//
// One for each loop.  For a decision that is not logged Note() costs a hash of a number, or of its
// trace's id if it has one, and for a denied one a look into FirstDenials.  It allocates nothing;
// logged ones reuse one buffer.  Not thread-safe, but for counts().
class DecisionLog {
 public:
  // Beyond this much the buffer is handed over without waiting for Flush().
  static constexpr std::size_t kMostBuffered = 64U * 1024;

  // `sink` must outlive the log.
  DecisionLog(const DecisionLogOptions& options, LineSink& sink);

  // Once for each decision, after Settle().  `request` may have no descriptors if its texts are
  // gone by now: the line then has none.
  void Note(const Request& request, const Check& check, const Decision& decision, const Now& now);

  // Hands finished lines to the sink.  Call it at the end of a turn.
  void Flush();

  // `dropped` are those beyond lines_per_second.  Callable by any thread.
  DecisionLogCounts counts() const {
    return {.written = written_.Read(), .dropped = dropped_.Read()};
  }

 private:
  // A part of a stream of decisions: chosen by a hash of the trace they belong to, so that all
  // instances log the same traces, else by a seeded hash of their number.
  struct Sample {
    double rate = 0;
    std::uint64_t threshold = 0;
    bool all = false;
    std::uint64_t seed = 0;
    std::uint64_t seen = 0;

    Sample(double part, std::uint64_t stream_seed);
    bool Choose(std::string_view trace_id);
  };

  void StartSecond(const Now& now);
  bool IsFirstDenial(const Decision& decision, const Hit* hit, const Now& now);
  void NoteWouldBeDenials(const Request& request, const Check& check, const Decision& decision,
                          const Now& now);
  void Write(const LoggedDecision& logged, const Now& now);

  const DecisionLogOptions options_;
  LineSink& sink_;
  Sample allow_;
  Sample deny_;
  FirstDenials firsts_;
  std::string buffer_;
  Instant second_{};
  std::uint64_t in_second_ = 0;
  std::uint64_t firsts_in_second_ = 0;
  bool started_ = false;
  CounterCell written_;
  CounterCell dropped_;
};

}  // namespace weir::observe
