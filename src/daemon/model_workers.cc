// SPDX-License-Identifier: MIT
#include "daemon/model_workers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/text.h"

namespace hotdesk {

namespace asio = boost::asio;

WorkerCommand worker_command(const WorkerSettings& settings, const ModelSpec& spec) {
    bool on_desk = spec.placement == Placement::kDesk;
    WorkerCommand command;
    command.argv = {settings.program,
                    "--model",
                    spec.path,
                    "--ctx",
                    std::to_string(spec.context.value),
                    "--slots",
                    std::to_string(spec.slots),
                    "--contexts",
                    std::to_string(contexts_of(spec)),
                    "--threads",
                    std::to_string(spec.threads),
                    "--kv",
                    spec.kv_type,
                    "--device",
                    on_desk ? settings.device : "none",
                    "--gpu-layers",
                    on_desk ? "all" : "0"};
    if (!settings.engine_dir.empty())
        command.argv.insert(command.argv.end(), {"--engine-dir", settings.engine_dir});
    for (const std::string& backend : settings.backends)
        if (on_desk) command.argv.insert(command.argv.end(), {"--backend", backend});
    command.env = settings.env;
    return command;
}

ModelWorkers::ModelWorkers(asio::io_context& io, LoopPort& loop, WorkerSettings settings,
                           Announce announce)
    : io_(io), loop_(loop), settings_(std::move(settings)), announce_(std::move(announce)) {}

ModelWorkers::~ModelWorkers() = default;

void ModelWorkers::load(ModelSpec spec) {
    asio::post(io_, [this, spec = std::move(spec)] { start(spec); });
}

void ModelWorkers::unload(ModelName model, bool hard) {
    asio::post(io_, [this, model = std::move(model), hard] {
        auto it = clients_.find(model);
        if (it == clients_.end()) return;
        announce_(model, nullptr);
        if (hard)
            it->second->kill();
        else
            it->second->quit();
    });
}

void ModelWorkers::start(const ModelSpec& spec) {
    auto client = WorkerClient::start(io_, worker_command(settings_, spec), handlers_for(spec));
    if (!client) {
        loop_.post(WorkerGone{spec.name, client.error(), false});
        return;
    }
    spdlog::info("model={} worker={} loading need={}", spec.name.value, (*client)->pid(),
                 format_bytes(spec.need.device + spec.need.host));
    clients_[spec.name] = std::move(*client);
}

WorkerHandlers ModelWorkers::handlers_for(const ModelSpec& spec) {
    WorkerHandlers handlers;
    handlers.on_loading = [this, name = spec.name](int permille) {
        loop_.post(WorkerLoading{name, permille});
    };
    handlers.on_ready = [this, name = spec.name](const wire::Ready& ready) {
        announce_(name, clients_.at(name).get());
        loop_.post(WorkerReady{name, {ready.device_bytes, ready.host_bytes}});
    };
    handlers.on_gone = [this, name = spec.name](Error error, bool crashed) {
        on_gone(name, std::move(error), crashed);
    };
    handlers.on_stderr = [name = spec.name](std::string_view line) {
        spdlog::debug("model={} worker says: {}", name.value, line);
    };
    return handlers;
}

void ModelWorkers::on_gone(const ModelName& model, Error error, bool crashed) {
    announce_(model, nullptr);
    if (!error.message.empty())
        spdlog::warn("model={} worker gone: {}", model.value, error.message);
    clients_.erase(model);
    loop_.post(WorkerGone{model, std::move(error), crashed});
}

}  // namespace hotdesk
