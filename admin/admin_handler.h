#pragma once

#include <string>

#include "admin/admin_state.h"
#include "net/http.h"

namespace weir::admin {

struct AdminOptions {
  // If not empty, every request must carry it as a bearer token.
  std::string token;
};

// The admin port's pages over HTTP: `/` lists them.  Everything is read-only: GET and HEAD, 405 for
// other methods, 404 with the list for other paths.  Answers at once, on the loop that asks; a page
// of 10,000 rules takes some tens of milliseconds, so give it a loop that decides nothing.
class AdminHandler final : public net::HttpHandler {
 public:
  // `state` must outlive the handler.
  AdminHandler(const AdminState& state, AdminOptions options)
      : state_(state), options_(std::move(options)) {}

  void OnRequest(const net::HttpRequest& request, net::HttpExchange& exchange) override;

 private:
  const AdminState& state_;
  const AdminOptions options_;
};

}  // namespace weir::admin
