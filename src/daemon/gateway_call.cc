// SPDX-License-Identifier: MIT
#include "daemon/gateway_call.h"

#include <utility>

#include "base/check.h"

namespace hotdesk {

ClientCall::ClientCall(const ClientWish& wish, http::Responder responder)
    : wish_(wish), responder_(std::move(responder)) {
    head_.kind = wish.kind;
    head_.call = wish.id.value;
}

void ClientCall::start(const ModelName& model, int64_t created) {
    HD_CHECK(!has_answer_out_);
    head_.model = model.value;
    head_.created = created;
    chunks_ = wire::ChunkWriter(head_);
    whole_.clear();
}

http::Headers ClientCall::headers() const {
    http::Headers out = {{"x-hotdesk-call", std::to_string(wish_.id.value)}};
    if (!head_.model.empty()) out.emplace_back("x-hotdesk-model", head_.model);
    if (wish_.is_stream) out.emplace_back("cache-control", "no-cache");
    return out;
}

void ClientCall::send_headers(std::string first) {
    has_headers_out_ = true;
    responder_.begin({.content_type = wish_.is_stream ? "text/event-stream" : "application/json",
                      .body = std::move(first),
                      .headers = headers()});
}

bool ClientCall::on_delta(const wire::Delta& delta) {
    if (!wish_.is_stream) {
        whole_.add(delta);
        return false;
    }
    std::string chunk = chunks_.delta(delta);
    if (has_headers_out_)
        responder_.write(std::move(chunk));
    else
        send_headers(std::move(chunk));
    return !std::exchange(has_answer_out_, true);
}

void ClientCall::finish(const wire::Finished& finished) {
    if (wish_.is_stream) {
        std::string end = chunks_.end(finished, wish_.include_usage);
        if (has_headers_out_)
            responder_.write(std::move(end));
        else
            send_headers(std::move(end));
        return responder_.finish();
    }
    std::string body = wire::to_text(whole_.finish(head_, finished, wish_.is_base64));
    if (!has_headers_out_)
        return responder_.respond({.body = std::move(body), .headers = headers()});
    responder_.write(std::move(body));
    responder_.finish();
}

void ClientCall::fail(const wire::ApiError& error, http::Headers extra) {
    if (!has_headers_out_) {
        http::Headers all = headers();
        all.insert(all.end(), extra.begin(), extra.end());
        return responder_.respond({.status = error.status,
                                   .body = wire::to_text(wire::error_json(error)),
                                   .headers = std::move(all)});
    }
    responder_.write(wish_.is_stream ? wire::error_event(error)
                                     : wire::to_text(wire::error_json(error)));
    responder_.finish();
}

void ClientCall::keep_alive(const std::string& comment) {
    std::string piece = wish_.is_stream ? comment : " ";
    if (!has_headers_out_) return send_headers(std::move(piece));
    responder_.write(std::move(piece));
}

}  // namespace hotdesk
