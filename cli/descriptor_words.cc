#include "cli/descriptor_words.h"

#include <span>

namespace weir::cli {

std::string DescriptorWords::Parse(std::vector<std::string> words) {
  words_ = std::move(words);
  entries_.clear();
  asked_.clear();
  entries_.reserve(words_.size());  // `asked_` points in here.
  std::size_t first = 0;
  const auto end_descriptor = [&] {
    Descriptor& descriptor = asked_.emplace_back();
    descriptor.entries = std::span<const Entry>(entries_).subspan(first);
    first = entries_.size();
    return !descriptor.entries.empty();
  };
  for (const std::string_view word : words_) {
    if (word == "+") {
      if (!end_descriptor()) return "there is no entry before `+`";
      continue;
    }
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return "`" + std::string(word) + "` is not an entry: write key=value";
    }
    entries_.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  if (!end_descriptor()) {
    return words_.empty() ? "which descriptor?  Write its entries, as in tenant=acme"
                          : "there is no entry behind `+`";
  }
  return {};
}

}  // namespace weir::cli
