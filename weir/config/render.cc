#include "weir/config/render.h"

#include <algorithm>
#include <array>
#include <vector>

namespace weir {
namespace {

constexpr std::size_t kWidestExcerpt = 160;  // characters of a source line; the rest is cut

struct Paint {
  std::string_view error, warning, place, strong, reset;
};
constexpr Paint kPlain{};
constexpr Paint kColored{"\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[1m", "\x1b[0m"};

// One marked place of an excerpt.
struct Excerpt {
  SourceSpan span;
  std::string_view label;
  char mark;
};

std::string_view FirstCharacters(std::string_view utf8, std::size_t count) {
  std::size_t i = 0;
  for (std::size_t seen = 0; i < utf8.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(utf8[i]) & 0xC0U) != 0x80U;
    if (starts && seen++ == count) break;
  }
  return utf8.substr(0, i);
}

// Control characters would move the cursor; carets must stand where the text stands.
std::string Printable(std::string_view line) {
  std::string out;
  for (const char c : FirstCharacters(line, kWidestExcerpt)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return out;
}

std::uint32_t CaretsOf(const SourceSpan& span, std::string_view line) {
  const std::uint32_t width =
      static_cast<std::uint32_t>(std::min<std::size_t>(CountCharacters(line), kWidestExcerpt));
  std::uint32_t end = span.end.column;
  if (span.end.line != span.begin.line || end > width + 1) end = width + 1;
  return std::max<std::uint32_t>(end > span.begin.column ? end - span.begin.column : 0, 1);
}

std::string Gutter(std::size_t width, std::uint32_t line, const Paint& paint) {
  std::string number = line == 0 ? "" : std::to_string(line);
  number.insert(0, width - std::min(width, number.size()), ' ');
  return std::string(paint.place) + number + " |" + std::string(paint.reset);
}

void AppendExcerpts(std::string& out, std::vector<Excerpt> marks, std::string_view text,
                    std::size_t width, const Paint& paint) {
  std::stable_sort(marks.begin(), marks.end(), [](const Excerpt& a, const Excerpt& b) {
    return a.span.begin.line < b.span.begin.line;
  });
  // A little of what stands above the first mark shows which rule this is about.
  constexpr std::uint32_t kContext = 2;
  std::uint32_t next = 0;
  for (const Excerpt& mark : marks) {
    const std::uint32_t line = mark.span.begin.line;
    std::uint32_t from = line > kContext && next == 0 ? line - kContext : line;
    if (next != 0 && line > next && line - next <= kContext) from = next;
    if (next != 0 && from > next) out += std::string(width, ' ') + " …\n";
    for (std::uint32_t n = std::max(from, next); n <= line; ++n) {
      const std::string shown = Printable(SourceLine(text, n));
      out += Gutter(width, n, paint) + (shown.empty() ? "" : " ") + shown + "\n";
    }
    const std::uint32_t carets = CaretsOf(mark.span, SourceLine(text, line));
    const std::string_view color = mark.mark == '^' ? paint.error : paint.place;
    out += Gutter(width, 0, paint) + " " + std::string(mark.span.begin.column - 1, ' ') +
           std::string(color) + std::string(carets, mark.mark);
    if (!mark.label.empty()) out += " " + std::string(mark.label);
    out += std::string(paint.reset) + "\n";
    next = line + 1;
  }
}

const SourceFile* FindFile(std::span<const SourceFile> files, std::string_view name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const SourceFile& f) { return f.name == name; });
  return found == files.end() ? nullptr : &*found;
}

std::string PlaceOf(std::string_view file, SourceMark at) {
  std::string out(file);
  if (at.line != 0) out += ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  return out;
}

void AppendPlaces(std::string& out, const Diagnostic& d, std::span<const SourceFile> files,
                  std::size_t width, const Paint& paint) {
  const std::string pad(width, ' ');
  out += pad + std::string(paint.place) + "--> " + std::string(paint.reset) +
         PlaceOf(d.file, d.span.begin) + "\n";
  const SourceFile* const file = FindFile(files, d.file);
  if (d.span.begin.line != 0 && file != nullptr) {
    std::vector<Excerpt> marks = {{d.span, d.label, '^'}};
    for (const RelatedPlace& place : d.related) {
      if (place.file == d.file) marks.push_back({place.span, place.label, '-'});
    }
    out += Gutter(width, 0, paint) + "\n";
    AppendExcerpts(out, std::move(marks), file->text, width, paint);
  }
  for (const RelatedPlace& place : d.related) {
    if (place.file == d.file && file != nullptr) continue;
    out += pad + std::string(paint.place) + "::: " + std::string(paint.reset) +
           PlaceOf(place.file, place.span.begin) + "  " + place.label + "\n";
    const SourceFile* const other = FindFile(files, place.file);
    if (other == nullptr || place.span.begin.line == 0) continue;
    AppendExcerpts(out, {{place.span, {}, '-'}}, other->text, width, paint);
  }
}

std::string Counted(std::size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

void AppendSpan(std::string& out, const SourceSpan& span) {
  const bool one_line = span.begin.line == span.end.line && span.end.column > span.begin.column;
  out += "\"line\":" + std::to_string(span.begin.line) +
         ",\"column\":" + std::to_string(span.begin.column) +
         ",\"length\":" + std::to_string(one_line ? span.end.column - span.begin.column : 0);
}

std::string JsonOf(const Diagnostic& d) {
  std::string out = "{\"code\":" + JsonQuoted(d.code);
  out += d.severity == Severity::kError ? ",\"severity\":\"error\"" : ",\"severity\":\"warning\"";
  out += ",\"file\":" + JsonQuoted(d.file) + ",";
  AppendSpan(out, d.span);
  out += ",\"message\":" + JsonQuoted(d.message) + ",\"label\":" + JsonQuoted(d.label) +
         ",\"effect\":" + JsonQuoted(d.effect) + ",\"fix\":" + JsonQuoted(d.fix) + ",\"notes\":[";
  for (std::size_t i = 0; i < d.notes.size(); ++i) out += (i ? "," : "") + JsonQuoted(d.notes[i]);
  out += "],\"related\":[";
  for (std::size_t i = 0; i < d.related.size(); ++i) {
    out += (i ? ",{\"file\":" : "{\"file\":") + JsonQuoted(d.related[i].file) + ",";
    AppendSpan(out, d.related[i].span);
    out += ",\"label\":" + JsonQuoted(d.related[i].label) + "}";
  }
  return out + "]}";
}

// How many bytes a well-formed UTF-8 character takes here; 0 if there is none.
std::size_t CharacterAt(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || i + length > s.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned char second = byte(i + 1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

}  // namespace

std::string RenderText(const Diagnostic& d, std::span<const SourceFile> files,
                       RenderOptions options) {
  const Paint& paint = options.color ? kColored : kPlain;
  const bool error = d.severity == Severity::kError;
  std::string out(error ? paint.error : paint.warning);
  out += (error ? "error[" : "warning[") + d.code + "]" + std::string(paint.reset) +
         std::string(paint.strong) + ": " + d.message + std::string(paint.reset) + "\n";
  std::uint32_t last = d.span.begin.line;
  for (const RelatedPlace& place : d.related) last = std::max(last, place.span.begin.line);
  const std::size_t width = std::max<std::size_t>(std::to_string(last).size(), 2);
  AppendPlaces(out, d, files, width, paint);
  const auto tail = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    out += std::string(width + 1, ' ') + "= " + std::string(name) + ": " + std::string(text) + "\n";
  };
  tail("effect", d.effect);
  tail("fix", d.fix);
  for (const std::string& note : d.notes) tail("note", note);
  return out;
}

std::string RenderText(std::span<const Diagnostic> diagnostics, std::span<const SourceFile> files,
                       RenderOptions options) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += "\n";
    out += RenderText(d, files, options);
  }
  return out;
}

std::string RenderSummary(std::span<const Diagnostic> diagnostics, std::size_t files,
                          std::size_t rules) {
  std::string out = Counted(files, "file") + ", " + Counted(rules, "rule") + ": ";
  if (diagnostics.empty()) return out + "no problems.\n";
  out += Counted(CountOf(diagnostics, Severity::kError), "error") + ", " +
         Counted(CountOf(diagnostics, Severity::kWarning), "warning");
  const auto first_error =
      std::find_if(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& d) { return d.severity == Severity::kError; });
  const Diagnostic& example = first_error == diagnostics.end() ? diagnostics.front() : *first_error;
  return out + ". Help for a code: weir help " + example.code + "\n";
}

std::string RenderJson(std::span<const Diagnostic> diagnostics, std::size_t files,
                       std::size_t rules) {
  std::string out = "{\"schema\":\"weir.check/1\",\"files\":" + std::to_string(files) +
                    ",\"rules\":" + std::to_string(rules) +
                    ",\"errors\":" + std::to_string(CountOf(diagnostics, Severity::kError)) +
                    ",\"warnings\":" + std::to_string(CountOf(diagnostics, Severity::kWarning)) +
                    ",\"diagnostics\":[";
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    out += (i ? "," : "") + JsonOf(diagnostics[i]);
  }
  return out + "]}\n";
}

std::string JsonQuoted(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = CharacterAt(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      out += "\\ufffd";
    } else if (byte == '"' || byte == '\\') {
      out += {'\\', text[i]};
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += {kHex[byte >> 4U], kHex[byte & 0xFU]};
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return out + "\"";
}

}  // namespace weir
