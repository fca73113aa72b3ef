#include <cstdio>

#include "weir/core/quota.h"

int main() {
  std::puts("weir found");
  return 0;
}
