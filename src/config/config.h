// SPDX-License-Identifier: MIT
#pragma once
// The config as the user wrote it, checked and with its paths made absolute, but not yet resolved:
// schedules are still text, and nothing was looked up outside the files. config/schema.h says what
// each key means and may hold; the members here carry the names and the defaults.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/toml_node.h"
#include "core/spec.h"

namespace hotdesk {

using Texts = std::vector<std::string>;
using TextTable = std::map<std::string, std::string>;

struct ServerSettings {
    Texts listen{"unix:%t/hotdesk/hotdesk.sock", "127.0.0.1:8111"};
    std::string token_file;
    std::string state_dir;
};

struct GpuSettings {
    std::string device = "auto";
    Bytes budget;
    Bytes reserve = Policy{}.device_reserve;
    std::string desk = "gpu0";
    std::string desk_dir;
    Texts backends;
    std::string engine_dir;
};

struct HostSettings {
    Bytes reserve = Policy{}.host_reserve;
};

struct FleetSettings {
    std::string timezone = "local";
    Millis stagger = Policy{}.stagger;
    Millis late_after = Policy{}.late_after;
    int64_t runs_max = Policy{}.runs_max;
    Millis kill_grace = Policy{}.kill_grace;
};

struct QueueSettings {
    int64_t waiting_max = Policy{}.waiting_max;
    std::string policy = "gba";
    std::string gate_age = "auto";
    std::string linger = "auto";
    std::string hold = "auto";
    std::string preload = "auto";
    Millis visit_max = Policy{}.visit_max;
    Millis call_max = Policy{}.call_max;
    Millis heartbeat = seconds(10);
    Millis headers_after = seconds(5);
    std::string wait_notice = "comment";
};

struct LogSettings {
    std::string level = "info";
};

struct HistorySettings {
    Millis keep = hours(24 * 90);
};

struct RunLogSettings {
    Bytes bytes_max = mib(4);
    int64_t runs_kept = 20;
};

struct ModelSettings {
    std::string name;
    std::string file;
    std::string placement = "desk";
    int64_t ctx = 8192;
    int64_t slots = 4;
    std::string kv = "f16";
    std::string keep = "10m";
    Texts aliases;
    int64_t threads = 1;
    FilePlace at;
};

struct AgentSettings {
    std::string name;
    std::string schedule;
    std::string timezone;
    Texts command;
    std::string dir;
    TextTable env;
    std::string task;
    Millis wait = AgentSpec{}.wait;
    Millis timeout = AgentSpec{}.timeout;
    std::string overlap = "skip";
    std::string catch_up = "once";
    Millis grace = AgentSpec{}.grace;
    std::string privacy = "any";
    std::string priority = "batch";
    std::string gpu = "call";
    bool enabled = true;
    FilePlace at;
};

struct TaskSettings {
    std::string name;
    Texts models;
    FilePlace at;
};

struct Config {
    std::string file;  // the main file
    ServerSettings server;
    GpuSettings gpu;
    HostSettings host;
    FleetSettings fleet;
    QueueSettings queue;
    LogSettings log;
    HistorySettings history;
    RunLogSettings logs;
    std::vector<ModelSettings> models;
    std::vector<AgentSettings> agents;
    std::vector<TaskSettings> tasks;
};

// A file's name and contents. The first is the main file; others (agents.d/*.toml) may hold
// [[model]], [[agent]] and [[task]] only.
struct ConfigText {
    std::string file;
    std::string text;
};

// Reads an environment variable; only $HOME and $XDG_..., $HOTDESK_STATE_DIR and $HOTDESK_DESK_DIR
// are asked for.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// Returns: the config, with ~, %t and $XDG_... expanded and paths made absolute, relative ones
// from the directory of the file they stand in.
// Errors: kInvalid; the message has one line for everything that is wrong, "file:line:col: what",
// sorted by place. The caller exits with 78.
Result<Config> parse_config(const std::vector<ConfigText>& texts, const Environment& environment);
Result<Config> parse_config(std::string_view text, const std::string& file,
                            const Environment& environment);

// A config and what it comes to.
struct LoadedFleet {
    Config config;
    Fleet fleet;
};

// Finds a zone by its name, "local" included: load_zone, or a fake.
using ZoneLookup = std::function<Result<Zone>(const std::string&)>;

// Turns words into the values that core decides with. Models have no `need` and are not `unusable`
// yet: the daemon fills both from the files' headers.
// Errors: kInvalid, as parse_config, for time zones that `zones` does not know.
Result<Fleet> resolve(const Config& config, const ZoneLookup& zones);

}  // namespace hotdesk
