#include <cstdint>
#include <memory>
#include <vector>

#include "net/grpc_health.h"
#include "net/grpc_reflection.h"
#include "net/grpc_server.h"
#include "net/h2_client_for_test.h"
#include "weir/base/manual_clock.h"

namespace {

using namespace weir::net;  // NOLINT(google-build-using-namespace)

// Answers every other call later, and some never before the connection is gone.
class Echo final : public UnaryHandler {
 public:
  ~Echo() override {
    for (GrpcCall* call : late_) call->Reply({});
  }
  void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) override {
    if (++calls_ % 2 == 0) return call.Reply(message);
    late_.push_back(&call);
  }
  void OnBatchEnd() override {
    if (late_.size() < 4) return;
    for (GrpcCall* call : late_) call->Fail(GrpcStatus::kAborted, "%late");
    late_.clear();
  }

 private:
  int calls_ = 0;
  std::vector<GrpcCall*> late_;
};

}  // namespace

// Any bytes, in reads whose sizes the first byte chooses, with or without a good preface before
// them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const weir::ManualClock clock;
  static Loop loop(clock);
  static HealthStatus status;
  const std::uint8_t how = data[0];
  std::vector<std::uint8_t> bytes;
  if ((how & 1U) != 0) {
    MemoryTransport unused;
    H2Client client(unused);
    client.Call("/a.B/Call", Framed("x"), {{"grpc-timeout", "20m"}});
    bytes = client.Take();
  }
  bytes.insert(bytes.end(), data + 1, data + size);

  MemoryTransport transport;
  DescriptorFiles files;
  ReflectionService reflection(files, {"a.B"});
  HealthService health(loop, status);
  Echo echo;
  GrpcRouter router;
  router.AddUnary("/a.B/Call", echo);
  health.AddTo(router);
  reflection.AddTo(router);
  GrpcOptions options;
  options.http2.max_age = std::chrono::seconds(1);
  {
    const std::unique_ptr<Session> session = NewGrpcSession(transport, router, options);
    session->OnTime();
    const std::size_t step = 1U + (how >> 1U) * 13U;
    for (std::size_t at = 0; at < bytes.size() && !session->finished(); at += step) {
      session->OnBytes(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
      transport.out.clear();
      transport.time.steady += std::chrono::milliseconds(how);
      session->OnTime();
    }
    session->Drain();
    session->OnTime();
  }
  return 0;
}
