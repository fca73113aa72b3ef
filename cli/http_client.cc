#include "cli/http_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace weir::cli {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> ReadNumber(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads the lines of a head, without the empty one; false if they are not a head.
bool ParseHead(std::string_view head, HttpAnswer& out) {
  const std::size_t first = head.find("\r\n");
  const std::string_view status_line = head.substr(0, first);
  if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12) return false;
  const auto status = ReadNumber(status_line.substr(9, 3));
  if (!status) return false;
  out.status = static_cast<int>(*status);
  head.remove_prefix(first == std::string_view::npos ? head.size() : first + 2);
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    std::string name(line.substr(0, colon));
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    out.fields.emplace_back(std::move(name), Trimmed(line.substr(colon + 1)));
  }
  return true;
}

}  // namespace

Result<HttpUrl, Unreachable> ParseHttpUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) {
    return Unreachable{"`" + std::string(text) + "` is not a URL: http://host:port"};
  }
  text.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  HttpUrl out{std::string(text.substr(0, slash)), std::string(text.substr(slash))};
  if (out.address.empty()) return Unreachable{"a URL has a host: http://host:port"};
  const std::size_t bracket = out.address.rfind(']');
  const std::size_t colon = out.address.rfind(':');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  if (!has_port) out.address += ":80";
  return out;
}

std::string_view HttpAnswer::field(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return {};
}

Result<HttpClient, Unreachable> HttpClient::Connect(const std::string& address, Duration timeout) {
  auto stream = ByteStream::Connect(address, timeout);
  if (!stream) return std::move(stream).error();
  return HttpClient(*std::move(stream), address);
}

Result<bool, Unreachable> HttpClient::ReadMore() {
  std::array<std::uint8_t, 16 * 1024> buffer;
  const auto read = stream_.Read(buffer);
  if (!read) return read.error();
  if (received_.size() + *read > 2 * kMostAnswer) return Unreachable{address_ + " says too much"};
  received_.append(reinterpret_cast<const char*>(buffer.data()), *read);
  return *read != 0;
}

Result<HttpAnswer, Unreachable> HttpClient::Send(std::string_view method, std::string_view path,
                                                 std::string_view body) {
  std::string request = std::string(method) + " " + std::string(path) +
                        " HTTP/1.1\r\nHost: " + address_ + "\r\nUser-Agent: weir\r\n";
  if (!body.empty()) {
    request +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request += "\r\n";
  request += body;
  if (const std::string error = stream_.Write(request); !error.empty()) return Unreachable{error};

  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (received_.size() > kMostAnswer) return Unreachable{address_ + " says too much"};
    const auto more = ReadMore();
    if (!more) return more.error();
    if (!*more) return Unreachable{address_ + " closed the connection without an answer"};
  }
  HttpAnswer answer;
  if (!ParseHead(std::string_view(received_).substr(0, end), answer)) {
    return Unreachable{address_ + " does not speak HTTP/1.1"};
  }
  if (!answer.field("transfer-encoding").empty()) {
    return Unreachable{address_ + " answers in chunks, which is not understood here"};
  }
  received_.erase(0, end + 4);
  const std::string_view written = answer.field("content-length");
  const auto length = ReadNumber(written);
  if (!written.empty() && (!length || *length > kMostAnswer)) {
    return Unreachable{address_ + " announces an answer that is too large"};
  }
  while (!length || received_.size() < *length) {
    const auto more = ReadMore();
    if (!more) return more.error();
    if (*more) continue;
    if (length) return Unreachable{address_ + " closed the connection in mid-answer"};
    break;
  }
  const std::size_t size = length.value_or(received_.size());
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

}  // namespace weir::cli
