#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/clock.h"
#include "weir/config/findings.h"
#include "weir/config/yaml.h"

namespace weir {

// Reads one mapping of a settings file by the keys that its owner knows.  Each reading function
// leaves its target alone if the key is not written or its value is wrong (which is a finding), and
// says whether it set it.  Keys that nobody asked for are findings when Done() is called, with the
// nearest known key.  Each face reads its own section with one of these.
class SectionReader {
 public:
  // `node` may be null (section not written): then nothing is ever set.  `path` is how people know
  // the section: "store.breaker"; empty for the whole file.  Anything but a mapping is a finding.
  SectionReader(const YamlNode* node, std::string path, Findings& findings);

  bool written() const { return node_ != nullptr; }
  Findings& findings() { return findings_; }

  bool ReadText(std::string_view key, std::string& out);
  bool ReadBoolean(std::string_view key, bool& out);
  bool ReadCount(std::string_view key, std::uint64_t& out, std::uint64_t least = 0,
                 std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  bool ReadBytes(std::string_view key, std::uint64_t& out, std::uint64_t least = 0);
  bool ReadDuration(std::string_view key, Duration& out, Duration least = Duration(0),
                    Duration most = Duration::max());
  // A number from 0 to 1, or a percentage.
  bool ReadFraction(std::string_view key, double& out);
  // "host:port", ":port", "[::1]:port" or "unix:PATH"; "off" if allowed makes `out` empty.
  bool ReadAddress(std::string_view key, std::string& out, bool may_be_off = false);
  // One of the words; sets `out` to its place in the list.
  bool ReadChoice(std::string_view key, std::span<const std::string_view> words, std::size_t& out);

  // The value of a key, whatever it is; null if not written.  Counts as asked for.
  const YamlNode* Find(std::string_view key);
  // A reader of a section below.
  SectionReader Section(std::string_view key);

  // Reports a wrong value of a key that is there.
  Diagnostic& Wrong(std::string_view code, const YamlNode& at, std::string_view key,
                    std::string_view problem);

  void Done();

 private:
  const YamlNode* Scalar(std::string_view key, std::string_view wanted);
  std::string PathOf(std::string_view key) const;

  const YamlNode* node_ = nullptr;
  std::string path_;
  Findings& findings_;
  std::map<std::string, YamlNode::Pair, std::less<>> pairs_;
  std::vector<std::string_view> known_;
};

}  // namespace weir
