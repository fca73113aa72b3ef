#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/clock.h"
#include "weir/config/diagnostic.h"
#include "weir/config/source.h"
#include "weir/config/yaml.h"
#include "weir/core/failure_policy.h"
#include "weir/core/policy.h"
#include "weir/core/quota.h"

namespace weir {

// weir.yaml: what one process needs to know besides the policy.  Every field has a default; a flag
// of the command line may override it afterwards.  Plain values.

// listen: {grpc: ":8081", http: ":8080", gateway: off, admin: "127.0.0.1:6070"}
// "host:port", ":port" (all interfaces), "[::1]:port", "unix:PATH"; empty: off.
struct ListenSettings {
  std::string grpc = ":8081";
  std::string http = ":8080";
  std::string gateway;
  std::string admin = "127.0.0.1:6070";
};

// tls: {certificate: FILE, key: FILE, client_ca: FILE, require_client_certificate: true}
// For the gRPC and HTTP listeners.  Off without a certificate.
struct TlsSettings {
  std::string certificate;
  std::string key;
  std::string client_ca;
  bool require_client_certificate = false;

  bool on() const { return !certificate.empty(); }
};

// store: {url: memory, keys: 1000000, timeout: 10ms, max_in_flight: 10000, key_prefix: "",
//         held_denials: 0, user: ..., password_file: FILE, ca: FILE}
struct StoreSettings {
  // A remembered denial takes 32 bytes.
  static constexpr std::uint64_t kMostHeldDenials = 100'000'000;

  std::string url = "memory";      // or redis://, rediss://, redis+sentinel://, redis+cluster://
  std::uint64_t keys = 1'000'000;  // of the memory table
  Duration timeout = std::chrono::milliseconds(10);
  bool auto_timeout = false;  // `timeout: auto`
  std::uint64_t max_in_flight = 10'000;
  std::string key_prefix;
  // How many denials are remembered and given again without asking the store; 0: none.  Without
  // effect where the native profile counts in memory, which is as near as the memory of denials.
  std::uint64_t held_denials = 0;
  std::string user;
  std::string password_file;
  std::string ca;

  bool shared() const { return url != "memory"; }
};

// fleet: {source: heartbeats, expected: 4, count: 4, ordinal: 0, name: weir.default.svc}
inline constexpr std::uint64_t kMostInstances = 1'000'000;  // `expected` and `count`.
struct FleetSettings {
  enum class Source : std::uint8_t { kStatic, kHeartbeats, kDns, kKubernetes };
  Source source = Source::kHeartbeats;
  std::uint64_t expected = 0;  // 0: not said
  std::uint64_t count = 1;     // kStatic
  std::optional<std::uint64_t> ordinal;
  std::string name;  // kDns: the name; kKubernetes: namespace/service
  Duration heartbeat = std::chrono::seconds(1);
  Duration gone_after = std::chrono::seconds(5);
};

// defaults: {on_store_failure: open}
struct DefaultSettings {
  std::optional<FailureMode> on_store_failure;
};

// runtime: {watch: true, debounce: 100ms, merge_domains: false, drain: 10s}
struct RuntimeSettings {
  bool watch = true;
  Duration debounce = std::chrono::milliseconds(100);
  bool merge_domains = false;
  Duration drain = std::chrono::seconds(10);  // what open calls get after SIGTERM
};

// decision_log: {path: stderr, allow: 0.001, deny: 0.1, hash_keys: false, per_second: 100}
// Off without a path.
struct DecisionLogSettings {
  std::string path;  // "stdout", "stderr" or a file
  double allow = 0.001;
  double deny = 0.1;
  bool hash_keys = false;
  std::uint64_t per_second = 100;  // lines; beyond it they are dropped and counted
};

// headers: {style: draft-11, near_limit_ratio: 0.8, retry_after: true}
struct HeaderSettings {
  std::string style = "draft-11";  // A word of answer/header_style.h.
  double near_limit_ratio = 0.8;
  bool retry_after = true;
};

// http: {forward_auth: {domain: edge, descriptors: [[{key: tenant, header: x-tenant}],
//                                                   [{key: path, from: path}]]}}
// Each inner list makes one descriptor; like Envoy, an entry whose source is missing drops it.
struct ForwardAuthEntry {
  enum class From : std::uint8_t { kHeader, kValue, kRemoteAddress, kPath, kMethod, kHost };
  std::string key;
  From from = From::kValue;
  std::string text;  // kHeader: its lower-case name; kValue: the value
};
struct ForwardAuthSettings {
  std::string domain;
  std::vector<std::vector<ForwardAuthEntry>> descriptors;
};

// admin: {token_file: FILE}
struct AdminSettings {
  std::string token_file;
};

struct Settings {
  ListenSettings listen;
  TlsSettings tls;
  std::uint64_t workers = 0;  // loops; 0: as many as CPUs may be used
  std::string policy;         // a directory or a file
  Profile profile = Profile::kNative;
  StoreSettings store;
  FleetSettings fleet;
  DefaultSettings defaults;
  RuntimeSettings runtime;
  DecisionLogSettings decision_log;
  HeaderSettings headers;
  ForwardAuthSettings forward_auth;
  AdminSettings admin;
  std::string state_dir = "/var/lib/weir";
};

struct LoadedSettings {
  Settings settings;
  std::vector<Diagnostic> diagnostics;  // sorted
  // Sections that their faces read themselves; null if not written.  They live as long as
  // `document`.
  const YamlNode* gateway = nullptr;
  YamlDocument document;

  bool ok() const { return !HasErrors(diagnostics); }
};

// Reads a settings file's text.  Wrong values leave their defaults and are findings, all in one
// run.  Opens no files.  Thread-safe.
LoadedSettings LoadSettings(const SourceFile& file);

// Whether an address to listen on is reachable from this machine only (a loopback address, or a
// Unix socket).
bool IsLocalAddress(std::string_view address);

}  // namespace weir
