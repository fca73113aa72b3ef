#include "redis/error_reply.h"

#include <charconv>
#include <optional>

namespace weir::redis {
namespace {

struct Row {
  std::string_view word;
  ErrorReply reply;
};

constexpr Row kRows[] = {
    {"NOSCRIPT", {.cause = Cause::kScript, .remedy = Remedy::kReloadScript}},
    {"TRYAGAIN", {.cause = Cause::kMoved, .remedy = Remedy::kWaitAndRetry}},
    {"CLUSTERDOWN", {.cause = Cause::kClusterDown, .remedy = Remedy::kRediscover}},
    {"CROSSSLOT",
     {.cause = Cause::kProtocol,
      .alert = true,
      .advice = "keys of one call lie in different slots of the cluster: please report this"}},
    {"LOADING", {.cause = Cause::kLoading, .remedy = Remedy::kRediscover}},
    {"READONLY", {.cause = Cause::kReadonly, .remedy = Remedy::kRediscover}},
    {"MASTERDOWN", {.cause = Cause::kReadonly, .remedy = Remedy::kRediscover}},
    {"OOM",
     {.cause = Cause::kOom,
      .alert = true,
      .advice = "the store is at its maxmemory and may evict nothing: give it more memory, or find "
                "what fills it"}},
    {"BUSY",
     {.cause = Cause::kTimeout,
      .alert = true,
      .advice = "a script of somebody else holds the store: find it with `SLOWLOG GET`, and give "
                "Weir a store of its own"}},
    {"MISCONF",
     {.cause = Cause::kReadonly,
      .alert = true,
      .advice = "the store refuses writes because it cannot save to disk: repair its disk, or set "
                "stop-writes-on-bgsave-error no"}},
    {"NOREPLICAS",
     {.cause = Cause::kReadonly,
      .alert = true,
      .advice = "the store refuses writes because too few replicas follow it: bring them back, or "
                "lower min-replicas-to-write"}},
    {"NOAUTH",
     {.cause = Cause::kAuth,
      .alert = true,
      .advice = "the store wants a password: set it in the store's URL, password_file or "
                "password_env"}},
    {"WRONGPASS",
     {.cause = Cause::kAuth,
      .alert = true,
      .advice = "the store does not know this user and password: compare them with its ACL LIST"}},
    {"NOPERM",
     {.cause = Cause::kAuth,
      .alert = true,
      .advice = "the store's ACL denies this user a command or key: see the ACL line in the "
                "documentation"}},
    {"WRONGTYPE",
     {.cause = Cause::kScript,
      .may_have_run = true,
      .alert = true,
      .advice = "a key of ours holds something else: another program uses our key prefix; change "
                "one of the two"}},
    {"EXECABORT", {.cause = Cause::kProtocol, .alert = true}},
    {"REDIRECT", {.cause = Cause::kMoved, .remedy = Remedy::kFollowMoved}},
};

constexpr ErrorReply kTooManyClients{
    .cause = Cause::kRefused,
    .remedy = Remedy::kRediscover,
    .alert = true,
    .advice = "the store takes no more connections: raise its maxclients"};
constexpr ErrorReply kScriptAcl{
    .cause = Cause::kAuth,
    .may_have_run = true,
    .alert = true,
    .advice =
        "the store's ACL denies our scripts a command: see the ACL line in the documentation"};
constexpr ErrorReply kScriptFailed{
    .cause = Cause::kScript,
    .may_have_run = true,
    .alert = true,
    .advice = "one of our scripts failed in the store: please report this"};
constexpr ErrorReply kScriptRefused{
    .cause = Cause::kScript,
    .alert = true,
    .advice = "the store does not understand our scripts: Weir needs Redis 7 or Valkey"};
constexpr ErrorReply kUnknownCommand{
    .cause = Cause::kProtocol,
    .alert = true,
    .advice =
        "the store does not know a command that Weir needs: Weir needs Redis 7 or Valkey, and "
        "no command renamed"};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::uint16_t> Number(std::string_view text, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return {};
  return static_cast<std::uint16_t>(value);
}

// "host:port", split at the last colon: IPv6 addresses come without brackets.
bool ReadTarget(std::string_view text, ErrorReply& reply) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const auto port = Number(text.substr(colon + 1), 65535);
  if (!port || *port == 0) return false;
  reply.host = text.substr(0, colon);
  reply.port = *port;
  return true;
}

// "MOVED 3999 127.0.0.1:6381"
ErrorReply Redirect(std::string_view rest, Remedy remedy) {
  ErrorReply reply{.cause = Cause::kMoved, .remedy = remedy};
  const std::size_t space = rest.find(' ');
  const auto slot = Number(rest.substr(0, space), 16383);
  if (space == std::string_view::npos || !slot || !ReadTarget(rest.substr(space + 1), reply)) {
    return {.cause = Cause::kProtocol};
  }
  reply.slot = *slot;
  return reply;
}

ErrorReply PlainError(std::string_view text) {
  if (Contains(text, "max number of clients")) return kTooManyClients;
  if (Contains(text, "user executing the script")) return kScriptAcl;
  if (Contains(text, " script: ")) return kScriptFailed;
  if (Contains(text, "compiling script") || Contains(text, "shebang") || Contains(text, "engine")) {
    return kScriptRefused;
  }
  if (Contains(text, "unknown command")) return kUnknownCommand;
  if (Contains(text, "without any password") || Contains(text, "invalid password")) {
    return Understand("WRONGPASS");
  }
  return {.cause = Cause::kProtocol, .may_have_run = true, .alert = true};
}

}  // namespace

ErrorReply Understand(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  if (word == "MOVED") return Redirect(rest, Remedy::kFollowMoved);
  if (word == "ASK") return Redirect(rest, Remedy::kFollowAsk);
  if (word == "ERR") return PlainError(rest);
  for (const Row& row : kRows) {
    if (row.word != word) continue;
    ErrorReply reply = row.reply;
    if (word == "REDIRECT" && !ReadTarget(rest, reply)) return {.cause = Cause::kProtocol};
    // Known words keep their place when an error is raised inside of a script, which may have
    // written before.
    if (Contains(rest, " script: ")) reply.may_have_run = true;
    return reply;
  }
  return {.cause = Cause::kProtocol, .may_have_run = true, .alert = true};
}

}  // namespace weir::redis
