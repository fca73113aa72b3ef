// A store behind TLS: a real server with a certificate of the test's own.

#include <cstdlib>

#include "redis/redis_store_rig.h"

namespace weir::redis {
namespace {

class StoreTlsTest : public RedisStoreRig {
 protected:
  StoreTlsTest() {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
        "/CN=store"
        " -addext subjectAltName=IP:127.0.0.1 -keyout " +
        key_ + " -out " + certificate_ + " >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(concurrency-mt-unsafe)
  }
  ~StoreTlsTest() override { store_.reset(); }
  void OpenOver(const net::TlsClientOptions& options, std::uint16_t port) {
    tls_ = net::TlsClient::Create(options).value();
    const std::string url = "rediss://127.0.0.1:" + std::to_string(port);
    store_ = std::make_unique<RedisStore>(rig_.loop(), ParseEndpoint(url, &NoEnvironment).value(),
                                          tls_.get(), RedisStoreOptions{}, &observer_);
  }

  std::string key_ = testing::TempDir() + "weir-store-key.pem";
  std::string certificate_ = testing::TempDir() + "weir-store-cert.pem";
  std::unique_ptr<net::TlsClient> tls_;
};

TEST_F(StoreTlsTest, CountsOverTlsAndTrustsOnlyWhomItShould) {
  const std::uint16_t port = ServerForTest::FreePort();
  const ServerForTest server({"--tls-port", std::to_string(port), "--tls-cert-file", certificate_,
                              "--tls-key-file", key_, "--tls-auth-clients", "no"});
  const Rule& rule = NewRule({.limit = 1000, .window = 1h});
  OpenOver({.ca_file = certificate_, .certificate_file = {}, .key_file = {}}, port);
  ASSERT_TRUE(BecomesReady());
  std::vector<Check*> batch;
  for (int i = 0; i < 500; ++i) batch.push_back(&NewCheck({HitOn(rule, "a")}));
  Commit(batch);
  ASSERT_TRUE(rig_.RunUntil([&] { return store_->pending() == 0; }));
  for (const Check* check : batch) EXPECT_EQ(check->outcomes[0].cause, Cause::kNone);

  store_.reset();
  observer_.downs.clear();
  OpenOver({}, port);  // The machine does not know this certificate.
  EXPECT_TRUE(rig_.RunUntil([&] { return store_->connection().down() == Cause::kProtocol; }));
  EXPECT_FALSE(store_->connection().ready());
}

}  // namespace
}  // namespace weir::redis
