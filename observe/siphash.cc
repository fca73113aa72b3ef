#include "observe/siphash.h"

#include <bit>
#include <cstddef>

namespace weir::observe {
namespace {

struct State {
  std::uint64_t a, b, c, d;

  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b;
      a += d;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  }
  void Absorb(std::uint64_t word) {
    d ^= word;
    Rounds(2);
    a ^= word;
  }
};

// Little-endian, whatever the machine.
std::uint64_t WordOf(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  State state{key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL,
              key[0] ^ 0x6c7967656e657261ULL, key[1] ^ 0x7465646279746573ULL};
  const std::uint64_t size = bytes.size();
  for (; bytes.size() >= kWord; bytes.remove_prefix(kWord)) {
    state.Absorb(WordOf(bytes.substr(0, kWord)));
  }
  state.Absorb(WordOf(bytes) | size << 56U);
  state.c ^= 0xff;
  state.Rounds(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace weir::observe
