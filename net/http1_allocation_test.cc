#include <gtest/gtest.h>

#include "net/allocation_count.h"
#include "net/http1_rig.h"

namespace weir::net {
namespace {

TEST(Http1SessionTest, AllocatesNothingPerRequestOnceWarm) {
  struct Constant final : HttpHandler {
    void OnRequest(const HttpRequest&, HttpExchange& e) override {
      e.Reply({200, "application/json", {}, "{\"allowed\":true}"});
    }
  };
  Constant handler;
  StringTransport transport;
  const Http1Options options;
  Http1Session session(transport, handler, options);
  const std::string two = Post("/v1/check", "{\"domain\":\"shop\"}") + Get("/", "X: y\r\n");
  const auto round = [&] {
    session.OnBytes(AsBytes(two));
    transport.output.clear();
  };
  for (int i = 0; i < 10; ++i) round();
  const std::size_t before = AllocationCount();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(AllocationCount(), before);
}

}  // namespace
}  // namespace weir::net
