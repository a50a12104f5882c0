// SPDX-License-Identifier: MIT
#include "daemon/gateway.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "daemon/gateway_pages.h"
#include "daemon/http_router.h"
#include "daemon/http_server.h"

namespace hotdesk {
namespace {

using http::Request;
using http::Responder;
using http::Response;

const wire::ApiError kLoopBusy{
    503, "queue_full", "the daemon has more to do than it can note down: come back", "", {}};
const wire::ApiError kNotAllowed{401,
                                 "token_needed",
                                 "callers from another machine need \"Authorization: Bearer "
                                 "TOKEN\" with the token of the config's "
                                 "[server] section",
                                 "",
                                 {}};

}  // namespace

class Gateway::Impl {
  public:
    Impl(boost::asio::io_context& io, LoopPort& loop, GatewaySettings settings);

    Status listen(const std::vector<std::string>& addresses);
    void publish(const std::string& event);

    boost::asio::io_context& io;
    LoopPort& loop;
    GatewaySettings settings;
    Metrics metrics;
    KeyRing keys;
    GatewayCalls calls;
    http::Router router;
    http::Server server;

  private:
    void add_own_routes();
    void add_page(std::string path, std::function<Response(const State&, const Snapshot&)> page);
    std::optional<wire::ApiError> objection(const Request& request, const std::string& path) const;
    void handle(Request request, const Responder& responder);
    void handle_call(wire::CallKind kind, Request request, const Responder& responder);
    void subscribe(const Responder& responder);
    void answer(const Responder& responder,
                std::function<Response(const State&, const Snapshot&)> page);

    std::map<uint64_t, Responder> listeners_;  // of /hotdesk/v1/events
    uint64_t next_listener_ = 1;
};

Gateway::Impl::Impl(boost::asio::io_context& context, LoopPort& port, GatewaySettings given)
    : io(context),
      loop(port),
      settings(std::move(given)),
      keys(settings.token, settings.default_wait),
      calls(io, loop, metrics, settings.calls),
      server(io, {.limits = {.body_bytes_max = settings.body_bytes_max},
                  .handler = [this](Request request,
                                    Responder responder) { handle(std::move(request), responder); },
                  .refuse =
                      [](const http::Refusal& refusal) {
                          return error_page(
                              {refusal.status, std::string(refusal.code), refusal.message, "", {}});
                      }}) {
    add_own_routes();
}

Status Gateway::Impl::listen(const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses) {
        if (settings.token.empty() && !http::is_loopback_address(address)) {
            return fail(
                Code::kDenied,
                fmt::format("{} can be reached from other machines: set [server] token first, "
                            "or listen on 127.0.0.1",
                            address));
        }
        HD_TRY_VOID(server.listen(address));
    }
    return {};
}

// ---- routes ------------------------------------------------------------------------------------

void Gateway::Impl::add_own_routes() {
    add_page("/v1/models", [](const State& state, const Snapshot&) { return models_page(state); });
    router.add("GET", "/v1/models/{}", [this](Request request, Responder responder) {
        answer(responder, [name = request.params[0]](const State& state, const Snapshot&) {
            return model_page(state, name);
        });
    });
    add_page("/readyz", ready_page);
    add_page("/metrics", [this](const State& state, const Snapshot&) {
        return Response{.content_type = "text/plain; version=0.0.4",
                        .body = metrics.text(desk_gauges(state))};
    });
    router.add("GET", "/healthz", [](Request, Responder responder) {
        responder.respond({.content_type = "text/plain", .body = "ok\n"});
    });
    router.add("GET", "/hotdesk/v1/events",
               [this](Request, Responder responder) { subscribe(responder); });
    const auto add_call = [this](const char* path, wire::CallKind kind) {
        router.add("POST", path, [this, kind](Request request, Responder responder) {
            handle_call(kind, std::move(request), responder);
        });
    };
    add_call("/v1/chat/completions", wire::CallKind::kChat);
    add_call("/v1/completions", wire::CallKind::kCompletion);
    add_call("/v1/embeddings", wire::CallKind::kEmbedding);
}

void Gateway::Impl::add_page(std::string path,
                             std::function<Response(const State&, const Snapshot&)> page) {
    router.add(
        "GET", std::move(path),
        [this, page = std::move(page)](Request, Responder responder) { answer(responder, page); });
}

// The page is made on the loop's thread and sent from the io thread.
void Gateway::Impl::answer(const Responder& responder,
                           std::function<Response(const State&, const Snapshot&)> page) {
    const bool asked =
        loop.ask([responder, page = std::move(page)](const State& state, const Snapshot& seen) {
            responder.respond(page(state, seen));
        });
    if (!asked) responder.respond(error_page(kLoopBusy));
}

// Who may ask for what: anybody whether the daemon is well, callers with a key for models, people
// of this machine or with the token for the rest.
std::optional<wire::ApiError> Gateway::Impl::objection(const Request& request,
                                                       const std::string& path) const {
    if (path == "/healthz" || path == "/readyz") return std::nullopt;
    if (!path.starts_with("/v1/")) {
        return keys.may_control(request) ? std::nullopt : std::optional(kNotAllowed);
    }
    const auto who = keys.identify(request);
    return who ? std::nullopt : std::optional(who.error());
}

void Gateway::Impl::handle(Request request, const Responder& responder) {
    std::string path = request.path;
    take_agent_prefix(path);
    http::Match match = router.match(request.method, path);
    if (match.handler) {
        if (const auto error = objection(request, path))
            return responder.respond(error_page(*error));
        request.params = std::move(match.params);
        return (*match.handler)(std::move(request), responder);
    }
    if (match.methods.empty()) {
        return responder.respond(
            error_page({404,
                        "unknown_path",
                        fmt::format("there is nothing at {}: see doc/http-api.md", request.path),
                        "",
                        {}}));
    }
    Response response = error_page({405,
                                    "method_not_allowed",
                                    fmt::format("{} {} is not possible; {} is", request.method,
                                                request.path, fmt::join(match.methods, ", ")),
                                    "",
                                    {}});
    response.headers.emplace_back("allow", fmt::format("{}", fmt::join(match.methods, ", ")));
    responder.respond(std::move(response));
}

void Gateway::Impl::handle_call(wire::CallKind kind, Request request, const Responder& responder) {
    const auto who = keys.identify(request);
    if (!who) return responder.respond(error_page(who.error()));
    auto call = wire::decode_call(kind, request.body);
    if (!call) return responder.respond(error_page(call.error()));
    request.body = {};
    calls.accept(*who, *std::move(call), request, responder);
}

// ---- events ------------------------------------------------------------------------------------

void Gateway::Impl::subscribe(const Responder& responder) {
    const uint64_t id = next_listener_++;
    listeners_.emplace(id, responder);
    responder.begin({.content_type = "text/event-stream",
                     .body = ": hotdesk events\n\n",
                     .headers = {{"cache-control", "no-cache"}}});
    // Later, and not from inside publish()'s loop over the listeners.
    responder.on_gone([this, id] { io_post(io, [this, id] { listeners_.erase(id); }); });
}

void Gateway::Impl::publish(const std::string& event) {
    for (const auto& [id, responder] : listeners_) responder.write(event);
}

// ---- the face ----------------------------------------------------------------------------------

Gateway::Gateway(boost::asio::io_context& io, LoopPort& loop, GatewaySettings settings)
    : impl_(std::make_unique<Impl>(io, loop, std::move(settings))) {}
Gateway::~Gateway() = default;

Status Gateway::listen(const std::vector<std::string>& addresses) {
    return impl_->listen(addresses);
}
std::vector<std::string> Gateway::addresses() const {
    return impl_->server.addresses();
}
void Gateway::route(std::string method, std::string pattern, http::Handler handler) {
    impl_->router.add(std::move(method), std::move(pattern), std::move(handler));
}
void Gateway::set_first_call_id(CallId first) {
    impl_->calls.set_first_id(first);
}
void Gateway::set_worker(const ModelName& model, WorkerClient* worker) {
    impl_->calls.set_worker(model, worker);
}

void Gateway::start_call(CallId id, ModelName model) {
    io_post(impl_->io,
            [impl = impl_.get(), id, model = std::move(model)] { impl->calls.start(id, model); });
}
void Gateway::refuse_call(CallId id, Code code, Why why) {
    io_post(impl_->io, [impl = impl_.get(), id, code, why = std::move(why)] {
        impl->calls.refuse(id, code, why);
    });
}
void Gateway::add_key(std::string key, CallerIdentity identity) {
    io_post(impl_->io, [impl = impl_.get(), key = std::move(key), identity = std::move(identity)] {
        impl->keys.add(key, identity);
    });
}
void Gateway::remove_key(std::string key) {
    io_post(impl_->io, [impl = impl_.get(), key = std::move(key)] { impl->keys.remove(key); });
}
void Gateway::publish_event(nlohmann::json event) {
    io_post(impl_->io,
            [impl = impl_.get(), text = fmt::format("data: {}\n\n", wire::to_text(event))] {
                impl->publish(text);
            });
}
Metrics& Gateway::metrics() {
    return impl_->metrics;
}
void Gateway::stop_accepting() {
    io_post(impl_->io, [impl = impl_.get()] { impl->server.stop_accepting(); });
}
void Gateway::close() {
    io_post(impl_->io, [impl = impl_.get()] { impl->server.close(); });
}

}  // namespace hotdesk
