// SPDX-License-Identifier: MIT
#include "config/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "config/expand.h"
#include "config/render.h"

namespace hotdesk {
namespace {

const Environment kEnvironment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return "/home/ada";
    if (name == "XDG_RUNTIME_DIR") return "/run/user/7";
    return std::nullopt;
};

const ZoneLookup kZones = [](const std::string& name) -> Result<Zone> {
    if (name == "local") return Zone{};
    if (name == "Europe/Berlin") return Zone{.name = name, .base = hours(1), .changes = {}};
    return fail(Code::kNotFound, "time zone " + name + " is unknown");
};

// The message of what is wrong, or "fine".
std::string problems(std::string_view text) {
    const auto config = parse_config(text, "/etc/h.toml", kEnvironment);
    return config ? "fine" : config.error().message;
}

constexpr std::string_view kSmall = R"(
[server]
listen = ["unix:%t/h.sock"]
[gpu]
budget = "6GiB"
[fleet]
timezone = "Europe/Berlin"
runs_max = 8
[[model]]
name = "writer"
file = "~/models/w.gguf"
ctx = 4096
keep = "always"
aliases = ["gpt-4o-mini"]
[[model]]
name = "tiny"
file = "models/t.gguf"
placement = "cpu"
[[task]]
name = "write"
models = ["writer", "tiny"]
[[agent]]
name = "inbox"
schedule = "*/15 8-20 * * mon-fri"
command = ["python3", "triage.py"]
task = "write"
env = { MODE = "fast", API_KEY = "s3cret" }
privacy = "local"
overlap = "latest"
wait = "90s"
)";

Config small() {
    auto config = parse_config(kSmall, "/etc/h.toml", kEnvironment);
    EXPECT_TRUE(config) << (config ? "" : config.error().message);
    return config ? *config : Config{};
}

TEST(Config, IsAllDefaultsWhenEmpty) {
    const auto config = parse_config("", "/etc/h.toml", kEnvironment);
    ASSERT_TRUE(config);
    EXPECT_EQ(config->server.listen,
              (Texts{"unix:/run/user/7/hotdesk/hotdesk.sock", "127.0.0.1:8111"}));
    EXPECT_EQ(config->server.state_dir, "/home/ada/.local/state/hotdesk");
    EXPECT_EQ(resolve(*config, kZones)->policy, Policy{});
}

TEST(Config, ResolvesIntoAFleet) {
    const auto fleet = resolve(small(), kZones);
    ASSERT_TRUE(fleet);
    Fleet expected;
    expected.policy.runs_max = 8;
    expected.policy.device_budget = gib(6);
    ModelSpec writer, tiny;
    writer.name = {"writer"};
    writer.path = "/home/ada/models/w.gguf";
    writer.context = {4096};
    writer.pinned = true;
    writer.aliases = {"gpt-4o-mini"};
    tiny.name = {"tiny"};
    tiny.path = "/etc/models/t.gguf";
    tiny.placement = Placement::kHost;
    tiny.context = {8192};
    tiny.keep = minutes(10);
    expected.models = {{writer.name, writer}, {tiny.name, tiny}};
    AgentSpec inbox;
    inbox.name = {"inbox"};
    inbox.schedule = *parse_schedule("*/15 8-20 * * mon-fri");
    inbox.zone = *kZones("Europe/Berlin");
    inbox.command = {"python3", "triage.py"};
    inbox.directory = "/etc";
    inbox.env = {{"API_KEY", "s3cret"}, {"MODE", "fast"}};
    inbox.task = "write";
    inbox.wait = seconds(90);
    inbox.overlap = Overlap::kLatest;
    inbox.privacy = Privacy::kLocal;
    expected.agents = {{inbox.name, inbox}};
    expected.tasks = {{"write", {{"writer"}, {"tiny"}}}};
    EXPECT_EQ(*fleet, expected);
}

TEST(Config, ReportsEveryErrorWithItsPlace) {
    EXPECT_EQ(
        problems("[server]\n"
                 "listn = []\n"
                 "[queue]\n"
                 "waiting_max = 0\n"
                 "call_max = 10\n"
                 "wait_notice = \"loud\"\n"
                 "[[agent]]\n"
                 "name = \"a\"\n"
                 "schedule = \"61 * * * *\"\n"
                 "wait = \"5 minutes\"\n"
                 "[agents]\n"),
        "/etc/h.toml:2:9: server: unknown key \"listn\": did you mean \"listen\"?\n"
        "/etc/h.toml:4:15: queue.waiting_max: from 1 to 100000 is possible\n"
        "/etc/h.toml:5:12: queue.call_max: 10 has no unit: write \"10s\"\n"
        "/etc/h.toml:6:15: queue.wait_notice: \"loud\" is not one of \"comment\", \"off\"\n"
        "/etc/h.toml:7:1: agent: needs a command\n"
        "/etc/h.toml:9:12: agent.schedule: schedule \"61 * * * *\": minute: \"61\" is not in 0-59\n"
        "/etc/h.toml:10:8: agent.wait: \"5 minutes\" is not a duration: write numbers with units, "
        "such as \"90s\" or \"1h30m\" (ms, s, m, h, d)\n"
        "/etc/h.toml:11:1: unknown section \"agents\": did you mean \"agent\"?");
}

TEST(Config, SaysWhereADocumentBreaks) {
    EXPECT_EQ(problems("[server]\nlisten = [\n").substr(0, 14), "/etc/h.toml:2:");
}

TEST(Config, NamesTheTypeThatIsNeeded) {
    EXPECT_EQ(
        problems("[fleet]\nruns_max = \"8\""),
        "/etc/h.toml:2:12: fleet.runs_max: a whole number is needed, this is a text in quotes");
    EXPECT_EQ(problems("[server]\nlisten = \"127.0.0.1:1\""),
              "/etc/h.toml:2:10: server.listen: a list is needed, this is a text in quotes");
    EXPECT_EQ(problems("server = 1"), "/etc/h.toml:1:10: server must be written [server]");
    EXPECT_EQ(problems("[model]\nname = \"x\""),
              "/etc/h.toml:1:1: model must be written [[model]]");
}

TEST(Config, ChecksWhatEntriesSayOfEachOther) {
    EXPECT_EQ(problems("[[model]]\nname = \"m\"\nfile = \"f\"\naliases = [\"n\"]\n"
                       "[[model]]\nname = \"m\"\nfile = \"f\"\n"
                       "[[model]]\nname = \"n\"\nfile = \"f\"\n"
                       "[[task]]\nname = \"write\"\nmodels = [\"x\"]\n"
                       "[[agent]]\nname = \"a\"\ncommand = [\"true\"]\ntask = \"wrote\"\n"
                       "[[agent]]\nname = \"a\"\ncommand = [\"\"]\n"),
              "/etc/h.toml:1:1: model name or alias \"n\" is there already, at /etc/h.toml:8\n"
              "/etc/h.toml:5:1: model name or alias \"m\" is there already, at /etc/h.toml:1\n"
              "/etc/h.toml:11:1: task \"write\": there is no model \"x\": known are m, n\n"
              "/etc/h.toml:14:1: agent \"a\": there is no task \"wrote\": did you mean \"write\"?\n"
              "/etc/h.toml:18:1: agent \"a\" is there already, at /etc/h.toml:14\n"
              "/etc/h.toml:18:1: agent \"a\": the command's program is empty");
}

TEST(Config, BoundsSlotsAndContext) {
    const auto with = [](std::string_view line) {
        return problems("[[model]]\nname = \"m\"\nfile = \"f\"\n" + std::string(line));
    };
    EXPECT_EQ(with("slots = 1"), "fine");
    EXPECT_EQ(with("slots = 256"), "fine");
    EXPECT_EQ(with("slots = 0"), "/etc/h.toml:4:9: model.slots: from 1 to 256 is possible");
    EXPECT_EQ(with("slots = 257"), "/etc/h.toml:4:9: model.slots: from 1 to 256 is possible");
    EXPECT_EQ(with("ctx = 256"), "fine");
    EXPECT_EQ(with("ctx = 255"), "/etc/h.toml:4:7: model.ctx: from 256 to 16777216 is possible");
    EXPECT_EQ(with("keep = \"0\""), "fine");
    EXPECT_NE(with("keep = \"never\""), "fine");
}

TEST(Config, WantsATokenForAddressesThatStrangersReach) {
    EXPECT_EQ(problems("[server]\nlisten = [\"127.0.0.2:80\", \"[::1]:65535\"]"), "fine");
    EXPECT_EQ(
        problems("[server]\nlisten = [\"0.0.0.0:80\"]"),
        "/etc/h.toml: server.listen: \"0.0.0.0:80\" can be reached from other machines: it needs a "
        "server.token_file");
    EXPECT_EQ(problems("[server]\nlisten = [\"0.0.0.0:80\"]\ntoken_file = \"t\""), "fine");
    for (auto address :
         {"127.0.0.1", "127.0.0.1:65536", "256.0.0.1:80", "localhost:80", "unix:", ":80"})
        EXPECT_NE(problems("[server]\nlisten = [\"" + std::string(address) + "\"]"), "fine")
            << address;
}

TEST(Config, KnowsTheKindsOfDevice) {
    for (auto device : {"auto", "none", "nvml:0", "amdgpu:1", "vulkan:0", "emulated:/x"})
        EXPECT_EQ(problems("[gpu]\ndevice = \"" + std::string(device) + "\""), "fine") << device;
    for (auto device : {"", "cuda", "nvml", "nvml:", "nvml:x", "emulated:"})
        EXPECT_NE(problems("[gpu]\ndevice = \"" + std::string(device) + "\""), "fine") << device;
}

TEST(Config, TakesEntriesButNoSectionsFromOtherFiles) {
    const std::string agent = "[[agent]]\nname = \"b\"\ncommand = [\"true\"]\n";
    const auto both =
        parse_config({{"/etc/h.toml", ""}, {"/etc/agents.d/b.toml", agent}}, kEnvironment);
    ASSERT_TRUE(both);
    EXPECT_EQ(both->agents.at(0).dir, "/etc/agents.d");
    const auto wrong =
        parse_config({{"/etc/h.toml", ""}, {"/etc/agents.d/b.toml", "[gpu]\n"}}, kEnvironment);
    EXPECT_EQ(wrong.error().message, "/etc/agents.d/b.toml:1:1: [gpu] belongs into the main file");
}

TEST(Config, ReportsUnknownZonesWhenResolved) {
    auto config = small();
    config.agents[0].timezone = "Moon/Tycho";
    EXPECT_EQ(resolve(config, kZones).error().message,
              "/etc/h.toml:22:1: agent \"inbox\": time zone Moon/Tycho is unknown");
}

TEST(ExpandPath, KnowsTheDirectoriesOfTheUser) {
    const auto expand = [](std::string_view path) {
        return expand_path(path, "/etc", kEnvironment).value_or("-");
    };
    EXPECT_EQ(expand("~/m.gguf"), "/home/ada/m.gguf");
    EXPECT_EQ(expand("~"), "/home/ada");
    EXPECT_EQ(expand("%t/h.sock"), "/run/user/7/h.sock");
    EXPECT_EQ(expand("$XDG_STATE_HOME/h"), "/home/ada/.local/state/h");
    EXPECT_EQ(expand("../x"), "/x");
    EXPECT_EQ(expand("/a/b"), "/a/b");
    EXPECT_EQ(expand(""), "");
    EXPECT_EQ(expand("$PATH/x"), "-");
    EXPECT_EQ(expand("~bob/x"), "-");
}

TEST(Render, ShowsAConfigThatReadsBackAlike) {
    const std::string shown = config_toml(small());
    const auto again = parse_config(shown, "/etc/h.toml", kEnvironment);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(config_toml(*again), shown);
}

TEST(Render, HidesSecrets) {
    EXPECT_EQ(config_toml(small()).find("s3cret"), std::string::npos);
    EXPECT_EQ(config_json(small()).find("s3cret"), std::string::npos);
    EXPECT_NE(config_json(small()).find("\"MODE\": \"fast\""), std::string::npos);
}

TEST(Render, DocumentIsUpToDate) {
    std::ifstream in(HOTDESK_SOURCE_DIR "/doc/config.md");
    const std::string written((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(written, config_doc()) << "run: hotdesk config doc > doc/config.md";
}

}  // namespace
}  // namespace hotdesk
