#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/ssl.h>

#include "weir/base/result.h"

namespace weir::net {

struct TlsError {
  std::string message;  // Names the file and OpenSSL's reason.
};

struct TlsOptions {
  std::string certificate_file;  // PEM, leaf first, then the chain.
  std::string key_file;          // PEM.
  // PEM.  If given, a client must present a certificate that one of these, and nothing else that
  // the machine trusts, vouches for.
  std::string client_ca_file;
  // If given, the client's certificate must also carry this name: a DNS name, IP address or URI
  // (such as a SPIFFE id) among its subject alternative names.
  std::string client_san;
  // What the server speaks, preferred first.  A client that offers others only is refused.
  std::vector<std::string> alpn = {"h2", "http/1.1"};
};

// One side of an encrypted connection, without I/O: ciphertext and plaintext go in and out through
// memory.  Belongs to one thread.
class TlsStream {
 public:
  enum class Side : std::uint8_t { kServer, kClient };
  // Takes ownership.  A client speaks first: call Read() once and send what TakeOutput() gives.
  explicit TlsStream(SSL* ssl, Side side = Side::kServer);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream();

  enum class State : std::uint8_t { kHandshake, kOpen, kClosed, kFailed };
  State state() const { return state_; }

  // Takes ciphertext from the peer.  Copies.
  void Feed(std::span<const std::uint8_t> cipher);

  // Fills `plain` with what can be decrypted; 0 if nothing (more) can.  Drives the handshake.
  std::size_t Read(std::span<std::uint8_t> plain);

  // Encrypts all of `plain`.  REQUIRES: state() is kOpen
  void Write(std::span<const std::uint8_t> plain);

  // Says goodbye (close_notify).
  void Close();

  // Appends the ciphertext due to the peer, handshake and alerts included.
  void TakeOutput(std::vector<std::uint8_t>& out);

  // What the handshake agreed on; empty without ALPN.
  std::string_view alpn() const;
  // Subject of the client's verified certificate, RFC 2253 form; empty without one.
  std::string client_name() const;

 private:
  SSL* ssl_;
  BIO* in_;
  BIO* out_;
  State state_ = State::kHandshake;
};

// Certificates and rules for encrypted listeners.  TLS 1.2 and up.  Thread-safe.
class TlsServer {
 public:
  // Reads the files.
  static Result<std::unique_ptr<TlsServer>, TlsError> Create(TlsOptions options);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // Reads the files again: connections accepted afterwards use them.  On an error the old ones stay
  // in use.  Returns an empty message on success.
  TlsError Reload();

  // A new connection's stream; null if memory is out.
  std::unique_ptr<TlsStream> Accept() const;

 private:
  TlsServer(TlsOptions options, SSL_CTX* context);

  const TlsOptions options_;
  std::string alpn_wire_;
  mutable std::mutex mutex_;
  SSL_CTX* context_;  // Guarded by mutex_.
};

}  // namespace weir::net
