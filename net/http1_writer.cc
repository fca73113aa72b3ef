#include "net/http1_writer.h"

#include <charconv>
#include <chrono>

#include "net/http1_head.h"

namespace weir::net {
namespace {

void AppendNumber(std::uint64_t n, std::string* out) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out->append(digits, end);
}

void TwoDigits(unsigned n, char* at) {
  at[0] = static_cast<char>('0' + n / 10 % 10);
  at[1] = static_cast<char>('0' + n % 10);
}

void AppendHeader(const HttpHeader& header, std::string* out) {
  if (!IsToken(header.name)) return;
  out->append(header.name).append(": ");
  const std::size_t from = out->size();
  out->append(header.value).append("\r\n");
  for (std::size_t i = from; i < out->size() - 2; ++i) {
    const auto c = static_cast<unsigned char>((*out)[i]);
    if ((c < 0x20 && c != '\t') || c == 0x7f) (*out)[i] = ' ';
  }
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string_view DateText::At(WallTime now) {
  const std::int64_t second = UnixSeconds(now);
  if (second == second_) return {text_.data(), text_.size()};
  second_ = second;
  static constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::chrono::sys_seconds at{std::chrono::seconds(second)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  kDays.copy(text_.data(), 3, std::chrono::weekday(day).c_encoding() * std::size_t{3});
  std::string_view(", 00 Mon 0000 00:00:00 GMT").copy(text_.data() + 3, 26);
  TwoDigits(static_cast<unsigned>(date.day()), text_.data() + 5);
  kMonths.copy(text_.data() + 8, 3, (static_cast<unsigned>(date.month()) - 1) * std::size_t{3});
  TwoDigits(year / 100, text_.data() + 12);
  TwoDigits(year % 100, text_.data() + 14);
  TwoDigits(static_cast<unsigned>(clock.hours().count()), text_.data() + 17);
  TwoDigits(static_cast<unsigned>(clock.minutes().count()), text_.data() + 20);
  TwoDigits(static_cast<unsigned>(clock.seconds().count()), text_.data() + 23);
  return {text_.data(), text_.size()};
}

void AppendAnswer(const HttpResponse& response, AnswerFraming framing, std::string_view date,
                  std::string* out) {
  const bool bodiless = response.status == 204 || response.status == 304;
  if (response.status == 200) {
    out->append("HTTP/1.1 200 OK\r\nDate: ");
  } else {
    out->append("HTTP/1.1 ");
    AppendNumber(static_cast<std::uint64_t>(response.status), out);
    out->append(" ").append(ReasonPhrase(response.status)).append("\r\nDate: ");
  }
  out->append(date).append("\r\n");
  if (!response.content_type.empty()) AppendHeader({"Content-Type", response.content_type}, out);
  if (!bodiless) {
    out->append("Content-Length: ");
    AppendNumber(response.body.size(), out);
    out->append("\r\n");
  }
  for (const HttpHeader& header : response.headers) AppendHeader(header, out);
  if (framing.close) {
    out->append("Connection: close\r\n");
  } else if (framing.keep_alive) {
    out->append("Connection: keep-alive\r\n");
  }
  out->append("\r\n");
  if (!bodiless && !framing.head_only) out->append(response.body);
}

}  // namespace weir::net
