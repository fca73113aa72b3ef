#include "net/grpc_health.h"

#include <algorithm>
#include <utility>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace weir::net {

namespace {

// More names than this are not listed: the answer must fit a message.
constexpr std::size_t kMostListed = 100;

std::span<const std::uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// HealthCheckRequest { string service = 1; }; nothing if it does not parse.
std::optional<std::string> ReadService(std::span<const std::uint8_t> message) {
  std::string service;
  try {
    protozero::pbf_reader reader(reinterpret_cast<const char*>(message.data()), message.size());
    while (reader.next()) {
      if (reader.tag_and_type() ==
          protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited)) {
        service = reader.get_string();
      } else {
        reader.skip();
      }
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return service;
}

// HealthCheckResponse { ServingStatus status = 1; }
std::string WriteStatus(ServingStatus status) {
  std::string message;
  if (status != ServingStatus::kUnknown) {
    protozero::pbf_writer(message).add_enum(1, static_cast<std::int32_t>(status));
  }
  return message;
}

}  // namespace

void HealthStatus::Set(std::string_view service, ServingStatus status) {
  {
    const std::lock_guard lock(mutex_);
    statuses_[std::string(service)] = status;
  }
  Tell();
}

void HealthStatus::SetAll(ServingStatus status) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [service, held] : statuses_) held = status;
  }
  Tell();
}

std::optional<ServingStatus> HealthStatus::Get(std::string_view service) const {
  const std::lock_guard lock(mutex_);
  const auto found = statuses_.find(service);
  if (found == statuses_.end()) return std::nullopt;
  return found->second;
}

std::map<std::string, ServingStatus> HealthStatus::All() const {
  const std::lock_guard lock(mutex_);
  return {statuses_.begin(), statuses_.end()};
}

std::uint64_t HealthStatus::Subscribe(std::function<void()> changed) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_[next_] = std::move(changed);
  return next_++;
}

void HealthStatus::Unsubscribe(std::uint64_t subscription) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.erase(subscription);
}

void HealthStatus::Tell() {
  const std::lock_guard lock(subscribers_mutex_);
  for (const auto& [id, changed] : subscribers_) changed();
}

class HealthService::Check final : public UnaryHandler {
 public:
  explicit Check(const HealthStatus& status) : status_(status) {}

  void OnCall(GrpcCall& call, std::span<const std::uint8_t> message) override {
    const auto service = ReadService(message);
    if (!service) return call.Fail(GrpcStatus::kInternal, "the request does not parse");
    const auto status = status_.Get(*service);
    if (!status) return call.Fail(GrpcStatus::kNotFound, "unknown service " + *service);
    call.Reply(Bytes(WriteStatus(*status)));
  }

 private:
  const HealthStatus& status_;
};

class HealthService::List final : public UnaryHandler {
 public:
  explicit List(const HealthStatus& status) : status_(status) {}

  // HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
  void OnCall(GrpcCall& call, std::span<const std::uint8_t>) override {
    const auto all = status_.All();
    if (all.size() > kMostListed) {
      return call.Fail(GrpcStatus::kResourceExhausted, "too many services to list");
    }
    std::string answer;
    protozero::pbf_writer writer(answer);
    for (const auto& [service, status] : all) {
      std::string entry;
      protozero::pbf_writer fields(entry);
      fields.add_string(1, service);
      fields.add_message(2, WriteStatus(status));
      writer.add_message(1, entry);
    }
    call.Reply(Bytes(answer));
  }

 private:
  const HealthStatus& status_;
};

// One Watch stream.
class HealthService::Watcher final : public StreamReader {
 public:
  Watcher(HealthService& service, GrpcStream& stream) : service_(service), stream_(stream) {
    service_.watchers_.push_back(this);
  }
  ~Watcher() override { std::erase(service_.watchers_, this); }

  void OnMessage(std::span<const std::uint8_t> message) override {
    if (name_) return stream_.Finish(GrpcStatus::kInternal, "Watch takes one request");
    name_ = ReadService(message);
    if (!name_) return stream_.Finish(GrpcStatus::kInternal, "the request does not parse");
    Update();
  }

  void OnHalfClose() override {
    if (!name_) stream_.Finish(GrpcStatus::kInternal, "Watch takes one request, there is none");
  }

  void Update() {
    if (!name_) return;
    const ServingStatus now = service_.status_.Get(*name_).value_or(ServingStatus::kServiceUnknown);
    if (now == told_) return;
    told_ = now;
    stream_.Send(Bytes(WriteStatus(now)));
  }

 private:
  HealthService& service_;
  GrpcStream& stream_;
  std::optional<std::string> name_;
  std::optional<ServingStatus> told_;
};

class HealthService::Watch final : public StreamHandler {
 public:
  explicit Watch(HealthService& service) : service_(service) {}
  std::unique_ptr<StreamReader> OnOpen(GrpcStream& stream) override {
    return std::make_unique<Watcher>(service_, stream);
  }

 private:
  HealthService& service_;
};

HealthService::HealthService(Loop& loop, HealthStatus& status)
    : status_(status),
      subscription_(status.Subscribe([this, alive = alive_, &loop] {
        loop.Post([this, alive] {
          if (*alive) OnChange();
        });
      })),
      check_(std::make_unique<Check>(status)),
      list_(std::make_unique<List>(status)),
      watch_(std::make_unique<Watch>(*this)) {}

HealthService::~HealthService() {
  status_.Unsubscribe(subscription_);
  *alive_ = false;
}

void HealthService::AddTo(GrpcRouter& router) {
  router.AddUnary("/grpc.health.v1.Health/Check", *check_);
  router.AddUnary("/grpc.health.v1.Health/List", *list_);
  router.AddStream("/grpc.health.v1.Health/Watch", *watch_);
}

void HealthService::OnChange() {
  for (Watcher* watcher : watchers_) watcher->Update();
}

}  // namespace weir::net
