// SPDX-License-Identifier: MIT
#include "daemon/own_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "daemon/gateway_pages.h"
#include "daemon/history_views.h"
#include "daemon/iso_time.h"
#include "daemon/subject.h"
#include "daemon/views.h"

namespace hotdesk {
namespace {

using http::Request;
using http::Responder;
using http::Response;
using Json = nlohmann::json;

constexpr int kReasonsShown = 200;

Response page(const Json& body, int status = 200) {
    Response response;
    response.status = status;
    response.body = wire::to_text(body);
    return response;
}

Response failure(const Error& error) {
    return error_page(
        {wire::http_status(error.code), std::string(to_string(error.code)), error.message, "", {}});
}

// "there is no agent inbx: did you mean inbox?"
Response unknown(std::string_view kind, const std::string& name,
                 const std::vector<std::string>& known) {
    const std::string near = nearest(name, known);
    return failure({Code::kNotFound,
                    fmt::format("there is no {} called {}{}", kind, name,
                                near.empty() ? "" : fmt::format(": did you mean {}?", near))});
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
    std::vector<std::string> names;
    for (const auto& entry : map) names.push_back(entry.first.value);
    return names;
}

int64_t number_or(const std::string& text, int64_t otherwise) {
    int64_t value = otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// `since` is a time as iso_time writes it, or milliseconds.
Result<RunQuery> run_query(const Request& request) {
    RunQuery query;
    query.agent = {request.query_value("agent")};
    query.limit = static_cast<int>(number_or(request.query_value("limit"), query.limit));
    const std::string since = request.query_value("since");
    if (since.find('T') == std::string::npos) {
        query.since = {number_or(since, 0)};
        return query;
    }
    HD_TRY(query.since, parse_iso_time(since));
    return query;
}

// The routes, with what they need. Handlers share it: the router lives as long as the gateway.
class Routes : public std::enable_shared_from_this<Routes> {
  public:
    explicit Routes(OwnRoutes own) : own_(std::move(own)) {}
    void add();

  private:
    using Page = std::function<Response(const State&, const Snapshot&)>;
    using Look = std::function<std::function<Response()>(const State&, const Snapshot&)>;
    using Handle = void (Routes::*)(const Request&, const Responder&);

    void get(const char* pattern, Handle handle) { add_route("GET", pattern, handle); }
    void post(const char* pattern, Handle handle) { add_route("POST", pattern, handle); }
    void add_route(const char* method, const char* pattern, Handle handle);
    void add_view(const char* pattern, Json (*view)(const views::Moment&));
    void answer(const Responder& responder, Page page);
    void answer_on_io(const Responder& responder, Look look);
    void command(const Responder& responder, Event event);

    void agents(const Request& request, const Responder& responder);
    void runs(const Request& request, const Responder& responder);
    void run(const Request& request, const Responder& responder);
    void why(const Request& request, const Responder& responder);
    void logs(const Request& request, const Responder& responder);
    Response run_page(RunId id, const std::optional<Json>& unrecorded, const Json& live);
    Response why_page(const std::string& name, const std::optional<std::string>& now,
                      const std::vector<std::string>& known);

    void run_agent(const Request& request, const Responder& responder);
    void pause_agent(const Request& request, const Responder& responder) {
        set_paused(request, responder, true);
    }
    void resume_agent(const Request& request, const Responder& responder) {
        set_paused(request, responder, false);
    }
    void set_paused(const Request& request, const Responder& responder, bool paused);
    void pause(const Request&, const Responder& responder) {
        command(responder, PauseWanted{{}, true});
    }
    void resume(const Request&, const Responder& responder) {
        command(responder, PauseWanted{{}, false});
    }
    void drain(const Request&, const Responder& responder) { command(responder, DrainWanted{}); }
    void reload(const Request& request, const Responder& responder);
    void evict(const Request& request, const Responder& responder);
    void stop_run(const Request& request, const Responder& responder);

    OwnRoutes own_;
    RunId last_reserved_;  // the loop's thread only
};

void Routes::add_route(const char* method, const char* pattern, Handle handle) {
    own_.gateway.route(
        method, fmt::format("/hotdesk/v1/{}", pattern),
        [self = shared_from_this(), handle](const Request& request, const Responder& responder) {
            (self.get()->*handle)(request, responder);
        });
}

void Routes::add_view(const char* pattern, Json (*view)(const views::Moment&)) {
    own_.gateway.route(
        "GET", fmt::format("/hotdesk/v1/{}", pattern),
        [self = shared_from_this(), view](const Request&, const Responder& responder) {
            self->answer(responder, [view](const State& state, const Snapshot& seen) {
                return page(view({state, seen}));
            });
        });
}

// The page is made on the loop's thread; the responder carries it to the io thread.
void Routes::answer(const Responder& responder, Page make) {
    const bool asked = own_.loop.ask(
        [responder, make = std::move(make)](const State& state, const Snapshot& seen) {
            responder.respond(make(state, seen));
        });
    if (!asked)
        responder.respond(failure({Code::kBusy, "the daemon is too busy to answer: try again"}));
}

// State is looked at first and the history, which is the io thread's, after that: what has left the
// one is in the other by then.
void Routes::answer_on_io(const Responder& responder, Look look) {
    const bool asked = own_.loop.ask([self = shared_from_this(), responder, look = std::move(look)](
                                         const State& state, const Snapshot& seen) {
        boost::asio::post(self->own_.io,
                          [responder, make = look(state, seen)] { responder.respond(make()); });
    });
    if (!asked)
        responder.respond(failure({Code::kBusy, "the daemon is too busy to answer: try again"}));
}

void Routes::command(const Responder& responder, Event event) {
    if (own_.loop.post(std::move(event)))
        return responder.respond(page({{"schema", views::kSchema}}, 202));
    responder.respond(
        failure({Code::kBusy, "the daemon is too busy to take the command: try again"}));
}

// ---- questions ---------------------------------------------------------------------------------

void Routes::agents(const Request&, const Responder& responder) {
    auto last = own_.history.last_ended_runs();
    if (!last) return responder.respond(failure(last.error()));
    answer(responder, [last = *std::move(last)](const State& state, const Snapshot& seen) {
        return page(views::agents({state, seen}, last));
    });
}

void Routes::runs(const Request& request, const Responder& responder) {
    const auto query = run_query(request);
    if (!query) return responder.respond(failure(query.error()));
    auto records = own_.history.runs(*query);
    if (!records) return responder.respond(failure(records.error()));
    answer(responder, [records = *std::move(records), agent = query->agent](const State& state,
                                                                            const Snapshot& seen) {
        if (records.empty() && !agent.empty() && !state.fleet.agents.contains(agent))
            return unknown("agent", agent.value, names_of(state.fleet.agents));
        Json body = views::run_list(records);
        views::put_live_runs(views::live_runs({state, seen})["runs"], body["runs"]);
        return page(body);
    });
}

void Routes::run(const Request& request, const Responder& responder) {
    const auto id = parse_run_id(request.params[0]);
    if (!id)
        return responder.respond(
            failure({Code::kInvalid, request.params[0] + " is no run: they look like r-12"}));
    answer_on_io(responder,
                 [self = shared_from_this(), id = *id](const State& state, const Snapshot& seen) {
                     return [self, id, unrecorded = views::unrecorded_run(state, id),
                             live = views::live_runs({state, seen})["runs"]] {
                         return self->run_page(id, unrecorded, live);
                     };
                 });
}

Response Routes::run_page(RunId id, const std::optional<Json>& unrecorded, const Json& live) {
    const auto record = own_.history.run(id);
    if (!record) return failure(record.error());
    const auto run = *record ? views::run_record(**record) : unrecorded;
    if (!run) return unknown("run", views::run_id(id), {});
    Json list = Json::array({*run});
    if (!*record || !(*record)->outcome) views::put_live_runs(live, list);
    list[0]["schema"] = views::kSchema;
    return page(list[0]);
}

// What the loop decided a moment ago may not be written yet, so it writes that down first.
void Routes::why(const Request& request, const Responder& responder) {
    answer_on_io(responder, [self = shared_from_this(), name = request.params[0]](
                                const State& state, const Snapshot& seen) {
        self->own_.flush_notes();
        auto known = names_of(state.fleet.agents);
        const auto models = names_of(state.fleet.models);
        known.insert(known.end(), models.begin(), models.end());
        return [self, name, known = std::move(known), now = views::now_of({state, seen}, name)] {
            return self->why_page(name, now, known);
        };
    });
}

Response Routes::why_page(const std::string& name, const std::optional<std::string>& now,
                          const std::vector<std::string>& known) {
    auto body = views::why(own_.history, name, kReasonsShown);
    if (!body) return failure(body.error());
    if (now && !now->empty()) (*body)["now"] = *now;
    const bool is_known = now || !(*body)["reasons"].empty() || !(*body)["record"].is_null();
    return is_known ? page(*body) : unknown("run, call, agent or model", name, known);
}

void Routes::logs(const Request& request, const Responder& responder) {
    const std::string& name = request.params[0];
    auto run = views::find_run(own_.history, name);
    if (!run) return responder.respond(failure(run.error()));
    if (*run) {
        const auto body = views::log_piece(**run, number_or(request.query_value("from"), 0));
        return responder.respond(body ? page(*body) : failure(body.error()));
    }
    answer(responder, [name](const State& state, const Snapshot&) {
        if (state.fleet.agents.contains({name}))
            return failure({Code::kNotFound, fmt::format("agent {} has not run yet", name)});
        return unknown("run or agent", name, names_of(state.fleet.agents));
    });
}

// ---- commands ----------------------------------------------------------------------------------

// The run's id is reserved at once: by it the caller finds the run.
void Routes::run_agent(const Request& request, const Responder& responder) {
    answer(responder, [self = shared_from_this(), name = request.params[0]](const State& state,
                                                                            const Snapshot& seen) {
        if (!state.fleet.agents.contains({name}))
            return unknown("agent", name, names_of(state.fleet.agents));
        const RunId run = std::max(state.next_run, RunId{self->last_reserved_.value + 1});
        self->last_reserved_ = run;
        self->own_.loop.post_next(RunWanted{{name}, seen.wall, run});
        Json body{{"schema", views::kSchema}, {"agent", name}, {"run", views::run_id(run)}};
        put_time(body, "asked", seen.wall);
        return page(body, 202);
    });
}

// A command about something that State must know; `kind` is for the message.
template <class Map>
Response known_command(LoopPort& loop, const Map& known, const std::string& name,
                       std::string_view kind, Event event) {
    if (!known.contains({name})) return unknown(kind, name, names_of(known));
    if (!loop.post(std::move(event)))
        return failure({Code::kBusy, "the daemon is too busy to take the command: try again"});
    return page({{"schema", views::kSchema}, {std::string(kind), name}}, 202);
}

void Routes::set_paused(const Request& request, const Responder& responder, bool paused) {
    answer(responder, [self = shared_from_this(), name = request.params[0], paused](
                          const State& state, const Snapshot&) {
        return known_command(self->own_.loop, state.fleet.agents, name, "agent",
                             PauseWanted{{name}, paused});
    });
}

void Routes::evict(const Request& request, const Responder& responder) {
    answer(responder, [self = shared_from_this(), name = request.params[0]](const State& state,
                                                                            const Snapshot&) {
        return known_command(self->own_.loop, state.fleet.models, name, "model",
                             EvictWanted{{name}});
    });
}

void Routes::stop_run(const Request& request, const Responder& responder) {
    answer(responder, [self = shared_from_this(), name = request.params[0]](const State& state,
                                                                            const Snapshot&) {
        const auto id = parse_run_id(name);
        const auto run = id ? state.runs.find(*id) : state.runs.end();
        if (run == state.runs.end() || run->second.phase == RunPhase::kEnded)
            return failure(
                {Code::kNotFound, fmt::format("no run {} is alive: see hotdesk ps", name)});
        if (!self->own_.loop.post(RunUnwanted{*id}))
            return failure({Code::kBusy, "the daemon is too busy to take the command: try again"});
        return page({{"schema", views::kSchema}, {"run", name}}, 202);
    });
}

void Routes::reload(const Request&, const Responder& responder) {
    const Status status = own_.reload();
    responder.respond(status ? page({{"schema", views::kSchema}}, 202) : failure(status.error()));
}

void Routes::add() {
    add_view("status", views::status);
    add_view("queue", views::queue);
    add_view("ps", views::ps);
    add_view("desks", views::desks);
    add_view("models", views::models);
    get("agents", &Routes::agents);
    get("runs", &Routes::runs);
    get("runs/{}", &Routes::run);
    get("why/{}", &Routes::why);
    get("logs/{}", &Routes::logs);
    post("agents/{}/run", &Routes::run_agent);
    post("agents/{}/pause", &Routes::pause_agent);
    post("agents/{}/resume", &Routes::resume_agent);
    post("pause", &Routes::pause);
    post("resume", &Routes::resume);
    post("drain", &Routes::drain);
    post("reload", &Routes::reload);
    post("models/{}/evict", &Routes::evict);
    post("runs/{}/stop", &Routes::stop_run);
}

}  // namespace

void add_own_routes(const OwnRoutes& own) {
    std::make_shared<Routes>(own)->add();
}

}  // namespace hotdesk
