#include "cli/help_format.h"

#include <string>

namespace weir::cli {
namespace {

class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat() {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "VERB");
    label("OPTIONS", "options");
    column_width(32);
  }

  std::string make_description(const CLI::App* app) const override {
    return app->get_description() + "\n\n";
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string out = make_description(app) + make_usage(app, std::move(name));
    out += make_positionals(app);
    for (const std::string& group : app->get_groups()) {
      const auto options = app->get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional();
      });
      if (!group.empty() && !options.empty()) out += make_group(group, false, options);
    }
    return out + make_subcommands(app, mode) + "\n" + make_footer(app);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    // What follows the colon are the checks.
    const std::string type = option->get_type_name();
    const std::string name = type.substr(0, type.find(':'));
    const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return (name.empty() ? "" : " " + name) + (many ? " ..." : "");
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string out = CLI::Formatter::make_option_name(option, is_positional);
    constexpr std::string_view kNegated = "{false}";
    for (std::size_t at = 0; (at = out.find(kNegated)) != std::string::npos;) {
      out.erase(at, kNegated.size());
    }
    return out;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> NewHelpFormat() {
  return std::make_shared<HelpFormat>();
}

}  // namespace weir::cli
