// docs/reference-behaviours.md says what is tested where: this keeps it true.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace weir::reference {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> AllMatches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.push_back((*at)[1].str());
  }
  return found;
}

// The identifier that begins at `*at`, behind blanks; moves `*at` behind it.
std::string Identifier(const std::string& text, std::size_t* at) {
  *at = text.find_first_not_of(" \n", *at);
  std::string name;
  while (*at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[*at])) != 0 || text[*at] == '_')) {
    name += text[(*at)++];
  }
  return name;
}

// By hand, because a regular expression takes its time over all sources.
void AddGoogleTests(const std::string& text, std::set<std::string>& names) {
  constexpr std::string_view kMark = "\nTEST";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
    at = text.find('(', at);
    if (at == std::string::npos) return;
    const std::string suite = Identifier(text, &++at);
    if (at >= text.size() || text[at] != ',') continue;
    names.insert(suite + "." + Identifier(text, &++at));
  }
}

void AddPythonTests(const std::string& text, std::set<std::string>& names) {
  constexpr std::string_view kMark = "\ndef test_";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
    at += kMark.size();
    names.insert("test_" + Identifier(text, &at));
  }
}

// "Suite.Name" of every GoogleTest case, and the name of every pytest function.
std::set<std::string> TestsOfTheTree() {
  std::set<std::string> names;
  for (const char* part : {"weir", "net", "rls", "http_api", "observe", "admin", "cli", "test"}) {
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(part)) {
      const std::string name = file.path().filename().string();
      if (name.ends_with("_test.cc")) AddGoogleTests(ReadFile(file.path()), names);
      if (name.starts_with("test_") && name.ends_with(".py")) {
        AddPythonTests(ReadFile(file.path()), names);
      }
    }
  }
  return names;
}

std::vector<std::string> TestsNamedIn(const std::string& text) {
  return AllMatches(text, R"(`(\w+Test\.\w+|test_\w+)`)");
}

class BehavioursTableTest : public testing::Test {
 protected:
  const std::string page_ = ReadFile("docs/reference-behaviours.md");
  const std::set<std::string> tests_ = TestsOfTheTree();
};

TEST_F(BehavioursTableTest, EveryTestItNamesExists) {
  ASSERT_GT(tests_.size(), 500U);
  const std::vector<std::string> named = TestsNamedIn(page_);
  EXPECT_GT(named.size(), 100U);
  for (const std::string& name : named) EXPECT_TRUE(tests_.contains(name)) << name;
}

TEST_F(BehavioursTableTest, EveryTestOfARowIsNamed) {
  const std::vector<std::string> named = TestsNamedIn(page_);
  const std::set<std::string> known(named.begin(), named.end());
  for (const std::string& test : tests_) {
    if (test.starts_with("Section9Test.")) {
      EXPECT_TRUE(known.contains(test)) << test;
    }
  }
}

TEST_F(BehavioursTableTest, EveryRowHasATestOrAReason) {
  const std::size_t rest = page_.find("## Not here");
  ASSERT_NE(rest, std::string::npos);
  for (const std::string& row : AllMatches(page_, "\n(\\| \\d[^\n]*)")) {
    const bool tested = page_.find(row) < rest;
    EXPECT_EQ(!TestsNamedIn(row).empty(), tested) << row;
    if (!tested) {
      EXPECT_TRUE(
          std::regex_search(row, std::regex("comes with|not offered|not reachable|Envoy's part")))
          << row;
    }
  }
}

// Every row of every area, so that none is forgotten on either side.
TEST_F(BehavioursTableTest, AllRowsAreThere) {
  const std::pair<int, int> areas[] = {{2, 11}, {3, 12}, {4, 10}, {5, 7}};
  std::set<std::string> rows;
  for (const std::string& cell : AllMatches(page_, R"(\n\| ([0-9., ]+) \|)")) {
    for (std::string& row : AllMatches(cell, R"((\d+(?:\.\d+)?))")) rows.insert(std::move(row));
  }
  EXPECT_TRUE(rows.contains("1") && rows.contains("6"));
  for (const auto& [area, last] : areas) {
    for (int row = 1; row <= last; ++row) {
      const std::string name = std::to_string(area) + "." + std::to_string(row);
      EXPECT_TRUE(rows.contains(name)) << name;
    }
  }
}

}  // namespace
}  // namespace weir::reference
