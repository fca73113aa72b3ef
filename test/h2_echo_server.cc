// A gRPC server that answers every call with the message it got: what h2spec and load generators
// are pointed at.  usage: h2_echo_server ADDRESS [CERTIFICATE KEY [CLIENT_CA]]

#include <csignal>
#include <cstdio>

#include "net/grpc_server.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/tls.h"
#include "net/watch.h"
#include "weir/base/system_clock.h"

namespace {

using namespace weir::net;  // NOLINT(google-build-using-namespace)

class Echo final : public UnaryHandler {
 public:
  void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) override {
    call.Reply(message);
  }
};

int Serve(const char* where, const TlsServer* tls) {
  const auto address = ParseAddress(where);
  if (!address.ok()) {
    std::fprintf(stderr, "%s\n", address.error().message.c_str());
    return 2;
  }
  const weir::SystemClock clock;
  Loop loop(clock);
  Echo echo;
  GrpcRouter router;
  router.AddUnary("/weir.test.Echo/Call", echo);
  router.AddUnary("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", echo);
  const GrpcOptions options;
  ConnectionBudget budget;
  ConnectionSet connections(
      loop,
      [&](Transport& transport, Protocol) { return NewGrpcSession(transport, router, options); },
      ConnectionOptions{.tls = tls}, budget);
  auto listener = Listener::Open(loop, *address, {&connections}, budget);
  if (!listener.ok()) {
    std::fprintf(stderr, "%s\n", listener.error().message.c_str());
    return 2;
  }
  std::printf("listening on %s\n", (*listener)->bound().text().c_str());
  std::fflush(stdout);
  const auto stop = [&] {
    listener->reset();
    connections.Drain([&] { loop.Stop(); });
  };
  const SignalWatch term(loop, SIGTERM, stop);
  const SignalWatch interrupt(loop, SIGINT, stop);
  loop.Run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::unique_ptr<TlsServer> tls;
  if (argc >= 4) {
    auto made = TlsServer::Create({.certificate_file = argv[2],
                                   .key_file = argv[3],
                                   .client_ca_file = argc > 4 ? argv[4] : "",
                                   .client_san = {}});
    if (!made.ok()) {
      std::fprintf(stderr, "%s\n", made.error().message.c_str());
      return 2;
    }
    tls = std::move(made).value();
  }
  return Serve(argv[1], tls.get());
}
