#include "cli/log.h"

#include <memory>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "weir/config/render.h"

namespace weir::cli {
namespace {

// A message as a JSON string: the pattern flag `%*`.
class QuotedMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& msg, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text = JsonQuoted({msg.payload.data(), msg.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<QuotedMessage>();
  }
};

std::unique_ptr<spdlog::formatter> FormatterFor(LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  if (format == LogFormat::kJson) {
    formatter->add_flag<QuotedMessage>('*').set_pattern(
        R"({"@timestamp":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l","@message":%*})");
  } else {
    formatter->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v");
  }
  return formatter;
}

std::string OneLineOf(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

bool StartLog(const LogOptions& options) {
  std::string level = options.level;
  if (level == "warning") level = "warn";
  if (level == "fatal" || level == "panic") level = "critical";
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;
  auto logger =
      std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(FormatterFor(options.format));
  logger->set_level(parsed);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  return true;
}

void LogInfo(std::string_view text) {
  spdlog::info("{}", OneLineOf(text));
}
void LogWarning(std::string_view text) {
  spdlog::warn("{}", OneLineOf(text));
}
void LogError(std::string_view text) {
  spdlog::error("{}", OneLineOf(text));
}

}  // namespace weir::cli
