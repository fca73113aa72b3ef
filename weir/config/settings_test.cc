#include "weir/config/settings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

LoadedSettings Load(const std::string& text) {
  return LoadSettings({"weir.yaml", text});
}

std::vector<std::string> Codes(const LoadedSettings& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& d : loaded.diagnostics) out.push_back(d.code.substr(5));
  return out;
}

TEST(SettingsTest, AnEmptyFileMeansTheDefaults) {
  const LoadedSettings loaded = Load("");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(loaded.settings.listen.grpc, ":8081");
  EXPECT_EQ(loaded.settings.listen.admin, "127.0.0.1:6070");
  EXPECT_EQ(loaded.settings.store.timeout, Duration(10ms));
  EXPECT_FALSE(loaded.settings.store.shared());
  EXPECT_EQ(loaded.settings.state_dir, "/var/lib/weir");
  EXPECT_EQ(loaded.gateway, nullptr);
}

TEST(SettingsTest, ReadsEverySection) {
  const LoadedSettings loaded = Load(R"(
listen: {grpc: "0.0.0.0:9081", http: "[::1]:9080", gateway: ":9000", admin: "unix:/run/weir.sock"}
tls: {certificate: c.pem, key: k.pem, client_ca: ca.pem, require_client_certificate: true}
workers: 3
policy: /etc/weir/policy.d
profile: reference
store: {url: "redis://127.0.0.1:6379/0", keys: 2_000_000, timeout: auto, max_in_flight: 5, held_denials: 7}
fleet: {source: static, count: 4, ordinal: 3, expected: 4, heartbeat: 2s, gone_after: 10s}
defaults: {on_store_failure: error}
runtime: {watch: false, debounce: 250ms, merge_domains: true, drain: 1m}
decision_log: {path: stderr, allow: 1%, deny: 0.5, hash_keys: true, per_second: 7}
headers: {style: x-delta, near_limit_ratio: 0.9, retry_after: false}
http:
  forward_auth:
    domain: edge
    descriptors:
      - [{key: tenant, header: X-Tenant}, {key: path, from: path}]
      - [{key: all, value: one}]
admin: {token_file: /run/token}
state_dir: /tmp/state
gateway: {routes: [whatever]}
)");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  const Settings& s = loaded.settings;
  EXPECT_EQ(s.listen.http, "[::1]:9080");
  EXPECT_TRUE(s.tls.on() && s.tls.require_client_certificate);
  EXPECT_EQ(s.workers, 3U);
  EXPECT_EQ(s.profile, Profile::kReference);
  EXPECT_TRUE(s.store.shared() && s.store.auto_timeout);
  EXPECT_EQ(s.store.keys, 2'000'000U);
  EXPECT_EQ(s.store.held_denials, 7U);
  EXPECT_EQ(s.fleet.source, FleetSettings::Source::kStatic);
  EXPECT_EQ(s.fleet.ordinal, 3U);
  EXPECT_EQ(s.defaults.on_store_failure, FailureMode::kError);
  EXPECT_EQ(s.runtime.drain, Duration(1min));
  EXPECT_EQ(s.decision_log.allow, 0.01);
  EXPECT_EQ(s.headers.style, "x-delta");
  ASSERT_EQ(s.forward_auth.descriptors.size(), 2U);
  EXPECT_EQ(s.forward_auth.descriptors[0][0].text, "x-tenant");
  EXPECT_EQ(s.forward_auth.descriptors[0][1].from, ForwardAuthEntry::From::kPath);
  ASSERT_NE(loaded.gateway, nullptr);
  EXPECT_EQ(loaded.gateway->Find("routes")->items.size(), 1U);
}

TEST(SettingsTest, ReportsAllMistakesWithTheirPlaces) {
  const LoadedSettings loaded = Load(
      "lisen: {}\n"
      "store: {timeout: 10, keys: 0}\n"
      "fleet: {source: hartbeats}\n"
      "workers: many\n");
  ASSERT_THAT(Codes(loaded), ElementsAre("S010", "S012", "S013", "S012", "S012"));
  EXPECT_EQ(loaded.diagnostics[0].label, "did you mean `listen`?");
  EXPECT_EQ(loaded.diagnostics[1].fix, "write a unit, for example 10ms");
  EXPECT_EQ(loaded.diagnostics[1].span.begin, (SourceMark{2, 18}));
  EXPECT_EQ(loaded.diagnostics[3].label, "did you mean `heartbeats`?");
}

TEST(SettingsTest, C54_ZeroStaysZero) {
  const LoadedSettings loaded =
      Load("runtime: {debounce: 0, drain: 0s}\ndecision_log: {allow: 0}\n");
  EXPECT_THAT(Codes(loaded), IsEmpty());
  EXPECT_EQ(loaded.settings.runtime.debounce, Duration(0));
  EXPECT_EQ(loaded.settings.runtime.drain, Duration(0));
  EXPECT_EQ(loaded.settings.decision_log.allow, 0);
}

TEST(SettingsTest, OffSwitchesAListenerOff) {
  EXPECT_EQ(Load("listen: {http: off}\n").settings.listen.http, "");
}

TEST(SettingsTest, AnOpenAdminAddressNeedsAToken) {
  EXPECT_THAT(Codes(Load("listen: {admin: \"10.0.0.1:6070\"}\n")), ElementsAre("S015"));
  EXPECT_THAT(Codes(Load("listen: {admin: \"10.0.0.1:6070\"}\nadmin: {token_file: t}\n")),
              IsEmpty());
}

TEST(SettingsTest, KnowsLocalAddresses) {
  for (const char* a : {"127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/x"}) {
    EXPECT_TRUE(IsLocalAddress(a)) << a;
  }
  for (const char* a : {":1", "0.0.0.0:1", "10.1.2.3:1", "[::]:1", "127.example.com:1"}) {
    EXPECT_FALSE(IsLocalAddress(a)) << a;
  }
}

TEST(SettingsTest, ErrorAsADefaultBelongsToTheReferenceProfile) {
  EXPECT_THAT(Codes(Load("defaults: {on_store_failure: error}\n")), ElementsAre("S016"));
}

TEST(SettingsTest, AForwardAuthEntryHasOneSource) {
  EXPECT_THAT(Codes(Load("http: {forward_auth: {domain: d, descriptors: [[{key: a}]]}}\n")),
              ElementsAre("S016"));
  EXPECT_THAT(
      Codes(Load(
          "http: {forward_auth: {domain: d, descriptors: [[{key: a, header: b, value: c}]]}}\n")),
      ElementsAre("S016"));
}

TEST(SettingsTest, ATextThatIsNotYamlIsAFindingToo) {
  EXPECT_THAT(Codes(Load("listen: [")), ElementsAre("P001"));
  EXPECT_THAT(Codes(Load("- a\n")), ElementsAre("S011"));
}

}  // namespace
}  // namespace weir
