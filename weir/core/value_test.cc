#include "weir/core/value.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

Value Of(std::string text) {
  return Value{std::move(text)};
}
Value Of(Value::Struct members) {
  return Value{std::move(members)};
}

TEST(ValueTest, IsNullUntilItHoldsSomething) {
  EXPECT_TRUE(Value{}.is_null());
  EXPECT_FALSE(Value{false}.is_null());
  EXPECT_EQ(Value{}.as_struct(), nullptr);
  EXPECT_NE(Of(Value::Struct{}).as_struct(), nullptr);
}

TEST(ValueTest, EqualsByContentAndOrder) {
  const Value one = Of(Value::Struct{{"a", Value{1.0}}, {"b", Value{Value::List{Value{true}}}}});
  const Value same = Of(Value::Struct{{"a", Value{1.0}}, {"b", Value{Value::List{Value{true}}}}});
  const Value turned = Of(Value::Struct{{"b", Value{Value::List{Value{true}}}}, {"a", Value{1.0}}});
  EXPECT_EQ(one, same);
  EXPECT_NE(one, turned);
}

TEST(ValueTest, MergingAddsWhatIsMissingAtTheEnd) {
  Value::Struct into{{"a", Of("kept")}};
  MergeMissing(into, {{"b", Of("new")}, {"a", Of("lost")}, {"c", Value{}}});
  EXPECT_EQ(into, (Value::Struct{{"a", Of("kept")}, {"b", Of("new")}, {"c", Value{}}}));
}

TEST(ValueTest, MergingGoesDownWhereBothSidesAreStructs) {
  Value::Struct into{{"s", Of(Value::Struct{{"x", Value{1.0}}})}};
  MergeMissing(into, {{"s", Of(Value::Struct{{"x", Value{2.0}}, {"y", Value{3.0}}})}});
  EXPECT_EQ(into, (Value::Struct{{"s", Of(Value::Struct{{"x", Value{1.0}}, {"y", Value{3.0}}})}}));
}

TEST(ValueTest, MergingReplacesNeitherTextByStructNorStructByText) {
  Value::Struct into{{"t", Of("text")}, {"s", Of(Value::Struct{})}, {"n", Value{}}};
  const Value::Struct before = into;
  MergeMissing(into,
               {{"t", Of(Value::Struct{{"x", Value{1.0}}})}, {"s", Of("text")}, {"n", Of("text")}});
  EXPECT_EQ(into, before);
}

TEST(ValueTest, MergingNothingChangesNothing) {
  Value::Struct into{{"a", Of("kept")}};
  MergeMissing(into, {});
  EXPECT_EQ(into, (Value::Struct{{"a", Of("kept")}}));
  Value::Struct empty;
  MergeMissing(empty, into);
  EXPECT_EQ(empty, into);
}

}  // namespace
}  // namespace weir
