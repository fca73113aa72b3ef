#include "cli/hit_text.h"

#include <charconv>

#include "weir/config/render.h"

namespace weir::cli {
namespace {

std::string HeadersText(const Heard& heard) {
  std::string out;
  for (const auto& [name, value] : heard.headers) out += "  " + name + ": " + value;
  return out;
}

std::string HeardJson(const Heard& heard) {
  std::string out = "{\"answer\":" + JsonQuoted(heard.word) +
                    ",\"detail\":" + JsonQuoted(heard.detail) + ",\"headers\":{";
  for (std::size_t i = 0; i < heard.headers.size(); ++i) {
    out += (i == 0 ? "" : ",") + JsonQuoted(heard.headers[i].first) + ":" +
           JsonQuoted(heard.headers[i].second);
  }
  return out + "}}";
}

std::string MillisecondsText(Duration duration) {
  const auto tenths = duration.count() / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::optional<Duration> UnitOf(std::string_view text) {
  if (text.empty() || text == "/s" || text == "/sec" || text == "/second") {
    return std::chrono::seconds(1);
  }
  if (text == "/m" || text == "/min" || text == "/minute") return std::chrono::minutes(1);
  if (text == "/h" || text == "/hour") return std::chrono::hours(1);
  return std::nullopt;
}

}  // namespace

void HitTally::Add(const Heard& heard) {
  ++asked;
  ++words[heard.word];
  if (heard.kind == Heard::Kind::kOver) {
    if (over++ == 0) {
      first_over = heard;
      first_over_number = asked;
    }
  } else if (heard.kind == Heard::Kind::kRefused) {
    if (refused++ == 0) first_refused = heard;
  }
}

std::string HeardText(const Heard& heard) {
  std::string out = heard.word;
  if (!heard.detail.empty()) out += "  " + heard.detail;
  return out + HeadersText(heard) + "\n";
}

std::string TallyText(const HitTally& tally) {
  std::string out =
      std::to_string(tally.asked) + " asked in " + MillisecondsText(tally.took) + " ms: ";
  bool first = true;
  for (const auto& [word, count] : tally.words) {
    out += (first ? "" : ", ") + std::to_string(count) + " " + word;
    first = false;
  }
  out += "\n";
  if (tally.first_over) {
    out += "first over limit: number " + std::to_string(tally.first_over_number) + "  " +
           HeardText(*tally.first_over);
  }
  if (tally.first_refused) out += "first refused: " + HeardText(*tally.first_refused);
  return out;
}

std::string TallyJson(const HitTally& tally) {
  std::string out = "{\"schema\":\"weir.hit/1\",\"asked\":" + std::to_string(tally.asked) +
                    ",\"took_ms\":" + MillisecondsText(tally.took) + ",\"answers\":{";
  bool first = true;
  for (const auto& [word, count] : tally.words) {
    out += (first ? "" : ",") + JsonQuoted(word) + ":" + std::to_string(count);
    first = false;
  }
  out += "},\"over\":" + std::to_string(tally.over) +
         ",\"refused\":" + std::to_string(tally.refused) + ",\"first_over\":";
  if (tally.first_over) {
    out += "{\"number\":" + std::to_string(tally.first_over_number) + "," +
           HeardJson(*tally.first_over).substr(1);
  } else {
    out += "null";
  }
  out += ",\"first_refused\":" + (tally.first_refused ? HeardJson(*tally.first_refused) : "null");
  return out + "}\n";
}

std::optional<Duration> ParseRate(std::string_view text) {
  double count = 0;
  const char* const end_of_text = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), end_of_text, count);
  if (error != std::errc() || !(count > 0) || count > 1e9) return std::nullopt;
  const auto unit = UnitOf({end, static_cast<std::size_t>(end_of_text - end)});
  if (!unit) return std::nullopt;
  const double nanos = static_cast<double>(unit->count()) / count;
  // Slower than one a day is a slip of the fingers.
  if (nanos > 8.64e13) return std::nullopt;
  return Duration(static_cast<std::int64_t>(nanos));
}

}  // namespace weir::cli
