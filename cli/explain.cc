#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/descriptor_words.h"
#include "cli/explain_text.h"
#include "cli/policy_files.h"
#include "cli/verbs.h"
#include "weir/config/policy_loader.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

struct Flags {
  std::vector<std::string> words;
  std::string policy;
  std::string domain;
  std::string profile = "native";
  std::string format = "text";
  std::string color = "auto";
  bool merge_domains = false;
  bool exit_code = false;
};

// Null, and a complaint on standard error, if the policy cannot be had.
std::shared_ptr<const Policy> ReadPolicy(const Flags& flags) {
  const auto files = ReadPolicyFiles({.path = flags.policy});
  if (!files) {
    PrintError("weir explain: " + files.error().message + "\n");
    return nullptr;
  }
  LoadOptions options;
  options.profile = flags.profile == "reference" ? Profile::kReference : Profile::kNative;
  options.merge_domains = flags.merge_domains;
  LoadedPolicy loaded = LoadPolicy(*files, options);
  if (!loaded.ok()) {
    PrintError(RenderText(loaded.diagnostics, *files) + "\n" +
               RenderSummary(loaded.diagnostics, loaded.files, loaded.rules));
    return nullptr;
  }
  return Policy::Build(std::move(loaded.domains), {.profile = options.profile});
}

// Nothing limits the descriptor, or everything is denied: what --exit-code reports.
bool IsFinding(const Explanation& explanation) {
  if (explanation.rule == nullptr) return true;
  return !explanation.rule->unlimited && explanation.rule->quota.limit == 0;
}

int Explain(Flags& flags) {
  if (flags.policy.empty()) return UsageError("explain", "which policy?  Say --policy DIR");
  DescriptorWords words;
  if (const std::string error = words.Parse(flags.words); !error.empty()) {
    return UsageError("explain", error);
  }
  const auto policy = ReadPolicy(flags);
  if (policy == nullptr) return kExitCannotStart;
  if (flags.domain.empty() && policy->domains().size() == 1) {
    flags.domain = policy->domains().front().name;
  }
  if (flags.domain.empty()) return UsageError("explain", "which domain?  Say --domain NAME");
  const bool color = StdoutWantsColor(ParseColorChoice(flags.color));
  bool found = false;
  std::string out;
  for (const Descriptor& descriptor : words.asked()) {
    const Explanation explanation = weir::Explain(*policy, flags.domain, descriptor);
    found = found || IsFinding(explanation);
    if (flags.format == "json") {
      out += ExplainJson(*policy, flags.domain, descriptor, explanation) + "\n";
    } else {
      out += (out.empty() ? "" : "\n") +
             ExplainText(*policy, flags.domain, descriptor, explanation, {.color = color});
    }
  }
  Print(out);
  return found && flags.exit_code ? kExitFound : kExitDone;
}

}  // namespace

void AddExplain(CLI::App& app, int& exit) {
  CLI::App* const verb =
      app.add_subcommand("explain", "Which rule a request meets, which it does not, and why");
  const auto flags = std::make_shared<Flags>();
  verb->add_option("entry", flags->words, "key=value, in order; `+` begins a second descriptor")
      ->type_name("");
  verb->add_option("--policy", flags->policy, "A directory of policy files, or one file")
      ->type_name("DIR");
  verb->add_option("--domain", flags->domain, "May be left out if the policy has only one")
      ->type_name("NAME");
  verb->add_option("--profile", flags->profile, "native, or reference: as envoyproxy/ratelimit")
      ->type_name("NAME")
      ->check(CLI::IsMember({"native", "reference"}));
  verb->add_flag("--merge-domains", flags->merge_domains, "A domain may be in several files");
  verb->add_option("-o,--output", flags->format, "text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->group("Output");
  verb->add_option("--color", flags->color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
  verb->add_flag("--exit-code", flags->exit_code,
                 "Exit with 1 if no rule applies, or one that denies everything")
      ->group("Output");
  verb->footer(
      "Examples\n"
      "  weir explain --policy policy.d --domain shop tenant=acme path=/v1/orders\n"
      "  weir explain --policy policy.d tenant=acme + tenant=acme path=/v1/orders");
  verb->callback([&exit, flags] { exit = Explain(*flags); });
}

}  // namespace weir::cli
