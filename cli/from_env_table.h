#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::cli {

// One environment variable of envoyproxy/ratelimit, and what `weir serve --from-env` does with it.
struct EnvVariable {
  enum class Type : std::uint8_t { kText, kBool, kInt, kFloat, kDuration, kMap };
  enum class Treatment : std::uint8_t {
    kHonoured,     // `text` says what it sets.
    kNoEffect,     // There is nothing here that it could change; `text` says why.
    kUnsupported,  // It would have done something that Weir does not do; `text` says what instead.
  };

  std::string_view name;      // With a `*` for variables that have a name of their own in theirs.
  std::string_view fallback;  // The reference service's default.
  Type type = Type::kText;
  Treatment treatment = Treatment::kNoEffect;
  std::string_view text;
  // A value that asks for nothing but what is so anyway: no warning.
  std::string_view harmless{};
};

// Every one there is, grouped by topic.
std::span<const EnvVariable> EnvVariables();

// The one that `name` is, or whose pattern it fits; null if the reference service knows no such
// variable.
const EnvVariable* FindEnvVariable(std::string_view name);

// docs/from-env.md, whole.
std::string EnvVariablesAsMarkdown();

}  // namespace weir::cli
