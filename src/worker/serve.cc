// SPDX-License-Identifier: MIT
#include "worker/serve.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "worker/connection.h"
#include "worker/once_answer.h"
#include "worker/session.h"

namespace hotdesk::worker {
namespace {

// Computing pauses above this: a client that reads nothing would fill memory with its answer.
// About 20,000 deltas; the socket's own buffer comes on top.
constexpr size_t kBacklogMax = size_t{4} << 20;

int exit_code(Code code) {
    switch (code) {
        case Code::kInvalid: return 65;
        case Code::kNotFound: return 66;
        case Code::kNoSpace: return 73;
        case Code::kDenied: return 77;
        case Code::kBusy:
        case Code::kTimeout: return 75;
        case Code::kUnavailable: return 69;
        case Code::kInternal: return 70;
    }
    return 70;
}

// The loaded model with everything that one session needs, at addresses that stay.
struct Host {
    std::unique_ptr<Engine> engine;
    ChatTemplates templates;
};

Result<Host> load_host(const EngineOptions& options, const Engine::Progress& progress) {
    HD_TRY(std::unique_ptr<Engine> engine, Engine::load(options, progress));
    HD_TRY(ChatTemplates templates, ChatTemplates::make(*engine));
    return Host{std::move(engine), std::move(templates)};
}

// Hands each line to the session. False: Quit came.
bool handle_lines(Session& session, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const auto frame = wire::decode_to_worker(line);
        if (!frame) {
            fmt::print(stderr, "worker: ignored a frame: {}\n", frame.error().message);
            continue;
        }
        if (std::holds_alternative<wire::Quit>(*frame)) return false;
        session.handle(*frame);
    }
    return true;
}

void run_session(Session& session, Connection& connection, std::vector<std::string> lines) {
    for (;;) {
        if (!handle_lines(session, std::exchange(lines, {}))) return;
        if (session.has_work() && connection.backlog() <= kBacklogMax) session.step();
        const bool may_go_on = session.has_work() && connection.backlog() <= kBacklogMax;
        const auto wait = may_go_on ? Connection::Wait::kNo : Connection::Wait::kUntilSomething;
        if (!connection.exchange(wait, lines)) return;
    }
}

}  // namespace

int serve(const WorkerOptions& options) {
    Connection connection(options.fd);
    std::vector<std::string> early;  // calls may arrive while the model loads
    const auto emit = [&](const wire::FromWorker& frame) { connection.send(wire::encode(frame)); };
    const auto host = load_host(options.engine, [&](int permille) {
        emit(wire::Loading{permille});
        return connection.exchange(Connection::Wait::kNo, early);
    });
    if (!host) {
        emit(wire::LoadFailed{host.error()});
        connection.flush();  // the last words have to be out before the process ends
        return exit_code(host.error().code);
    }
    Session session(*host->engine, host->templates, options.session, emit);
    emit(session.ready());
    run_session(session, connection, std::move(early));
    return 0;
}

int answer_once(const WorkerOptions& options) {
    const auto complain = [](const Error& error) {
        fmt::print("{}\n", once_error(error).dump());
        return exit_code(error.code);
    };
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    auto call = once_call(text);
    if (!call) return complain(call.error());
    const auto host = load_host(options.engine, nullptr);
    if (!host) return complain(host.error());
    OnceAnswer answer(call->kind);
    Session session(*host->engine, host->templates, options.session,
                    [&](const wire::FromWorker& frame) { answer.take(frame); });
    session.handle(*std::move(call));
    while (session.has_work()) session.step();
    if (const std::optional<Error> error = answer.error()) return complain(*error);
    fmt::print("{}\n", answer.json_text());
    return 0;
}

}  // namespace hotdesk::worker
