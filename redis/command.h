#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::redis {

// Appends to `out` one argument of a command (RESP: a bulk string), whatever bytes it has.  Only
// allocates where `out` has to grow.
inline void AppendArgument(std::string& out, std::string_view bytes) {
  char head[24] = {'$'};
  char* const end = std::to_chars(head + 1, head + sizeof head - 2, bytes.size()).ptr;
  end[0] = '\r';
  end[1] = '\n';
  out.append(head, static_cast<std::size_t>(end - head) + 2);
  out.append(bytes);
  out.append("\r\n", 2);
}

inline void AppendArgument(std::string& out, std::int64_t number) {
  char text[24];
  const char* const end = std::to_chars(text, text + sizeof text, number).ptr;
  AppendArgument(out, std::string_view(text, static_cast<std::size_t>(end - text)));
}

// Opens a command of `arguments` arguments, its name among them; that many AppendArgument() follow.
inline void AppendCommandHead(std::string& out, std::size_t arguments) {
  char head[24] = {'*'};
  char* const end = std::to_chars(head + 1, head + sizeof head - 2, arguments).ptr;
  end[0] = '\r';
  end[1] = '\n';
  out.append(head, static_cast<std::size_t>(end - head) + 2);
}

// A whole command: AppendCommand(out, {"SCRIPT", "LOAD", text}).
inline void AppendCommand(std::string& out, std::span<const std::string_view> arguments) {
  AppendCommandHead(out, arguments.size());
  for (const std::string_view argument : arguments) AppendArgument(out, argument);
}
inline void AppendCommand(std::string& out, std::initializer_list<std::string_view> arguments) {
  AppendCommand(out, std::span(arguments.begin(), arguments.size()));
}

// Numbers packed for a script, which takes them apart with struct.unpack('<ddd', ...): doubles,
// little-endian, in one argument.  Cheaper on both sides than decimal texts.
template <std::size_t N>
void AppendPacked(std::string& out, const double (&numbers)[N]) {
  static_assert(sizeof(double) == 8);
  AppendArgument(out, std::string_view(reinterpret_cast<const char*>(numbers), sizeof numbers));
}

}  // namespace weir::redis
