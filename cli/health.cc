#include <memory>
#include <string>

#include "cli/console.h"
#include "cli/go_values.h"
#include "cli/health_check.h"
#include "cli/verbs.h"

namespace weir::cli {
namespace {

struct Flags {
  std::string address = "127.0.0.1:8081";
  std::string service;
  std::string url;
  std::string timeout = "1s";
  bool quiet = false;
};

int Health(const Flags& flags) {
  const auto timeout = ParseGoDuration(flags.timeout);
  if (!timeout || *timeout <= Duration{}) {
    return UsageError("health", "`" + flags.timeout + "` is not a time to wait: 500ms, 1s");
  }
  const auto health = flags.url.empty() ? AskGrpcHealth(flags.address, flags.service, *timeout)
                                        : AskHttpHealth(flags.url, *timeout);
  if (!health) {
    PrintError("weir health: " + health.error().message + "\n");
    return kExitUnreachable;
  }
  if (!flags.quiet) Print(health->word + "\n");
  return health->serving ? kExitDone : kExitFound;
}

}  // namespace

void AddHealth(CLI::App& app, int& exit) {
  CLI::App* const verb = app.add_subcommand("health", "Whether a server is up and serving");
  const auto flags = std::make_shared<Flags>();
  verb->add_option("--addr", flags->address, "Where gRPC is, without TLS (127.0.0.1:8081)")
      ->type_name("HOST:PORT");
  verb->add_option("--service", flags->service, "A name of grpc.health.v1; else the whole process")
      ->type_name("NAME");
  verb->add_option("--http", flags->url, "Ask /healthcheck over HTTP instead")->type_name("URL");
  verb->add_option("--timeout", flags->timeout, "How long to wait for an answer (1s)")
      ->type_name("TIME");
  verb->add_flag("-q,--quiet", flags->quiet, "Only the exit code");
  verb->footer(
      "Exit codes: 0 serving, 1 not serving, 3 nobody answered.\n\n"
      "Examples\n"
      "  weir health\n"
      "  weir health --http http://127.0.0.1:8080\n"
      "  HEALTHCHECK CMD [\"weir\", \"health\", \"-q\"]        in a Dockerfile");
  verb->callback([&exit, flags] { exit = Health(*flags); });
}

}  // namespace weir::cli
