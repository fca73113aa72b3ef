#pragma once

#include <cassert>
#include <utility>
#include <variant>

namespace weir {

// A value or the reason why there is none.  Expected failures travel in return types; exceptions
// do not cross a part.  `E` must differ from `T`.
template <typename T, typename E>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is the point.
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(E error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & { return assert(ok()), *std::get_if<0>(&held_); }
  const T& value() const& { return assert(ok()), *std::get_if<0>(&held_); }
  T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&held_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  // REQUIRES: !ok()
  E& error() & { return assert(!ok()), *std::get_if<1>(&held_); }
  const E& error() const& { return assert(!ok()), *std::get_if<1>(&held_); }
  E&& error() && { return assert(!ok()), std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<T, E> held_;
};

}  // namespace weir
