#include "weir/core/pattern.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "test/dice.h"

namespace weir {
namespace {

// The definition, by trying: what each star may stand for.
bool MatchesByTrying(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && text.front() == pattern.front() &&
           MatchesByTrying(pattern.substr(1), text.substr(1));
  }
  for (std::size_t taken = 0; taken <= text.size(); ++taken) {
    if (MatchesByTrying(pattern.substr(1), text.substr(taken))) return true;
  }
  return false;
}

std::string AnyText(Dice& dice, std::string_view letters, std::size_t longest) {
  std::string text(dice.Between(0, longest), ' ');
  for (char& c : text) c = letters.at(dice.Between(0, letters.size() - 1));
  return text;
}

// Every text of up to `longest` letters of `letters`.
std::vector<std::string> AllTexts(std::string_view letters, std::size_t longest) {
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.at(i).size() == longest) continue;
    for (const char c : letters) all.push_back(all.at(i) + c);
  }
  return all;
}

TEST(PatternTest, WithoutAStarOnlyTheSameTextMatches) {
  EXPECT_TRUE(MatchesPattern("", ""));
  EXPECT_TRUE(MatchesPattern("a.b", "a.b"));
  EXPECT_FALSE(MatchesPattern("a.b", "axb"));
  EXPECT_FALSE(MatchesPattern("a", ""));
  EXPECT_FALSE(MatchesPattern("", "a"));
}

TEST(PatternTest, StarsStandForAnythingAlsoNothing) {
  for (const char* text : {"", "a", "*", "a*b", "any text at all"}) {
    EXPECT_TRUE(MatchesPattern("*", text)) << text;
    EXPECT_TRUE(MatchesPattern("***", text)) << text;
  }
  EXPECT_TRUE(MatchesPattern("a*b*c", "abc"));
  EXPECT_TRUE(MatchesPattern("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(MatchesPattern("a*b*c", "acb"));
}

TEST(PatternTest, OnlyTheStarIsSpecial) {
  EXPECT_FALSE(MatchesPattern("a?*", "ab"));
  EXPECT_TRUE(MatchesPattern("a?*", "a?b"));
  EXPECT_FALSE(MatchesPattern("[ab]*", "a"));
  EXPECT_FALSE(MatchesPattern("\\*", "*"));
  EXPECT_TRUE(MatchesPattern(std::string_view("a\0*", 3), std::string_view("a\0b", 3)));
}

TEST(PatternTest, C57_StarsInFrontAndInTheMiddleAreAnchoredOnBothSides) {
  for (const char* host : {"a.example.com", "a.b.example.com", ".example.com"}) {
    EXPECT_TRUE(MatchesPattern("*.example.com", host)) << host;
  }
  for (const char* host : {"example.com", "evil-example.com", "a.example.com.evil"}) {
    EXPECT_FALSE(MatchesPattern("*.example.com", host)) << host;
  }
  for (const char* path : {"/v1/7/items", "/v1//items"}) {
    EXPECT_TRUE(MatchesPattern("/v1/*/items", path)) << path;
  }
  for (const char* path : {"/v1/items", "/v1/7/items/x", "/v1/7/item", "x/v1/7/items"}) {
    EXPECT_FALSE(MatchesPattern("/v1/*/items", path)) << path;
  }
}

TEST(PatternTest, C57_LiteralsNeverShareCharacters) {
  EXPECT_FALSE(MatchesPattern("aba*aba", "aba"));
  EXPECT_FALSE(MatchesPattern("aba*aba", "ababa"));
  EXPECT_TRUE(MatchesPattern("aba*aba", "abaaba"));
  EXPECT_FALSE(MatchesPattern("a*a*a", "aa"));
  EXPECT_FALSE(MatchesPattern("*ab*ba*", "aba"));
}

TEST(PatternTest, ManyStarsOverALongTextStayCheap) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  pattern += "*b";
  const std::string text(100'000, 'a');
  EXPECT_FALSE(MatchesPattern(pattern, text));
  EXPECT_TRUE(MatchesPattern(pattern, text + "b"));
}

TEST(PatternPropertyTest, AgreesWithTryingEveryMeaningOfEveryStar) {
  const std::vector<std::string> texts = AllTexts("ab", 6);
  for (const std::string& pattern : AllTexts("ab*", 5)) {
    for (const std::string& text : texts) {
      ASSERT_EQ(MatchesPattern(pattern, text), MatchesByTrying(pattern, text))
          << pattern << " on " << text;
    }
  }
}

TEST(PatternPropertyTest, AgreesWithTryingOnLongerTexts) {
  SCOPED_TRACE(SeedNote());
  Dice dice(70);
  for (int i = 0; i < 20'000; ++i) {
    const std::string pattern = AnyText(dice, "aab*", 9);
    const std::string text = AnyText(dice, "aab", 14);
    ASSERT_EQ(MatchesPattern(pattern, text), MatchesByTrying(pattern, text))
        << pattern << " on " << text;
  }
}

TEST(PatternTest, APatternCoversWhatItCanOnlyWiden) {
  EXPECT_TRUE(PatternCovers("*", "anything*"));
  EXPECT_TRUE(PatternCovers("/foo*", "/foo/bar*"));
  EXPECT_TRUE(PatternCovers("/foo*", "/foo/bar"));
  EXPECT_TRUE(PatternCovers("same", "same"));
  EXPECT_FALSE(PatternCovers("/foo/bar*", "/foo*"));
  EXPECT_FALSE(PatternCovers("literal", "lit*"));
  EXPECT_FALSE(PatternCovers("literal", "*"));
}

TEST(PatternPropertyTest, CoveringIsSoundAlwaysAndCompleteForOneStar) {
  const std::vector<std::string> texts = AllTexts("abc", 6);  // `c` stands in no pattern.
  const std::vector<std::string> patterns = AllTexts("ab*", 3);
  for (const std::string& wide : patterns) {
    for (const std::string& narrow : patterns) {
      bool covered = true;
      for (const std::string& text : texts) {
        covered = covered && (!MatchesPattern(narrow, text) || MatchesPattern(wide, text));
      }
      const auto stars = [](const std::string& p) { return std::count(p.begin(), p.end(), '*'); };
      if (PatternCovers(wide, narrow)) {
        ASSERT_TRUE(covered) << wide << " over " << narrow;
      } else if (stars(wide) <= 1 && stars(narrow) <= 1) {
        ASSERT_FALSE(covered) << wide << " over " << narrow;
      }
    }
  }
}

}  // namespace
}  // namespace weir
