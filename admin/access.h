#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace weir::admin {

enum class Access : unsigned char {
  kGranted,
  kTokenMissing,  // 401
  kCrossOrigin,   // 403
  kBadMethod,     // 405
};

// Who may do what with the admin port.
//
// - With a token, every request must carry it: `Authorization: Bearer <token>` (RFC 6750).  It is
//   compared in a time that does not depend on where it differs.
// - GET and HEAD are allowed; nothing here changes state yet.  Other methods are refused, and as
//   cross-origin, before that, if a browser says that they come from a page of another site (an
//   Origin that is not the Host, or Sec-Fetch-Site), so that no web page can drive an action.
Access Judge(const net::HttpRequest& request, std::string_view token);

}  // namespace weir::admin
