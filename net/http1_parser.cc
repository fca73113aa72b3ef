#include "net/http1_parser.h"

#include <boost/beast/http/basic_parser.hpp>

namespace weir::net {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using beast::error_code;

std::string_view View(beast::string_view s) {
  return {s.data(), s.size()};
}

class HeadParser final : public http::basic_parser<true> {
 public:
  explicit HeadParser(RequestHead* head) : head_(head) {}

 private:
  void on_request_impl(http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code&) override {
    head_->method = View(method);
    head_->target = View(target);
    head_->version = version;
  }
  void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                     error_code&) override {
    head_->headers.push_back({View(name), View(value)});
  }

  // Nothing but the head is ever put in.
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  RequestHead* head_;
};

}  // namespace

bool ParseHead(std::string_view bytes, RequestHead* head) {
  head->headers.clear();
  HeadParser parser(head);
  // The caller has bounded the head and decided the framing; Beast need not look for a body.
  parser.header_limit(static_cast<std::uint32_t>(bytes.size()) + 1);
  parser.body_limit(boost::none);
  parser.skip(true);
  error_code error;
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error || used != bytes.size() || !parser.is_done()) return false;
  head->keep_alive = parser.keep_alive();
  return true;
}

TargetParts SplitTarget(std::string_view method, std::string_view target) {
  if (method == "CONNECT") return {};
  TargetParts parts;
  if (!target.empty() && target.front() != '/' && target != "*") {
    // Absolute form: scheme "://" authority, then what we want.
    const std::size_t authority = target.find("://");
    const std::size_t end =
        target.find_first_of("/?", authority == std::string_view::npos ? 0 : authority + 3);
    target = end == std::string_view::npos ? std::string_view("/") : target.substr(end);
  }
  const std::size_t question = target.find('?');
  parts.path = target.substr(0, question);
  if (question != std::string_view::npos) parts.query = target.substr(question + 1);
  if (parts.path.empty()) parts.path = "/";
  return parts;
}

}  // namespace weir::net
