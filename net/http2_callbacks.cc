#include "net/http2_session.h"

namespace weir::net {

// nghttp2's callbacks, turned into the session's own calls.
struct Http2Session::Callbacks {
  static Http2Session& Self(void* user) { return *static_cast<Http2Session*>(user); }

  static int BeginFrame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
    Self(user).OnBeginFrame(*head);
    return 0;
  }
  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Self(user).OnBeginHeaders(*frame);
  }
  static int Field(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                   std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                   std::uint8_t, void* user) {
    return Self(user).OnField(*frame, {reinterpret_cast<const char*>(name), name_size},
                              {reinterpret_cast<const char*>(value), value_size});
  }
  static int Frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Self(user).OnFrame(*frame);
  }
  static int Content(nghttp2_session*, std::uint8_t flags, std::int32_t stream_id,
                     const std::uint8_t* data, std::size_t size, void* user) {
    return Self(user).OnContent(flags, stream_id, {data, size});
  }
  static int StreamClosed(nghttp2_session*, std::int32_t stream_id, std::uint32_t error_code,
                          void* user) {
    return Self(user).OnStreamClosed(stream_id, error_code);
  }
  static int Sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Self(user).OnSent(*frame);
    return 0;
  }
};

void Http2Session::Attach() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, &Callbacks::BeginFrame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &Callbacks::BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &Callbacks::Field);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Callbacks::Frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Callbacks::Content);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Callbacks::StreamClosed);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, &Callbacks::Sent);
    nghttp2_option_set_no_http_messaging(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    // Resets are counted here, in our own time and with the peer's patience in view.
    nghttp2_option_set_stream_reset_rate_limit(option, 1'000'000'000, 1'000'000'000);
    nghttp2_session_server_new3(&session_, callbacks, this, option, memory_.hooks());
  }
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
}

}  // namespace weir::net
