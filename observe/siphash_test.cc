#include "observe/siphash.h"

#include <string>

#include <gtest/gtest.h>

namespace weir::observe {
namespace {

// The vectors of the paper's appendix: key 00 01 .. 0f, input 00 01 .. of each length.
constexpr SipKey kKey = {0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};

std::string Bytes(int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(SipHashTest, AgreesWithThePublishedVectors) {
  EXPECT_EQ(SipHash(kKey, Bytes(15)), 0xa129ca6149be45e5ULL);
  EXPECT_EQ(SipHash(kKey, Bytes(0)), 0x726fdb47dd0e0e31ULL);
  EXPECT_EQ(SipHash(kKey, Bytes(8)), 0x93f5f5799a932462ULL);
}

TEST(SipHashTest, DependsOnTheKey) {
  EXPECT_NE(SipHash(kKey, "acme"), SipHash({1, 2}, "acme"));
}

}  // namespace
}  // namespace weir::observe
