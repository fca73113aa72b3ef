#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_api/json_events.h"
#include "weir/base/arena.h"
#include "weir/core/descriptor.h"

namespace weir::http_api {

// Which spelling of a rate limit request is read.
enum class Dialect : std::uint8_t {
  // The proto3 JSON mapping of envoy.service.ratelimit.v3.RateLimitRequest, as Go's protojson reads
  // it: lowerCamelCase or snake_case, null means absent, integers also as strings, enums by name or
  // number.  `hitsAddend` 0 counts as 1 on the request; on a descriptor it is a look.  An empty
  // domain or no descriptors are refused, as envoyproxy/ratelimit does.
  kProto,
  // POST /v1/check: snake_case only, `cost` and `refund` in the place of hitsAddend and
  // isNegativeHits, nothing is null, integers are numbers, units by name in any case.  Every
  // descriptor has entries and every entry a key.  See openapi.json.
  kCheck,
};

// The first thing wrong with a body.
struct JsonFault {
  std::string pointer;  // RFC 6901, from the body's root; "" for the whole.
  std::string detail;   // For people.
};

// Reads requests.  Unknown and repeated members are refused.  Reuse one per loop: in steady state a
// well-formed body costs no allocation.
class RequestReader final : private JsonEvents {
 public:
  // Beyond these a body is refused.
  static constexpr std::size_t kMostDescriptors = 1024;
  static constexpr std::size_t kMostEntries = 256;  // Of one descriptor.

  explicit RequestReader(Dialect dialect) : dialect_(dialect) {}

  // On success `request` is filled; it points into `body` and into the reader, until the next call.
  std::optional<JsonFault> Read(std::string_view body, Request* request);

 private:
  enum class Where : std::uint8_t { kStart, kTop, kList, kDescriptor, kEntries, kEntry, kLimit };
  enum class Field : std::uint8_t {
    kNone,
    kDomain,
    kDescriptors,
    kCost,
    kEntries,
    kLimit,
    kRefund,
    kKey,
    kValue,
    kPerUnit,
    kUnit,
  };
  struct Draft {
    Descriptor descriptor;
    std::size_t first_entry = 0;
    std::size_t entries = 0;
  };

  bool Null() override;
  bool Bool(bool value) override;
  bool Number(const JsonNumber& value) override;
  bool String(std::string_view value) override;
  bool StartObject() override;
  bool Key(std::string_view name) override;
  bool EndObject() override;
  bool StartArray() override;
  bool EndArray() override;

  Field FieldOf(std::string_view name) const;
  bool Integer(std::uint64_t value);
  bool UnitName(std::string_view name);
  bool Begin(Where where);

  bool Fail(std::string_view detail);
  bool FailBelow(std::string_view member, std::string_view detail);
  bool FailType();
  std::string Pointer() const;
  std::optional<JsonFault> Malformed(std::size_t position);
  bool CheckWhole();

  const Dialect dialect_;
  Arena arena_;
  std::vector<Entry> entries_;
  std::vector<Draft> drafts_;
  std::vector<Descriptor> descriptors_;
  std::string_view domain_;
  std::optional<std::uint64_t> cost_;

  Where where_ = Where::kStart;
  Field field_ = Field::kNone;  // The member whose value comes next.
  std::string_view name_;       // As spelled.
  std::uint32_t seen_top_ = 0;  // Members seen so far, by object: a bit a field.
  std::uint32_t seen_descriptor_ = 0;
  std::uint32_t seen_inner_ = 0;  // Of an entry or a limit.
  std::optional<JsonFault> fault_;
};

}  // namespace weir::http_api
