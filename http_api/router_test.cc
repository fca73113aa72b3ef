#include "http_api/router.h"

#include <gtest/gtest.h>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

TEST(RouterTest, SaysWhichMethodsAPathKnows) {
  ApiRig rig;
  const Answered get = rig.Get("/v1/check");
  EXPECT_EQ(get.status, 405);
  EXPECT_EQ(get.header("Allow"), "POST");
  EXPECT_EQ(get.header("Content-Type"), "application/problem+json");
  const Answered post = rig.Post("/openapi.json", "");
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(post.header("Allow"), "GET, HEAD");
}

TEST(RouterTest, KnowsOnlyWholePaths) {
  ApiRig rig;
  for (const char* path : {"/", "/v1/check/", "/V1/check", "/v1%2Fcheck", "/v1", "//v1/check"}) {
    const Answered answer = rig.Get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_NE(answer.body.find(R"("title":"Not Found","status":404)"), std::string::npos);
  }
  EXPECT_EQ(Split(rig.Raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")).status, 404);
}

TEST(RouterTest, IgnoresTheQueryOfAPath) {
  ApiRig rig;
  EXPECT_EQ(rig.Post("/v1/check?x=1", kAcme).status, 200);
}

}  // namespace
}  // namespace weir::http_api
