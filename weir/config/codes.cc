#include "weir/config/codes.h"

#include <algorithm>
#include <array>

namespace weir {
namespace {

constexpr auto kCodes = std::to_array<CodeEntry>({
    {"WEIR-P001", "not YAML",
     "The file does not parse, so nothing in it could be checked. The position is where the parser "
     "gave up; the mistake is there or shortly above it, most often in the indentation, in a quote "
     "that is never closed, or in a tab."},
    {"WEIR-P002", "beyond a bound",
     "A policy file may have 16 MiB, 1,000,000 values (aliases expanded) and 100 levels of "
     "nesting. "
     "Anything larger is taken for a mistake or an attack and is refused before it costs memory."},
    {"WEIR-P003", "unknown key",
     "The key means nothing at any level of a policy file. The reference service refuses such a "
     "file too. Usually it is a slip of the fingers, and the nearest known key is suggested."},
    {"WEIR-P004", "key is not text",
     "YAML reads this key as a number, a boolean or nothing. Keys of a policy are words."},
    {"WEIR-P005", "wrong kind of value",
     "The value has another shape than the key calls for: a list where a mapping belongs, text "
     "where a number belongs, a number with a fraction where only text or whole numbers may "
     "stand. Quotes matter: \"5\" is text, 5 is a number."},
    {"WEIR-P006", "key written twice",
     "The same key stands twice in one mapping. YAML forbids it; parsers that tolerate it keep the "
     "last one without a word, and so does the reference service. Both places are shown. It is a "
     "warning in a file that the reference service loads, for that one must load here unchanged, "
     "and an error in a weir block and, under the native profile, in any other file."},
    {"WEIR-P007", "descriptor defined twice",
     "Two descriptors of one list match the same entry. Only one could be used. Under the "
     "reference profile key and value are compared as one text joined by an underscore, as that "
     "service does, so that key a_b equals key a with value b."},
    {"WEIR-P008", "no domain",
     "A policy file names the domain its rules belong to. An empty file has none either; delete it "
     "or give it a domain."},
    {"WEIR-P009", "domain in two files",
     "Two files name the same domain. Unless merging is switched on this is taken for a mistake, "
     "because the rules of one file would silently join those of another."},
    {"WEIR-P010", "descriptor without a key",
     "A descriptor needs a key: the name of the request entry that it matches."},
    {"WEIR-P011", "limit without a unit",
     "requests_per_unit means nothing without unit. Write unit: second, minute, hour, day, week, "
     "month or year; in a weir block, window: 10s is possible instead."},
    {"WEIR-P012", "not a time unit",
     "Units are second, minute, hour, day, week, month (30 days) and year (365 days), in any "
     "letter case, in the singular, without spaces."},
    {"WEIR-P013", "unlimited, and yet a unit",
     "unlimited: true says that nothing is counted; a unit beside it contradicts that."},
    {"WEIR-P014", "limit out of range",
     "requests_per_unit is a whole number from 0 to 4294967295."},
    {"WEIR-P015", "limit of zero",
     "requests_per_unit is 0, written or left out. Such a rule denies every request that matches "
     "it. If that is meant, write the 0 and a reason in the weir block; if the number was "
     "forgotten, nobody gets through."},
    {"WEIR-P016", "known key at the wrong level",
     "The key exists, but does nothing where it stands. The reference service ignores it there "
     "without a word. It is a warning in a file that the reference service loads, for that one "
     "must load here unchanged, and under the native profile an error in any other file: one with "
     "a weir block, for example."},
    {"WEIR-P017", "blank field",
     "The key stands there without a value. It counts as absent, which is rarely what somebody "
     "who wrote the key wanted."},
    {"WEIR-P018", "value that YAML reads as something else than text",
     "Descriptor values are texts and are matched by the characters in the file, so this works "
     "here. Other tools read the same file as a number, boolean or date and may write it back "
     "differently (007 as 7, on as true). Quotes make the meaning plain."},
    {"WEIR-P019", "blank entry in replaces",
     "Each entry of replaces names a rule: replaces: [{name: other}]."},
    {"WEIR-P020", "rule replaces itself",
     "A rule that lists its own name in replaces would drop itself whenever it matches."},
    {"WEIR-P021", "share below one request",
     "In mode local_share an instance enforces its part of the limit. Here that part is less than "
     "one request per unit, so every instance is given one, and all together may admit more than "
     "the limit while the store is away. With strict_share they may admit nothing at all."},
    {"WEIR-P022", "replaces names no rule",
     "No rule of this domain has that name, so nothing is ever replaced."},
    {"WEIR-P023", "rules replace each other",
     "When both match, each drops the other, and the request is not limited at all."},
    {"WEIR-P024", "share_threshold without a wildcard",
     "share_threshold makes all values that match a pattern share one counter. Without a * in the "
     "value there is no pattern."},
    {"WEIR-P026", "rule that can never match",
     "An earlier descriptor of the same list takes every request that this one would match. "
     "Among wildcards the first in the file wins, not the most specific."},
    {"WEIR-P027", "descriptor that does nothing",
     "A descriptor with neither a rate_limit nor descriptors below it lets everything through. "
     "That is the way to exempt a value; without a value it exempts everybody."},
    {"WEIR-P028", "upper case in a key",
     "Keys are compared exactly. Envoy's own descriptor keys and HTTP/2 header names are lower "
     "case, so a key with capitals usually matches nothing."},
    {"WEIR-P029", "only the first YAML document is used",
     "Everything after a second --- is ignored, here as in the reference service."},
    {"WEIR-P030", "no choice for an outage",
     "With a shared store each rule must say what it does while the store gives no count: open "
     "(admit: no protection), closed (deny with 503: an outage of the store is an outage of the "
     "route), local_share (each instance enforces its part of the limit: strict on callers whose "
     "traffic is uneven) or static (keep holding whom the store caught last: nobody new is "
     "caught). Say it for the rule, for the domain, or for the process with --on-store-failure. "
     "There is no default on purpose."},
    {"WEIR-P031", "not a way to fail",
     "on_store_failure is open, closed, local_share or static, or a mapping with mode and, if "
     "wanted, split, causes, then, cold, strict_share. The word error exists under the reference "
     "profile only: it answers the error that the reference service would."},
    {"WEIR-P032", "failure settings that contradict each other",
     "A part of the long form of on_store_failure can never act: split and strict_share need a "
     "mode or rung local_share, cold needs a mode or rung static, rungs need rising times."},
    {"WEIR-P033", "open on a rule that guards something",
     "The rule is marked security: true, and open admits everybody while the store is away: an "
     "attacker only has to wait for an outage, or to cause one."},
    {"WEIR-P034", "closed for a whole domain or process",
     "As a default, closed turns an outage of the store into an outage of every route. Scope it to "
     "the rules that need it."},
    {"WEIR-P035", "not an algorithm", "algorithm is token_bucket, fixed_window or sliding_window."},
    {"WEIR-P036", "burst without a bucket",
     "Only token_bucket has a burst. Windows admit the whole limit at once anyway."},
    {"WEIR-P037", "not a window",
     "window is a duration such as 10s, 500ms or 1h, from 1 ms to 366 days, and takes the place of "
     "unit; calendar: true goes with unit: month and fixed_window."},
    {"WEIR-P038", "not a percentage",
     "enforce is a whole percentage of keys: 0% counts only, 25% enforces for a stable quarter of "
     "the keys, 100% is normal."},
    {"WEIR-P039", "enforced and not enforced",
     "shadow_mode: true never denies, whatever enforce says. Keep one of them."},
    {"WEIR-P040", "review overdue",
     "The date in review_by is past. Look at whether the rule still has a purpose; then move the "
     "date or remove the rule."},
    {"WEIR-P041", "not a date", "review_by is a date: YYYY-MM-DD."},
    {"WEIR-P042", "weir block where it cannot stand",
     "A weir block stands on a descriptor, or at the top of the file for its whole domain, or "
     "under metadata; never inside rate_limit, and only once for a descriptor."},
    {"WEIR-P043", "native setting under the reference profile",
     "profile: reference answers exactly as the reference service, so only on_store_failure and "
     "annotations (owner, reason, security, review_by) may stand in a weir block."},
    {"WEIR-P044", "local_share without a fleet size",
     "An instance that starts during an outage cannot count its fellows, so with heartbeats "
     "local_share needs fleet.expected (--fleet-expected N)."},
    {"WEIR-P045", "quota beyond the arithmetic",
     "Counts have 40 bits, windows last from 1 ms to 366 days, and a bucket refills within two "
     "years."},
    {"WEIR-P046", "value out of range",
     "The setting exists, but not with this value; the message names the range."},
    {"WEIR-P047", "the reference service refuses this",
     "Weir could use the file, the reference service could not. Under profile: reference, and with "
     "--portable, that counts as an error."},
    {"WEIR-P048", "settings without a rule",
     "The weir block stands on a descriptor without a rate_limit, so its settings act on nothing. "
     "They are not inherited by descriptors below."},
    {"WEIR-P049", "star in a key",
     "Wildcards stand in values. Under the native profile a * in a key is an ordinary character; "
     "under the reference profile it acts as a wildcard, because that service matches key and "
     "value as one text."},
    {"WEIR-P050", "quota beyond a shared store",
     "Instances that share a store count in its ticks of 1/16 microsecond. A limit that those "
     "would "
     "round by more than 0.1 %, or a bucket that takes more than two years to refill, cannot be "
     "counted there."},
    {"WEIR-S010", "unknown setting", "weir.yaml has no such key at this place."},
    {"WEIR-S011", "wrong kind of value",
     "The setting wants another shape: a mapping, a list, a number, true or false, or a text."},
    {"WEIR-S012", "unreadable value",
     "Durations are written 250ms, 30s, 1h; rates 50/s; sizes 64KiB; addresses host:port, :port "
     "or unix:PATH; percentages 25%."},
    {"WEIR-S013", "value out of range", "The message names the range."},
    {"WEIR-S014", "setting written twice",
     "The same key stands twice in one mapping; both places are shown."},
    {"WEIR-S015", "admin address open to others",
     "The admin pages can change decisions. On an address other than loopback they need a token: "
     "admin.token_file."},
    {"WEIR-S016", "settings that contradict each other",
     "Two settings exclude each other, or one needs another; the message names both."},
});

}  // namespace

std::span<const CodeEntry> AllCodes() {
  return kCodes;
}

const CodeEntry* FindCode(std::string_view code) {
  std::string wanted;
  for (const char c : code) wanted += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (!wanted.starts_with("WEIR-")) wanted.insert(0, "WEIR-");
  const auto* const found = std::find_if(kCodes.begin(), kCodes.end(),
                                         [&](const CodeEntry& e) { return e.code == wanted; });
  return found == kCodes.end() ? nullptr : found;
}

std::string CodeHelp(const CodeEntry& entry) {
  constexpr std::size_t kWidth = 78;
  std::string out = std::string(entry.code) + ": " + std::string(entry.title) + "\n\n";
  std::size_t column = 0;
  std::string_view rest = entry.help;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.size()));
    if (column != 0) {
      const bool fits = column + 1 + word.size() <= kWidth;
      out += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    out += word;
    column += word.size();
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return out + "\n";
}

std::string CodesAsMarkdown() {
  std::string out =
      "# Error codes\n\n"
      "What `weir check`, a start and a reload may find. `weir help WEIR-P003` prints the same.\n"
      "A code keeps its meaning for ever.\n";
  for (const CodeEntry& entry : kCodes) {
    out += "\n## " + std::string(entry.code) + ": " + std::string(entry.title) + "\n\n" +
           std::string(entry.help) + "\n";
  }
  return out;
}

}  // namespace weir
