#include "observe/exposition.h"

#include <string>

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

TEST(ExpositionTest, WritesHelpAndTypeBeforeTheSeriesOfAFamily) {
  Exposition page;
  page.Begin("weir_requests_total", MetricType::kCounter, "Requests.\nAll \\ of them.");
  page.Add({{"transport", "grpc"}}, std::uint64_t{17});
  page.Add({}, 0.25);
  EXPECT_EQ(page.text(),
            "# HELP weir_requests_total Requests.\\nAll \\\\ of them.\n"
            "# TYPE weir_requests_total counter\n"
            "weir_requests_total{transport=\"grpc\"} 17\n"
            "weir_requests_total 0.25\n");
}

TEST(ExpositionTest, SaysNothingOfAFamilyWithoutSeries) {
  Exposition page;
  page.Begin("weir_a", MetricType::kGauge, "A.");
  page.Begin("weir_b", MetricType::kGauge, "B.");
  page.Add({}, std::uint64_t{1});
  EXPECT_EQ(page.text(), "# HELP weir_b B.\n# TYPE weir_b gauge\nweir_b 1\n");
}

TEST(ExpositionTest, C101_KeepsEveryValueInOneEscapedLabel) {
  Exposition page;
  page.Begin("m", MetricType::kCounter, "h");
  for (const char* value : {"/foo:*", "a|b", "10.0.0.0/8", "svc.Greeter/SayHello",
                            "say \"hi\"\\n\n", "gr\xc3\xbc\xc3\x9f"}) {
    page.Add({{"rule", value}}, std::uint64_t{1});
  }
  EXPECT_EQ(page.text(),
            "# HELP m h\n# TYPE m counter\n"
            "m{rule=\"/foo:*\"} 1\n"
            "m{rule=\"a|b\"} 1\n"
            "m{rule=\"10.0.0.0/8\"} 1\n"
            "m{rule=\"svc.Greeter/SayHello\"} 1\n"
            "m{rule=\"say \\\"hi\\\"\\\\n\\n\"} 1\n"
            "m{rule=\"gr\xc3\xbc\xc3\x9f\"} 1\n");
}

TEST(ExpositionTest, ReplacesBytesThatAreNotUtf8) {
  Exposition page;
  page.Begin("m", MetricType::kCounter, "h");
  page.Add({{"rule", "a\xff\xc3z"}}, std::uint64_t{1});
  EXPECT_NE(page.text().find("{rule=\"a\xef\xbf\xbd\xef\xbf\xbdz\"}"), std::string::npos);
}

TEST(ExpositionTest, LeavesOutAndCountsWhatIsBeyondTheBound) {
  Exposition page(2);
  page.Begin("m", MetricType::kCounter, "h");
  for (int i = 0; i < 5; ++i) page.Add({{"i", std::to_string(i)}}, std::uint64_t{1});
  page.Begin("n", MetricType::kCounter, "h");
  page.Add({}, std::uint64_t{1});
  EXPECT_EQ(page.dropped(), 4U);
  EXPECT_EQ(page.text().find("# HELP n"), std::string::npos);
  page.Finish();
  EXPECT_TRUE(page.text().ends_with("\nweir_metrics_series_dropped 4\n"));
}

TEST(ExpositionTest, WritesHistogramsCumulatively) {
  Histogram histogram;
  histogram.Add(std::chrono::microseconds(1));
  histogram.Add(std::chrono::nanoseconds(1024));
  histogram.Add(std::chrono::nanoseconds(1025));
  histogram.Add(std::chrono::seconds(100));
  Exposition page;
  page.Begin("d", MetricType::kHistogram, "h");
  page.Add(Labels{}, histogram.Totals());
  EXPECT_NE(page.text().find("d_bucket{le=\"1.024e-06\"} 2\n"), std::string::npos);
  EXPECT_NE(page.text().find("d_bucket{le=\"2.048e-06\"} 3\n"), std::string::npos);
  EXPECT_NE(page.text().find("d_bucket{le=\"+Inf\"} 4\n"), std::string::npos);
  EXPECT_NE(page.text().find("d_sum 100.000003049\n"), std::string::npos);
  EXPECT_NE(page.text().find("d_count 4\n"), std::string::npos);
}

TEST(ExpositionTest, MetricNamesHaveNoForeignCharacters) {
  EXPECT_EQ(MetricName("a.b-c/d*"), "a_b_c_d_");
  EXPECT_EQ(MetricName("9lives"), "_9lives");
}

}  // namespace
}  // namespace weir::observe
