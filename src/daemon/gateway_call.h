// SPDX-License-Identifier: MIT
#pragma once
// One client's call, as far as the client sees it: what is written to it, in which shape, and
// what can still be changed. The line it waits in, its worker and its end are gateway_calls.h's.

#include <string>

#include "base/ids.h"
#include "base/units.h"
#include "daemon/http_types.h"
#include "wire/openai_answer.h"

namespace hotdesk {

// What the client asked for, without the body.
struct ClientWish {
    CallId id;
    wire::CallKind kind = wire::CallKind::kChat;
    bool is_stream = false;
    bool include_usage = false;
    bool is_base64 = false;
};

// Thread: io only.
class ClientCall {
  public:
    ClientCall(const ClientWish& wish, http::Responder responder);

    // The answer begins, or begins again: nothing of the last attempt has been sent.
    // Requires: !has_answer_out(). `created`: seconds since the epoch.
    void start(const ModelName& model, int64_t created);
    // Returns: whether this was the first byte of the answer to go out.
    bool on_delta(const wire::Delta& delta);
    void finish(const wire::Finished& finished);
    // In the shape and at the place that the client can still read: a status while no headers are
    // out, else an event of the stream or the object that it waits for.
    void fail(const wire::ApiError& error, http::Headers headers = {});
    // Keeps the connection alive: a comment in a stream, a space before an object. Sends the
    // headers if they are not out. An empty comment sends the headers only.
    void keep_alive(const std::string& comment);

    bool is_stream() const { return wish_.is_stream; }
    bool has_headers_out() const { return has_headers_out_; }
    bool has_answer_out() const { return has_answer_out_; }

  private:
    void send_headers(std::string first);
    http::Headers headers() const;

    ClientWish wish_;
    http::Responder responder_;
    wire::AnswerHead head_;
    wire::ChunkWriter chunks_;
    wire::AnswerBuilder whole_;
    bool has_headers_out_ = false;
    bool has_answer_out_ = false;
};

}  // namespace hotdesk
