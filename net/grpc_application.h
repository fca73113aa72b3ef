#pragma once

#include <memory>
#include <span>
#include <vector>

#include "net/grpc_server.h"
#include "net/http2_session.h"

namespace weir::net {

class GrpcExchange;

// The gRPC server's side of one connection: its calls and what they have in common.
class GrpcApplication final : public Http2Application {
 public:
  GrpcApplication(Transport& transport, const GrpcRouter& router, const GrpcOptions& options);
  // Gives up every call: handlers that owe an answer hear OnCancel().
  ~GrpcApplication() override;

  Http2Exchange& NewExchange(Http2Session& session) override;
  void OnReadEnd() override;
  Instant OnTime() override;

  // For exchanges.
  Transport& transport() { return transport_; }
  const GrpcOptions& options() const { return options_; }
  const GrpcRouter::Route* FindRoute(std::string_view path);
  const GrpcRouter& router() const { return router_; }

  // Tells `handler` at the end of this read that its batch is complete.
  void BatchFor(UnaryHandler& handler);
  // The exchange's content is a view into this read; it must be copied if it outlives it.
  void Borrow(GrpcExchange& exchange) { borrowed_ = &exchange; }
  // The exchange may have to be looked at when its deadline comes.
  void Await(GrpcExchange& exchange) { awaited_.push_back(&exchange); }
  // Accounts for bytes of incomplete messages.  False: over the bound.
  bool Buffer(std::size_t bytes);
  void Unbuffer(std::size_t bytes) { buffered_ -= bytes; }
  void Recycle(GrpcExchange& exchange);

 private:
  Transport& transport_;
  const GrpcRouter& router_;
  const GrpcOptions& options_;
  std::vector<GrpcExchange*> live_;
  std::vector<std::unique_ptr<GrpcExchange>> idle_;
  std::vector<UnaryHandler*> batches_;
  std::vector<GrpcExchange*> awaited_;
  GrpcExchange* borrowed_ = nullptr;
  std::size_t buffered_ = 0;
  Instant next_deadline_ = kNever;
  // Envoy and its like use one path over and over.
  std::string last_path_;
  const GrpcRouter::Route* last_route_ = nullptr;
};

}  // namespace weir::net
