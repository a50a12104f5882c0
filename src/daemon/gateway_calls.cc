// SPDX-License-Identifier: MIT
#include "daemon/gateway_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"

namespace hotdesk {
namespace {

constexpr Millis kTickMax = seconds(1);
constexpr Millis kTickMin{5};
// When to come back: about the time of one short call.
constexpr Millis kRetryAfter = seconds(5);

Instant now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

int64_t seconds_since_epoch() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

// Half of the shortest promise, so that none is kept more than half late.
Millis tick_every(const CallsSettings& settings) {
    const Millis shortest =
        std::min({settings.heartbeat, settings.stream_headers_after, settings.plain_headers_after});
    return std::clamp(shortest / 2, kTickMin, kTickMax);
}

// OpenAI's clients retry everything from 500 up unless they are told not to. A line that is full, a
// daemon that restarts or a worker that died is worth another try; what cannot fit or has waited
// its time will not do better at once.
http::Headers retry_headers(const wire::ApiError& error) {
    if (error.status == 429 || error.status == 503) {
        return {{"retry-after", std::to_string(kRetryAfter.value / 1000)},
                {"retry-after-ms", std::to_string(kRetryAfter.value)}};
    }
    if (error.status >= 500) return {{"x-should-retry", "false"}};
    return {};
}

std::string wanted_name(const CallerIdentity& who, const std::string& model) {
    if (!model.empty() || who.task.empty()) return model;
    return who.task.starts_with("task:") ? who.task : "task:" + who.task;
}

// Of the whole context when the call ends: four bytes of JSON to a token, and an answer of usual
// length. It only keeps a call out of a slot that its context would not fit; the worker counts.
Tokens estimated_size(const std::string& body, const nlohmann::json& fields) {
    constexpr int64_t kBytesPerToken = 4, kUsualAnswer = 256;
    int64_t answer = kUsualAnswer;
    for (const char* key : {"max_tokens", "max_completion_tokens"})
        if (auto it = fields.find(key); it != fields.end() && it->is_number_integer())
            answer = std::min(answer, it->get<int64_t>());
    return {static_cast<int64_t>(body.size()) / kBytesPerToken + answer};
}

}  // namespace

wire::ApiError refusal(Code code, const Why& why) {
    wire::ApiError out{
        wire::http_status(code), std::string(to_string(why.reason)), explain(why), "", {}};
    if (why.need != 0 || why.have != 0) out.numbers = {{"need", why.need}, {"have", why.have}};
    if (why.reason == Reason::kNoSuchModel) out.param = "model";
    return out;
}

GatewayCalls::GatewayCalls(boost::asio::io_context& io, LoopPort& loop, Metrics& metrics,
                           CallsSettings settings)
    : io_(io),
      loop_(loop),
      metrics_(metrics),
      settings_(settings),
      ticker_(io, tick_every(settings), [this] { tick(); }) {}

GatewayCalls::~GatewayCalls() = default;

// ---- to the loop -------------------------------------------------------------------------------

// What has happened must reach the loop, or a slot would stay taken for ever.
void GatewayCalls::post(Event event) {
    if (unposted_.empty() && loop_.post(event)) return;
    unposted_.push_back(std::move(event));
    ticker_.start();
}

void GatewayCalls::flush_events() {
    while (!unposted_.empty() && loop_.post(unposted_.front())) unposted_.pop_front();
}

// ---- from the client ---------------------------------------------------------------------------

void GatewayCalls::accept(const CallerIdentity& who, wire::ApiCall call,
                          const http::Request& request, http::Responder responder) {
    const CallId id{next_id_.value++};
    const ClientWish wish{id, call.kind, call.is_stream, call.include_usage, call.is_base64};
    ClientCall client(wish, responder);
    Millis wait = who.wait;
    if (const std::string asked(request.header("x-hotdesk-wait")); !asked.empty()) {
        const auto parsed = parse_duration(asked);
        if (!parsed)
            return client.fail(
                {400, "wrong_value", "x-hotdesk-wait: " + parsed.error().message, "", {}});
        wait = *parsed;
    }
    Priority priority = who.priority;
    if (const std::string_view asked = request.header("x-hotdesk-priority"); !asked.empty()) {
        if (asked != "interactive" && asked != "batch")
            return client.fail({400,
                                "wrong_value",
                                "x-hotdesk-priority: write \"interactive\" or \"batch\"",
                                "",
                                {}});
        priority = asked == "interactive" ? Priority::kInteractive : Priority::kBatch;
    }
    const CallArrived arrived{id,
                              who.run,
                              who.agent,
                              wanted_name(who, call.model),
                              wait,
                              priority,
                              estimated_size(request.body, call.body)};
    if (!unposted_.empty() || !loop_.post(arrived)) {
        const wire::ApiError full{429,
                                  "queue_full",
                                  "the daemon has more to do than it can note down: come back",
                                  "",
                                  {}};
        return client.fail(full, retry_headers(full));
    }
    const Instant at = now();
    wire::Generate generate{id.value, call.kind, who.agent.value, std::move(call.body)};
    calls_.emplace(id.value, Entry{.client = std::move(client),
                                   .line = wire::encode(wire::ToWorker(std::move(generate))),
                                   .arrived = at,
                                   .last_sent = at});
    // Later, and not from inside a write to this very client.
    responder.on_gone([this, id] { io_post(io_, [this, id] { on_client_gone(id); }); });
    ticker_.start();
}

void GatewayCalls::on_client_gone(CallId id) {
    const auto it = calls_.find(id.value);
    if (it == calls_.end()) return;
    stop_worker(id, it->second);
    post(CallGone{id});
    end(id, CallOutcome::kCancelled);
}

// ---- from the loop -----------------------------------------------------------------------------

void GatewayCalls::start(CallId id, const ModelName& model) {
    const auto it = calls_.find(id.value);
    const auto worker = workers_.find(model);
    // Without a worker: it has just died, the loop is being told, and will decide again.
    if (it == calls_.end() || worker == workers_.end()) return;
    Entry& entry = it->second;
    if (entry.is_running || entry.client.has_answer_out()) return;
    entry.model = model;
    entry.is_running = true;
    entry.started = now();
    ++entry.attempt;
    entry.client.start(model, seconds_since_epoch());
    worker->second->generate(id.value, entry.line, handlers(id, entry.attempt));
}

void GatewayCalls::refuse(CallId id, Code code, const Why& why) {
    if (!calls_.contains(id.value)) return;
    if (why.reason != Reason::kNoSuchModel) return fail(id, refusal(code, why));
    const bool asked = loop_.ask([this, id, code, why](const State& state, const Snapshot&) {
        io_post(io_, [this, id, code, why, names = known_names(state.fleet)] {
            refuse_with_names(id, refusal(code, why), why.who, names);
        });
    });
    if (!asked) fail(id, refusal(code, why));
}

void GatewayCalls::refuse_with_names(CallId id, wire::ApiError error, const std::string& asked,
                                     const std::vector<std::string>& names) {
    if (const std::string near = nearest(asked, names); !near.empty())
        error.message += fmt::format("; did you mean \"{}\"?", near);
    error.message += fmt::format("; known: {}", fmt::join(names, ", "));
    error.numbers = {{"known", names}};
    fail(id, error);
}

void GatewayCalls::fail(CallId id, const wire::ApiError& error) {
    const auto it = calls_.find(id.value);
    if (it == calls_.end()) return;
    stop_worker(id, it->second);
    it->second.client.fail(error, retry_headers(error));
    end(id, CallOutcome::kRefused);
}

void GatewayCalls::set_worker(const ModelName& model, WorkerClient* worker) {
    if (worker)
        workers_[model] = worker;
    else
        workers_.erase(model);
    for (auto& [id, entry] : calls_)
        if (entry.model == model) entry.is_running = false;
}

void GatewayCalls::stop_worker(CallId id, const Entry& entry) {
    if (!entry.is_running) return;
    if (const auto it = workers_.find(entry.model); it != workers_.end())
        it->second->cancel(id.value);
}

// ---- from the worker ---------------------------------------------------------------------------

CallHandlers GatewayCalls::handlers(CallId id, int attempt) {
    return {[this, id, attempt](const wire::Delta& frame) { on_delta(id, attempt, frame); },
            [this, id, attempt](const wire::Finished& frame) { on_finished(id, attempt, frame); },
            [this, id, attempt](const wire::Broken& frame) { on_broken(id, attempt, frame); }};
}

// Null when the call has ended, or is running elsewhere by now.
GatewayCalls::Entry* GatewayCalls::find(CallId id, int attempt) {
    const auto it = calls_.find(id.value);
    if (it == calls_.end() || it->second.attempt != attempt || !it->second.is_running)
        return nullptr;
    return &it->second;
}

void GatewayCalls::on_delta(CallId id, int attempt, const wire::Delta& delta) {
    Entry* entry = find(id, attempt);
    if (!entry) return;
    if (entry->client.is_stream()) entry->last_sent = now();
    if (entry->client.on_delta(delta)) post(CallStreaming{id});
}

void GatewayCalls::on_finished(CallId id, int attempt, const wire::Finished& finished) {
    Entry* entry = find(id, attempt);
    if (!entry) return;
    entry->client.finish(finished);
    post(CallFinished{id, finished.prompt, finished.cached, finished.completion});
    end(id, CallOutcome::kDone, finished);
}

void GatewayCalls::on_broken(CallId id, int attempt, const wire::Broken& broken) {
    Entry* entry = find(id, attempt);
    if (!entry) return;
    const wire::ApiError error{wire::http_status(broken.error.code), broken.reason,
                               broken.error.message, "", broken.numbers};
    entry->client.fail(error, retry_headers(error));
    post(CallBroken{id, broken.error});
    end(id, CallOutcome::kFailed);
}

void GatewayCalls::end(CallId id, CallOutcome outcome, const wire::Finished& finished) {
    const auto it = calls_.find(id.value);
    const Entry& entry = it->second;
    const Instant until = entry.attempt > 0 ? entry.started : now();
    metrics_.call_ended({.model = entry.model,
                         .outcome = outcome,
                         .waited = until - entry.arrived,
                         .prompt = finished.prompt,
                         .cached = finished.cached,
                         .completion = finished.completion});
    calls_.erase(
        it);  // the ticker stops by itself: a timer set and cancelled per call would cost more
}

// ---- while they wait ---------------------------------------------------------------------------

bool GatewayCalls::needs_sign_of_life(const Entry& entry, Instant at) const {
    if (entry.client.has_headers_out()) return at - entry.last_sent >= settings_.heartbeat;
    const Millis limit =
        entry.client.is_stream() ? settings_.stream_headers_after : settings_.plain_headers_after;
    return at - entry.arrived >= limit;
}

void GatewayCalls::tick() {
    flush_events();
    if (calls_.empty() && unposted_.empty()) return ticker_.stop();
    const Instant at = now();
    std::vector<CallId> ids;
    for (auto& [id, entry] : calls_) {
        if (!needs_sign_of_life(entry, at)) continue;
        entry.last_sent = at;
        ids.push_back(CallId{id});
    }
    if (ids.empty()) return;
    const bool asked = loop_.ask([this, ids](const State& state, const Snapshot& seen) {
        io_post(io_,
                [this, ids, found = places(state, seen.now)] { give_signs_of_life(ids, found); });
    });
    if (!asked) give_signs_of_life(ids, {});
}

void GatewayCalls::give_signs_of_life(const std::vector<CallId>& ids,
                                      const std::map<CallId, Place>& found) {
    for (const CallId id : ids) {
        const auto it = calls_.find(id.value);
        if (it == calls_.end()) continue;
        Entry& entry = it->second;
        const auto place = found.find(id);
        std::string comment = entry.is_running
                                  ? fmt::format(": hotdesk running model={}\n\n", entry.model.value)
                                  : waiting_comment(place == found.end() ? Place{} : place->second);
        // Off says nothing of the line; the connection still has to be kept alive.
        if (settings_.wait_notice == WaitNotice::kOff) comment = ":\n\n";
        entry.client.keep_alive(comment);
    }
}

}  // namespace hotdesk
