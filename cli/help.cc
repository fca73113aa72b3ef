#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/verbs.h"
#include "weir/config/codes.h"
#include "weir/config/diagnostic.h"

namespace weir::cli {
namespace {

int Help(const CLI::App& app, const std::string& topic) {
  if (const std::string text = HelpText(topic); !text.empty()) {
    Print(text);
    return kExitDone;
  }
  if (const CodeEntry* const code = FindCode(topic)) {
    Print(CodeHelp(*code));
    return kExitDone;
  }
  std::vector<std::string> names;
  for (const CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const CodeEntry& code : AllCodes()) candidates.push_back(code.code);
  const std::string_view near = DidYouMean(topic, candidates);
  return UsageError(
      "help", "nothing is known about `" + topic + "`" +
                  (near.empty() ? std::string() : "; did you mean `" + std::string(near) + "`?"));
}

}  // namespace

void AddHelp(CLI::App& app, int& exit) {
  CLI::App* const verb = app.add_subcommand("help", "What a verb does, or what a code means");
  const auto topic = std::make_shared<std::string>();
  verb->add_option("topic", *topic, "A verb, or a code such as WEIR-P003")->type_name("");
  verb->footer("Examples\n  weir help explain\n  weir help WEIR-P003");
  verb->callback([&app, &exit, topic] { exit = Help(app, *topic); });
}

}  // namespace weir::cli
