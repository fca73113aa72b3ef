#include "rls/service.h"

#include "rls/encode.h"
#include "weir/failure/deadline.h"

namespace weir::rls {

// One call on its way to an answer.
class RateLimitService::Job final : public Check {
 public:
  explicit Job(RateLimitService& service) : service_(service) { transport = Transport::kGrpc; }
  void Done() override { service_.Finish(*this); }

  // Moves the texts of the question into memory of our own, for an answer that comes later.
  void KeepTexts() {
    for (Entry& entry : asked.entries) {
      entry.key = arena.Copy(entry.key);
      entry.value = arena.Copy(entry.value);
    }
    asked.request.domain = arena.Copy(asked.request.domain);
  }

  net::GrpcCall* call = nullptr;
  DecodedRequest asked;

 private:
  RateLimitService& service_;
};

RateLimitService::RateLimitService(net::Loop& loop, Limiter& limiter,
                                   const ResponseOptions& options, DecisionObserver* observer)
    : loop_(loop),
      limiter_(limiter),
      observer_(observer),
      keep_texts_(options.dynamic_metadata || (observer != nullptr && observer->wants_texts())),
      composer_(options) {}

RateLimitService::~RateLimitService() = default;

void RateLimitService::OnCall(net::GrpcCall& call, std::span<const std::uint8_t> message) {
  counters_.requests.Add(1);
  if (idle_.empty()) {
    jobs_.push_back(std::make_unique<Job>(*this));
    idle_.push_back(jobs_.back().get());
  }
  Job& job = *idle_.back();
  if (!DecodeRequest(message, job.asked)) {
    counters_.refused.Add(1);
    call.Fail(net::GrpcStatus::kInternal, "the message is not a RateLimitRequest");
    return;
  }
  if (job.asked.request.domain.empty()) {
    return Refuse(call, "rate limit domain must not be empty");
  }
  if (job.asked.request.descriptors.empty()) {
    return Refuse(call, "rate limit descriptor list must not be empty");
  }
  idle_.pop_back();
  job.call = &call;
  limiter_.Match(job.asked.request, loop_.now(), job);
  const Instant now = loop_.now().steady;
  job.deadline = call.deadline() == kNever ? kNever : now + BudgetOf(call.deadline() - now);
  batch_.push_back(&job);
}

void RateLimitService::Refuse(net::GrpcCall& call, std::string_view why) {
  counters_.refused.Add(1);
  const bool reference = limiter_.policy().profile() == Profile::kReference;
  call.Fail(reference ? net::GrpcStatus::kUnknown : net::GrpcStatus::kInvalidArgument, why);
}

void RateLimitService::OnBatchEnd() {
  if (batch_.empty()) return;
  const bool any_pending = limiter_.Commit(batch_, loop_.now()) != 0;
  for (Check* check : batch_) {
    Job& job = static_cast<Job&>(*check);
    if (!any_pending || !job.pending) {
      Finish(job);
    } else if (keep_texts_) {
      job.KeepTexts();
    }
  }
  if (observer_ != nullptr) {
    observer_->OnBatch(batch_.size(), loop_.now().steady);
  }
  batch_.clear();
}

void RateLimitService::Finish(Job& job) {
  const Decision decision = limiter_.Settle(job);
  const RateLimitResponse& response =
      composer_.Compose(job.asked.request, job, decision, loop_.now());
  if (response.globally_shadowed) counters_.global_shadow.Add(1);
  if (observer_ != nullptr) {
    if (observer_->wants_texts()) {
      job.asked.request.id = job.call->header("x-request-id").value_or(std::string_view());
      job.asked.request.traceparent = job.call->header("traceparent").value_or(std::string_view());
    }
    observer_->OnDecision(job.asked.request, job, decision, loop_.now());
  }
  EncodeResponse(response, bytes_);
  job.call->Reply({reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()});
  job.call = nullptr;
  idle_.push_back(&job);
}

}  // namespace weir::rls
