// The reference service's own verdicts, recorded: test/data/reference/README.md.

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "weir/config/policy_loader.h"
#include "weir/config/render.h"

namespace weir {
namespace {

struct Recorded {
  std::vector<SourceFile> files;
  bool accepted = false;
  std::string message;  // first line, without the mark of a crash
};

std::vector<Recorded> ReadRecordings() {
  std::vector<Recorded> out;
  std::ifstream in("test/data/reference/verdicts.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    std::string message = json["message"];
    if (message.starts_with("panic: ")) message.erase(0, 7);
    out.push_back({{{"policy.yaml", json["file"]}}, json["accepted"], message});
  }
  return out;
}

TEST(ReferenceVerdictTest, EqualsAllRecordedVerdictsAndMessages) {
  const auto recordings = ReadRecordings();
  ASSERT_EQ(recordings.size(), 400U);
  for (const Recorded& recorded : recordings) {
    const ReferenceVerdict verdict = JudgeAsReference(recorded.files);
    EXPECT_EQ(verdict.accepted, recorded.accepted) << recorded.files[0].text;
    EXPECT_EQ(verdict.message.substr(0, verdict.message.find('\n')), recorded.message)
        << recorded.files[0].text;
  }
}

TEST(ReferenceVerdictTest, ProfileReferenceLoadsExactlyWhatWasAccepted) {
  for (const Recorded& recorded : ReadRecordings()) {
    LoadOptions options;
    options.profile = Profile::kReference;
    options.portable = true;
    const LoadedPolicy loaded = LoadPolicy(recorded.files, options);
    EXPECT_EQ(loaded.ok(), recorded.accepted)
        << recorded.files[0].text << RenderText(loaded.diagnostics, recorded.files);
  }
}

TEST(ReferenceVerdictTest, ProfileNativeLoadsEverythingThatWasAccepted) {
  LoadOptions options;
  options.shared_store = false;  // What a shared store cannot count is refused: WEIR-P050.
  options.default_on_store_failure = FailureMode::kOpen;
  std::size_t accepted = 0;
  for (const Recorded& recorded : ReadRecordings()) {
    if (!recorded.accepted) continue;
    ++accepted;
    const LoadedPolicy loaded = LoadPolicy(recorded.files, options);
    EXPECT_TRUE(loaded.ok()) << recorded.files[0].text
                             << RenderText(loaded.diagnostics, recorded.files);
  }
  EXPECT_GT(accepted, 100U);
}

TEST(ReferenceVerdictTest, AKeyThatDoesNothingStopsOnlyAFileThatTheReferenceServiceRefuses) {
  const std::string twice =
      "domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unit: second\n"
      "      shadow_mode: true\n      requests_per_unit: 5\n      requests_per_unit: 6\n";
  const auto severities = [](const std::string& text) {
    std::vector<Severity> out;
    for (const Diagnostic& d : LoadPolicy(std::vector<SourceFile>{{"f", text}}, {}).diagnostics) {
      if (d.code == "WEIR-P006" || d.code == "WEIR-P016") out.push_back(d.severity);
    }
    return out;
  };
  EXPECT_EQ(severities(twice), std::vector<Severity>(2, Severity::kWarning));
  EXPECT_EQ(severities(twice + "    weir: {owner: me}\n"),
            std::vector<Severity>(2, Severity::kError));
  // Two spellings of one composite, which only the native profile tells apart.
  EXPECT_EQ(severities(twice + "  - key: a_b\n  - key: a\n    value: b\n"),
            std::vector<Severity>(2, Severity::kError));
}

std::string Message(const std::vector<SourceFile>& files, bool merge = false) {
  return JudgeAsReference(files, merge).message;
}

TEST(ReferenceVerdictTest, ReadsAllFilesBeforeItBuildsAny) {
  EXPECT_EQ(Message({{"a", "descriptors: []\n"}, {"b", "domain: x\nfoo: 1\n"}}),
            "b: config error, unknown key 'foo'");
}

TEST(ReferenceVerdictTest, KnowsDuplicatesAcrossFiles) {
  const std::string one = "domain: test-domain\ndescriptors: [{key: key1, value: value1}]\n";
  const std::string two = "domain: test-domain\ndescriptors: [{key: key2}]\n";
  EXPECT_EQ(Message({{"a", one}, {"b", two}}), "b: duplicate domain 'test-domain' in config file");
  EXPECT_EQ(Message({{"a", one}, {"b", two}}, true), "");
  EXPECT_EQ(Message({{"a", one}, {"b", one}}, true),
            "b: duplicate descriptor composite key 'test-domain.key1_value1'");
}

TEST(ReferenceVerdictTest, AnswersItsPublishedExamples) {
  const auto say = [](const std::string& text) { return Message({{"f", text}}).substr(3); };
  EXPECT_EQ(say("domain: d\ndescriptors:\n  - key: a\n    0.25: b\n"),
            "config error, key is not of type string: 0.25");
  EXPECT_EQ(say("domain: d\ndescriptors: [a, b]\n"),
            "config error, yaml file contains list of type other than map: a");
  EXPECT_EQ(say("domain: d\ndescriptors:\n  - key: a\n    rate_limit: {requestsperunit: 5}\n"),
            "config error, unknown key 'requestsperunit'");
  EXPECT_EQ(say("domain: d\ndescriptors:\n  - value: a\n"), "descriptor has empty key");
  EXPECT_EQ(say("\n'''"),
            "error loading config file: yaml: line 2: found unexpected end of stream");
}

TEST(ReferenceVerdictTest, DecodesAsItsYamlLibraryDoes) {
  const std::string head = "domain: d\ndescriptors:\n  - key: a\n";
  const std::string good = "    rate_limit: {unit: second, requests_per_unit: 5}\n";
  // The second rate_limit completes the first; nothing at all removes it.
  EXPECT_EQ(Message({{"f", head + good + "    rate_limit: {requests_per_unit: 7}\n"}}), "");
  EXPECT_EQ(Message({{"f", head + "    rate_limit: {requests_per_unit: 7}\n    rate_limit: ~\n"}}),
            "");
  // It knows NULL as null only after it made room for a limit.
  EXPECT_EQ(Message({{"f", head + "    rate_limit: NULL\n"}}), "f: invalid rate limit unit ''");
  EXPECT_EQ(Message({{"f", head + "    rate_limit: {unit: second, requests_per_unit: -1}\n"}}),
            "f: error loading config file: yaml: unmarshal errors:\n"
            "  line 4: cannot unmarshal !!int `-1` into uint32");
}

}  // namespace
}  // namespace weir
