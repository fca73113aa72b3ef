#include "weir/config/yaml.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <yaml.h>

namespace weir {
namespace {

SourceMark MarkOf(const yaml_mark_t& mark) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  return {static_cast<std::uint32_t>(std::min(mark.line, kMost) + 1),
          static_cast<std::uint32_t>(std::min(mark.column, kMost) + 1)};
}

std::string TextOf(const yaml_char_t* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

// libyaml's parser and its current event, released whatever happens.
class EventStream {
 public:
  explicit EventStream(std::string_view text) {
    ok_ = yaml_parser_initialize(&parser_) != 0;
    // An empty text is read as one empty line: the reference's parser does so too.
    static constexpr unsigned char kEmptyLine[] = "\n";
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    if (ok_) {
      yaml_parser_set_input_string(&parser_, text.empty() ? kEmptyLine : bytes,
                                   text.empty() ? 1 : text.size());
    }
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() {
    Drop();
    if (ok_) yaml_parser_delete(&parser_);
  }

  // Whether there is a next event.
  bool Next() {
    Drop();
    held_ = ok_ && yaml_parser_parse(&parser_, &event_) != 0;
    return held_;
  }
  const yaml_event_t& event() const { return event_; }
  const yaml_parser_t& parser() const { return parser_; }

 private:
  void Drop() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ok_ = false;
  bool held_ = false;
};

}  // namespace

// Nodes in large chunks: they stay where they are, and there are few allocations.
struct YamlDocument::Arena {
  static constexpr std::size_t kChunk = 256;
  std::vector<std::vector<YamlNode>> chunks;

  YamlNode& Add() {
    if (chunks.empty() || chunks.back().size() == kChunk) chunks.emplace_back().reserve(kChunk);
    return chunks.back().emplace_back();
  }
};

YamlDocument::YamlDocument() : arena_(std::make_unique<Arena>()) {}
YamlDocument::~YamlDocument() = default;
YamlDocument::YamlDocument(YamlDocument&&) noexcept = default;
YamlDocument& YamlDocument::operator=(YamlDocument&&) noexcept = default;

// Builds nodes from events, with a stack of its own instead of recursion.
class YamlComposer {
 public:
  YamlComposer(const SourceFile& file, const YamlLimits& limits)
      : file_(file), limits_(limits), events_(file.text) {}

  YamlParse Compose() {
    if (file_.text.size() > limits_.bytes) {
      Refuse({}, "this file has more than " + std::to_string(limits_.bytes) + " bytes");
      return std::move(result_);
    }
    while (!done_) {
      if (!events_.Next()) {
        SyntaxError();
        break;
      }
      if (!Take(events_.event())) break;
    }
    if (!result_.ok()) result_.document.root_ = nullptr;
    return std::move(result_);
  }

 private:
  // What expansion of a finished node costs.
  struct Extent {
    std::size_t nodes = 1;
    std::size_t height = 1;
  };
  struct Open {
    YamlNode* node;
    const YamlNode* pending_key = nullptr;
    Extent extent;
  };

  // Whether to go on.
  bool Take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT: {
        YamlNode* const node = Add(YamlKind::kScalar, event);
        node->implicit = event.data.scalar.plain_implicit != 0;
        node->tag = TextOf(event.data.scalar.tag);
        node->text.assign(reinterpret_cast<const char*>(event.data.scalar.value),
                          event.data.scalar.length);
        return Anchor(event.data.scalar.anchor, node) && Finish(node, {});
      }
      case YAML_ALIAS_EVENT:
        return TakeAlias(event);
      case YAML_SEQUENCE_START_EVENT:
        return Begin(YamlKind::kSequence, event, event.data.sequence_start.anchor,
                     event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return Begin(YamlKind::kMapping, event, event.data.mapping_start.anchor,
                     event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return End(event);
      case YAML_DOCUMENT_END_EVENT:
        LookBeyond();
        done_ = true;
        return true;
      case YAML_STREAM_END_EVENT:
        done_ = true;
        return true;
      default:
        return true;
    }
  }

  YamlNode* Add(YamlKind kind, const yaml_event_t& event) {
    YamlNode& node = result_.document.arena_->Add();
    node.kind = kind;
    node.span = {MarkOf(event.start_mark), MarkOf(event.end_mark)};
    return &node;
  }

  bool Begin(YamlKind kind, const yaml_event_t& event, const yaml_char_t* anchor,
             const yaml_char_t* tag) {
    if (open_.size() >= limits_.depth) return TooDeep(MarkOf(event.start_mark));
    YamlNode* const node = Add(kind, event);
    node->tag = TextOf(tag);
    open_.push_back({node, nullptr, {}});
    return Anchor(anchor, node);
  }

  bool End(const yaml_event_t& event) {
    const Open closed = open_.back();
    open_.pop_back();
    // A block collection's end event lies on the next token; its own text ends with its last child.
    if (event.end_mark.index != event.start_mark.index) {
      closed.node->span.end = MarkOf(event.end_mark);
    } else if (const YamlNode* const last = LastChild(*closed.node)) {
      closed.node->span.end = last->span.end;
    }
    return Finish(closed.node, closed.extent);
  }

  static const YamlNode* LastChild(const YamlNode& node) {
    if (!node.items.empty()) return node.items.back();
    return node.pairs.empty() ? nullptr : node.pairs.back().value;
  }

  bool Anchor(const yaml_char_t* name, const YamlNode* node) {
    if (name == nullptr) return true;
    anchors_[TextOf(name)] = node;
    extents_[node] = std::nullopt;
    return true;
  }

  bool TakeAlias(const yaml_event_t& event) {
    const std::string name = TextOf(event.data.alias.anchor);
    const SourceSpan span{MarkOf(event.start_mark), MarkOf(event.end_mark)};
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return Fail("WEIR-P001", span, "`*" + name + "` repeats an anchor that is not defined above",
                  "yaml: unknown anchor '" + name + "' referenced");
    }
    const std::optional<Extent> extent = extents_[found->second];
    if (!extent) {
      return Fail("WEIR-P001", span, "`*" + name + "` stands inside what it repeats",
                  "yaml: anchor '" + name + "' value contains itself");
    }
    // Checked before the copy, so that a bomb costs no memory either.
    if (total_ + extent->nodes > limits_.nodes) return TooMany(span.begin);
    if (open_.size() + extent->height > limits_.depth + 1) return TooDeep(span.begin);
    YamlNode* const node = &result_.document.arena_->Add();
    *node = *found->second;
    node->span = span;
    node->alias_of = found->second;
    return Finish(node, *extent);
  }

  bool Finish(const YamlNode* node, const Extent& extent) {
    // Children of a collection were counted when they were finished; an alias brings its own.
    total_ += node->alias_of != nullptr ? extent.nodes : 1;
    if (total_ > limits_.nodes) return TooMany(node->span.begin);
    if (!extents_.empty()) {
      const auto anchored = extents_.find(node);
      if (anchored != extents_.end()) anchored->second = extent;
    }
    if (open_.empty()) {
      result_.document.root_ = node;
      return true;
    }
    Open& parent = open_.back();
    parent.extent.nodes += extent.nodes;
    parent.extent.height = std::max(parent.extent.height, extent.height + 1);
    if (parent.node->is_sequence()) {
      parent.node->items.push_back(node);
    } else if (parent.pending_key == nullptr) {
      parent.pending_key = node;
    } else {
      parent.node->pairs.push_back({std::exchange(parent.pending_key, nullptr), node});
    }
    return true;
  }

  // The reference's parser reads no further than the first document, and neither do we: whatever
  // follows, well-formed or not, is worth a warning only.
  void LookBeyond() {
    const bool more = !events_.Next() || events_.event().type != YAML_STREAM_END_EVENT;
    if (!more) return;
    const yaml_parser_t& parser = events_.parser();
    const SourceMark at =
        MarkOf(parser.error != YAML_NO_ERROR ? parser.problem_mark : events_.event().start_mark);
    Diagnostic found;
    found.code = "WEIR-P029";
    found.severity = Severity::kWarning;
    found.file = file_.name;
    found.span = {at, {at.line, at.column + 3}};
    found.message = "only the first YAML document of a file is used";
    found.label = "what follows is ignored";
    found.effect = "rules below this line are not in force";
    found.fix = "move them into a file of their own";
    result_.diagnostics.push_back(std::move(found));
  }

  void SyntaxError() {
    const yaml_parser_t& parser = events_.parser();
    const std::string problem =
        parser.problem != nullptr ? parser.problem : "unknown problem parsing YAML content";
    const bool reader = parser.error == YAML_READER_ERROR;
    // The line as Go's port of this parser counts it: from 0, except in the scanner.
    std::size_t line = reader ? 0 : parser.problem_mark.line;
    if (line != 0) {
      line += parser.error == YAML_SCANNER_ERROR ? 1 : 0;
    } else if (!reader) {
      line = parser.context_mark.line;
    }
    std::string go = "yaml: ";
    if (line != 0) go += "line " + std::to_string(line) + ": ";
    SourceMark at = MarkOf(parser.problem_mark);
    if (reader) at = MarkAtByte(parser.problem_offset);
    std::string label = problem;
    if (parser.context != nullptr) label += " " + std::string(parser.context);
    Fail("WEIR-P001", {at, {at.line, at.column + 1}}, "this is not YAML: " + problem, go + problem);
    if (parser.context != nullptr && parser.context_mark.line + 1 < at.line) {
      const SourceMark from = MarkOf(parser.context_mark);
      result_.diagnostics.back().related.push_back(
          {file_.name, {from, {from.line, from.column + 1}}, parser.context});
    }
    if (problem.find("cannot start any token") != std::string::npos) {
      result_.diagnostics.back().notes.push_back(
          "indent with spaces, never tabs, and quote values that begin with @, `, % or *");
    }
  }

  SourceMark MarkAtByte(std::size_t offset) const {
    const std::string_view before =
        std::string_view(file_.text).substr(0, std::min(offset, file_.text.size()));
    SourceMark mark{1, 1};
    for (const char c : before) mark.line += c == '\n' ? 1 : 0;
    const std::size_t line_start = before.rfind('\n');
    mark.column += CountCharacters(
        line_start == std::string_view::npos ? before : before.substr(line_start + 1));
    return mark;
  }

  bool TooMany(SourceMark at) {
    return Refuse(at, "aliases included, this file has more than " + std::to_string(limits_.nodes) +
                          " values");
  }
  bool TooDeep(SourceMark at) {
    return Refuse(at, "this is nested deeper than " + std::to_string(limits_.depth) + " levels");
  }
  bool Refuse(SourceMark at, std::string message) {
    const std::string go = "yaml: " + message;
    return Fail("WEIR-P002", {at, {at.line, at.column + 1}}, std::move(message), go);
  }

  // Always false: there is nothing to go on with.
  bool Fail(std::string code, SourceSpan span, std::string message, std::string go_error) {
    Diagnostic found;
    found.code = std::move(code);
    found.file = file_.name;
    found.span = span;
    found.message = std::move(message);
    found.effect = "the file cannot be read, so nothing in it can be checked or used";
    result_.diagnostics.push_back(std::move(found));
    result_.go_error = std::move(go_error);
    return false;
  }

  const SourceFile& file_;
  const YamlLimits limits_;
  EventStream events_;
  YamlParse result_;
  std::vector<Open> open_;
  std::unordered_map<std::string, const YamlNode*> anchors_;
  std::unordered_map<const YamlNode*, std::optional<Extent>> extents_;  // of anchored nodes
  std::size_t total_ = 0;
  bool done_ = false;
};

YamlParse ParseYaml(const SourceFile& file, const YamlLimits& limits) {
  return YamlComposer(file, limits).Compose();
}

bool YamlNode::is_merge_key() const {
  return is_scalar() && text == "<<" && (implicit || tag == "tag:yaml.org,2002:merge");
}

bool YamlNode::is_null() const {
  return is_scalar() && (tag.empty() ? implicit && (text.empty() || text == "~" || text == "null" ||
                                                    text == "Null" || text == "NULL")
                                     : tag == "tag:yaml.org,2002:null");
}

const YamlNode* YamlNode::Find(std::string_view key) const {
  const YamlNode* found = nullptr;
  for (const Pair& pair : pairs) {
    if (pair.key->is_scalar() && pair.key->text == key) found = pair.value;
  }
  return found;
}

namespace {

void AppendMerged(const YamlNode& mapping, std::vector<YamlNode::Pair>& out) {
  for (const YamlNode::Pair& pair : mapping.pairs) {
    if (!pair.key->is_merge_key()) {
      out.push_back(pair);
    } else if (pair.value->is_mapping()) {
      AppendMerged(*pair.value, out);
    } else {
      // Of several merged mappings the first one wins, so it has to come last.
      for (auto it = pair.value->items.rbegin(); it != pair.value->items.rend(); ++it) {
        if ((*it)->is_mapping()) AppendMerged(**it, out);
      }
    }
  }
}

}  // namespace

EffectivePairs::EffectivePairs(const YamlNode& mapping) : pairs_(mapping.pairs) {
  const bool merges = std::any_of(mapping.pairs.begin(), mapping.pairs.end(),
                                  [](const YamlNode::Pair& p) { return p.key->is_merge_key(); });
  if (!merges) return;
  AppendMerged(mapping, merged_);
  pairs_ = merged_;
}

}  // namespace weir
