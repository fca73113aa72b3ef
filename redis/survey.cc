#include "redis/survey.h"

#include <charconv>
#include <utility>

#include "redis/command.h"
#include "redis/heartbeat.h"

namespace weir::redis {
namespace {

std::uint64_t Number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string Millis(Duration d) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(d).count();
  return std::to_string(micros / 1000) + "." + std::to_string(micros % 1000 / 100) + " ms";
}

// "{<16 hexadecimal digits>}", one of b, f, s, m, and a digit; or the set of instances.
bool IsOurName(std::string_view rest) {
  if (rest == FleetKey({})) return true;
  if (rest.size() < 20 || rest[0] != '{' || rest[17] != '}') return false;
  for (const char c : rest.substr(1, 16)) {
    if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
  }
  return std::string_view("bfsm").find(rest[18]) != std::string_view::npos && rest[19] >= '0' &&
         rest[19] <= '9';
}

constexpr std::uint64_t kOldestMajor = 7;

}  // namespace

Survey ReadInfo(std::string_view info) {
  Survey survey;
  while (!info.empty()) {
    const std::size_t end = info.find("\r\n");
    const std::string_view line = info.substr(0, end);
    info = end == std::string_view::npos ? std::string_view() : info.substr(end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 1);
    if (name == "redis_version") survey.version = value;
    if (name == "role") survey.primary = value == "master";
    if (name == "cluster_enabled") survey.cluster = value == "1";
    if (name == "maxmemory_policy") survey.eviction_policy = value;
    if (name == "maxmemory") survey.max_memory = Number(value);
    if (name == "used_memory") survey.used_memory = Number(value);
    if (name == "evicted_keys") survey.evicted_keys = Number(value);
  }
  return survey;
}

void CountKey(Survey& survey, std::string_view key, std::string_view prefix) {
  ++survey.sampled;
  if (!key.starts_with(prefix)) return;
  if (IsOurName(key.substr(prefix.size()))) {
    ++survey.ours;
  } else {
    ++survey.foreign;
  }
}

std::string_view NameOf(FindingKind kind) {
  constexpr std::array<std::string_view, kFindingKinds> kNames = {
      "not_asked", "evicting",    "evicted",      "no_memory_bound", "nearly_full",
      "replica",   "old_version", "foreign_keys", "shared",          "slow"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<Finding> Judge(const Survey& now, const std::optional<Survey>& before,
                           Duration timeout) {
  std::vector<Finding> found;
  const auto say = [&](FindingKind kind, std::string sentence) {
    found.push_back({kind, std::move(sentence)});
  };
  if (!now.eviction_policy.empty() && now.eviction_policy != "noeviction") {
    say(FindingKind::kEvicting,
        "the store's maxmemory-policy is " + now.eviction_policy +
            ": when it is full it forgets counters, and callers get their limit again; set "
            "noeviction, so that a full store is an error that each rule's mode answers");
  }
  if (before && now.evicted_keys > before->evicted_keys) {
    say(FindingKind::kEvicted, "the store evicted " +
                                   std::to_string(now.evicted_keys - before->evicted_keys) +
                                   " keys since the last look: limits were too generous; give it "
                                   "more memory, or a store of "
                                   "its own");
  }
  if (now.max_memory == 0) {
    say(FindingKind::kNoMemoryBound,
        "the store has no maxmemory: it can grow until the machine kills it; set one");
  } else if (now.used_memory / 4 > now.max_memory / 5) {
    say(FindingKind::kNearlyFull,
        "the store uses more than 80 % of its maxmemory: beyond it no rule is counted any more; "
        "give it more memory, or find what fills it");
  }
  if (!now.primary) {
    say(FindingKind::kReplica,
        "the store is a replica: it can count nothing; connect to the primary, or by Sentinels");
  }
  if (!now.version.empty() && Number(now.version) < kOldestMajor) {
    say(FindingKind::kOldVersion,
        "the store is Redis " + now.version + ": Weir needs 7.0 or later, or Valkey");
  }
  if (now.foreign > 0) {
    say(FindingKind::kForeignKeys,
        "another program writes keys under our prefix: its values can be taken for ours; change "
        "one "
        "of the two prefixes");
  }
  if (now.sampled >= SurveyCall::kSamples / 2 && now.ours * 2 < now.sampled) {
    say(FindingKind::kShared,
        "most of the store's keys are not ours: what else uses it can slow it down and fill it; a "
        "store of its own is safer");
  }
  if (now.latency > timeout / 2) {
    say(FindingKind::kSlow,
        "one exchange with the store took " + Millis(now.latency) +
            ", more than half of the timeout (" + Millis(timeout) +
            "): checks will be late for no fault of the store; raise the timeout, "
            "or bring the store nearer");
  }
  return found;
}

bool SurveyCall::Start(Connection& connection) {
  if (busy_) return false;
  survey_ = {};
  why_.clear();
  taken_ = 0;
  const Cause refused = connection.Send(
      *this,
      [](std::string& out) {
        AppendCommand(out, {"PING"});
        AppendCommand(out, {"INFO"});
        for (std::uint32_t i = 0; i < kSamples; ++i) AppendCommand(out, {"RANDOMKEY"});
      },
      2 + kSamples);
  busy_ = refused == Cause::kNone;
  return busy_;
}

void SurveyCall::OnReply(const Reply& reply, const Now& now) {
  const std::uint32_t place = taken_++;
  if (place == 0) {
    survey_.latency = now.steady - sent();
  } else if (place == 1) {
    if (reply.is_error()) {
      why_ = reply.text();
    } else {
      const Duration latency = survey_.latency;
      survey_ = ReadInfo(reply.text());
      survey_.latency = latency;
    }
  } else if (reply.type() == Reply::Type::kString) {
    CountKey(survey_, reply.text(), prefix_);
  }
  if (taken_ < 2 + kSamples) return;
  busy_ = false;
  if (why_.empty()) {
    done_(survey_, {});
  } else {
    done_({}, why_);
  }
}

void SurveyCall::OnLost(Cause cause, bool) {
  busy_ = false;
  done_({}, NameOf(cause));
}

}  // namespace weir::redis
