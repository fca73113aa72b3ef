#include "observe/process_facts.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weir::observe {
namespace {

constexpr double kMicro = 1e-6;

double SecondsOf(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * kMicro;
}

std::uint64_t CountOpenFiles() {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir("/proc/self/fd"), closedir);
  if (dir == nullptr) return 0;
  std::uint64_t entries = 0;
  while (readdir(dir.get()) != nullptr) ++entries;
  // Not ".", "..", nor the descriptor that is being read through.
  constexpr std::uint64_t kOurs = 3;
  return entries > kOurs ? entries - kOurs : 0;
}

}  // namespace

void ParseStatm(std::string_view text, std::uint64_t page, ProcessFacts& facts) {
  std::array<std::uint64_t, 2> pages{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint64_t& number : pages) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return;
    at = next;
  }
  facts.virtual_bytes = pages[0] * page;
  facts.resident_bytes = pages[1] * page;
}

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    facts.cpu_seconds = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  }
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) facts.max_fds = files.rlim_cur;
  facts.open_fds = CountOpenFiles();
  const std::unique_ptr<FILE, int (*)(FILE*)> statm(std::fopen("/proc/self/statm", "re"),
                                                    std::fclose);
  if (statm != nullptr) {
    std::array<char, 128> text{};
    const std::size_t size = std::fread(text.data(), 1, text.size(), statm.get());
    ParseStatm({text.data(), size}, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), facts);
  }
  return facts;
}

}  // namespace weir::observe
