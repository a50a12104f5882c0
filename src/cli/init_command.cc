// SPDX-License-Identifier: MIT
#include "cli/init_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/report.h"
#include "config/config_file.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

constexpr size_t kModelsMax = 8;     // more would bury the rest of the file
constexpr int kDepthMax = 6;         // ~/.cache/huggingface/hub/models--x/snapshots/HASH/x.gguf
constexpr int kEntriesMax = 50'000;  // a home directory on a slow disk must not hang `init`
constexpr size_t kNameMax = 64;

// ---- looking around ----------------------------------------------------------------------------

bool begins_with_gguf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    char magic[4] = {};
    return in.read(magic, 4) && std::memcmp(magic, "GGUF", 4) == 0;
}

bool is_later_part(const std::string& name) {
    return name.find("-of-") != name.npos && name.find("-00001-of-") == name.npos;
}

// "Qwen3-8B-Q4_K_M.gguf" is "qwen3-8b-q4_k_m": a name that the config allows.
std::string name_from(const fs::path& path) {
    std::string name;
    for (char c : path.stem().string()) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (is_plain || (!name.empty() && std::strchr("._-", c) != nullptr)) name.push_back(c);
    }
    name.resize(std::min(name.size(), kNameMax - 4));  // room for a number
    return name.empty() ? "model" : name;
}

bool is_model(const fs::directory_entry& entry) {
    std::error_code ec;
    const std::string name = entry.path().filename().string();
    return entry.path().extension() == ".gguf" && entry.is_regular_file(ec) &&
           !is_later_part(name) && name.find("mmproj") == name.npos &&
           begins_with_gguf(entry.path());
}

void find_below(const std::string& directory, std::vector<FoundModel>& found) {
    std::error_code ec;
    int entries = 0;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(directory, options, ec), end; !ec && it != end;
         it.increment(ec)) {
        if (++entries > kEntriesMax) return;
        if (it.depth() >= kDepthMax) it.disable_recursion_pending();
        if (!is_model(*it)) continue;
        const auto size = static_cast<int64_t>(fs::file_size(it->path(), ec));
        found.push_back({name_from(it->path()),
                         fs::absolute(it->path(), ec).lexically_normal().string(),
                         {size}});
    }
}

// One file may be found on two ways, and two files may have one name.
void make_unique(std::vector<FoundModel>& models) {
    std::set<std::string> files, names;
    std::error_code ec;
    std::erase_if(models, [&](const FoundModel& model) {
        const auto real = fs::canonical(model.path, ec).string();
        return !files.insert(ec ? model.path : real).second;
    });
    for (auto& model : models) {
        const std::string base = model.name;
        for (int n = 2; !names.insert(model.name).second; ++n)
            model.name = fmt::format("{}-{}", base, n);
    }
}

bool has_gpu() {
    std::error_code ec;
    for (auto device : {"/dev/nvidia0", "/dev/kfd", "/dev/dri/renderD128"})
        if (fs::exists(device, ec)) return true;
    return false;
}

// ---- writing -----------------------------------------------------------------------------------

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

constexpr std::string_view kHead =
    R"toml(# hotdesk.toml, written by `hotdesk init`. Every key is explained in doc/config.md
# (`hotdesk config doc`); what is left out has its default (`hotdesk config show`).

[server]
listen = ["unix:%t/hotdesk/hotdesk.sock", "127.0.0.1:8111"]

[gpu]
)toml";

constexpr std::string_view kFleet = R"toml(
[fleet]
timezone = "local"       # of all schedules; "Europe/Berlin" reads the same on every machine

[queue]
waiting_max = 500        # one more call is refused with 429
)toml";

constexpr std::string_view kNoModel = R"toml(
# No GGUF file was found. Name one here:
# [[model]]
# name = "writer"
# file = "~/models/writer.gguf"
# ctx  = 8192            # tokens of context memory, shared by the slots
# keep = "10m"           # "always" keeps it loaded

# [[task]]
# name   = "write"
# models = ["writer"]
)toml";

constexpr std::string_view kAgent = R"toml(
# An agent is any command. It finds the models through OPENAI_BASE_URL or OLLAMA_HOST.
# [[agent]]
# name     = "inbox-triage"
# schedule = "*/15 8-20 * * mon-fri"   # or "@hourly", or "every 20m"
# command  = ["python3", "agents/triage.py"]
# task     = "write"
# timeout  = "20m"       # of the run; waiting for the desk does not count
)toml";

std::string gpu_text(const Machine& machine) {
    if (!machine.has_gpu)
        return "device = \"auto\"          # none was found: the models below run on the CPU\n";
    return "device = \"auto\"\nreserve = \"256MiB\"       # always left to the desktop\n";
}

std::string model_text(const FoundModel& model, const Machine& machine) {
    return fmt::format(
        "\n[[model]]                # {}\nname = {}\nfile = {}\nplacement = \"{}\"\nctx = "
        "8192\nkeep = \"10m\"\n",
        format_bytes(model.size), quoted(model.name), quoted(model.path),
        machine.has_gpu ? "desk" : "cpu");
}

std::string task_text(const Machine& machine) {
    std::vector<std::string> names;
    for (const auto& model : machine.models) names.push_back(quoted(model.name));
    return fmt::format(
        "\n[[task]]                 # the first model that can be used gets the call\nname = "
        "\"write\"\nmodels = [{}]\n",
        fmt::join(names, ", "));
}

// "wx": the kernel itself refuses when the file is there, so there is no moment between look and
// write.
int write_new(const std::string& file, const std::string& text) {
    const std::unique_ptr<FILE, int (*)(FILE*)> out(std::fopen(file.c_str(), "wx"), &std::fclose);
    if (!out) {
        const bool is_there = errno == EEXIST;
        fmt::print(stderr, "hotdesk: {}: {}\n", file,
                   is_there
                       ? "is there already and stays as it is: name another file, or check it with "
                         "`hotdesk config check`"
                       : std::strerror(errno));
        return to_int(ExitCode::kCannotWrite);
    }
    const bool is_written = std::fwrite(text.data(), 1, text.size(), out.get()) == text.size() &&
                            std::fflush(out.get()) == 0;
    if (is_written) return to_int(ExitCode::kOk);
    fmt::print(stderr, "hotdesk: {}: {}\n", file, std::strerror(errno));
    return to_int(ExitCode::kCannotWrite);
}

std::vector<std::string> usual_directories() {
    std::vector<std::string> directories{".", "models"};
    const auto home = process_environment("HOME").value_or("");
    if (home.empty()) return directories;
    for (auto below : {"models", ".cache/llama.cpp", ".cache/huggingface", ".lmstudio/models",
                       ".cache/lm-studio/models"})
        directories.push_back(home + "/" + below);
    return directories;
}

std::string target_file(const std::string& typed) {
    std::error_code ec;
    if (typed.empty()) return "hotdesk.toml";
    return fs::is_directory(typed, ec) ? (fs::path(typed) / "hotdesk.toml").string() : typed;
}

nlohmann::json to_json(const std::string& file, const Machine& machine) {
    nlohmann::json models = nlohmann::json::array();
    for (const auto& [name, path, size] : machine.models)
        models.push_back({{"name", name}, {"path", path}, {"bytes", size.value}});
    return {{"schema", 1}, {"file", file}, {"has_gpu", machine.has_gpu}, {"models", models}};
}

int init(const std::string& file, bool is_json) {
    const Machine machine{has_gpu(), find_models(usual_directories())};
    const int code = write_new(file, first_config(machine));
    if (code != to_int(ExitCode::kOk)) return code;
    if (is_json) {
        print_json(to_json(file, machine));
        return code;
    }
    fmt::print("{}: written, with {} model{} found\n", file, machine.models.size(),
               machine.models.size() == 1 ? "" : "s");
    fmt::print("\nNext:\n  $EDITOR {0}\n  hotdesk config check {0}\n  hotdesk up --config {0}\n",
               file);
    return code;
}

}  // namespace

std::string first_config(const Machine& machine) {
    std::string text = std::string(kHead) + gpu_text(machine) + std::string(kFleet);
    for (const auto& model : machine.models) text += model_text(model, machine);
    text += machine.models.empty() ? std::string(kNoModel) : task_text(machine);
    return text + std::string(kAgent);
}

std::vector<FoundModel> find_models(const std::vector<std::string>& directories) {
    std::vector<FoundModel> models;
    for (const auto& directory : directories) find_below(directory, models);
    std::sort(models.begin(), models.end(), [](const FoundModel& a, const FoundModel& b) {
        return a.size != b.size ? a.size > b.size : a.path < b.path;
    });
    make_unique(models);
    if (models.size() > kModelsMax) models.resize(kModelsMax);
    return models;
}

int init_command(std::span<const std::string> args) {
    std::string target;
    bool is_json = false;
    CLI::App app("Write a commented hotdesk.toml for this machine; never overwrites",
                 "hotdesk init");
    app.add_option("target", target, "A file or a directory (default: ./hotdesk.toml)");
    app.add_flag("--json", is_json, "Print JSON");
    std::vector<std::string> words(args.rbegin(), args.rend());  // CLI11 takes them from the back
    try {
        app.parse(words);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& wrong) {
        fmt::print(stderr, "hotdesk: {}\nTry 'hotdesk init --help'.\n", wrong.what());
        return to_int(ExitCode::kUsage);
    }
    return init(target_file(target), is_json);
}

}  // namespace hotdesk
