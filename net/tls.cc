#include "net/tls.h"

#include <limits>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace weir::net {

namespace {

using ContextPtr = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

TlsError Failure(const std::string& what) {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return {what + ": " + (reason == nullptr ? "unknown error" : reason)};
}

bool HasUri(X509* certificate, const std::string& uri) {
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  bool found = false;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* text = name->d.uniformResourceIdentifier;
    found = found || std::string_view(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                                      static_cast<std::size_t>(ASN1_STRING_length(text))) == uri;
  }
  GENERAL_NAMES_free(names);
  return found;
}

bool CarriesName(X509* certificate, const std::string& name) {
  constexpr unsigned kFlags =
      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  return X509_check_host(certificate, name.data(), name.size(), kFlags, nullptr) == 1 ||
         X509_check_ip_asc(certificate, name.c_str(), 0) == 1 || HasUri(certificate, name);
}

const TlsOptions& OptionsOf(const SSL* ssl) {
  return *static_cast<const TlsOptions*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int VerifyClient(int verified, X509_STORE_CTX* store) {
  if (verified != 1 || X509_STORE_CTX_get_error_depth(store) != 0) return verified;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const std::string& wanted = OptionsOf(ssl).client_san;
  if (wanted.empty() || CarriesName(X509_STORE_CTX_get_current_cert(store), wanted)) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  return 0;
}

int SelectAlpn(SSL* ssl, const unsigned char** out, unsigned char* out_size,
               const unsigned char* offered, unsigned offered_size, void*) {
  for (const std::string& ours : OptionsOf(ssl).alpn) {
    for (unsigned at = 0; at < offered_size && offered[at] < offered_size - at;
         at += offered[at] + 1U) {
      const std::string_view theirs(reinterpret_cast<const char*>(offered + at + 1), offered[at]);
      if (theirs != ours) continue;
      *out = offered + at + 1;
      *out_size = offered[at];
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<ContextPtr, TlsError> MakeContext(const TlsOptions& options) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (!context) return Failure("TLS");
  SSL_CTX* raw = context.get();
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_app_data(raw, const_cast<TlsOptions*>(&options));
  if (SSL_CTX_use_certificate_chain_file(raw, options.certificate_file.c_str()) != 1) {
    return Failure("certificate " + options.certificate_file);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Failure("key " + options.key_file);
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    return Failure("key " + options.key_file + " for certificate " + options.certificate_file);
  }
  if (!options.client_ca_file.empty()) {
    const char* file = options.client_ca_file.c_str();
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(file);
    if (names == nullptr || SSL_CTX_load_verify_file(raw, file) != 1) {
      sk_X509_NAME_pop_free(names, X509_NAME_free);
      return Failure("client CA " + options.client_ca_file);
    }
    SSL_CTX_set_client_CA_list(raw, names);
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, &VerifyClient);
    // A resumed session must not carry over from a listener with other rules.
    static constexpr unsigned char kContextId[] = "weir";
    SSL_CTX_set_session_id_context(raw, kContextId, sizeof kContextId - 1);
  }
  if (!options.alpn.empty()) SSL_CTX_set_alpn_select_cb(raw, &SelectAlpn, nullptr);
  return context;
}

int Clip(std::size_t size) {
  return static_cast<int>(
      std::min<std::size_t>(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

}  // namespace

TlsStream::TlsStream(SSL* ssl, Side side)
    : ssl_(ssl), in_(BIO_new(BIO_s_mem())), out_(BIO_new(BIO_s_mem())) {
  BIO_set_mem_eof_return(in_, -1);
  BIO_set_mem_eof_return(out_, -1);
  SSL_set_bio(ssl_, in_, out_);
  side == Side::kServer ? SSL_set_accept_state(ssl_) : SSL_set_connect_state(ssl_);
}

TlsStream::~TlsStream() {
  SSL_free(ssl_);
}

void TlsStream::Feed(std::span<const std::uint8_t> cipher) {
  BIO_write(in_, cipher.data(), Clip(cipher.size()));
}

std::size_t TlsStream::Read(std::span<std::uint8_t> plain) {
  if (state_ == State::kFailed || state_ == State::kClosed) return 0;
  ERR_clear_error();
  if (state_ == State::kHandshake) {
    const int result = SSL_do_handshake(ssl_);
    if (result != 1) {
      if (SSL_get_error(ssl_, result) != SSL_ERROR_WANT_READ) state_ = State::kFailed;
      return 0;
    }
    state_ = State::kOpen;
  }
  std::size_t filled = 0;
  while (filled < plain.size()) {
    const int n = SSL_read(ssl_, plain.data() + filled, Clip(plain.size() - filled));
    if (n <= 0) {
      const int error = SSL_get_error(ssl_, n);
      if (error == SSL_ERROR_ZERO_RETURN) {
        state_ = State::kClosed;
      } else if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        state_ = State::kFailed;
      }
      break;
    }
    filled += static_cast<std::size_t>(n);
  }
  return filled;
}

void TlsStream::Write(std::span<const std::uint8_t> plain) {
  ERR_clear_error();
  while (!plain.empty()) {
    const int n = SSL_write(ssl_, plain.data(), Clip(plain.size()));
    if (n <= 0) {
      state_ = State::kFailed;
      return;
    }
    plain = plain.subspan(static_cast<std::size_t>(n));
  }
}

void TlsStream::Close() {
  if (state_ != State::kOpen && state_ != State::kClosed) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
}

void TlsStream::TakeOutput(std::vector<std::uint8_t>& out) {
  const std::size_t pending = BIO_ctrl_pending(out_);
  if (pending == 0) return;
  const std::size_t old_size = out.size();
  out.resize(old_size + pending);
  const int n = BIO_read(out_, out.data() + old_size, Clip(pending));
  out.resize(old_size + static_cast<std::size_t>(std::max(n, 0)));
}

std::string_view TlsStream::alpn() const {
  const unsigned char* data = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &data, &size);
  return {reinterpret_cast<const char*>(data), size};
}

std::string TlsStream::client_name() const {
  X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr || SSL_get_verify_result(ssl_) != X509_V_OK) return {};
  BIO* text = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text, &data);
  std::string name(data, static_cast<std::size_t>(std::max(size, 0L)));
  BIO_free(text);
  return name;
}

TlsServer::TlsServer(TlsOptions options, SSL_CTX* context)
    : options_(std::move(options)), context_(context) {}

TlsServer::~TlsServer() {
  SSL_CTX_free(context_);
}

Result<std::unique_ptr<TlsServer>, TlsError> TlsServer::Create(TlsOptions options) {
  std::unique_ptr<TlsServer> server(new TlsServer(std::move(options), nullptr));
  TlsError error = server->Reload();
  if (!error.message.empty()) return error;
  return server;
}

TlsError TlsServer::Reload() {
  Result<ContextPtr, TlsError> made = MakeContext(options_);
  if (!made.ok()) return std::move(made).error();
  SSL_CTX* old = nullptr;
  {
    const std::lock_guard lock(mutex_);
    old = std::exchange(context_, made.value().release());
  }
  // Connections that use the old one hold their own reference.
  SSL_CTX_free(old);
  return {};
}

std::unique_ptr<TlsStream> TlsServer::Accept() const {
  const std::lock_guard lock(mutex_);
  SSL* ssl = SSL_new(context_);
  return ssl == nullptr ? nullptr : std::make_unique<TlsStream>(ssl);
}

}  // namespace weir::net
