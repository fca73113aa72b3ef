#pragma once

// For tests: the whole face over an HTTP/1.1 session made of strings, with rules made in code.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http_api/http_api.h"
#include "net/http1_rig.h"
#include "weir/limiter/engine.h"
#include "weir/store/memory_store.h"

namespace weir::http_api {

inline Rule LimitOf(std::uint64_t limit, Unit unit, Algorithm algorithm = Algorithm::kTokenBucket) {
  Rule rule;
  rule.quota = MakeQuota({.algorithm = algorithm, .limit = limit, .unit = unit}).value();
  return rule;
}
inline RuleNode NodeOf(std::string key, Rule rule) {
  RuleNode node;
  node.key = std::move(key);
  node.rule = std::move(rule);
  return node;
}
inline std::vector<DomainRules> Domain(std::string name, std::vector<RuleNode> children) {
  std::vector<DomainRules> domains(1);
  domains[0].name = std::move(name);
  domains[0].children = std::move(children);
  return domains;
}
// shop: 50/s a tenant, 1/min an address.
inline std::vector<DomainRules> ShopRules() {
  std::vector<RuleNode> nodes;
  nodes.push_back(NodeOf("tenant", LimitOf(50, Unit::kSecond)));
  nodes.push_back(NodeOf("ip", LimitOf(1, Unit::kMinute)));
  return Domain("shop", std::move(nodes));
}
// The same with fixed windows under the reference profile: 20/min a tenant.
inline std::vector<DomainRules> ReferenceRules() {
  std::vector<RuleNode> nodes;
  nodes.push_back(NodeOf("tenant", LimitOf(2, Unit::kMinute, Algorithm::kFixedWindow)));
  Rule unlimited;
  unlimited.unlimited = true;
  nodes.push_back(NodeOf("free", unlimited));
  Rule named = LimitOf(5, Unit::kDay, Algorithm::kFixedWindow);
  named.name = "daily";
  nodes.push_back(NodeOf("named", named));
  return Domain("shop", std::move(nodes));
}

struct Answered {
  int status = 0;
  std::string head;
  std::string body;

  std::string header(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(line);
    if (at == std::string::npos) return {};
    const std::size_t from = at + line.size();
    return head.substr(from, head.find('\r', from) - from);
  }
};

// One answer's parts; for texts that hold exactly one.
inline Answered Split(const std::string& text) {
  Answered answer;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return answer;
  answer.status = std::stoi(text.substr(9, 3));
  answer.head = text.substr(0, end + 2);
  answer.body = text.substr(end + 4);
  return answer;
}

inline std::shared_ptr<const Policy> BuildPolicy(std::vector<DomainRules> rules,
                                                 Profile profile = Profile::kNative) {
  PolicyOptions options;
  options.profile = profile;
  options.seed = 1;
  return Policy::Build(std::move(rules), options);
}

struct ApiRig {
  explicit ApiRig(HttpApiOptions o = {}, std::vector<DomainRules> rules = ShopRules(),
                  Profile profile = Profile::kNative, ResponseOptions r = {})
      : options(std::move(o)), response(std::move(r)) {
    SetRules(std::move(rules), profile);
  }
  void SetRules(std::vector<DomainRules> rules, Profile profile = Profile::kNative) {
    engine.SetPolicy(BuildPolicy(std::move(rules), profile));
  }
  std::string Raw(std::string_view bytes) {
    session.OnBytes(net::AsBytes(bytes));
    return std::exchange(transport.output, {});
  }
  Answered Post(std::string_view path, std::string_view body) {
    return Split(Raw(net::Post(path, body)));
  }
  Answered Get(std::string_view path, std::string_view fields = "") {
    return Split(Raw(net::Get(path, fields)));
  }

  net::StringTransport transport;
  HttpApiOptions options;
  ResponseOptions response;
  MemoryStore store{{.max_keys = 1000, .now = transport.time}};
  Engine engine{store, {}};
  Limiter limiter{engine, 0};
  HttpApi api{limiter, response, options};
  net::Http1Options http_options;
  net::Http1Session session{transport, api, http_options};
};

inline constexpr std::string_view kAcme =
    R"({"domain":"shop","descriptors":[{"entries":[{"key":"tenant","value":"acme"}]}]})";

}  // namespace weir::http_api
