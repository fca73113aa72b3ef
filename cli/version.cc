#include <memory>
#include <string>

#include "cli/build_info.h"
#include "cli/console.h"
#include "cli/verbs.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

#ifdef WEIR_BUILD_TYPE
constexpr const char* kBuildType = WEIR_BUILD_TYPE;
#else
constexpr const char* kBuildType = "unknown";
#endif
#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

std::string VersionText(bool json) {
  if (json) {
    return "{\"schema\":\"weir.version/1\",\"version\":" + JsonQuoted(kVersion) +
           ",\"revision\":" + JsonQuoted(kRevision) + ",\"build\":" + JsonQuoted(kBuildType) +
           ",\"compiler\":" + JsonQuoted(kCompiler) + ",\"profiles\":[\"native\",\"reference\"]}\n";
  }
  return "weir " + std::string(kVersion) + "\nrevision  " + std::string(kRevision) +
         "\nbuild     " + kBuildType + "\ncompiler  " + kCompiler +
         "\nprofiles  native, reference\n";
}

}  // namespace

void AddVersion(CLI::App& app, int& exit) {
  CLI::App* const verb = app.add_subcommand("version", "Version, build and profiles");
  const auto format = std::make_shared<std::string>("text");
  verb->add_option("-o,--output", *format, "text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  verb->callback([&exit, format] {
    Print(VersionText(*format == "json"));
    exit = kExitDone;
  });
}

}  // namespace weir::cli
