#include "weir/core/decision.h"

#include <array>

namespace weir {

std::string_view NameOf(Basis basis) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "no_rule", "store", "held", "local_share", "open", "closed", "static", "shed", "bypass"};
  return kNames.at(static_cast<std::size_t>(basis));
}

std::string_view NameOf(NotEnforced why) {
  static constexpr std::array<std::string_view, 5> kNames = {"no", "shadow", "percent", "kill",
                                                             "soft"};
  return kNames.at(static_cast<std::size_t>(why));
}

}  // namespace weir
