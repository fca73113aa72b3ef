// Holds the JSON reader to the verdicts of a general parser, and the request readers to not falling
// over whatever a body holds.

#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "http_api/json_events.h"
#include "http_api/json_text.h"
#include "http_api/request_reader.h"

namespace {

using weir::http_api::Dialect;
using weir::http_api::JsonEnd;
using weir::http_api::JsonEvents;
using weir::http_api::JsonNumber;
using weir::http_api::RequestReader;

void Require(bool condition) {
  if (!condition) std::abort();
}

// Keeps the texts, to compare them with the oracle's.
class Texts final : public JsonEvents {
 public:
  bool Null() override { return true; }
  bool Bool(bool) override { return true; }
  bool Number(const JsonNumber&) override { return true; }
  bool String(std::string_view value) override { return Add(value); }
  bool StartObject() override { return Deeper(); }
  bool Key(std::string_view name) override { return Add(name); }
  bool EndObject() override { return --depth, true; }
  bool StartArray() override { return Deeper(); }
  bool EndArray() override { return --depth, true; }

  std::string all;
  int depth = 0;
  int deepest = 0;

 private:
  bool Add(std::string_view text) {
    all.append(text).push_back('|');
    return true;
  }
  bool Deeper() {
    deepest = std::max(deepest, ++depth);
    return true;
  }
};

class Oracle final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override { return Add(value); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return Deeper(); }
  bool key(string_t& name) override { return Add(name); }
  bool end_object() override { return --depth, true; }
  bool start_array(std::size_t) override { return Deeper(); }
  bool end_array() override { return --depth, true; }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // A number beyond a double's range is still JSON; ours has no opinion on its value.
    undecided = dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr;
    return false;
  }

  std::string all;
  bool undecided = false;
  std::size_t depth = 0;
  std::size_t deepest = 0;

 private:
  bool Add(const std::string& text) {
    all.append(text).push_back('|');
    return true;
  }
  bool Deeper() {
    deepest = std::max(deepest, ++depth);
    return true;
  }
};

void Compare(std::string_view text) {
  // Where nlohmann is known to be lenient.
  if (text.find('\0') != text.npos || text.starts_with("\xef\xbb\xbf")) return;
  Oracle oracle;
  const bool good = nlohmann::json::sax_parse(text.begin(), text.end(), &oracle);
  if (oracle.undecided || oracle.deepest > weir::http_api::kMaxJsonDepth) return;
  weir::Arena arena;
  Texts ours;
  Require((ReadJson(text, arena, ours).end == JsonEnd::kComplete) == good);
  if (good) Require(ours.all == oracle.all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Compare(text);
  for (const Dialect dialect : {Dialect::kProto, Dialect::kCheck}) {
    RequestReader reader(dialect);
    weir::Request request;
    if (const auto fault = reader.Read(text, &request)) {
      Require(!fault->detail.empty());
      Require(fault->pointer.empty() || fault->pointer.front() == '/');
      continue;
    }
    Require(!request.domain.empty() && !request.descriptors.empty());
    for (const weir::Descriptor& d : request.descriptors) {
      for (const weir::Entry& e : d.entries) {
        std::string quoted;
        weir::http_api::AppendJsonString(e.value, &quoted);
        Require(nlohmann::json::parse(quoted).get<std::string>() == e.value);
      }
    }
  }
  return 0;
}
