#pragma once

#include <string>
#include <vector>

#include "weir/core/descriptor.h"

namespace weir::cli {

// Descriptors as people type them: `tenant=acme path=/v1/orders` is one with two entries, a `+`
// by itself begins the next.  A value may be empty and may contain `=`.  Owns its texts; `asked`
// points into it, so it neither copies nor moves.
class DescriptorWords {
 public:
  DescriptorWords() = default;
  DescriptorWords(const DescriptorWords&) = delete;
  DescriptorWords& operator=(const DescriptorWords&) = delete;

  // An empty text, or what is wrong with which word.
  std::string Parse(std::vector<std::string> words);

  const std::vector<Descriptor>& asked() const { return asked_; }

 private:
  std::vector<std::string> words_;
  std::vector<Entry> entries_;
  std::vector<Descriptor> asked_;
};

}  // namespace weir::cli
