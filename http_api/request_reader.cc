#include "http_api/request_reader.h"

#include <array>
#include <limits>

namespace weir::http_api {
namespace {

constexpr std::uint64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();

// The unit names of envoy.type.v3.RateLimitUnit: case matters, and there is no week.
std::optional<Unit> ProtoUnit(std::string_view name) {
  for (const Unit unit : {Unit::kUnknown, Unit::kSecond, Unit::kMinute, Unit::kHour, Unit::kDay,
                          Unit::kMonth, Unit::kYear}) {
    if (name == NameOf(unit)) return unit;
  }
  return std::nullopt;
}

void AppendEscaped(std::string_view token, std::string* pointer) {
  for (const char c : token) {
    if (c == '~') {
      *pointer += "~0";
    } else if (c == '/') {
      *pointer += "~1";
    } else {
      *pointer += c;
    }
  }
}

}  // namespace

std::optional<JsonFault> RequestReader::Read(std::string_view body, Request* request) {
  arena_.Reset();
  entries_.clear();
  drafts_.clear();
  descriptors_.clear();
  domain_ = {};
  cost_.reset();
  where_ = Where::kStart;
  field_ = Field::kNone;
  name_ = {};
  seen_top_ = seen_descriptor_ = seen_inner_ = 0;
  fault_.reset();

  const JsonResult result = ReadJson(body, arena_, *this);
  if (result.end == JsonEnd::kMalformed) return Malformed(result.position);
  if (result.end == JsonEnd::kStopped || !CheckWhole()) return std::move(fault_);

  // Only now do the entries stay where they are.
  for (const Draft& draft : drafts_) {
    descriptors_.push_back(draft.descriptor);
    descriptors_.back().entries = {entries_.data() + draft.first_entry, draft.entries};
  }
  request->domain = domain_;
  request->descriptors = descriptors_;
  request->cost = cost_.value_or(1);
  request->cost_given = cost_.has_value();
  if (dialect_ == Dialect::kProto && request->cost == 0) {
    request->cost = 1;
    request->cost_given = false;
  }
  return std::nullopt;
}

RequestReader::Field RequestReader::FieldOf(std::string_view name) const {
  const bool proto = dialect_ == Dialect::kProto;
  const bool is_cost = proto ? name == "hitsAddend" || name == "hits_addend" : name == "cost";
  switch (where_) {
    case Where::kTop:
      if (name == "domain") return Field::kDomain;
      if (name == "descriptors") return Field::kDescriptors;
      return is_cost ? Field::kCost : Field::kNone;
    case Where::kDescriptor:
      if (name == "entries") return Field::kEntries;
      if (name == "limit") return Field::kLimit;
      if (is_cost) return Field::kCost;
      return (proto ? name == "isNegativeHits" || name == "is_negative_hits" : name == "refund")
                 ? Field::kRefund
                 : Field::kNone;
    case Where::kEntry:
      if (name == "key") return Field::kKey;
      return name == "value" ? Field::kValue : Field::kNone;
    case Where::kLimit:
      if (name == "requests_per_unit" || (proto && name == "requestsPerUnit")) {
        return Field::kPerUnit;
      }
      return name == "unit" ? Field::kUnit : Field::kNone;
    default:
      return Field::kNone;
  }
}

bool RequestReader::Key(std::string_view name) {
  name_ = name;
  field_ = FieldOf(name);
  if (field_ == Field::kNone) return Fail("unknown member");
  std::uint32_t& seen = where_ == Where::kTop          ? seen_top_
                        : where_ == Where::kDescriptor ? seen_descriptor_
                                                       : seen_inner_;
  const std::uint32_t bit = 1U << static_cast<unsigned>(field_);
  if ((seen & bit) != 0) return Fail("given twice");
  seen |= bit;
  return true;
}

// ---- values

bool RequestReader::Null() {
  // In proto3 JSON a null member is an absent one; elements of lists have no such meaning.
  if (dialect_ != Dialect::kProto || field_ == Field::kNone) return FailType();
  field_ = Field::kNone;
  return true;
}

bool RequestReader::Bool(bool value) {
  if (field_ != Field::kRefund) return FailType();
  drafts_.back().descriptor.refund = value;
  field_ = Field::kNone;
  return true;
}

bool RequestReader::Number(const JsonNumber& value) {
  switch (field_) {
    case Field::kUnit:
      if (dialect_ != Dialect::kProto) return FailType();
      // Any number of an open enum; those that name no unit make the limit void.
      drafts_.back().descriptor.limit->unit =
          value.integer ? UnitFromWire(*value.integer) : Unit::kUnknown;
      field_ = Field::kNone;
      return true;
    case Field::kCost:
    case Field::kPerUnit:
      if (!value.integer) return Fail("must be a non-negative integer");
      return Integer(*value.integer);
    default:
      return FailType();
  }
}

bool RequestReader::Integer(std::uint64_t value) {
  const bool wide =
      field_ == Field::kCost && (where_ == Where::kDescriptor || dialect_ == Dialect::kCheck);
  if (!wide && value > kMaxUint32) return Fail("must be at most 4294967295");
  if (field_ == Field::kPerUnit) {
    drafts_.back().descriptor.limit->requests_per_unit = static_cast<std::uint32_t>(value);
  } else if (where_ == Where::kDescriptor) {
    drafts_.back().descriptor.cost = value;
  } else {
    cost_ = value;
  }
  field_ = Field::kNone;
  return true;
}

bool RequestReader::String(std::string_view value) {
  switch (field_) {
    case Field::kDomain:
      domain_ = value;
      break;
    case Field::kKey:
      entries_.back().key = value;
      break;
    case Field::kValue:
      entries_.back().value = value;
      break;
    case Field::kUnit:
      return UnitName(value);
    case Field::kCost:
    case Field::kPerUnit: {
      if (dialect_ != Dialect::kProto) return FailType();
      const auto number = ParseJsonNumber(value);
      if (!number || !number->integer) return Fail("must be a non-negative integer");
      return Integer(*number->integer);
    }
    default:
      return FailType();
  }
  field_ = Field::kNone;
  return true;
}

bool RequestReader::UnitName(std::string_view name) {
  const auto unit = dialect_ == Dialect::kProto ? ProtoUnit(name) : ParseUnit(name);
  if (!unit) return Fail("must be a time unit such as second, minute, hour, day");
  drafts_.back().descriptor.limit->unit = *unit;
  field_ = Field::kNone;
  return true;
}

// ---- structure

bool RequestReader::Begin(Where where) {
  where_ = where;
  field_ = Field::kNone;
  return true;
}

bool RequestReader::StartObject() {
  switch (where_) {
    case Where::kStart:
      return Begin(Where::kTop);
    case Where::kList:
      if (drafts_.size() == kMostDescriptors) return Fail("too many descriptors");
      drafts_.push_back({{}, entries_.size(), 0});
      seen_descriptor_ = 0;
      return Begin(Where::kDescriptor);
    case Where::kEntries:
      if (drafts_.back().entries == kMostEntries) return Fail("too many entries");
      ++drafts_.back().entries;
      entries_.emplace_back();
      seen_inner_ = 0;
      return Begin(Where::kEntry);
    case Where::kDescriptor:
      if (field_ != Field::kLimit) return FailType();
      drafts_.back().descriptor.limit.emplace();
      seen_inner_ = 0;
      return Begin(Where::kLimit);
    default:
      return FailType();
  }
}

bool RequestReader::StartArray() {
  if (where_ == Where::kTop && field_ == Field::kDescriptors) return Begin(Where::kList);
  if (where_ == Where::kDescriptor && field_ == Field::kEntries) return Begin(Where::kEntries);
  return FailType();
}

bool RequestReader::EndArray() {
  return Begin(where_ == Where::kList ? Where::kTop : Where::kDescriptor);
}

bool RequestReader::EndObject() {
  const bool strict = dialect_ == Dialect::kCheck;
  switch (where_) {
    case Where::kEntry:
      if (strict && entries_.back().key.empty()) return FailBelow("key", "must not be empty");
      return Begin(Where::kEntries);
    case Where::kLimit:
      if (strict && drafts_.back().descriptor.limit->unit == Unit::kUnknown) {
        return FailBelow("unit", "is required");
      }
      return Begin(Where::kDescriptor);
    case Where::kDescriptor:
      if (strict && drafts_.back().entries == 0) return FailBelow("entries", "must not be empty");
      return Begin(Where::kList);
    default:
      return Begin(Where::kStart);
  }
}

bool RequestReader::CheckWhole() {
  where_ = Where::kTop;
  if (domain_.empty()) return FailBelow("domain", "must not be empty");
  if (drafts_.empty()) return FailBelow("descriptors", "must not be empty");
  return true;
}

// ---- faults

std::string RequestReader::Pointer() const {
  std::string pointer;
  if (where_ != Where::kStart && where_ != Where::kTop) {
    // In the list itself the fault is the element that would come next.
    const std::size_t done = drafts_.size() - (where_ == Where::kList ? 0 : 1);
    pointer = "/descriptors/" + std::to_string(done);
  }
  if (where_ == Where::kEntries) {
    pointer += "/entries/" + std::to_string(drafts_.back().entries);
  } else if (where_ == Where::kEntry) {
    pointer += "/entries/" + std::to_string(drafts_.back().entries - 1);
  } else if (where_ == Where::kLimit) {
    pointer += "/limit";
  }
  return pointer;
}

bool RequestReader::Fail(std::string_view detail) {
  const bool in_object = where_ == Where::kTop || where_ == Where::kDescriptor ||
                         where_ == Where::kEntry || where_ == Where::kLimit;
  if (in_object) return FailBelow(name_, detail);
  fault_ = JsonFault{Pointer(), std::string(detail)};
  return false;
}

bool RequestReader::FailBelow(std::string_view member, std::string_view detail) {
  JsonFault fault{Pointer(), std::string(detail)};
  fault.pointer += '/';
  AppendEscaped(member, &fault.pointer);
  fault_ = std::move(fault);
  return false;
}

bool RequestReader::FailType() {
  switch (field_) {
    case Field::kNone:
      return Fail("must be an object");
    case Field::kDescriptors:
    case Field::kEntries:
      return Fail("must be an array");
    case Field::kLimit:
      return Fail("must be an object");
    case Field::kRefund:
      return Fail("must be true or false");
    case Field::kCost:
    case Field::kPerUnit:
      return Fail("must be a non-negative integer");
    default:
      return Fail("must be a string");
  }
}

std::optional<JsonFault> RequestReader::Malformed(std::size_t position) {
  return JsonFault{"", "not valid JSON at byte " + std::to_string(position)};
}

}  // namespace weir::http_api
