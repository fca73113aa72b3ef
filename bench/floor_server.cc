// The yardstick for what our own code costs: an HTTP/2 server with nothing in it but nghttp2 and
// epoll, which answers every request with one constant gRPC reply.  It checks nothing and bounds
// nothing; never serve with it.
// usage: bench_floor_server PORT

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;
// RateLimitResponse{overall_code: OK, statuses: [{code: OK}]} with its prefix.
constexpr std::array<std::uint8_t, 11> kReply = {0, 0, 0, 0, 6, 0x08, 0x01, 0x12, 0x02, 0x08, 0x01};

nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
          value.size(), NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

const std::array<nghttp2_nv, 2> kHead = {Field(":status", "200"),
                                         Field("content-type", "application/grpc")};
const std::array<nghttp2_nv, 1> kTrailers = {Field("grpc-status", "0")};

struct Connection {
  int fd = -1;
  nghttp2_session* session = nullptr;
  std::vector<std::uint8_t> out;
  std::size_t sent = 0;
};

ssize_t Fill(nghttp2_session* session, std::int32_t stream, std::uint8_t* out, std::size_t,
             std::uint32_t* flags, nghttp2_data_source*, void*) {
  std::memcpy(out, kReply.data(), kReply.size());
  *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
  nghttp2_submit_trailer(session, stream, kTrailers.data(), kTrailers.size());
  return static_cast<ssize_t>(kReply.size());
}

int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void*) {
  if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  nghttp2_data_provider content{};
  content.read_callback = &Fill;
  nghttp2_submit_response(session, frame->hd.stream_id, kHead.data(), kHead.size(), &content);
  return 0;
}

void Open(Connection& connection) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_option_new(&option);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
  nghttp2_option_set_no_http_messaging(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session_server_new2(&connection.session, callbacks, nullptr, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1000},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1U << 20U}}};
  nghttp2_submit_settings(connection.session, 0, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(connection.session, 0, 0, 64 << 20);
}

// False: the connection is over.
bool Serve(Connection& connection, std::array<std::uint8_t, kReadSize>& buffer) {
  const ssize_t n = recv(connection.fd, buffer.data(), buffer.size(), 0);
  if (n == 0 || (n < 0 && errno != EAGAIN)) return false;
  if (n > 0 && nghttp2_session_mem_recv(connection.session, buffer.data(),
                                        static_cast<std::size_t>(n)) < 0) {
    return false;
  }
  for (;;) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(connection.session, &data);
    if (size <= 0) break;
    connection.out.insert(connection.out.end(), data, data + size);
  }
  if (connection.out.empty()) return true;
  const ssize_t sent = send(connection.fd, connection.out.data() + connection.sent,
                            connection.out.size() - connection.sent, MSG_NOSIGNAL);
  if (sent > 0) connection.sent += static_cast<std::size_t>(sent);
  if (connection.sent == connection.out.size()) {
    connection.out.clear();
    connection.sent = 0;
  }
  return sent >= 0 || errno == EAGAIN;
}

void Close(Connection* connection) {
  close(connection->fd);
  nghttp2_session_del(connection->session);
  delete connection;
}

[[noreturn]] void Run(int listener) {
  const int epoll = epoll_create1(0);
  epoll_event watched{};
  watched.events = EPOLLIN;
  watched.data.ptr = nullptr;
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &watched);
  static std::array<std::uint8_t, kReadSize> buffer;
  std::array<epoll_event, 256> ready{};
  for (;;) {
    const int count = epoll_wait(epoll, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      auto* connection = static_cast<Connection*>(ready[static_cast<std::size_t>(i)].data.ptr);
      if (connection == nullptr) {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd < 0) continue;
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connection = new Connection;
        connection->fd = fd;
        Open(*connection);
        watched.data.ptr = connection;
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &watched);
      } else if (!Serve(*connection, buffer)) {
        Close(connection);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_floor_server PORT\n");
    return 2;
  }
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 128) != 0) {
    std::perror("bench_floor_server");
    return 2;
  }
  Run(listener);
}
