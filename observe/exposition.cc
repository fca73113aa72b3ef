#include "observe/exposition.h"

#include <charconv>
#include <cmath>

#include "observe/utf8_text.h"

namespace weir::observe {
namespace {

std::string_view TypeWord(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "untyped";
}

void AppendNumber(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

void AppendNumber(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

void Exposition::Begin(std::string_view name, MetricType type, std::string_view help) {
  family_ = name;
  header_ = "# HELP ";
  header_.append(name).append(" ");
  AppendUtf8(help, header_, [](char c, std::string& out) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  });
  header_.append("\n# TYPE ").append(name).append(" ").append(TypeWord(type)).append("\n");
}

bool Exposition::Admit(std::size_t series) {
  if (series > most_series_ - series_) {
    dropped_ += series;
    return false;
  }
  series_ += series;
  text_ += header_;
  header_.clear();
  return true;
}

void Exposition::WriteLabel(const Label& label) {
  text_.append(label.name).append("=\"");
  AppendUtf8(label.value, text_, [](char c, std::string& out) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  });
  text_ += '"';
}

void Exposition::WriteSeries(std::string_view suffix, Labels labels, std::string_view le) {
  text_.append(family_).append(suffix);
  if (!labels.empty() || !le.empty()) {
    text_ += '{';
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i > 0) text_ += ',';
      WriteLabel(labels[i]);
    }
    if (!le.empty()) {
      if (!labels.empty()) text_ += ',';
      WriteLabel({"le", le});
    }
    text_ += '}';
  }
  text_ += ' ';
}

void Exposition::Add(Labels labels, std::uint64_t value) {
  if (!Admit(1)) return;
  WriteSeries({}, labels, {});
  AppendNumber(text_, value);
  text_ += '\n';
}

void Exposition::Add(Labels labels, double value) {
  if (!Admit(1)) return;
  WriteSeries({}, labels, {});
  AppendNumber(text_, value);
  text_ += '\n';
}

void Exposition::Add(Labels labels, const HistogramTotals& histogram) {
  constexpr std::size_t kInfSumCount = 3;
  if (!Admit(kExportedBounds.size() + kInfSumCount)) return;
  std::string le;
  for (std::size_t i = 0; i < kExportedBounds.size(); ++i) {
    le.clear();
    AppendNumber(le, std::chrono::duration<double>(kExportedBounds[i]).count());
    WriteSeries("_bucket", labels, le);
    AppendNumber(text_, histogram.AtMost(i));
    text_ += '\n';
  }
  WriteSeries("_bucket", labels, "+Inf");
  AppendNumber(text_, histogram.count);
  text_ += '\n';
  WriteSeries("_sum", labels, {});
  AppendNumber(text_, std::chrono::duration<double>(histogram.sum).count());
  text_ += '\n';
  WriteSeries("_count", labels, {});
  AppendNumber(text_, histogram.count);
  text_ += '\n';
}

void Exposition::Finish() {
  Begin("weir_metrics_series_dropped", MetricType::kGauge,
        "Series left out of this page because of its bound.");
  text_ += header_;
  header_.clear();
  WriteSeries({}, {}, {});
  AppendNumber(text_, dropped_);
  text_ += '\n';
}

std::string MetricName(std::string_view text) {
  std::string name;
  name.reserve(text.size() + 1);
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    if (digit && name.empty()) name += '_';
    name += digit || letter ? c : '_';
  }
  return name;
}

}  // namespace weir::observe
