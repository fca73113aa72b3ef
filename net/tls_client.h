#pragma once

#include <memory>
#include <string>

#include "net/tls.h"

namespace weir::net {

struct TlsClientOptions {
  // PEM: who may vouch for the server; empty: whom the machine trusts.
  std::string ca_file;
  // PEM: what to show a server that asks; both or neither.
  std::string certificate_file;
  std::string key_file;
};

// What this process needs to open encrypted connections.  TLS 1.2 and up; the server's certificate
// is always verified, for the name or address that was connected to.  Thread-safe.
class TlsClient {
 public:
  // Reads the files.
  static Result<std::unique_ptr<TlsClient>, TlsError> Create(const TlsClientOptions& options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // A new connection's stream to `host`, a DNS name or an IP address; null if memory is out or
  // `host` can be neither.
  std::unique_ptr<TlsStream> Connect(const std::string& host) const;

 private:
  explicit TlsClient(SSL_CTX* context) : context_(context) {}

  SSL_CTX* context_;
};

}  // namespace weir::net
