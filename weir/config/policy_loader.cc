#include "weir/config/policy_loader.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "weir/config/policy_source.h"
#include "weir/config/policy_tree.h"
#include "weir/config/yaml.h"

namespace weir {
namespace {

// One file on its way through the passes.
struct Reading {
  Reading(const SourceFile& file, bool reference)
      : findings(file.name, reference), parse(ParseYaml(file)) {}

  Findings findings;
  YamlParse parse;
  PolicySource source;
  const YamlNode* root = nullptr;
  bool readable = false;
};

void ReadFile(Reading& file, bool allow_weir) {
  auto& diagnostics = file.findings.diagnostics();
  diagnostics = std::move(file.parse.diagnostics);
  if (!file.parse.ok()) {
    file.findings.NoteRefusal("error loading config file: " + file.parse.go_error);
    return;
  }
  file.root = file.parse.document.root();
  // An empty file is readable; it merely has no domain.
  file.readable = file.root == nullptr || file.root->is_null();
  if (file.readable) {
    file.root = nullptr;
    return;
  }
  file.readable = CheckDecodable(file.root, file.findings);
  if (!file.readable) return;
  CheckKeys(*file.root, allow_weir, file.findings);
  file.source = DecodePolicy(*file.root, file.findings);
}

std::string FirstRefusal(const std::deque<Reading>& files) {
  for (const Reading& file : files) {
    if (const auto& text = file.findings.reading_refusal(); !text.empty()) {
      return file.findings.file() + ": " + text;
    }
  }
  for (const Reading& file : files) {
    if (const auto& text = file.findings.building_refusal(); !text.empty()) {
      return file.findings.file() + ": " + text;
    }
  }
  return {};
}

void CheckProcessDefault(const LoadOptions& options, std::vector<Diagnostic>& out) {
  if (options.default_on_store_failure != FailureMode::kClosed) return;
  Diagnostic& found = out.emplace_back();
  found.code = "WEIR-P034";
  found.severity = Severity::kWarning;
  found.file = "--on-store-failure";
  found.message = "`closed` is the default of the whole process";
  found.effect = "an outage of the store is an outage of every route";
  found.fix = "say closed on the rules that need it, and something milder for the rest";
}

// As one walks a tree: names are compared folder by folder.
bool WalkedBefore(std::string_view a, std::string_view b) {
  const auto by_folder = [](char x, char y) { return x != y && (x == '/' || (y != '/' && x < y)); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), by_folder);
}

// Files are known by their keys alone, and a later one takes an earlier one's place.
std::vector<std::string> LastOfEachKey(std::vector<std::string> sorted) {
  std::unordered_map<std::string, std::string> by_key;
  for (const std::string& path : sorted) {
    std::string& kept = by_key[ReferenceFileKey(path)];
    if (kept.empty() || WalkedBefore(kept, path)) kept = path;
  }
  std::erase_if(sorted,
                [&](const std::string& path) { return by_key[ReferenceFileKey(path)] != path; });
  return sorted;
}

bool HasDotComponent(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

}  // namespace

LoadedPolicy LoadPolicy(std::span<const SourceFile> files, const LoadOptions& options) {
  const bool reference = options.profile == Profile::kReference;
  std::deque<Reading> readings;
  for (const SourceFile& file : files) {
    ReadFile(readings.emplace_back(file, reference), !options.portable);
  }
  PolicyTree tree(options);
  for (Reading& file : readings) {
    if (file.readable) tree.Add(file.source, file.root, file.findings);
  }
  tree.Finish();

  LoadedPolicy out;
  out.files = files.size();
  out.rules = tree.rules();
  out.domains = tree.TakeDomains();
  out.reference_refusal = FirstRefusal(readings);
  for (Reading& file : readings) {
    file.findings.Finish();
    auto& found = file.findings.diagnostics();
    std::move(found.begin(), found.end(), std::back_inserter(out.diagnostics));
  }
  CheckProcessDefault(options, out.diagnostics);
  SortDiagnostics(out.diagnostics);
  return out;
}

ReferenceVerdict JudgeAsReference(std::span<const SourceFile> files, bool merge_domains) {
  LoadOptions options;
  options.profile = Profile::kReference;
  options.merge_domains = merge_domains;
  options.portable = true;
  LoadedPolicy loaded = LoadPolicy(files, options);
  return {loaded.reference_refusal.empty(), std::move(loaded.reference_refusal)};
}

std::vector<std::string> SelectPolicyFiles(std::vector<std::string> listing, PolicyLayout layout,
                                           bool ignore_dot_files, std::string_view key_prefix) {
  const bool runtime = layout == PolicyLayout::kRuntime;
  std::erase_if(listing, [&](const std::string& path) {
    if (runtime) {
      return (ignore_dot_files && HasDotComponent(path)) ||
             !ReferenceFileKey(path).starts_with(key_prefix);
    }
    const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    return !yaml || path.starts_with('.') || path.find('/') != std::string::npos;
  });
  std::sort(listing.begin(), listing.end());
  return runtime ? LastOfEachKey(std::move(listing)) : listing;
}

std::string ReferenceFileKey(std::string_view path) {
  std::string out(path);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

}  // namespace weir
