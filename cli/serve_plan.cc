#include "cli/serve_plan.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sched.h>

#include "cli/check_report.h"
#include "cli/environment.h"
#include "cli/from_env.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

constexpr const char* kDefaultSettingsFile = "/etc/weir/weir.yaml";
constexpr std::size_t kMostSettingsBytes = std::size_t{1} << 20;

// "max 100000" or "200000 100000": a quota and its period, both in microseconds.
std::size_t CpusOfCgroup() {
  std::ifstream in("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return 0;
  return static_cast<std::size_t>(std::max(1.0, std::strtod(quota.c_str(), nullptr) / period));
}

// Which settings file to read: the flag's, $WEIR_CONFIG's, the default if it exists, or none.
std::string SettingsFile(const ServeFlags& flags, std::string* origin) {
  if (!flags.config.empty()) {
    *origin = "settings from " + flags.config + " (-c)";
    return flags.config;
  }
  if (const char* named = std::getenv("WEIR_CONFIG"); named != nullptr && *named != '\0') {
    *origin = fmt::format("settings from {} ($WEIR_CONFIG)", named);
    return named;
  }
  if (std::ifstream(kDefaultSettingsFile).good()) {
    *origin = fmt::format("settings from {}", kDefaultSettingsFile);
    return kDefaultSettingsFile;
  }
  *origin = "no settings file: defaults and flags";
  return {};
}

HeaderOptions HeadersOf(const HeaderSettings& settings) {
  HeaderOptions options;
  options.retry_after = settings.retry_after;
  options.style = ParseHeaderStyle(settings.style).value_or(HeaderStyle::kDraft11);
  return options;
}

http_api::ForwardAuthMapping MappingOf(const ForwardAuthSettings& settings) {
  http_api::ForwardAuthMapping mapping{.domain = settings.domain, .descriptors = {}};
  for (const auto& descriptor : settings.descriptors) {
    auto& entries = mapping.descriptors.emplace_back();
    for (const ForwardAuthEntry& from : descriptor) {
      http_api::EntrySource& entry = entries.emplace_back();
      entry.key = from.key;
      switch (from.from) {
        case ForwardAuthEntry::From::kHeader:
          entry.header = from.text;
          break;
        case ForwardAuthEntry::From::kValue:
          entry.value = from.text;
          break;
        // The proxies that ask tell these in headers (Traefik, Caddy; nginx by proxy_set_header).
        case ForwardAuthEntry::From::kRemoteAddress:
          entry.header = "x-real-ip";
          break;
        case ForwardAuthEntry::From::kPath:
          entry.header = "x-forwarded-uri";
          break;
        case ForwardAuthEntry::From::kMethod:
          entry.header = "x-forwarded-method";
          break;
        case ForwardAuthEntry::From::kHost:
          entry.header = "x-forwarded-host";
          break;
      }
    }
  }
  return mapping;
}

template <typename T>
void Take(const std::optional<T>& from, T& to) {
  if (from) to = *from;
}

std::string ApplyFlags(const ServeFlags& flags, Settings& settings) {
  Take(flags.policy, settings.policy);
  Take(flags.listen_grpc, settings.listen.grpc);
  Take(flags.listen_http, settings.listen.http);
  Take(flags.admin, settings.listen.admin);
  Take(flags.store, settings.store.url);
  Take(flags.workers, settings.workers);
  Take(flags.fleet_expected, settings.fleet.expected);
  Take(flags.watch, settings.runtime.watch);
  Take(flags.merge_domains, settings.runtime.merge_domains);
  Take(flags.tls_cert, settings.tls.certificate);
  Take(flags.tls_key, settings.tls.key);
  Take(flags.tls_client_ca, settings.tls.client_ca);
  if (flags.profile) {
    if (*flags.profile != "native" && *flags.profile != "reference") {
      return "--profile " + *flags.profile + ": there are two, `native` and `reference`\n";
    }
    settings.profile = *flags.profile == "native" ? Profile::kNative : Profile::kReference;
  }
  if (flags.on_store_failure) {
    settings.defaults.on_store_failure = ParseFailureMode(*flags.on_store_failure);
    if (!settings.defaults.on_store_failure) {
      return "--on-store-failure " + *flags.on_store_failure +
             ": write open, closed, local_share or static\n";
    }
  }
  return {};
}

void FillPlan(const Settings& settings, ServePlan& plan) {
  if (plan.policy.path != settings.policy) plan.policy = {.path = settings.policy};
  plan.load = LoadOptionsOf(settings);
  if (settings.tls.on()) {
    plan.tls = {.certificate_file = settings.tls.certificate,
                .key_file = settings.tls.key,
                .client_ca_file = settings.tls.client_ca,
                .client_san = {}};
    plan.tls_for_http = true;
  }
  plan.admin = settings.listen.admin;
  plan.keys = settings.store.keys;
  plan.watch = settings.runtime.watch;
  plan.decision_log = settings.decision_log;
  InstanceOptions& instance = plan.instance;
  instance.workers = settings.workers != 0 ? settings.workers : UsableCpus();
  instance.grpc = settings.listen.grpc;
  instance.http = settings.listen.http;
  instance.drain_limit = settings.runtime.drain;
  const bool may_hold = settings.store.shared() || settings.profile == Profile::kReference;
  instance.engine.held_denials = may_hold ? settings.store.held_denials : 0;
  if (!may_hold && settings.store.held_denials != 0) {
    plan.warnings.emplace_back(
        "store.held_denials has no effect: counts are in memory, and asking them costs no more");
  }
  instance.engine.near_ratio = static_cast<float>(settings.headers.near_limit_ratio);
  instance.response.headers = HeadersOf(settings.headers);
  if (!settings.forward_auth.descriptors.empty()) {
    instance.api.auth = MappingOf(settings.forward_auth);
  }
}

std::string LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return "trace";
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
    case LogLevel::kFatal:
    case LogLevel::kPanic:
      return "critical";
  }
  return "info";
}

// The reference service's environment, before flags.  Returns the errors, a line each.
std::string ApplyEnvironment(Settings& settings, ServePlan& plan) {
  const FromEnvironmentResult result = FromEnvironment(ReadEnvironment());
  for (const EnvironmentFinding& w : result.warnings) plan.warnings.push_back(w.line());
  std::string errors;
  for (const EnvironmentFinding& e : result.errors) errors += e.line() + "\n";
  const EnvironmentSettings& from = result.settings;
  settings.listen.grpc = from.grpc;
  settings.listen.http = from.http;
  settings.listen.admin = from.admin;
  settings.profile = Profile::kReference;
  settings.headers.near_limit_ratio = from.near_limit_ratio;
  settings.runtime.merge_domains = from.merge_domains;
  plan.load.calendar_months = from.calendar_months;
  if (settings.policy.empty() || from.policy_named) settings.policy = from.policy.path;
  plan.policy = from.policy;
  plan.tls = from.tls;
  plan.tls_for_http = false;  // The reference service speaks plain HTTP there.
  plan.instance.grpc_options.http2.max_age = from.max_connection_age;
  plan.instance.grpc_options.http2.max_age_grace = from.max_connection_age_grace;
  plan.instance.engine.key_prefix = from.key_prefix;
  plan.instance.engine.stand_still_when_over = from.stand_still_when_over;
  settings.store.held_denials = from.held_denials;
  plan.instance.response = from.response;
  plan.log = {.level = LevelName(from.log_level),
              .format = from.log_json ? LogFormat::kJson : LogFormat::kText};
  return errors;
}

// What must hold whatever it came from.
std::string Check(const ServePlan& plan) {
  if (plan.policy.path.empty()) {
    return "no policy: name a directory of *.yaml files with --policy DIR, or a `policy:` in the "
           "settings file.\n`weir demo` runs without one.\n";
  }
  if (!plan.admin.empty() && !IsLocalAddress(plan.admin) && plan.admin_token.empty()) {
    return fmt::format(
        "the admin page on {} would be open to everyone who can reach it.\nEither listen on "
        "127.0.0.1 (or unix:PATH), or set a token: `admin: {{token_file: FILE}}` in the settings "
        "file.\n",
        plan.admin);
  }
  return {};
}

LiveCountOptions FleetOf(const FleetSettings& settings) {
  LiveCountOptions fleet;
  switch (settings.source) {
    case FleetSettings::Source::kStatic:
      fleet.source = FleetSource::kStatic;
      break;
    case FleetSettings::Source::kHeartbeats:
      fleet.source = FleetSource::kHeartbeats;
      break;
    case FleetSettings::Source::kDns:
      fleet.source = FleetSource::kDns;
      break;
    case FleetSettings::Source::kKubernetes:
      fleet.source = FleetSource::kKubernetes;
      break;
  }
  fleet.count = static_cast<std::uint32_t>(settings.count);
  if (settings.ordinal) fleet.ordinal = static_cast<std::uint32_t>(*settings.ordinal);
  fleet.expected = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, settings.expected));
  fleet.settle = settings.gone_after;
  fleet.stale_after = 3 * settings.gone_after;
  return fleet;
}

// The store that instances share.  An empty text, or what is wrong with its address.
std::string FillShared(const Settings& settings, ServePlan& plan) {
  if (!settings.store.shared()) return {};
  auto endpoint = redis::ParseEndpoint(settings.store.url, [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  });
  if (!endpoint) return "store: " + endpoint.error().message + "\n";
  if (endpoint->kind == redis::Endpoint::Kind::kCluster) {
    return fmt::format(
        "store {}: clusters are not spoken to yet; name one server, or a primary's Sentinels as "
        "redis+sentinel://host:port,host:port/name\n",
        endpoint->text());
  }
  SharedStoreOptions shared;
  shared.endpoint = *std::move(endpoint);
  if (!settings.store.user.empty()) shared.endpoint.login.user = settings.store.user;
  if (!settings.store.password_file.empty()) {
    shared.endpoint.login.password_file = settings.store.password_file;
  }
  if (!settings.store.ca.empty()) shared.endpoint.ca_file = settings.store.ca;
  if (!settings.store.key_prefix.empty()) shared.endpoint.prefix = settings.store.key_prefix;
  const bool reference = settings.profile == Profile::kReference;
  shared.redis.timeout = settings.store.timeout;
  shared.redis.reference_profile = reference;
  shared.failure.fallback.mode = settings.defaults.on_store_failure.value_or(FailureMode::kOpen);
  shared.failure.timeout = {.timeout = settings.store.timeout,
                            .automatic = settings.store.auto_timeout};
  shared.failure.in_flight = settings.store.max_in_flight;
  shared.fleet = FleetOf(settings.fleet);
  shared.heartbeat.every = settings.fleet.heartbeat;
  shared.heartbeat.gone_after = settings.fleet.gone_after;
  constexpr std::size_t kHeldByDefault = 100'000;
  // Under the reference profile the limiter remembers denials itself, if it is told to.
  if (reference) {
    shared.held_denials = 0;
  } else {
    shared.held_denials =
        settings.store.held_denials != 0 ? settings.store.held_denials : kHeldByDefault;
    plan.instance.engine.held_denials = 0;
  }
  plan.instance.engine.keys = true;
  plan.shared = std::move(shared);
  return {};
}

}  // namespace

std::size_t UsableCpus() {
  cpu_set_t set;
  std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    cpus = static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  }
  const std::size_t allowed = CpusOfCgroup();
  return allowed == 0 ? cpus : std::min(cpus, allowed);
}

ServeResolution ResolveServe(const ServeFlags& flags) {
  ServeResolution out;
  Settings settings;
  const std::string path = SettingsFile(flags, &out.plan.origin);
  if (!path.empty()) {
    auto text = ReadWholeFile(path, kMostSettingsBytes);
    if (!text) {
      out.error = text.error().message + "\n";
      return out;
    }
    const SourceFile file{path, *std::move(text)};
    const LoadedSettings loaded = LoadSettings(file);
    if (!loaded.ok()) {
      out.error = RenderText(loaded.diagnostics, {&file, 1});
      return out;
    }
    for (const Diagnostic& d : loaded.diagnostics) out.plan.warnings.push_back(OneLine(d));
    settings = loaded.settings;
  }
  if (!settings.admin.token_file.empty()) {
    auto token = ReadWholeFile(settings.admin.token_file, 4096);
    if (!token) {
      out.error = "admin.token_file: " + token.error().message + "\n";
      return out;
    }
    while (!token->empty() && token->back() <= ' ') token->pop_back();
    out.plan.admin_token = *std::move(token);
  }
  if (flags.from_env) out.error = ApplyEnvironment(settings, out.plan);
  if (out.error.empty()) out.error = ApplyFlags(flags, settings);
  if (!out.error.empty()) return out;
  FillPlan(settings, out.plan);
  Take(flags.log_level, out.plan.log.level);
  if (flags.log_format) {
    out.plan.log.format = *flags.log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  }
  out.error = Check(out.plan);
  if (out.error.empty()) out.error = FillShared(settings, out.plan);
  return out;
}

}  // namespace weir::cli
