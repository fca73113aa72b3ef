#pragma once

#include <memory>
#include <string>

#include "admin/admin_handler.h"
#include "admin/admin_state.h"
#include "net/connection_set.h"
#include "net/http1_session.h"
#include "net/listener.h"

namespace weir::cli {

class Server;

// The admin port of a server, on its control loop, and what its pages read.
class AdminFace final : public admin::AdminState {
 public:
  // `server` must outlive this.
  explicit AdminFace(Server& server);
  ~AdminFace() override;

  // An empty text, or why the address could not be taken.
  std::string Listen();
  // Empty if the admin port is off.
  std::string address() const;

  std::vector<const Engine*> engines() const override;
  const MemoryStore* store() const override;
  observe::ServiceCounts counts() const override;
  admin::PolicyReport policy() const override;
  admin::Health health() const override;
  admin::ServerFacts server() const override;

 private:
  void AddStore(observe::StoreCounts& counts) const;

  Server& server_;
  const WallTime started_;
  admin::AdminHandler handler_;
  net::Http1Options http_options_;
  net::ConnectionBudget budget_{1024};
  std::unique_ptr<net::ConnectionSet> connections_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace weir::cli
