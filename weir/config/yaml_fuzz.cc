// Any bytes: the parser, both profiles of the loader, the renderers and the settings must neither
// crash nor contradict themselves.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "weir/config/policy_loader.h"
#include "weir/config/render.h"
#include "weir/config/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<weir::SourceFile> files = {
      {"fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size)}};
  weir::LoadOptions options;
  options.today = "2026-01-01";
  options.fleet_size = 4;
  const weir::LoadedPolicy native = weir::LoadPolicy(files, options);
  static_cast<void>(weir::RenderText(native.diagnostics, files));
  static_cast<void>(weir::RenderJson(native.diagnostics, 1, native.rules));

  options.profile = weir::Profile::kReference;
  options.portable = true;
  const weir::LoadedPolicy reference = weir::LoadPolicy(files, options);
  if (reference.reference_refusal.empty() && !reference.ok()) {
    // What stays refused although the reference service takes it are weir blocks below metadata.
    const bool block = files[0].text.find("weir") != std::string::npos;
    if (!block) std::abort();
  }
  if (!reference.reference_refusal.empty() && reference.ok()) std::abort();

  static_cast<void>(weir::LoadSettings(files[0]));
  return 0;
}
