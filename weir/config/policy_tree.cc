#include "weir/config/policy_tree.h"

#include <algorithm>
#include <set>
#include <utility>

#include "weir/config/failure_setting.h"
#include "weir/config/limit_check.h"
#include "weir/config/metadata_value.h"
#include "weir/config/policy_lint.h"

namespace weir {
namespace {

constexpr std::size_t kExamplesOfMissingModes = 4;

std::string NameOfDescriptor(const DescriptorSource& d) {
  return d.value.value.empty() ? d.key.value : d.key.value + "=" + d.value.value;
}

SourcePosition PositionOf(const YamlNode* node, const Findings& findings) {
  if (node == nullptr) return {findings.file(), 0, 0};
  return {findings.file(), node->span.begin.line, node->span.begin.column};
}

std::string QuotaText(const DescriptorSource& d) {
  if (!d.rate_limit.value) return "";
  const LimitSource& limit = *d.rate_limit.value;
  if (limit.unlimited.value) return ", unlimited";
  return ", " + std::to_string(limit.requests_per_unit.value) + " per " + limit.unit.value;
}

// Answers carry metadata as protobuf, whose texts are UTF-8.
void CheckMetadata(const DescriptorSource& d, Findings& findings) {
  if (d.metadata.node == nullptr) return;
  const YamlNode* const text = FirstNotUtf8(*d.metadata.node);
  if (text == nullptr) return;
  Diagnostic& found = findings.Refused("WEIR-P005", text, "this text is not UTF-8",
                                       "error parsing metadata: proto: invalid UTF-8 in string");
  found.label = "metadata is sent along with answers, which carry UTF-8 only";
  found.fix = "leave the bytes in base64, without !!binary";
}

}  // namespace

void PolicyTree::Add(const PolicySource& source, const YamlNode* root, Findings& findings) {
  findings.StartBuilding();
  WeirSettings& defaults = defaults_.emplace_back();
  if (source.weir.node != nullptr) {
    defaults = ReadWeirBlock(*source.weir.node, WeirPlace::kDomain, options_, findings);
    const auto& failure = defaults.on_store_failure;
    if (failure.value && failure.value->mode == FailureMode::kClosed) {
      Diagnostic& found = findings.Add("WEIR-P034", Weight::kWarning, failure.node,
                                       "`closed` is the default of the whole domain");
      found.label = "every rule of this file";
      found.effect = "an outage of the store is an outage of all these routes";
      found.fix = "say closed on the rules that need it, and something milder here";
    }
  }
  Domain* domain = OpenDomain(source, root, findings);
  // A domain that is refused is still read, so that all its problems appear in this run.
  Domain discarded;
  const bool keep = domain != nullptr;
  if (!keep) domain = &discarded;
  domain->rules.name = source.domain.value;
  LintPlainText(source.domain, "domain", findings);
  const Around around{domain, &defaults, &findings, source.domain.value};
  AddList(source.descriptors.value, around, domain->top, domain->rules.children);
  if (!keep) CheckNames(discarded);
}

PolicyTree::Domain* PolicyTree::OpenDomain(const PolicySource& source, const YamlNode* root,
                                           Findings& findings) {
  const std::string& name = source.domain.value;
  if (name.empty()) {
    const YamlNode* const at = source.domain.written() ? source.domain.key : nullptr;
    Diagnostic& found = findings.Refused(
        "WEIR-P008", at, root == nullptr ? "this file is empty" : "this file names no `domain`",
        "config file cannot have empty domain");
    if (at != nullptr) found.label = "blank";
    found.effect = "the reference service refuses the whole configuration";
    found.fix = root == nullptr ? "delete the file, or begin it with domain: NAME"
                                : "begin the file with domain: NAME";
    return nullptr;
  }
  const Place place{source.domain.node, &findings};
  const auto [known, added] = by_name_.try_emplace(name, nullptr);
  if (added) {
    Domain& domain = domains_.emplace_back();
    domain.place = place;
    domain.rules.where = PositionOf(source.domain.node, findings);
    known->second = &domain;
    return &domain;
  }
  Domain& before = *known->second;
  if (options_.merge_domains) return &before;
  Diagnostic& found = findings.Refused("WEIR-P009", source.domain.node,
                                       "domain " + Ticked(name) + " is in two files",
                                       "duplicate domain '" + name + "' in config file");
  found.label = "second";
  found.related.push_back({before.place.findings->file(), before.place.node->span, "first"});
  found.effect = "nobody can tell which file counts";
  found.fix = "join the files, rename one domain, or switch merging on (--merge-domains)";
  return nullptr;
}

void PolicyTree::AddList(const std::vector<DescriptorSource>& list, const Around& around,
                         Siblings& siblings, std::vector<RuleNode>& out) {
  for (const DescriptorSource& d : list) {
    if (d.key.value.empty()) {
      const YamlNode* const at = d.key.written() ? d.key.key : d.node;
      Diagnostic& found = around.findings->Refused("WEIR-P010", at, "this descriptor has no `key`",
                                                   "descriptor has empty key");
      found.label = d.key.written() ? "blank" : "add `key`";
      found.effect = "it could never match";
    } else {
      LintTexts(d, options_, *around.findings);
    }
    const bool first = d.key.value.empty() || CheckIdentity(d, around, siblings);
    RuleNode node = ReadNode(d, around);
    Around below = around;
    below.path += "." + d.Composite();
    Siblings children;
    AddList(d.descriptors.value, below, children, node.children);
    if (first) out.push_back(std::move(node));
  }
  LintHidden(list, options_, *around.findings);
}

bool PolicyTree::CheckIdentity(const DescriptorSource& d, const Around& around,
                               Siblings& siblings) {
  std::vector<Defined>& same = siblings[d.Composite()];
  const auto twin = std::find_if(same.begin(), same.end(), [&](const Defined& other) {
    return other.descriptor->key.value == d.key.value &&
           other.descriptor->value.value == d.value.value;
  });
  const bool twice = twin != same.end();
  if (same.empty()) {
    same.push_back({&d, around.findings});
    return true;
  }
  const Defined first = twice ? *twin : same.front();
  same.push_back({&d, around.findings});

  const std::string refusal =
      "duplicate descriptor composite key '" + around.path + "." + d.Composite() + "'";
  const bool native = options_.profile == Profile::kNative && !options_.portable;
  if (!twice && native) {
    // Two spellings that only the reference service confuses.
    around.findings->NoteRefusal(refusal);
    return true;
  }
  Diagnostic& found =
      around.findings->Refused("WEIR-P007", d.place(),
                               "descriptor " + NameOfDescriptor(d) +
                                   (twice ? " is defined twice" : " collides with another"),
                               refusal);
  found.label = "second definition" + QuotaText(d);
  found.related.push_back({first.findings->file(), first.descriptor->place()->span,
                           "first definition" + QuotaText(*first.descriptor)});
  found.effect = "only one could be used; some limiters keep the first, some refuse the file";
  found.fix = "remove one, or nest the second under a further key";
  if (!twice) {
    found.notes.push_back("the reference service joins key and value by `_`, and both give `" +
                          d.Composite() + "`");
  }
  return false;
}

WeirSettings PolicyTree::ReadWeir(const DescriptorSource& d, const Around& around) const {
  const YamlNode* const below = d.metadata.node != nullptr && d.metadata.node->is_mapping()
                                    ? d.metadata.node->Find("weir")
                                    : nullptr;
  if (d.weir.node == nullptr) {
    if (below == nullptr) return {};
    return ReadWeirBlock(*below, WeirPlace::kMetadata, options_, *around.findings);
  }
  if (below != nullptr) {
    Diagnostic& found = around.findings->Add("WEIR-P042", Weight::kError, below,
                                             "this descriptor has two weir blocks");
    found.label = "second";
    found.related.push_back({around.findings->file(), d.weir.key->span, "first"});
    found.fix = "keep one of them";
  }
  return ReadWeirBlock(*d.weir.node, WeirPlace::kDescriptor, options_, *around.findings);
}

RuleNode PolicyTree::ReadNode(const DescriptorSource& d, const Around& around) {
  Findings& findings = *around.findings;
  RuleNode node;
  node.key = d.key.value;
  node.value = d.value.value;
  node.value_to_metric = d.value_to_metric.value;
  node.share_threshold = d.share_threshold.value;
  node.where = PositionOf(d.node, findings);
  const WeirSettings own = ReadWeir(d, around);
  if (d.rate_limit.value) {
    Rule rule = ReadLimit(d, own, *around.defaults, options_, findings);
    rule.where = node.where;
    const auto text = [](const Setting<std::string>& first, const Setting<std::string>& second) {
      return first.value.value_or(second.value.value_or(std::string()));
    };
    rule.annotations = {
        .owner = text(own.owner, around.defaults->owner),
        .reason = own.reason.value.value_or(std::string()),
        .review_by = text(own.review_by, around.defaults->review_by),
        .security = own.security.value.value_or(around.defaults->security.value.value_or(false))};
    ReadFailure(d, own, around, rule);
    if (d.metadata.node != nullptr) {
      const bool strip = options_.profile == Profile::kNative;
      rule.metadata = MetadataValue(*d.metadata.node, strip);
      if (const auto* members = rule.metadata.as_struct(); strip && members && members->empty()) {
        rule.metadata = {};
      }
    }
    node.rule = std::move(rule);
    ++rules_;
    NoteNames(d, around);
  } else if (own.acts_on_rule()) {
    const YamlNode* const at = d.weir.key != nullptr ? d.weir.key : d.metadata.key;
    Diagnostic& found =
        findings.Add("WEIR-P048", Weight::kWarning, at, "these settings have no rule to act on");
    found.label = "no rate_limit beside it";
    found.effect = "they are not inherited by the descriptors below";
  }
  if (d.share_threshold.value && d.Composite().find('*') == std::string::npos) {
    Diagnostic& found = findings.Refused(
        "WEIR-P024", d.share_threshold.key, "`share_threshold` needs a wildcard in the value",
        "share_threshold can only be used with wildcard values (containing '*'), but found key '" +
            d.Composite() + "'");
    found.label = "no * in " + NameOfDescriptor(d);
    found.fix = "add a * to the value, or remove share_threshold";
  }
  CheckMetadata(d, findings);
  const bool explained = own.reason.value && !own.reason.value->empty();
  LintEmptiness(d, explained, findings);
  return node;
}

void PolicyTree::ReadFailure(const DescriptorSource& d, const WeirSettings& own,
                             const Around& around, Rule& rule) {
  Findings& findings = *around.findings;
  const auto& chosen = own.on_store_failure.key != nullptr ? own.on_store_failure
                                                           : around.defaults->on_store_failure;
  if (chosen.value) {
    rule.on_store_failure = chosen.value;
  } else if (options_.default_on_store_failure) {
    rule.on_store_failure.emplace().mode = *options_.default_on_store_failure;
  }
  if (rule.unlimited) return;
  if (!rule.on_store_failure) {
    if (chosen.key != nullptr) return;  // There is a choice; what is wrong with it was said.
    Domain& domain = *around.domain;
    ++domain.without_mode;
    if (domain.first_without_mode.size() < kExamplesOfMissingModes) {
      domain.first_without_mode.push_back({d.place(), &findings});
    }
    return;
  }
  const FailurePolicy& policy = *rule.on_store_failure;
  const YamlNode* const at = chosen.node != nullptr ? chosen.node : d.place();
  if (rule.annotations.security && UsesMode(policy, FailureMode::kOpen)) {
    Diagnostic& found = findings.Add("WEIR-P033", Weight::kWarning,
                                     own.on_store_failure.key != nullptr ? at : d.place(),
                                     "this rule guards something and fails open");
    found.label = "open admits everybody";
    if (own.security.key != nullptr) {
      found.related.push_back({findings.file(), own.security.key->span, "marked here"});
    }
    found.effect = "an attacker only has to wait for an outage of the store";
    found.fix = "on_store_failure: closed or local_share";
  }
  if (!UsesMode(policy, FailureMode::kLocalShare)) return;
  if (options_.fleet_expected_missing && around.domain->shares_blindly.findings == nullptr) {
    around.domain->shares_blindly = {at, &findings};
    Diagnostic& found = findings.Add("WEIR-P044", Weight::kError, at,
                                     "`local_share` with heartbeats needs the size of the fleet");
    found.label = "a share of what?";
    found.fix = "set fleet.expected, or --fleet-expected N";
  }
  const std::uint64_t limit = rule.quota.limit;
  const std::uint32_t fleet = options_.fleet_size;
  if (fleet < 2 || policy.split != ShareSplit::kEven || limit == 0 || limit >= fleet) return;
  const YamlNode* const number = d.rate_limit.value->requests_per_unit.node;
  Diagnostic& found =
      findings.Add("WEIR-P021", Weight::kWarning, number != nullptr ? number : d.place(),
                   "in mode local_share each of " + std::to_string(fleet) +
                       " instances has less than one request");
  found.label = std::to_string(limit) + " over " + std::to_string(fleet) + " instances";
  found.effect = policy.strict_share
                     ? "with strict_share some instances admit nothing at all"
                     : "each is given one, so together they may admit " + std::to_string(fleet);
  found.fix = "on_store_failure: closed, or a limit of at least " + std::to_string(fleet) +
              ", or split: learned";
}

void PolicyTree::NoteNames(const DescriptorSource& d, const Around& around) {
  const LimitSource& limit = *d.rate_limit.value;
  if (limit.name.value.empty() && limit.replaces.value.empty()) return;
  LintPlainText(limit.name, "name", *around.findings);
  Named named{{limit.name.node, around.findings}, limit.name.value, {}};
  for (const ReplacesSource& entry : limit.replaces.value) {
    const std::string& name = entry.name.value;
    if (name.empty() || name == limit.name.value) continue;
    named.replaces.emplace_back(name, Place{entry.name.node, around.findings});
  }
  around.domain->named.push_back(std::move(named));
}

void PolicyTree::CheckNames(Domain& domain) {
  std::unordered_map<std::string, std::vector<const Named*>> by_name;
  for (const Named& named : domain.named) {
    if (!named.name.empty()) by_name[named.name].push_back(&named);
  }
  std::set<std::pair<std::string, std::string>> reported;
  for (const Named& named : domain.named) {
    for (const auto& [target, place] : named.replaces) {
      const auto found = by_name.find(target);
      if (found == by_name.end()) {
        std::vector<std::string_view> names;
        for (const auto& entry : by_name) names.push_back(entry.first);
        std::sort(names.begin(), names.end());
        Diagnostic& none = place.findings->Add(
            "WEIR-P022", Weight::kWarning, place.node,
            "`replaces` names " + Ticked(target) + ", but no rule has that name");
        const std::string_view meant = DidYouMean(target, names);
        none.label = "no such rule in domain " + domain.rules.name;
        if (!meant.empty()) none.label = "did you mean `" + std::string(meant) + "`?";
        none.effect = "nothing is ever replaced";
        continue;
      }
      for (const Named* other : found->second) {
        const bool back = std::any_of(other->replaces.begin(), other->replaces.end(),
                                      [&](const auto& r) { return r.first == named.name; });
        const auto pair = std::minmax(named.name, other->name);
        if (!back || named.name.empty() || !reported.insert(pair).second) continue;
        Diagnostic& mutual = place.findings->Add(
            "WEIR-P023", Weight::kWarning, place.node,
            "rules " + Ticked(named.name) + " and " + Ticked(other->name) + " replace each other");
        mutual.label = "and back";
        mutual.related.push_back(
            {other->place.findings->file(), other->place.node->span, "the other"});
        mutual.effect = "a request that matches both is not limited at all";
        mutual.fix = "remove one of the two `replaces`";
      }
    }
  }
}

void PolicyTree::CheckMissingModes(Domain& domain) {
  if (domain.without_mode == 0) return;
  const Place& first = domain.first_without_mode.front();
  const std::string count = std::to_string(domain.without_mode);
  Diagnostic& found = first.findings->Add(
      "WEIR-P030", options_.shared_store ? Weight::kError : Weight::kWarning, first.node,
      (domain.without_mode == 1 ? "a rule" : count + " rules") + " of domain " +
          Ticked(domain.rules.name) + " do" + (domain.without_mode == 1 ? "es" : "") +
          " not say what happens when the store gives no count");
  found.label = domain.without_mode == 1 ? "this one" : "the first of them";
  for (std::size_t i = 1; i < domain.first_without_mode.size(); ++i) {
    const Place& next = domain.first_without_mode[i];
    found.related.push_back({next.findings->file(), next.node->span, "and this"});
  }
  found.effect = options_.shared_store ? "an outage of the store would decide for you"
                                       : "with a shared store this is an error";
  found.fix =
      "on_store_failure: open | closed | local_share | static, in a weir block of the rule "
      "or of the file, or --on-store-failure for all";
  found.notes = {"open: admit everything. Price: no protection",
                 "closed: deny with 503. Price: an outage of the store is an outage of the route",
                 "local_share: enforce each instance's part. Price: strict on uneven traffic",
                 "static: keep holding whom the store caught. Price: nobody new is caught"};
  if (options_.profile == Profile::kReference) {
    found.notes.emplace_back("error: answer the error that the reference service would");
  }
}

void PolicyTree::Finish() {
  for (Domain& domain : domains_) {
    CheckNames(domain);
    CheckMissingModes(domain);
  }
}

std::vector<DomainRules> PolicyTree::TakeDomains() {
  std::vector<DomainRules> out;
  for (Domain& domain : domains_) out.push_back(std::move(domain.rules));
  return out;
}

}  // namespace weir
