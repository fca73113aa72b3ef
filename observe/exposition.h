#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "observe/histogram.h"

namespace weir::observe {

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram };

// A label of a series.  Views; the value may be any bytes.
struct Label {
  std::string_view name;  // [a-zA-Z_][a-zA-Z0-9_]*
  std::string_view value;
};
using Labels = std::span<const Label>;

// Writes one page of the Prometheus text exposition format 0.0.4: UTF-8, one family after the
// other, each behind its HELP and TYPE lines.
//
//   Exposition page;
//   page.Begin("weir_requests_total", MetricType::kCounter, "Requests answered.");
//   page.Add({{"transport", "grpc"}}, 17);
//   Reply(page.text());
//
// The page is bounded: beyond `most_series` series no more are written, and Finish() says how many
// were left out.  Not thread-safe.
class Exposition {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";
  static constexpr std::size_t kMostSeries = 200'000;

  explicit Exposition(std::size_t most_series = kMostSeries) : most_series_(most_series) {}

  // Starts a family, which is written once it has a series.  Names are used once a page; `name` is
  // written as it is.
  void Begin(std::string_view name, MetricType type, std::string_view help);

  // One series of the family begun last.
  void Add(Labels labels, std::uint64_t value);
  void Add(Labels labels, double value);
  void Add(std::initializer_list<Label> labels, std::uint64_t value) {
    Add(Labels(labels.begin(), labels.size()), value);
  }
  void Add(std::initializer_list<Label> labels, double value) {
    Add(Labels(labels.begin(), labels.size()), value);
  }

  // A histogram's buckets, sum and count; as many series as it has buckets, and three.
  void Add(Labels labels, const HistogramTotals& histogram);

  // Ends the page with weir_metrics_series_dropped, a gauge that is 0 on a whole page.
  void Finish();

  std::uint64_t dropped() const { return dropped_; }
  const std::string& text() const { return text_; }

 private:
  // Whether there is room for `series` more; counts them either way, and begins the family.
  bool Admit(std::size_t series);
  void WriteSeries(std::string_view suffix, Labels labels, std::string_view le);
  void WriteLabel(const Label& label);

  const std::size_t most_series_;
  std::size_t series_ = 0;
  std::uint64_t dropped_ = 0;
  std::string family_;
  std::string header_;  // Of the family, until its first series.
  std::string text_;
};

// `text` with every byte outside [a-zA-Z0-9_:] as `_`, and `_` in front of a leading digit.
std::string MetricName(std::string_view text);

}  // namespace weir::observe
