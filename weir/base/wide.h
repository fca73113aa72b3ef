#pragma once

namespace weir {

// 128-bit integers for products that 64 bits cannot hold.  Both of our compilers have them.
// clang-format off
// NOLINTNEXTLINE(modernize-use-using): __extension__ needs a typedef.
__extension__ typedef unsigned __int128 Wide;
// clang-format on

}  // namespace weir
