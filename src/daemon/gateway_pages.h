// SPDX-License-Identifier: MIT
#pragma once
// The answers of the gateway that come straight from State: the list of models, health, metrics.
// Pure but for the clock that the caller passes in.

#include "core/world.h"
#include "daemon/http_types.h"
#include "wire/openai.h"

namespace hotdesk {

// GET /v1/models: models, aliases and tasks, in OpenAI's shape.
http::Response models_page(const State& state);
// GET /v1/models/NAME.
http::Response model_page(const State& state, const std::string& name);
// GET /readyz: 503 with the reason when not ready.
http::Response ready_page(const State& state, const Snapshot& seen);

// An error in OpenAI's shape.
http::Response error_page(const wire::ApiError& error);

}  // namespace hotdesk
