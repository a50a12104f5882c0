// SPDX-License-Identifier: MIT
#include "config/restart.h"

namespace hotdesk {

std::vector<std::string> needs_restart(const Config& before, const Config& after) {
    std::vector<std::string> keys;
    auto compare = [&](const char* key, const auto& a, const auto& b) {
        if (a != b) keys.emplace_back(key);
    };
    compare("server.listen", before.server.listen, after.server.listen);
    compare("server.token_file", before.server.token_file, after.server.token_file);
    compare("server.state_dir", before.server.state_dir, after.server.state_dir);
    compare("gpu.device", before.gpu.device, after.gpu.device);
    compare("gpu.desk", before.gpu.desk, after.gpu.desk);
    compare("gpu.desk_dir", before.gpu.desk_dir, after.gpu.desk_dir);
    compare("gpu.backends", before.gpu.backends, after.gpu.backends);
    compare("gpu.engine_dir", before.gpu.engine_dir, after.gpu.engine_dir);
    compare("queue.heartbeat", before.queue.heartbeat, after.queue.heartbeat);
    compare("queue.headers_after", before.queue.headers_after, after.queue.headers_after);
    compare("queue.wait_notice", before.queue.wait_notice, after.queue.wait_notice);
    compare("log.level", before.log.level, after.log.level);
    compare("history.keep", before.history.keep, after.history.keep);
    compare("logs.bytes_max", before.logs.bytes_max, after.logs.bytes_max);
    compare("logs.runs_kept", before.logs.runs_kept, after.logs.runs_kept);
    return keys;
}

}  // namespace hotdesk
