#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/decision_log_writer.h"
#include "cli/instance.h"
#include "cli/policy_keeper.h"
#include "cli/serve_plan.h"
#include "net/file_watch.h"
#include "net/tls.h"
#include "net/watch.h"
#include "weir/store/memory_store.h"

namespace weir::cli {

class AdminFace;

// A running `weir serve` or `weir demo`: one store, one policy, one admin page, and one or more
// instances.  Everything here belongs to the control loop, which is the thread that calls Run().
class Server {
 public:
  // `clock` must outlive the server.
  Server(const Clock& clock, ServePlan plan);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Adds an instance; `options` as in the plan but for what differs, such as ports.
  Instance& AddInstance(InstanceOptions options);

  // Loads the policy, opens every listener.  An empty text, or what to tell the user.
  std::string Start();

  // Serves until SIGTERM or SIGINT, then drains.  SIGHUP loads the policy again.  A second signal
  // ends it at once.  Returns the exit code.
  int Run();

  net::Loop& control() { return control_; }
  const ServePlan& plan() const { return plan_; }
  PolicyKeeper& keeper() { return keeper_; }
  MemoryStore& store() { return store_; }
  // One for each instance; none where counts are in memory.
  const std::vector<std::unique_ptr<SharedStore>>& shared_stores() const { return shared_; }
  const std::vector<std::unique_ptr<Instance>>& instances() const { return instances_; }
  bool stopping() const { return stopping_; }
  // Lines the writer was too slow for.
  std::uint64_t dropped_log_lines() const {
    return decision_log_ ? decision_log_->queue().dropped() : 0;
  }
  std::string admin_address() const;

 private:
  std::string OpenDecisionLog();
  void Reload(bool only_if_changed);
  void ReloadCertificate();
  void OnStopSignal();
  void WatchStores();

  const Clock& clock_;
  const ServePlan plan_;
  net::Loop control_;
  MemoryStore store_;
  PolicyKeeper keeper_;
  std::unique_ptr<net::TlsServer> tls_;
  std::unique_ptr<DecisionLogWriter> decision_log_;  // Null: no log.
  observe::DecisionLogOptions log_options_;
  std::vector<std::unique_ptr<SharedStore>> shared_;
  std::vector<std::unique_ptr<Instance>> instances_;
  net::Timer watch_stores_;
  std::string store_error_;
  std::unique_ptr<AdminFace> admin_;
  std::unique_ptr<net::FileWatch> policy_watch_;
  std::vector<std::unique_ptr<net::FileWatch>> certificate_watches_;
  std::vector<std::unique_ptr<net::SignalWatch>> signals_;
  std::size_t draining_ = 0;
  bool stopping_ = false;
};

}  // namespace weir::cli
