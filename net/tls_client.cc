#include "net/tls_client.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace weir::net {
namespace {

TlsError Failure(const std::string& what) {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return {what + ": " + (reason == nullptr ? "unknown error" : reason)};
}

bool IsIpAddress(const std::string& host) {
  in6_addr ignored{};
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

}  // namespace

Result<std::unique_ptr<TlsClient>, TlsError> TlsClient::Create(const TlsClientOptions& options) {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (context == nullptr) return Failure("TLS");
  std::unique_ptr<TlsClient> client(new TlsClient(context));
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const bool trusted = options.ca_file.empty()
                           ? SSL_CTX_set_default_verify_paths(context) == 1
                           : SSL_CTX_load_verify_file(context, options.ca_file.c_str()) == 1;
  if (!trusted) return Failure("CA " + options.ca_file);
  if (!options.certificate_file.empty() &&
      SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
    return Failure("certificate " + options.certificate_file);
  }
  if (!options.key_file.empty() &&
      (SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
       SSL_CTX_check_private_key(context) != 1)) {
    return Failure("key " + options.key_file);
  }
  return client;
}

TlsClient::~TlsClient() {
  SSL_CTX_free(context_);
}

std::unique_ptr<TlsStream> TlsClient::Connect(const std::string& host) const {
  SSL* const ssl = SSL_new(context_);
  if (ssl == nullptr) return nullptr;
  auto stream = std::make_unique<TlsStream>(ssl, TlsStream::Side::kClient);
  if (IsIpAddress(host)) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) != 1) return nullptr;
  } else if (host.empty() || SSL_set1_host(ssl, host.c_str()) != 1 ||
             SSL_set_tlsext_host_name(ssl, host.c_str()) != 1) {
    return nullptr;
  }
  return stream;
}

}  // namespace weir::net
