#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weir/config/findings.h"
#include "weir/config/load_options.h"
#include "weir/config/policy_source.h"
#include "weir/config/weir_block.h"
#include "weir/core/rule.h"

namespace weir {

// Turns decoded files into the tree that Policy::Build() takes, with every check that needs more
// than one value.  Files are added in order; what is added must outlive the tree.  One use.
class PolicyTree {
 public:
  explicit PolicyTree(const LoadOptions& options) : options_(options) {}

  void Add(const PolicySource& source, const YamlNode* root, Findings& findings);

  // Checks that need the whole of a domain.  Call once, after the last file.
  void Finish();

  std::vector<DomainRules> TakeDomains();
  std::size_t rules() const { return rules_; }

 private:
  // A written piece and the file it stands in.
  struct Place {
    const YamlNode* node = nullptr;
    Findings* findings = nullptr;
  };
  struct Named {
    Place place;
    std::string name;
    std::vector<std::pair<std::string, Place>> replaces;
  };
  struct Defined {
    const DescriptorSource* descriptor;
    Findings* findings;
  };
  // By the reference service's composite text: at most one each, or one for each spelling.
  using Siblings = std::unordered_map<std::string, std::vector<Defined>>;

  struct Domain {
    DomainRules rules;
    Place place;
    Siblings top;
    std::vector<Named> named;
    std::size_t without_mode = 0;
    std::vector<Place> first_without_mode;
    Place shares_blindly;
  };
  // What surrounds a list of descriptors.
  struct Around {
    Domain* domain;
    const WeirSettings* defaults;
    Findings* findings;
    std::string path;  // as the reference service writes it: "shop.tenant_acme"
  };

  Domain* OpenDomain(const PolicySource& source, const YamlNode* root, Findings& findings);
  void AddList(const std::vector<DescriptorSource>& list, const Around& around, Siblings& siblings,
               std::vector<RuleNode>& out);
  // Whether the descriptor is the first of its kind in its list.
  bool CheckIdentity(const DescriptorSource& d, const Around& around, Siblings& siblings);
  RuleNode ReadNode(const DescriptorSource& d, const Around& around);
  WeirSettings ReadWeir(const DescriptorSource& d, const Around& around) const;
  void ReadFailure(const DescriptorSource& d, const WeirSettings& own, const Around& around,
                   Rule& rule);
  void NoteNames(const DescriptorSource& d, const Around& around);
  void CheckNames(Domain& domain);
  void CheckMissingModes(Domain& domain);

  const LoadOptions options_;
  std::deque<Domain> domains_;
  std::unordered_map<std::string, Domain*> by_name_;
  std::deque<WeirSettings> defaults_;
  std::size_t rules_ = 0;
};

}  // namespace weir
