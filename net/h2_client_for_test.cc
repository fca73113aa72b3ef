#include "net/h2_client_for_test.h"

#include <algorithm>
#include <cstring>

namespace weir::net {

namespace {

H2Client& Self(void* user) {
  return *static_cast<H2Client*>(user);
}

}  // namespace

H2Client::H2Client(MemoryTransport& transport) : transport_(transport) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
        Self(user).responses[frame->hd.stream_id].fields.emplace_back(
            std::string(reinterpret_cast<const char*>(name), name_size),
            std::string(reinterpret_cast<const char*>(value), value_size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                    std::size_t size, void* user) {
        Self(user).responses[stream].content.append(reinterpret_cast<const char*>(data), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t code, void* user) {
        Self(user).responses[stream].closed = true;
        Self(user).responses[stream].error_code = code;
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        if (frame->hd.type == NGHTTP2_GOAWAY) {
          Self(user).goaways.push_back(frame->goaway.error_code);
          Self(user).goaway_last_ids.push_back(frame->goaway.last_stream_id);
        }
        return 0;
      });
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, 0, nullptr, 0);
}

std::int32_t H2Client::Submit(const Fields& fields, const nghttp2_data_provider* content) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields) {
    list.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                    reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
                    value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return nghttp2_submit_request(session_, nullptr, list.data(), list.size(), content, nullptr);
}

std::int32_t H2Client::Request(const Fields& fields, const std::string* content) {
  if (content == nullptr) return Submit(fields, nullptr);
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, std::int32_t stream, std::uint8_t* out,
                              std::size_t room, std::uint32_t* flags, nghttp2_data_source*,
                              void* user) -> ssize_t {
    auto& [body, sent] = Self(user).bodies_[stream];
    const std::size_t size = std::min(room, body.size() - sent);
    std::memcpy(out, body.data() + sent, size);
    sent += size;
    if (sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  };
  const std::int32_t stream = Submit(fields, &provider);
  bodies_[stream] = {*content, 0};
  return stream;
}

std::int32_t H2Client::Head(const Fields& fields) {
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t,
                              std::uint32_t*, nghttp2_data_source*,
                              void*) -> ssize_t { return NGHTTP2_ERR_DEFERRED; };
  return Submit(fields, &provider);
}

std::int32_t H2Client::Call(std::string_view path, std::string content, const Fields& more) {
  Fields fields = {{":method", "POST"},          {":scheme", "http"},
                   {":path", std::string(path)}, {":authority", "test"},
                   {"te", "trailers"},           {"content-type", "application/grpc"},
                   {"user-agent", "grpc-test/1"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return Request(fields, &content);
}

void H2Client::Reset(std::int32_t stream) {
  nghttp2_submit_rst_stream(session_, 0, stream, NGHTTP2_CANCEL);
}

std::vector<std::uint8_t> H2Client::Take() {
  std::vector<std::uint8_t> bytes;
  const std::uint8_t* data = nullptr;
  for (ssize_t n = 0; (n = nghttp2_session_mem_send(session_, &data)) > 0;) {
    bytes.insert(bytes.end(), data, data + n);
  }
  return bytes;
}

void H2Client::Give() {
  nghttp2_session_mem_recv(session_, transport_.out.data(), transport_.out.size());
  transport_.out.clear();
}

void H2Client::Exchange(Session& session) {
  constexpr std::size_t kRead = std::size_t{64} * 1024;
  for (;;) {
    const std::vector<std::uint8_t> bytes = Take();
    if (bytes.empty() && transport_.out.empty() && !transport_.woken) return;
    for (std::size_t at = 0; at < bytes.size(); at += kRead) {
      session.OnBytes(std::span(bytes).subspan(at, std::min(kRead, bytes.size() - at)));
    }
    if (std::exchange(transport_.woken, false)) session.OnTime();
    Give();
    session.OnWritable();
  }
}

std::string Framed(std::string_view message, char flag) {
  const auto size = static_cast<std::uint32_t>(message.size());
  std::string out = {flag, static_cast<char>(size >> 24U), static_cast<char>(size >> 16U),
                     static_cast<char>(size >> 8U), static_cast<char>(size)};
  return out.append(message);
}

}  // namespace weir::net
