#include "weir/answer/header_style.h"

#include <array>
#include <utility>

namespace weir {
namespace {

template <typename Enum, std::size_t kSize>
using Names = std::array<std::pair<Enum, std::string_view>, kSize>;

constexpr Names<HeaderStyle, 11> kStyles = {{
    {HeaderStyle::kOff, "off"},
    {HeaderStyle::kDraft11, "draft-11"},
    {HeaderStyle::kDraft12, "draft-12"},
    {HeaderStyle::kDual, "draft-11+12"},
    {HeaderStyle::kEnvoy03, "envoy-03"},
    {HeaderStyle::kXDelta, "x-delta"},
    {HeaderStyle::kGithub, "github"},
    {HeaderStyle::kPlain, "rls-service"},
    {HeaderStyle::kDraft03, "draft-03"},
    {HeaderStyle::kDraft06, "draft-06"},
    {HeaderStyle::kDraft07, "draft-07"},
}};

constexpr Names<Listing, 3> kListings = {{
    {Listing::kAll, "all"},
    {Listing::kTightest, "tightest"},
    {Listing::kViolated, "violated"},
}};

template <typename Enum, std::size_t kSize>
std::string_view NameIn(const Names<Enum, kSize>& names, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "unknown";
}

template <typename Enum, std::size_t kSize>
std::optional<Enum> ValueIn(const Names<Enum, kSize>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view NameOf(HeaderStyle style) {
  return NameIn(kStyles, style);
}

std::optional<HeaderStyle> ParseHeaderStyle(std::string_view text) {
  return ValueIn(kStyles, text);
}

std::string_view NameOf(Listing listing) {
  return NameIn(kListings, listing);
}

std::optional<Listing> ParseListing(std::string_view text) {
  return ValueIn(kListings, text);
}

}  // namespace weir
