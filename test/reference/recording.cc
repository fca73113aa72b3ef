#include "test/reference/recording.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <zlib.h>

namespace weir::reference {
namespace {

std::string Unzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  std::string text;
  std::array<char, 65536> part{};
  int size = 0;
  while ((size = gzread(file.get(), part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  if (size < 0) throw std::runtime_error("cannot unpack " + path);
  return text;
}

RecordedCall ReadCall(const nlohmann::ordered_json& json) {
  RecordedCall call;
  call.at = json.at("at").get<std::int64_t>();
  call.straddles_a_second = json.value("straddles_a_second", false);
  call.request = json.at("request");
  call.status = json.at("status").get<int>();
  call.response = json.at("response");
  call.body = json.at("response").dump();
  return call;
}

// 64-bit integers are strings in proto3's JSON.
std::uint64_t ReadInteger(const nlohmann::json& json) {
  return json.is_string() ? std::stoull(json.get<std::string>()) : json.get<std::uint64_t>();
}

std::string_view TextOf(const nlohmann::json& json, const char* name) {
  const auto it = json.find(name);
  return it == json.end() ? std::string_view() : it->get_ref<const std::string&>();
}

}  // namespace

std::vector<RecordedPolicy> ReadRecording(const std::string& path) {
  const std::string text = Unzip(path);
  std::vector<RecordedPolicy> policies;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const auto json = nlohmann::ordered_json::parse(rest.substr(0, end));
    RecordedPolicy& policy = policies.emplace_back();
    policy.file = json.at("file").get<std::string>();
    for (const nlohmann::ordered_json& call : json.at("calls"))
      policy.calls.push_back(ReadCall(call));
    policy.counters = json.at("counters").get<std::set<std::string>>();
    policy.store_keys = json.at("store_keys").get<std::set<std::string>>();
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return policies;
}

RecordedRequest::RecordedRequest(const nlohmann::json& json) {
  const nlohmann::json& descriptors = json.at("descriptors");
  entries_.resize(descriptors.size());
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const nlohmann::json& from = descriptors[i];
    if (from.contains("entries")) {
      for (const nlohmann::json& e : from.at("entries")) {
        entries_[i].push_back({TextOf(e, "key"), TextOf(e, "value")});
      }
    }
    Descriptor& to = descriptors_.emplace_back();
    to.entries = entries_[i];
    if (const auto cost = from.find("hitsAddend"); cost != from.end()) to.cost = ReadInteger(*cost);
    if (const auto limit = from.find("limit"); limit != from.end()) {
      to.limit = LimitOverride{
          .requests_per_unit = limit->value("requestsPerUnit", std::uint32_t{0}),
          .unit = ParseUnit(limit->value("unit", std::string())).value_or(Unit::kUnknown)};
    }
  }
  // 0 is what an absent field reads as, and counts as one.
  const std::uint64_t cost = json.value("hitsAddend", std::uint64_t{0});
  request_ = {
      .domain = TextOf(json, "domain"), .descriptors = descriptors_, .cost = cost == 0 ? 1 : cost};
}

}  // namespace weir::reference
