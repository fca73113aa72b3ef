#include "cli/scenario_file.h"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "weir/config/failure_setting.h"
#include "weir/config/quantity.h"
#include "weir/config/section_reader.h"

namespace weir::cli {
namespace {

constexpr Duration kLongestRun = std::chrono::hours(24 * 366);

// A rate as a number: "120", "0.5".
bool ReadRate(SectionReader& section, std::string_view key, const YamlNode& node, double& out) {
  char* end = nullptr;
  const double value = std::strtod(node.text.c_str(), &end);
  const bool whole = node.is_scalar() && !node.text.empty() && *end == '\0';
  if (!whole || !(value > 0) || value > 1e7) {
    section.Wrong("WEIR-S012", node, key, "is requests a second, above 0 and at most 10 million");
    return false;
  }
  out = value;
  return true;
}

void ReadTenant(SectionReader& tenants, const YamlNode::Pair& pair, sim::Scenario& out) {
  sim::Tenant tenant{.name = pair.key->text};
  if (pair.value->is_scalar()) {
    ReadRate(tenants, tenant.name, *pair.value, tenant.per_second);
  } else {
    SectionReader section(pair.value, "tenants." + tenant.name, tenants.findings());
    if (const YamlNode* rate = section.Find("rate")) {
      ReadRate(section, "rate", *rate, tenant.per_second);
    }
    section.ReadCount("cost", tenant.cost, 0, kLargestLimit);
    std::uint64_t pin = 0;
    if (section.ReadCount("pin", pin, 0, sim::Scenario::kMostInstances - 1)) tenant.pinned = pin;
    if (const YamlNode* weights = section.Find("weights"); weights && weights->is_sequence()) {
      for (const YamlNode* item : weights->items) {
        double weight = 0;
        if (ReadRate(section, "weights", *item, weight)) tenant.weights.push_back(weight);
      }
    }
    section.Done();
  }
  out.tenants.push_back(std::move(tenant));
}

void ReadTenants(SectionReader& root, sim::Scenario& out) {
  const YamlNode* const node = root.Find("tenants");
  if (node == nullptr) return;
  if (!node->is_mapping()) {
    root.Wrong("WEIR-S011", *node, "tenants", "is a mapping of names to requests a second");
    return;
  }
  out.tenants.clear();
  for (const YamlNode::Pair& pair : EffectivePairs(*node)) ReadTenant(root, pair, out);
}

void ReadFault(SectionReader section, sim::Scenario& out) {
  sim::Fault fault;
  static const std::vector<std::string_view> kKinds = [] {
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < sim::kFaultKinds; ++k) {
      names.push_back(sim::NameOf(static_cast<sim::FaultKind>(k)));
    }
    return names;
  }();
  std::size_t kind = static_cast<std::size_t>(fault.kind);
  section.ReadChoice("kind", kKinds, kind);
  fault.kind = static_cast<sim::FaultKind>(kind);
  section.ReadDuration("from", fault.from, Duration{}, kLongestRun);
  section.ReadDuration("to", fault.to, Duration{}, kLongestRun);
  section.ReadDuration("amount", fault.amount, Duration{}, kLongestRun);
  std::uint64_t one_in = fault.one_in;
  if (section.ReadCount("one_in", one_in, 1, 1'000'000'000)) {
    fault.one_in = static_cast<std::uint32_t>(one_in);
  }
  if (const YamlNode* some = section.Find("instances"); some != nullptr && some->is_sequence()) {
    fault.instances = 0;
    for (const YamlNode* item : some->items) {
      const auto number = ParseCount(item->text);
      if (!number || *number >= sim::Scenario::kMostInstances) {
        section.Wrong("WEIR-S013", *item, "instances", "names instances by numbers from 0 to 63");
        continue;
      }
      fault.instances |= std::uint64_t{1} << *number;
    }
  }
  if (fault.to <= fault.from) {
    if (const YamlNode* to = section.Find("to")) {
      section.Wrong("WEIR-S016", *to, "to", "is later than `from`");
    }
  }
  section.Done();
  out.faults.push_back(fault);
}

void ReadFaults(SectionReader& root, sim::Scenario& out) {
  const YamlNode* const node = root.Find("faults");
  if (node == nullptr) return;
  if (!node->is_sequence()) {
    root.Wrong("WEIR-S011", *node, "faults", "is a list of {kind, from, to}");
    return;
  }
  out.faults.clear();
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    ReadFault(SectionReader(node->items[i], "faults[" + std::to_string(i) + "]", root.findings()),
              out);
  }
}

void ReadLimit(SectionReader& root, sim::Scenario& out) {
  static constexpr auto kAlgorithms =
      std::to_array<std::string_view>({"token_bucket", "fixed_window", "sliding_window"});
  std::size_t algorithm = static_cast<std::size_t>(out.quota.algorithm);
  if (root.ReadChoice("algorithm", kAlgorithms, algorithm)) {
    out.quota.algorithm = static_cast<Algorithm>(algorithm);
    if (out.quota.algorithm != Algorithm::kTokenBucket) out.quota.burst = 0;
  }
  std::string limit;
  if (root.ReadText("limit", limit)) {
    const auto rate = ParseRate(limit);
    if (!rate) {
      root.Wrong("WEIR-S012", *root.Find("limit"), "limit", "is like 50/s, 1000/day or 20/10s");
    } else {
      out.quota.limit = rate->count;
      out.quota.window = rate->per;
      out.quota.unit = Unit::kUnknown;
      out.quota.burst = 0;
    }
  }
  root.ReadCount("burst", out.quota.burst, 1, kLargestLimit);
}

}  // namespace

LoadedScenario LoadScenario(const SourceFile& file, sim::Scenario base) {
  LoadedScenario out{.scenario = std::move(base), .diagnostics = {}};
  sim::Scenario& s = out.scenario;
  YamlParse parse = ParseYaml(file);
  Findings findings(file.name, false);
  findings.diagnostics() = std::move(parse.diagnostics);
  SectionReader root(parse.document.root(), "", findings);
  root.ReadText("name", s.name);
  std::uint64_t number = s.instances;
  if (root.ReadCount("instances", number, 1, sim::Scenario::kMostInstances)) s.instances = number;
  number = 0;
  if (root.ReadCount("believed_instances", number, 1, 1'000'000)) {
    s.believed_instances = static_cast<std::uint32_t>(number);
  }
  ReadLimit(root, s);
  ReadTenants(root, s);
  ReadFaults(root, s);
  root.ReadDuration("length", s.length, std::chrono::milliseconds(1), kLongestRun);
  root.ReadDuration("timeout", s.timeout, std::chrono::milliseconds(1), std::chrono::seconds(10));
  root.ReadDuration("latency", s.latency, Duration{}, std::chrono::seconds(10));
  root.ReadDuration("jitter", s.jitter, Duration{}, std::chrono::seconds(10));
  root.ReadBoolean("hand_back", s.hand_back);
  root.ReadCount("seed", s.seed);
  if (const YamlNode* mode = root.Find("on_store_failure")) {
    LoadOptions options;
    options.shared_store = true;
    if (const auto policy = ReadFailurePolicy(*mode, options, findings)) s.policy = *policy;
  }
  root.Done();
  findings.Finish();
  out.diagnostics = std::move(findings.diagnostics());
  return out;
}

}  // namespace weir::cli
