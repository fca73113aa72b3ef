#include "cli/server.h"

#include <csignal>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "cli/admin_face.h"
#include "cli/log.h"
#include "weir/config/render.h"

namespace weir::cli {
namespace {

std::uint64_t RandomSeed() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

std::string Loaded(const LoadReport& report) {
  return fmt::format("policy generation {} ({}): {} rules in {} domains", report.generation,
                     report.fingerprint, report.rules, report.domains);
}

}  // namespace

Server::Server(const Clock& clock, ServePlan plan)
    : clock_(clock),
      plan_(std::move(plan)),
      control_(clock),
      store_({.max_keys = plan_.keys, .max_bytes = 0, .now = clock.Read()}),
      keeper_(plan_.policy, plan_.load, RandomSeed()),
      watch_stores_(control_, [this] { WatchStores(); }) {}

std::string Server::OpenDecisionLog() {
  if (plan_.decision_log.path.empty()) return {};
  decision_log_ = std::make_unique<DecisionLogWriter>(control_);
  // One key for all instances: equal values can be told to be equal throughout the file.
  log_options_ = {
      .allow = plan_.decision_log.allow,
      .deny = plan_.decision_log.deny,
      .lines_per_second = plan_.decision_log.per_second,
      .privacy = {.hashed = plan_.decision_log.hash_keys, .key = {RandomSeed(), RandomSeed()}},
      .seed = RandomSeed()};
  return decision_log_->Open(plan_.decision_log.path);
}

Server::~Server() {
  signals_.clear();
  policy_watch_.reset();
  certificate_watches_.clear();
  admin_.reset();
  instances_.clear();
  shared_.clear();
}

// One line for each change, however many requests notice it.
void Server::WatchStores() {
  constexpr Duration kEvery = std::chrono::milliseconds(100);
  for (const auto& shared : shared_) shared->TellBreakers(control_.now());
  watch_stores_.Set(control_.now().steady + kEvery);
}

Instance& Server::AddInstance(InstanceOptions options) {
  options.tls = tls_.get();
  options.tls_for_http = plan_.tls_for_http;
  options.seed = RandomSeed();
  if (plan_.shared) {
    SharedStoreOptions shared = *plan_.shared;
    shared.redis.seed = RandomSeed();
    shared.failure.seed = RandomSeed();
    shared.fleet.self = fmt::format("{:016x}{:016x}", RandomSeed(), RandomSeed());
    shared.failure.now = clock_.Read();
    shared_.push_back(std::make_unique<SharedStore>(clock_, std::move(shared)));
    if (std::string error = shared_.back()->Start(); !error.empty()) store_error_ = error;
    options.shared = shared_.back().get();
  }
  if (decision_log_) {
    options.decision_sink = &decision_log_->queue();
    options.decision_log = log_options_;
  }
  instances_.push_back(std::make_unique<Instance>(clock_, control_, store_, std::move(options)));
  keeper_.Serve(instances_.back()->engine());
  return *instances_.back();
}

std::string Server::Start() {
  if (!plan_.tls.certificate_file.empty() && tls_ == nullptr) {
    auto tls = net::TlsServer::Create(plan_.tls);
    if (!tls) return tls.error().message;
    tls_ = *std::move(tls);
  }
  if (std::string error = OpenDecisionLog(); !error.empty()) return error;
  if (instances_.empty()) AddInstance(plan_.instance);
  if (!store_error_.empty()) return store_error_;
  if (keeper_.Load(control_.now(), false) == PolicyKeeper::Result::kRefused) {
    return keeper_.report().error;
  }
  const LoadReport report = keeper_.report();
  for (const Diagnostic& d : report.diagnostics) LogWarning(OneLine(d));
  for (const auto& instance : instances_) {
    if (std::string error = instance->Listen(); !error.empty()) return error;
  }
  admin_ = std::make_unique<AdminFace>(*this);
  if (std::string error = admin_->Listen(); !error.empty()) return error;
  LogInfo(Loaded(report));
  if (!shared_.empty()) {
    LogInfo("counts are shared in " + plan_.shared->endpoint.text());
    WatchStores();
  }
  return {};
}

std::string Server::admin_address() const {
  return admin_ ? admin_->address() : std::string();
}

void Server::Reload(bool only_if_changed) {
  switch (keeper_.Load(control_.now(), only_if_changed)) {
    case PolicyKeeper::Result::kUnchanged:
      return;
    case PolicyKeeper::Result::kRefused:
      LogError("policy not loaded, the one in force stays: " + keeper_.report().error_line);
      return;
    case PolicyKeeper::Result::kLoaded:
      break;
  }
  const LoadReport report = keeper_.report();
  LogInfo(Loaded(report));
  for (const Diagnostic& d : report.diagnostics) LogWarning(OneLine(d));
}

void Server::ReloadCertificate() {
  if (!tls_) return;
  if (const net::TlsError error = tls_->Reload(); !error.message.empty()) {
    LogError("certificate not loaded, the one in use stays: " + error.message);
  }
}

void Server::OnStopSignal() {
  if (std::exchange(stopping_, true)) {
    control_.Stop();
    return;
  }
  LogInfo("draining: health says NOT_SERVING, then connections are asked to go");
  draining_ = instances_.size();
  for (const auto& instance : instances_) {
    instance->Drain([this] {
      if (--draining_ == 0) control_.Stop();
    });
  }
}

int Server::Run() {
  for (const int signal : {SIGTERM, SIGINT}) {
    signals_.push_back(
        std::make_unique<net::SignalWatch>(control_, signal, [this] { OnStopSignal(); }));
  }
  signals_.push_back(std::make_unique<net::SignalWatch>(control_, SIGHUP, [this] {
    Reload(false);
    ReloadCertificate();
  }));
  if (plan_.watch) {
    policy_watch_ =
        std::make_unique<net::FileWatch>(control_, plan_.policy.path, [this] { Reload(true); });
    // What changed while nobody watched yet.
    Reload(true);
  }
  if (tls_) {
    for (const std::string& file : {plan_.tls.certificate_file, plan_.tls.key_file}) {
      certificate_watches_.push_back(
          std::make_unique<net::FileWatch>(control_, file, [this] { ReloadCertificate(); }));
    }
  }
  control_.Run();
  LogInfo("stopped");
  return 0;
}

}  // namespace weir::cli
