#include "cli/check_report.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kGood =
    "domain: shop\n"
    "descriptors:\n"
    "  - key: tenant\n"
    "    rate_limit: {unit: second, requests_per_unit: 50}\n"
    "    weir: {on_store_failure: open}\n";
// Warned about: does not say what happens in an outage.
constexpr const char* kWarned =
    "domain: shop\n"
    "descriptors:\n"
    "  - key: tenant\n"
    "    rate_limit: {unit: second, requests_per_unit: 50}\n";
constexpr const char* kBad =
    "domain: login\n"
    "descriptors:\n"
    "  - key: ip\n"
    "    ratelimit: {unit: second, requests_per_unit: 50}\n"
    "  - key: user\n"
    "    rate_limit: {unit: sec, requests_per_unit: 50}\n";
class CheckReportTest : public ::testing::Test {
 protected:
  CheckReportTest() {
    root_ = fs::path(::testing::TempDir()) /
            ("weir_check_" +
             std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~CheckReportTest() override { fs::remove_all(root_); }

  std::string Write(const std::string& name, std::string_view text) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string At(const std::string& name) const { return (root_ / name).string(); }

  fs::path root_;
};

TEST_F(CheckReportTest, AGoodDirectorySaysWhatLoads) {
  Write("a/shop.yaml", kGood);
  const CheckReport report = CheckPaths({At("a")}, {});
  EXPECT_EQ(ExitOf(report, true), kExitDone);
  EXPECT_EQ(CheckText(report, false), "1 file loads: 1 rule in 1 domain\n");
}

TEST_F(CheckReportTest, AllProblemsComeInOneRun) {
  Write("a/shop.yaml", kGood);
  Write("a/login.yaml", kBad);
  const CheckReport report = CheckPaths({At("a")}, {});
  EXPECT_EQ(ExitOf(report, false), kExitFound);
  const std::string text = CheckText(report, false);
  EXPECT_THAT(text, HasSubstr("error[WEIR-P003]: "));
  EXPECT_THAT(text, HasSubstr("login.yaml:4:5"));
  EXPECT_THAT(text, HasSubstr("error[WEIR-P012]: "));
  EXPECT_THAT(text, HasSubstr("2 errors"));
  EXPECT_THAT(text, HasSubstr("weir help WEIR-P"));
}

TEST_F(CheckReportTest, EachDirectoryIsAPolicyOfItsOwn) {
  Write("a/shop.yaml", kGood);
  Write("b/shop.yaml", kGood);
  const CheckReport report = CheckPaths({At("a"), At("b")}, {});
  EXPECT_EQ(ExitOf(report, true), kExitDone);
  EXPECT_EQ(CheckText(report, false), "2 files load: 2 rules in 2 domains\n");
}

TEST_F(CheckReportTest, FilesNamedTogetherAreOnePolicy) {
  const std::string a = Write("a.yaml", kGood);
  const std::string b = Write("b.yaml", kGood);
  EXPECT_EQ(ExitOf(CheckPaths({a}, {}), true), kExitDone);
  const CheckReport report = CheckPaths({a, b}, {});
  EXPECT_THAT(CheckText(report, false), HasSubstr("WEIR-P009"));
  LoadOptions merged;
  merged.merge_domains = true;
  EXPECT_THAT(CheckText(CheckPaths({a, b}, merged), false), HasSubstr("WEIR-P007"));
}

TEST_F(CheckReportTest, StrictCountsWarnings) {
  Write("a/shop.yaml", kWarned);
  const CheckReport report = CheckPaths({At("a")}, {});
  EXPECT_EQ(ExitOf(report, false), kExitDone);
  EXPECT_EQ(ExitOf(report, true), kExitFound);
  EXPECT_THAT(CheckText(report, false), HasSubstr("1 file loads: 1 rule in 1 domain"));
}

TEST_F(CheckReportTest, ASharedStoreMakesAMissingModeAnError) {
  Write("a/shop.yaml", kWarned);
  LoadOptions options;
  options.shared_store = true;
  EXPECT_EQ(ExitOf(CheckPaths({At("a")}, options), false), kExitFound);
  options.default_on_store_failure = FailureMode::kLocalShare;
  options.fleet_size = 4;
  EXPECT_EQ(ExitOf(CheckPaths({At("a")}, options), false), kExitDone);
}

TEST_F(CheckReportTest, AnUnreadablePathIsTroubleAndTheRestIsCheckedAllTheSame) {
  Write("a/login.yaml", kBad);
  const CheckReport report = CheckPaths({At("nowhere"), At("a")}, {});
  EXPECT_EQ(ExitOf(report, false), kExitCannotStart);
  ASSERT_EQ(report.unreadable.size(), 1U);
  EXPECT_THAT(report.unreadable[0], HasSubstr("nowhere"));
  EXPECT_FALSE(report.diagnostics.empty());
}

TEST_F(CheckReportTest, JsonHasItsSchema) {
  Write("a/login.yaml", kBad);
  const auto json = nlohmann::json::parse(CheckJson(CheckPaths({At("a")}, {})));
  EXPECT_EQ(json["schema"], "weir.check/1");
}

TEST_F(CheckReportTest, GithubGetsAnAnnotationForEachFinding) {
  CheckReport report;
  Diagnostic d;
  d.code = "WEIR-P003";
  d.severity = Severity::kWarning;
  d.file = "a,b:c.yaml";
  d.span = {{4, 5}, {4, 9}};
  d.message = "100% wrong";
  d.effect = "nothing\nmuch";
  report.diagnostics = {d};
  EXPECT_EQ(CheckGithub(report),
            "::warning file=a%2Cb%3Ac.yaml,line=4,col=5,title=WEIR-P003::100%25 wrong%0A"
            "effect: nothing%0Amuch\n");
}

TEST_F(CheckReportTest, SettingsSayHowThePolicyIsLoaded) {
  Settings settings;
  EXPECT_FALSE(LoadOptionsOf(settings).shared_store);
  EXPECT_FALSE(LoadOptionsOf(settings).fleet_expected_missing);
  settings.store.url = "redis://cache:6379";
  settings.profile = Profile::kReference;
  settings.runtime.merge_domains = true;
  settings.defaults.on_store_failure = FailureMode::kOpen;
  const LoadOptions options = LoadOptionsOf(settings);
  EXPECT_TRUE(options.shared_store);
  EXPECT_TRUE(options.fleet_expected_missing);
  EXPECT_TRUE(options.merge_domains);
  EXPECT_EQ(options.profile, Profile::kReference);
  EXPECT_EQ(options.default_on_store_failure, FailureMode::kOpen);
  settings.fleet.expected = 4;
  EXPECT_EQ(LoadOptionsOf(settings).fleet_size, 4U);
}

}  // namespace
}  // namespace weir::cli
