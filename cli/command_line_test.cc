#include "cli/command_line.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int exit = 0;
  std::string out;
  std::string err;
};

Outcome Weir(const std::vector<std::string>& words) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.exit = RunCommandLine(words);
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

std::string PolicyDirectory() {
  const fs::path directory = fs::path(::testing::TempDir()) / "weir_command_line_policy";
  fs::create_directories(directory);
  std::ofstream(directory / "shop.yaml") << "domain: shop\n"
                                            "descriptors:\n"
                                            "  - key: tenant\n"
                                            "    rate_limit: {unit: day, requests_per_unit: 5}\n";
  return directory.string();
}

TEST(CommandLineTest, AloneItPrintsTenLinesWithExamples) {
  const Outcome outcome = Weir({});
  EXPECT_EQ(outcome.exit, kExitDone);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 10);
  EXPECT_THAT(outcome.out, HasSubstr("weir check policy.d"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(CommandLineTest, AnUnknownVerbDrawsASuggestion) {
  const Outcome outcome = Weir({"chekc", "policy.d"});
  EXPECT_EQ(outcome.exit, kExitCannotStart);
  EXPECT_THAT(outcome.err,
              StartsWith("weir: unknown verb `chekc`; did you mean `check`?\nTry: weir --help\n"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(CommandLineTest, AnUnknownOptionDrawsASuggestion) {
  const Outcome outcome = Weir({"check", "--strcit=1", "policy.d"});
  EXPECT_EQ(outcome.exit, kExitCannotStart);
  EXPECT_THAT(outcome.err, HasSubstr("weir check: unknown option `--strcit`; did you mean "
                                     "`--strict`?\nTry: weir check --help\n"));
}

TEST(CommandLineTest, ABadValueNamesItsOption) {
  const Outcome outcome = Weir({"check", "-o", "xml", "policy.d"});
  EXPECT_EQ(outcome.exit, kExitCannotStart);
  EXPECT_THAT(outcome.err, HasSubstr("--output"));
  EXPECT_THAT(outcome.err, HasSubstr("xml"));
}

TEST(CommandLineTest, HelpVerbAndDashDashHelpAreTheSameText) {
  for (const char* verb :
       {"serve", "demo", "check", "explain", "hit", "health", "version", "help"}) {
    const Outcome help = Weir({"help", verb});
    const Outcome flag = Weir({verb, "--help"});
    EXPECT_EQ(help.exit, kExitDone) << verb;
    EXPECT_EQ(help.out, flag.out) << verb;
    EXPECT_THAT(help.out, HasSubstr(std::string("Usage: weir ") + verb)) << verb;
  }
  EXPECT_EQ(Weir({"help"}).out, Weir({"--help"}).out);
}

TEST(CommandLineTest, HelpExplainsCodes) {
  const Outcome outcome = Weir({"help", "WEIR-P003"});
  EXPECT_EQ(outcome.exit, kExitDone);
  EXPECT_THAT(outcome.out, HasSubstr("unknown key"));
  EXPECT_EQ(Weir({"help", "p003"}).out, outcome.out);
  const Outcome unknown = Weir({"help", "WEIR-P999"});
  EXPECT_EQ(unknown.exit, kExitCannotStart);
  EXPECT_THAT(unknown.err, HasSubstr("nothing is known about `WEIR-P999`"));
}

TEST(CommandLineTest, VersionSaysWhatThisIs) {
  EXPECT_THAT(Weir({"version"}).out, HasSubstr("profiles  native, reference"));
  EXPECT_EQ(Weir({"--version"}).out, Weir({"version"}).out);
  EXPECT_THAT(Weir({"version", "-o", "json"}).out, StartsWith("{\"schema\":\"weir.version/1\""));
}

TEST(CommandLineTest, CheckFindsExitsAndPrintsWhereItShould) {
  const Outcome good = Weir({"check", PolicyDirectory()});
  EXPECT_EQ(good.exit, kExitDone) << good.err;
  EXPECT_THAT(good.out, HasSubstr("1 file loads: 1 rule in 1 domain"));
  EXPECT_EQ(Weir({"check", "--store", "redis://cache:6379", PolicyDirectory()}).exit, kExitFound);
  const Outcome unreadable = Weir({"check", "/nonexistent"});
  EXPECT_EQ(unreadable.exit, kExitCannotStart);
  EXPECT_THAT(unreadable.err, HasSubstr("/nonexistent"));
  EXPECT_EQ(Weir({"check"}).exit, kExitCannotStart);
}

TEST(CommandLineTest, CheckOfLocalShareOverHeartbeatsAsksForTheFleetsSize) {
  const std::vector<std::string> words = {
      "check",       "--store",        "redis://cache:6379", "--on-store-failure",
      "local_share", PolicyDirectory()};
  const Outcome blind = Weir(words);
  EXPECT_EQ(blind.exit, kExitFound);
  EXPECT_THAT(blind.out, HasSubstr("WEIR-P044"));
  EXPECT_THAT(blind.out, HasSubstr("--fleet-expected N"));
  std::vector<std::string> told = words;
  told.insert(told.begin() + 1, {"--fleet-expected", "4"});
  EXPECT_THAT(Weir(told).out, Not(HasSubstr("WEIR-P044")));
}

TEST(CommandLineTest, CheckTakesAVerbsNameForAPath) {
  EXPECT_THAT(Weir({"check", "serve"}).err, HasSubstr("cannot read serve"));
}

TEST(CommandLineTest, ExplainShowsTheRule) {
  const Outcome outcome = Weir({"explain", "--policy", PolicyDirectory(), "tenant=a=b"});
  EXPECT_EQ(outcome.exit, kExitDone) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rule shop/tenant applies: 5/day"));
  EXPECT_EQ(Weir({"explain", "--policy", PolicyDirectory(), "--exit-code", "user=x"}).exit,
            kExitFound);
  EXPECT_EQ(Weir({"explain", "--policy", PolicyDirectory(), "user=x"}).exit, kExitDone);
  EXPECT_EQ(Weir({"explain", "--policy", PolicyDirectory(), "tenant"}).exit, kExitCannotStart);
  EXPECT_EQ(Weir({"explain", "--policy", "/nonexistent", "tenant=x"}).exit, kExitCannotStart);
}

TEST(CommandLineTest, WhereNobodyAnswersTheExitCodeIsThree) {
  const Outcome hit =
      Weir({"hit", "--domain", "shop", "tenant=acme", "--addr", "unix:/nonexistent/weir.sock"});
  EXPECT_EQ(hit.exit, kExitUnreachable);
  EXPECT_THAT(hit.err, StartsWith("weir hit: cannot reach unix:/nonexistent/weir.sock"));
  EXPECT_EQ(Weir({"health", "--addr", "unix:/nonexistent/weir.sock"}).exit, kExitUnreachable);
  EXPECT_EQ(Weir({"hit", "tenant=acme"}).exit, kExitCannotStart);
  EXPECT_EQ(Weir({"hit", "--domain", "shop", "tenant=acme", "--rate", "fast"}).exit,
            kExitCannotStart);
}

}  // namespace
}  // namespace weir::cli
