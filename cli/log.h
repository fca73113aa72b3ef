#pragma once

#include <string>
#include <string_view>

namespace weir::cli {

enum class LogFormat : unsigned char { kText, kJson };

struct LogOptions {
  std::string level = "info";  // trace, debug, info, warn, error, off; `warning`, `fatal` too.
  LogFormat format = LogFormat::kText;
};

// Sets up the process's log: lines on stderr, text or one JSON object each with the fields
// `@timestamp`, `level` and `@message`.  False if the level is not one.
bool StartLog(const LogOptions& options);

// One line each; line breaks inside become "\n".  Thread-safe.
void LogInfo(std::string_view text);
void LogWarning(std::string_view text);
void LogError(std::string_view text);

}  // namespace weir::cli
