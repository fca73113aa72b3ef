#include "cli/decision_log_writer.h"

#include <cerrno>
#include <system_error>

#include "net/loop.h"

namespace weir::cli {

DecisionLogWriter::DecisionLogWriter(net::Loop& loop)
    : loop_(loop), timer_(loop, [this] { Write(); }) {}

DecisionLogWriter::~DecisionLogWriter() {
  if (file_ == nullptr) return;
  timer_.Cancel();
  if (queue_.Take(lines_)) std::fwrite(lines_.data(), 1, lines_.size(), file_);
  std::fflush(file_);
  if (file_ != stdout && file_ != stderr) std::fclose(file_);
}

std::string DecisionLogWriter::Open(const std::string& path) {
  if (path == "stdout" || path == "stderr") {
    file_ = path == "stdout" ? stdout : stderr;
  } else {
    file_ = std::fopen(path.c_str(), "ae");
  }
  if (file_ == nullptr) {
    return "decision_log: cannot write " + path + ": " +
           std::error_code(errno, std::generic_category()).message();
  }
  timer_.Set(loop_.now().steady + kEvery);
  return {};
}

void DecisionLogWriter::Write() {
  if (queue_.Take(lines_)) {
    std::fwrite(lines_.data(), 1, lines_.size(), file_);
    std::fflush(file_);
  }
  timer_.Set(loop_.now().steady + kEvery);
}

}  // namespace weir::cli
