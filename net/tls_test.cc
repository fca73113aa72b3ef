#include "net/tls.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

namespace weir::net {
namespace {

namespace fs = std::filesystem;

struct Identity {
  X509* certificate = nullptr;
  EVP_PKEY* key = nullptr;
};

// Signed by `issuer`, or by itself.
Identity Make(const std::string& name, const char* san, const Identity* issuer) {
  Identity made;
  made.key = EVP_EC_gen("P-256");
  X509* certificate = made.certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), rand());
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, made.key);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate,
                       issuer == nullptr ? subject : X509_get_subject_name(issuer->certificate));
  const auto extend = [&](int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  };
  if (issuer == nullptr) extend(NID_basic_constraints, "critical,CA:TRUE");
  if (san != nullptr) extend(NID_subject_alt_name, san);
  X509_sign(certificate, issuer == nullptr ? made.key : issuer->key, EVP_sha256());
  return made;
}

void Free(const Identity& identity) {
  X509_free(identity.certificate);
  EVP_PKEY_free(identity.key);
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    std::string name = (fs::temp_directory_path() / "weir-tls-XXXXXX").string();
    dir_ = mkdtemp(name.data());
    ca_ = Make("Clients", nullptr, nullptr);
    other_ca_ = Make("Others", nullptr, nullptr);
    server_ = Make("server", nullptr, nullptr);
    client_ = Make("envoy", "URI:spiffe://mesh/envoy,DNS:envoy.mesh", &ca_);
    stranger_ = Make("stranger", nullptr, &other_ca_);
    Save(server_, "server");
    Save(ca_, "ca");
  }
  ~TlsTest() override {
    for (const Identity& each : {ca_, other_ca_, server_, client_, stranger_}) Free(each);
    fs::remove_all(dir_);
  }
  std::string Path(const std::string& name) { return (dir_ / name).string(); }
  void Save(const Identity& identity, const std::string& name) {
    FILE* file = fopen(Path(name + ".crt").c_str(), "w");
    PEM_write_X509(file, identity.certificate);
    fclose(file);
    file = fopen(Path(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(file, identity.key, nullptr, nullptr, 0, nullptr, nullptr);
    fclose(file);
  }
  TlsOptions Options() {
    return {.certificate_file = Path("server.crt"),
            .key_file = Path("server.key"),
            .client_ca_file = {},
            .client_san = {}};
  }

  struct Outcome {
    TlsStream::State state = TlsStream::State::kHandshake;
    std::string alpn;
    std::string client_name;
    std::string server_subject;
    std::string heard;
  };
  // One handshake, and "hi" from the client if it succeeds.
  Outcome Shake(const TlsServer& server, const Identity* identity, const std::string& alpn = "\2h2",
                int version = TLS1_3_VERSION) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, version);
    if (identity != nullptr) {
      SSL_CTX_use_certificate(context, identity->certificate);
      SSL_CTX_use_PrivateKey(context, identity->key);
    }
    SSL* ssl = SSL_new(context);
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
    BIO* in = BIO_new(BIO_s_mem());
    BIO* out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    SSL_set_connect_state(ssl);
    const auto stream = server.Accept();
    Outcome outcome;
    for (int i = 0; i < 10; ++i) {
      if (SSL_do_handshake(ssl) == 1 && i < 9) {
        if (i >= 4 && outcome.heard.empty()) SSL_write(ssl, "hi", 2);
      }
      std::uint8_t buffer[16384];
      const int n = BIO_read(out, buffer, sizeof buffer);
      if (n > 0) stream->Feed({buffer, static_cast<std::size_t>(n)});
      const std::size_t got = stream->Read(buffer);
      outcome.heard.append(reinterpret_cast<const char*>(buffer), got);
      std::vector<std::uint8_t> answer;
      stream->TakeOutput(answer);
      if (!answer.empty()) BIO_write(in, answer.data(), static_cast<int>(answer.size()));
    }
    outcome.state = stream->state();
    outcome.alpn = stream->alpn();
    outcome.client_name = stream->client_name();
    if (X509* seen = SSL_get0_peer_certificate(ssl)) {
      char text[256] = "";
      X509_NAME_oneline(X509_get_subject_name(seen), text, sizeof text);
      outcome.server_subject = text;
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
    return outcome;
  }

  fs::path dir_;
  Identity ca_, other_ca_, server_, client_, stranger_;
};

TEST_F(TlsTest, AgreesOnAProtocolAndCarriesBytes) {
  const auto server = TlsServer::Create(Options());
  ASSERT_TRUE(server.ok());
  const Outcome outcome = Shake(**server, nullptr, "\x8http/1.1\2h2");
  EXPECT_EQ(outcome.state, TlsStream::State::kOpen);
  EXPECT_EQ(outcome.alpn, "h2");
  EXPECT_THAT(outcome.heard, testing::StartsWith("hi"));
}

TEST_F(TlsTest, RefusesOtherProtocolsAndOldVersions) {
  const auto server = TlsServer::Create(Options());
  EXPECT_EQ(Shake(**server, nullptr, "\3foo").state, TlsStream::State::kFailed);
  EXPECT_EQ(Shake(**server, nullptr, "\2h2", TLS1_1_VERSION).state, TlsStream::State::kFailed);
  EXPECT_EQ(Shake(**server, nullptr, "\2h2", TLS1_2_VERSION).state, TlsStream::State::kOpen);
}

TEST_F(TlsTest, TrustsOnlyTheGivenClientCa) {
  TlsOptions options = Options();
  options.client_ca_file = Path("ca.crt");
  const auto server = TlsServer::Create(options);
  ASSERT_TRUE(server.ok());
  const Outcome known = Shake(**server, &client_);
  EXPECT_EQ(known.state, TlsStream::State::kOpen);
  EXPECT_EQ(known.client_name, "CN=envoy");
  EXPECT_EQ(Shake(**server, &stranger_).state, TlsStream::State::kFailed);
  EXPECT_EQ(Shake(**server, nullptr).state, TlsStream::State::kFailed);
}

TEST_F(TlsTest, ChecksTheClientsName) {
  TlsOptions options = Options();
  options.client_ca_file = Path("ca.crt");
  for (const char* san : {"spiffe://mesh/envoy", "envoy.mesh"}) {
    options.client_san = san;
    EXPECT_EQ(Shake(**TlsServer::Create(options), &client_).state, TlsStream::State::kOpen) << san;
  }
  for (const char* san : {"spiffe://mesh/other", "other.mesh", "envoy"}) {
    options.client_san = san;
    EXPECT_EQ(Shake(**TlsServer::Create(options), &client_).state, TlsStream::State::kFailed)
        << san;
  }
}

TEST_F(TlsTest, ReloadsItsCertificateAndKeepsTheOldOneOnAnError) {
  const auto server = TlsServer::Create(Options());
  EXPECT_EQ(Shake(**server, nullptr).server_subject, "/CN=server");
  fs::remove(Path("server.key"));
  EXPECT_THAT((*server)->Reload().message, testing::HasSubstr("server.key"));
  EXPECT_EQ(Shake(**server, nullptr).server_subject, "/CN=server");
  const Identity next = Make("next", nullptr, nullptr);
  Save(next, "server");
  EXPECT_EQ((*server)->Reload().message, "");
  EXPECT_EQ(Shake(**server, nullptr).server_subject, "/CN=next");
  Free(next);
}

TEST_F(TlsTest, NamesTheFileThatIsWrong) {
  TlsOptions options = Options();
  options.certificate_file = Path("none.crt");
  EXPECT_THAT(TlsServer::Create(options).error().message, testing::HasSubstr("none.crt"));
  options = Options();
  options.key_file = Path("ca.key");
  EXPECT_THAT(TlsServer::Create(options).error().message, testing::HasSubstr("ca.key"));
  options = Options();
  options.client_ca_file = Path("none.crt");
  EXPECT_THAT(TlsServer::Create(options).error().message, testing::HasSubstr("client CA"));
}

TEST_F(TlsTest, FailsOnBytesThatAreNotTls) {
  const auto server = TlsServer::Create(Options());
  const auto stream = (*server)->Accept();
  const std::string plain = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  stream->Feed({reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size()});
  std::uint8_t buffer[100];
  EXPECT_EQ(stream->Read(buffer), 0U);
  EXPECT_EQ(stream->state(), TlsStream::State::kFailed);
}

}  // namespace
}  // namespace weir::net
