// One file in testdata/ for each code: it draws that code and no other, and its golden text shows
// how people see it.  WEIR_UPDATE_GOLDEN=1 writes the golden texts and docs/errors.md anew.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weir/config/codes.h"
#include "weir/config/policy_loader.h"
#include "weir/config/render.h"
#include "weir/config/settings.h"

namespace weir {
namespace {

const std::string kFolder = "weir/config/testdata/";

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool Updating() {
  return std::getenv("WEIR_UPDATE_GOLDEN") != nullptr;
}

void ExpectGolden(const std::string& path, const std::string& text) {
  if (Updating()) std::ofstream(path) << text;
  EXPECT_EQ(ReadAll(path), text) << path;
}

// "#--- NAME" begins a further file.
std::vector<SourceFile> SplitFiles(const std::string& name, const std::string& text) {
  std::vector<SourceFile> files = {{name, ""}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#--- ")) {
      files.push_back({line.substr(5), ""});
    } else {
      files.back().text += line + "\n";
    }
  }
  return files;
}

// The words of a first line "# options: ...".
LoadOptions OptionsOf(const std::string& text) {
  LoadOptions options;
  options.default_on_store_failure = FailureMode::kOpen;
  if (!text.starts_with("# options: ")) return options;
  std::istringstream words(text.substr(11, text.find('\n') - 11));
  for (std::string word; words >> word;) {
    if (word == "shared_store") options.shared_store = true;
    if (word == "portable") options.portable = true;
    if (word == "nodefault") options.default_on_store_failure.reset();
    if (word == "profile=reference") options.profile = Profile::kReference;
    if (word == "fleet_expected_missing") options.fleet_expected_missing = true;
    if (word.starts_with("fleet=")) {
      options.fleet_size = static_cast<std::uint32_t>(std::stoul(word.substr(6)));
    }
    if (word.starts_with("today=")) options.today = word.substr(6);
  }
  return options;
}

class CodeExampleTest : public testing::TestWithParam<std::string> {};

TEST_P(CodeExampleTest, DrawsItsCodeAndNoOther) {
  const std::string code = GetParam();
  const std::string text = ReadAll(kFolder + code + ".yaml");
  ASSERT_FALSE(text.empty()) << "every code needs an example: " << kFolder << code << ".yaml";
  std::vector<SourceFile> files = SplitFiles(code + ".yaml", text);
  const bool settings = code.starts_with("WEIR-S");
  const std::vector<Diagnostic> found = settings ? LoadSettings(files[0]).diagnostics
                                                 : LoadPolicy(files, OptionsOf(text)).diagnostics;
  std::set<std::string> codes;
  for (const Diagnostic& d : found) codes.insert(d.code);
  EXPECT_THAT(codes, testing::ElementsAre(code)) << RenderText(found, files);
  ExpectGolden(kFolder + code + ".txt", RenderText(found, files));
}

std::vector<std::string> CodeNames() {
  std::vector<std::string> out;
  for (const CodeEntry& entry : AllCodes()) out.emplace_back(entry.code);
  return out;
}

INSTANTIATE_TEST_SUITE_P(AllCodes, CodeExampleTest, testing::ValuesIn(CodeNames()),
                         [](const auto& code) { return code.param.substr(5); });

TEST(CodesTest, AreSortedAndUnique) {
  const auto names = CodeNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(CodesTest, AreFoundInAnySpelling) {
  EXPECT_EQ(FindCode("WEIR-P003"), FindCode("p003"));
  EXPECT_EQ(FindCode("weir-p003")->title, "unknown key");
  EXPECT_EQ(FindCode("P999"), nullptr);
}

TEST(CodesTest, HelpIsWrappedForATerminal) {
  for (const CodeEntry& entry : AllCodes()) {
    std::istringstream lines(CodeHelp(entry));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(CodesTest, AreDocumented) {
  ExpectGolden("docs/errors.md", CodesAsMarkdown());
}

TEST(ExamplesTest, ExamplesWithoutACodeDoNotLinger) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string stem = entry.path().stem().string();
    if (stem.starts_with("WEIR-")) {
      EXPECT_NE(FindCode(stem), nullptr) << entry.path();
    }
  }
}

TEST(ExamplesTest, AllProblemsOfAFileAppearInOneRun) {
  const std::string text = ReadAll(kFolder + "many.yaml");
  const std::vector<SourceFile> files = {{"many.yaml", text}};
  LoadOptions options = OptionsOf(text);
  options.today = "2026-02-01";
  const LoadedPolicy loaded = LoadPolicy(files, options);
  ExpectGolden(kFolder + "many.txt", RenderText(loaded.diagnostics, files) + "\n" +
                                         RenderSummary(loaded.diagnostics, 1, loaded.rules));
  ExpectGolden(kFolder + "many.json", RenderJson(loaded.diagnostics, 1, loaded.rules));
}

}  // namespace
}  // namespace weir
