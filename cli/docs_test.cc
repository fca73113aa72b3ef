// docs/ says what the tool says.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/from_env_table.h"

namespace weir::cli {
namespace {

std::string ReadDoc(const std::string& name) {
  std::ifstream in("docs/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(DocsTest, CliReferenceQuotesEveryVerbsHelp) {
  const std::string doc = ReadDoc("cli.md");
  for (const char* verb :
       {"serve", "demo", "check", "explain", "simulate", "hit", "health", "version", "help"}) {
    const std::string help = HelpText(verb);
    ASSERT_FALSE(help.empty()) << verb;
    EXPECT_NE(doc.find("```text\n" + help), std::string::npos)
        << "docs/cli.md should have this under " << verb << ":\n"
        << help;
  }
}

TEST(DocsTest, EnvironmentTableIsTheToolsOwn) {
  EXPECT_EQ(ReadDoc("from-env.md"), EnvVariablesAsMarkdown());
}

}  // namespace
}  // namespace weir::cli
