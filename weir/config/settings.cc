#include "weir/config/settings.h"

#include <array>
#include <utility>

#include "weir/config/section_reader.h"

namespace weir {
namespace {

constexpr std::uint64_t kMostWorkers = 1024;

void ReadListen(SectionReader section, ListenSettings& out) {
  section.ReadAddress("grpc", out.grpc, true);
  section.ReadAddress("http", out.http, true);
  section.ReadAddress("gateway", out.gateway, true);
  section.ReadAddress("admin", out.admin, true);
  section.Done();
}

void ReadTls(SectionReader section, TlsSettings& out) {
  section.ReadText("certificate", out.certificate);
  section.ReadText("key", out.key);
  section.ReadText("client_ca", out.client_ca);
  section.ReadBoolean("require_client_certificate", out.require_client_certificate);
  const YamlNode* const certificate = section.Find("certificate");
  const YamlNode* const key = section.Find("key");
  if ((certificate == nullptr) != (key == nullptr)) {
    section.Wrong("WEIR-S016", certificate != nullptr ? *certificate : *key,
                  certificate != nullptr ? "certificate" : "key",
                  "needs the other half: certificate and key go together");
  }
  if (const YamlNode* const require = section.Find("require_client_certificate");
      out.require_client_certificate && out.client_ca.empty()) {
    section.Wrong("WEIR-S016", *require, "require_client_certificate", "needs `tls.client_ca`");
  }
  section.Done();
}

void ReadStore(SectionReader section, StoreSettings& out) {
  static constexpr auto kSchemes = std::to_array<std::string_view>(
      {"redis://", "rediss://", "redis+sentinel://", "redis+cluster://", "unix:"});
  std::string url;
  if (section.ReadText("url", url)) {
    bool known = url == "memory";
    for (const std::string_view scheme : kSchemes) known = known || url.starts_with(scheme);
    if (known) {
      out.url = url;
    } else {
      section.Wrong("WEIR-S012", *section.Find("url"), "url", "is memory or a redis:// address");
    }
  }
  section.ReadCount("keys", out.keys, 1, 1'000'000'000);
  const YamlNode* const timeout = section.Find("timeout");
  if (timeout != nullptr && timeout->text == "auto") {
    out.auto_timeout = true;
  } else {
    section.ReadDuration("timeout", out.timeout, std::chrono::milliseconds(1),
                         std::chrono::seconds(10));
  }
  section.ReadCount("max_in_flight", out.max_in_flight, 1);
  section.ReadText("key_prefix", out.key_prefix);
  section.ReadCount("held_denials", out.held_denials, 0, StoreSettings::kMostHeldDenials);
  section.ReadText("user", out.user);
  section.ReadText("password_file", out.password_file);
  section.ReadText("ca", out.ca);
  section.Done();
}

void ReadFleet(SectionReader section, FleetSettings& out) {
  static constexpr auto kSources =
      std::to_array<std::string_view>({"static", "heartbeats", "dns", "kubernetes"});
  std::size_t source = static_cast<std::size_t>(out.source);
  section.ReadChoice("source", kSources, source);
  out.source = static_cast<FleetSettings::Source>(source);
  section.ReadCount("expected", out.expected, 1, kMostInstances);
  section.ReadCount("count", out.count, 1, kMostInstances);
  std::uint64_t ordinal = 0;
  if (section.ReadCount("ordinal", ordinal, 0, kMostInstances)) out.ordinal = ordinal;
  section.ReadText("name", out.name);
  section.ReadDuration("heartbeat", out.heartbeat, std::chrono::milliseconds(100),
                       std::chrono::minutes(1));
  section.ReadDuration("gone_after", out.gone_after, std::chrono::milliseconds(200),
                       std::chrono::minutes(10));
  if (const YamlNode* const gone = section.Find("gone_after");
      gone != nullptr && out.gone_after < 2 * out.heartbeat) {
    section.Wrong("WEIR-S016", *gone, "gone_after", "is at least twice `fleet.heartbeat`");
  }
  if (const YamlNode* const node = section.Find("ordinal");
      node != nullptr && out.ordinal && *out.ordinal >= out.count &&
      out.source == FleetSettings::Source::kStatic) {
    section.Wrong("WEIR-S016", *node, "ordinal", "is below `fleet.count`");
  }
  section.Done();
}

void ReadDefaults(SectionReader section, DefaultSettings& out) {
  static constexpr auto kModes =
      std::to_array<std::string_view>({"open", "closed", "local_share", "static", "error"});
  std::size_t mode = 0;
  if (section.ReadChoice("on_store_failure", kModes, mode)) {
    out.on_store_failure = static_cast<FailureMode>(mode);
  }
  section.Done();
}

void ReadRuntime(SectionReader section, RuntimeSettings& out) {
  section.ReadBoolean("watch", out.watch);
  section.ReadDuration("debounce", out.debounce, Duration(0), std::chrono::minutes(1));
  section.ReadBoolean("merge_domains", out.merge_domains);
  section.ReadDuration("drain", out.drain, Duration(0), std::chrono::hours(1));
  section.Done();
}

void ReadDecisionLog(SectionReader section, DecisionLogSettings& out) {
  section.ReadText("path", out.path);
  section.ReadFraction("allow", out.allow);
  section.ReadFraction("deny", out.deny);
  section.ReadBoolean("hash_keys", out.hash_keys);
  section.ReadCount("per_second", out.per_second, 1, 1'000'000);
  section.Done();
}

void ReadHeaders(SectionReader section, HeaderSettings& out) {
  static constexpr auto kStyles = std::to_array<std::string_view>(
      {"draft-11", "draft-12", "draft-11+12", "envoy-03", "x-delta", "github", "rls-service",
       "draft-03", "draft-06", "draft-07", "off"});
  std::size_t style = 0;
  if (section.ReadChoice("style", kStyles, style)) out.style = kStyles.at(style);
  section.ReadFraction("near_limit_ratio", out.near_limit_ratio);
  section.ReadBoolean("retry_after", out.retry_after);
  section.Done();
}

std::optional<ForwardAuthEntry> ReadEntry(SectionReader section, const YamlNode& node) {
  static constexpr auto kFrom =
      std::to_array<std::string_view>({"remote_address", "path", "method", "host"});
  ForwardAuthEntry out;
  section.ReadText("key", out.key);
  std::size_t from = 0;
  int sources = 0;
  if (section.ReadText("header", out.text)) {
    out.from = ForwardAuthEntry::From::kHeader;
    for (char& c : out.text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    ++sources;
  }
  if (section.ReadText("value", out.text)) {
    out.from = ForwardAuthEntry::From::kValue;
    ++sources;
  }
  if (section.ReadChoice("from", kFrom, from)) {
    out.from = static_cast<ForwardAuthEntry::From>(
        static_cast<std::size_t>(ForwardAuthEntry::From::kRemoteAddress) + from);
    ++sources;
  }
  section.Done();
  if (!out.key.empty() && sources == 1) return out;
  section.findings().Add("WEIR-S016", Weight::kError, &node,
                         "an entry has a `key` and one of `header`, `value` and `from`");
  return std::nullopt;
}

void ReadForwardAuth(SectionReader section, ForwardAuthSettings& out) {
  constexpr std::string_view kPath = "http.forward_auth.descriptors";
  section.ReadText("domain", out.domain);
  const YamlNode* const list = section.Find("descriptors");
  if (list != nullptr && !list->is_sequence()) {
    section.Wrong("WEIR-S011", *list, "descriptors", "is a list of lists of entries");
  } else if (list != nullptr) {
    for (const YamlNode* descriptor : list->items) {
      if (!descriptor->is_sequence() || descriptor->items.empty()) {
        section.Wrong("WEIR-S011", *descriptor, "descriptors", "holds lists of entries");
        continue;
      }
      auto& entries = out.descriptors.emplace_back();
      for (const YamlNode* item : descriptor->items) {
        auto entry = ReadEntry(SectionReader(item, std::string(kPath), section.findings()), *item);
        if (entry) entries.push_back(*std::move(entry));
      }
    }
    if (out.domain.empty()) {
      section.Wrong("WEIR-S016", *list, "descriptors", "needs `http.forward_auth.domain`");
    }
  }
  section.Done();
}

void CheckTogether(SectionReader& root, const Settings& settings) {
  const YamlNode* const listen = root.Find("listen");
  const YamlNode* const admin = listen != nullptr ? listen->Find("admin") : nullptr;
  if (admin != nullptr && !settings.listen.admin.empty() &&
      !IsLocalAddress(settings.listen.admin) && settings.admin.token_file.empty()) {
    Diagnostic& found = root.Wrong("WEIR-S015", *admin, "listen.admin",
                                   "can be reached from elsewhere and there is no token");
    found.label = "not a loopback address";
    found.effect = "anybody who reaches it could switch limits off";
    found.fix = "listen on 127.0.0.1, or set admin.token_file";
  }
  const YamlNode* const defaults = root.Find("defaults");
  const YamlNode* const mode = defaults != nullptr ? defaults->Find("on_store_failure") : nullptr;
  if (mode == nullptr) return;
  if (settings.defaults.on_store_failure == FailureMode::kError &&
      settings.profile != Profile::kReference) {
    root.Wrong("WEIR-S016", *mode, "defaults.on_store_failure",
               "is `error`, which exists under profile: reference only");
  }
}

}  // namespace

LoadedSettings LoadSettings(const SourceFile& file) {
  static constexpr auto kProfiles = std::to_array<std::string_view>({"native", "reference"});
  LoadedSettings out;
  YamlParse parse = ParseYaml(file);
  Findings findings(file.name, false);
  findings.diagnostics() = std::move(parse.diagnostics);
  out.document = std::move(parse.document);

  Settings& s = out.settings;
  SectionReader root(out.document.root(), "", findings);
  ReadListen(root.Section("listen"), s.listen);
  ReadTls(root.Section("tls"), s.tls);
  if (const YamlNode* const workers = root.Find("workers");
      workers != nullptr && workers->text != "auto") {
    root.ReadCount("workers", s.workers, 1, kMostWorkers);
  }
  root.ReadText("policy", s.policy);
  std::size_t profile = 0;
  if (root.ReadChoice("profile", kProfiles, profile)) s.profile = static_cast<Profile>(profile);
  ReadStore(root.Section("store"), s.store);
  ReadFleet(root.Section("fleet"), s.fleet);
  ReadDefaults(root.Section("defaults"), s.defaults);
  ReadRuntime(root.Section("runtime"), s.runtime);
  ReadDecisionLog(root.Section("decision_log"), s.decision_log);
  ReadHeaders(root.Section("headers"), s.headers);
  SectionReader http = root.Section("http");
  ReadForwardAuth(http.Section("forward_auth"), s.forward_auth);
  http.Done();
  SectionReader admin = root.Section("admin");
  admin.ReadText("token_file", s.admin.token_file);
  admin.Done();
  root.ReadText("state_dir", s.state_dir);
  out.gateway = root.Find("gateway");
  CheckTogether(root, s);
  root.Done();
  out.diagnostics = std::move(findings.diagnostics());
  SortDiagnostics(out.diagnostics);
  return out;
}

bool IsLocalAddress(std::string_view address) {
  if (address.starts_with("unix:")) return true;
  const std::string_view host = address.substr(0, address.rfind(':'));
  const bool loopback4 =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
  return loopback4 || host == "localhost" || host == "[::1]";
}

}  // namespace weir
