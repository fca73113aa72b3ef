#pragma once

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weir/answer/headers.h"

namespace weir {

// What the tests of header lines have in common: rules by name, levels in words, lines as text.
class HeaderRig : public ::testing::Test {
 protected:
  static Duration Seconds(double seconds) {
    return std::chrono::round<Duration>(std::chrono::duration<double>(seconds));
  }

  static Quota MakeQuotaOf(Algorithm algorithm, std::uint64_t limit, std::int64_t window,
                           std::uint64_t burst = 0) {
    Quota quota;
    quota.algorithm = algorithm;
    quota.limit = limit;
    quota.window = std::chrono::seconds(window);
    quota.burst = burst == 0 ? limit : burst;
    return quota;
  }

  // A level of a rule that lives as long as the test.
  Applied Level(const std::string& name, const Quota& quota, std::uint64_t remaining) {
    Rule& rule = rules_.emplace_back();
    rule.name = name;
    rule.id = "shop/" + name;
    rule.quota = quota;
    Applied applied;
    applied.rule = &rule;
    applied.quota = &rule.quota;
    applied.remaining = remaining;
    return applied;
  }

  Applied Fixed(const std::string& name, std::uint64_t limit, std::int64_t window,
                std::uint64_t remaining, double left, bool denied = false) {
    Applied applied = Level(name, MakeQuotaOf(Algorithm::kFixedWindow, limit, window), remaining);
    applied.reset = Seconds(left);
    applied.next = Seconds(left);
    applied.denied = denied;
    if (denied) applied.retry = Seconds(left);
    return applied;
  }

  // The bucket of E5 to E9: ten a minute, five at once.
  Applied Bucket(std::uint64_t remaining, double next, double reset) {
    Applied applied = Level("g", MakeQuotaOf(Algorithm::kTokenBucket, 10, 60, 5), remaining);
    applied.next = Seconds(next);
    applied.reset = Seconds(reset);
    return applied;
  }

  static Applied Denied(Applied applied, Duration retry) {
    applied.denied = true;
    applied.retry = retry;
    return applied;
  }

  // "name: value" of every line.  The verdict follows from the levels unless given.
  std::vector<std::string> Lines(std::vector<Applied> applied) {
    facts_.applied = applied;
    for (const Applied& one : applied) {
      if (one.denied && facts_.verdict == Verdict::kAllow) facts_.verdict = Verdict::kDeny;
    }
    WriteHeaders(options_, facts_, out_);
    facts_.verdict = Verdict::kAllow;
    std::vector<std::string> lines;
    for (const HeaderLine& line : out_.lines()) {
      lines.push_back(std::string(line.name) + ": " + std::string(line.value));
    }
    return lines;
  }

  std::vector<std::string> Lines(HeaderStyle style, std::vector<Applied> applied) {
    options_.style = style;
    return Lines(std::move(applied));
  }

  HeaderOptions options_;
  AnswerFacts facts_;
  HeaderLines out_;
  std::deque<Rule> rules_;
};

using Texts = std::vector<std::string>;

}  // namespace weir
