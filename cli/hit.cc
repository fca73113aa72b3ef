#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/asker.h"
#include "cli/console.h"
#include "cli/descriptor_words.h"
#include "cli/go_values.h"
#include "cli/hit_text.h"
#include "cli/verbs.h"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  std::vector<std::string> words;
  std::string domain;
  std::string address = "127.0.0.1:8081";
  std::string url;
  std::uint64_t times = 1;
  std::uint64_t cost = 1;
  std::string rate;
  std::string timeout = "1s";
  std::string format = "text";
  bool exit_code = false;
};

AskerOrReason NewAsker(const Flags& flags, const Request& request, Duration timeout) {
  return flags.url.empty() ? NewGrpcAsker(flags.address, request, timeout)
                           : NewHttpAsker(flags.url, request, timeout);
}

// Asks `flags.times` times; the reason if the server stops answering.
std::optional<Unreachable> Run(Asker& asker, const Flags& flags, Duration every, HitTally& tally) {
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < flags.times; ++i) {
    std::this_thread::sleep_until(start + every * static_cast<std::int64_t>(i));
    const auto heard = asker.Ask();
    tally.took = Clock::now() - start;
    if (!heard) return heard.error();
    tally.Add(*heard);
    if (flags.times == 1 && flags.format == "text") Print(HeardText(*heard));
  }
  return std::nullopt;
}

int Hit(const Flags& flags) {
  if (flags.domain.empty()) return UsageError("hit", "which domain?  Say --domain NAME");
  DescriptorWords words;
  if (const std::string error = words.Parse(flags.words); !error.empty()) {
    return UsageError("hit", error);
  }
  Duration every{};
  if (!flags.rate.empty()) {
    const auto parsed = ParseRate(flags.rate);
    if (!parsed) return UsageError("hit", "`" + flags.rate + "` is not a rate: 50/s, 5/min");
    every = *parsed;
  }
  const auto timeout = ParseGoDuration(flags.timeout);
  if (!timeout || *timeout <= Duration{}) {
    return UsageError("hit", "`" + flags.timeout + "` is not a time to wait: 500ms, 1s");
  }
  Request request;
  request.domain = flags.domain;
  request.descriptors = words.asked();
  request.cost = flags.cost;
  auto asker = NewAsker(flags, request, *timeout);
  if (!asker) {
    PrintError("weir hit: " + asker.error().message + "\n");
    return kExitUnreachable;
  }
  HitTally tally;
  const auto broken = Run(**asker, flags, every, tally);
  if (flags.format == "json") {
    Print(TallyJson(tally));
  } else if (flags.times > 1 && tally.asked > 0) {
    Print(TallyText(tally));
  }
  if (broken) {
    PrintError("weir hit: " + broken->message + "\n");
    return kExitUnreachable;
  }
  const bool found = tally.refused > 0 || (flags.exit_code && tally.over > 0);
  return found ? kExitFound : kExitDone;
}

}  // namespace

void AddHit(CLI::App& app, int& exit) {
  CLI::App* const verb = app.add_subcommand("hit", "Ask a running server, once or many times");
  const auto flags = std::make_shared<Flags>();
  verb->add_option("entry", flags->words, "key=value, in order; `+` begins a second descriptor")
      ->type_name("");
  verb->add_option("--domain", flags->domain, "The domain of the request")->type_name("NAME");
  verb->add_option("-n,--times", flags->times, "How often (1)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  verb->add_option("--rate", flags->rate, "How fast: 50/s, 5/min; else one after the other")
      ->type_name("RATE");
  verb->add_option("--cost", flags->cost, "What each takes (1); 0 only looks")->type_name("N");
  verb->add_option("--addr", flags->address, "Where gRPC is, without TLS (127.0.0.1:8081)")
      ->type_name("HOST:PORT")
      ->group("Server");
  verb->add_option("--http", flags->url, "Ask /v1/check over HTTP instead")
      ->type_name("URL")
      ->group("Server");
  verb->add_option("--timeout", flags->timeout, "How long to wait for an answer (1s)")
      ->type_name("TIME")
      ->group("Server");
  verb->add_option("-o,--output", flags->format, "text or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->group("Output");
  verb->add_flag("--exit-code", flags->exit_code, "Exit with 1 if one was over the limit")
      ->group("Output");
  verb->footer(
      "Exit codes: 0 answered, 1 an answer was an error, 3 nobody answered.\n\n"
      "Examples\n"
      "  weir hit --domain shop tenant=acme\n"
      "  weir hit --domain shop tenant=acme -n 80\n"
      "  weir hit --domain shop tenant=acme -n 600 --rate 120/s --addr 127.0.0.1:8081\n"
      "  weir hit --domain shop tenant=acme --http http://127.0.0.1:8080");
  verb->callback([&exit, flags] { exit = Hit(*flags); });
}

}  // namespace weir::cli
