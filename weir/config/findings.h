#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/config/diagnostic.h"
#include "weir/config/yaml.h"

namespace weir {

// Whom a finding stops.  The profiles differ in what they refuse, never in what they see.
enum class Weight : std::uint8_t {
  kError,        // both profiles
  kNativeError,  // the native profile, but only in a file that is not in the reference's format:
                 // one that the reference service loads must load here as well, so it is a warning
  kWarning,      // neither
};

// Collects the findings about one file, in the order in which the reference service would look.
class Findings {
 public:
  Findings(std::string file, bool reference) : file_(std::move(file)), reference_(reference) {}

  const std::string& file() const { return file_; }
  bool reference() const { return reference_; }

  // Adds a finding at a node (null: the file as a whole) and returns it, so that the caller can say
  // more.  The reference is good until the next call.
  Diagnostic& Add(std::string_view code, Weight weight, const YamlNode* at, std::string message);

  // The same for what the reference service refuses, with its own words.
  Diagnostic& Refused(std::string_view code, const YamlNode* at, std::string message,
                      std::string reference_text);

  // The first refusal while reading (its passes over every file) and while building (after them).
  void StartBuilding() { building_ = true; }
  const std::string& reading_refusal() const { return refusals_[0]; }
  const std::string& building_refusal() const { return refusals_[1]; }
  // For refusals that are no finding of their own.
  void NoteRefusal(std::string reference_text);
  // The file holds a native block, which the reference service refuses as an unknown key.
  void NoteNativeBlock() { native_block_ = true; }

  // To be called once after the last finding: decides what weight the kNativeErrors have.
  void Finish();

  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }

 private:
  std::string file_;
  bool reference_;
  bool building_ = false;
  bool native_block_ = false;
  std::string refusals_[2];
  std::vector<Diagnostic> diagnostics_;
  std::vector<std::size_t> undecided_;  // Those of kNativeError, by index.
};

// Short quotation of user text for a message: `like this`.
std::string Ticked(std::string_view text);

}  // namespace weir
