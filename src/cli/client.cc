// SPDX-License-Identifier: MIT
#include "cli/client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "config/config_file.h"
#include "config/expand.h"
#include "os/fd.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

// A loop that is deciding answers within milliseconds; one that does not in this time is stuck.
constexpr int kAnswerSecondsMax = 30;

Result<Fd> connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(Code::kInvalid, fmt::format("the socket path {} is longer than {} bytes", path,
                                                sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.data(), path.size());
    Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{.tv_sec = kAnswerSecondsMax, .tv_usec = 0};
    if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail(
            errno == EACCES ? Code::kDenied : Code::kUnavailable,
            fmt::format("no daemon answers at {} ({}): start one with \"hotdesk up\", or name its "
                        "socket in $HOTDESK_SOCKET",
                        path, std::strerror(errno)));
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
}

Status send_all(const Fd& fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return fail(Code::kUnavailable,
                        fmt::format("the daemon hung up: {}", std::strerror(errno)));
        text.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

// Until the daemon closes the connection, as the request asks it to.
Result<std::string> read_all(const Fd& fd) {
    std::string text;
    std::array<char, 64 << 10> chunk;
    for (;;) {
        const ssize_t n = recv(fd.get(), chunk.data(), chunk.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return fail(Code::kUnavailable,
                        fmt::format("the daemon does not answer: {}", std::strerror(errno)));
        if (n == 0) return text;
        text.append(chunk.data(), static_cast<size_t>(n));
    }
}

// The code whose word the daemon wrote; gateway errors have words of their own.
Code code_of(const std::string& word, int status) {
    for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i)
        if (to_string(static_cast<Code>(i)) == word) return static_cast<Code>(i);
    if (status == 404) return Code::kNotFound;
    if (status == 401 || status == 403) return Code::kDenied;
    return status < 500 ? Code::kInvalid : Code::kInternal;
}

std::string text_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Error error_in(const Json& body, int status) {
    const Json error = body.is_object() && body.contains("error") ? body["error"] : Json::object();
    const std::string message = text_at(error, "message");
    return {code_of(text_at(error, "code"), status),
            message.empty() ? fmt::format("the daemon answered with status {}", status) : message};
}

std::optional<std::string> socket_in(const Config& config) {
    for (const std::string& address : config.server.listen)
        if (address.starts_with("unix:")) return address.substr(5);
    return std::nullopt;
}

std::string expanded(std::string_view path) {
    return expand_path(path, "/", process_environment).value_or("");
}

}  // namespace

Whereabouts daemon_whereabouts() {
    const auto from_environment = [](const char* name) {
        return process_environment(name).value_or("");
    };
    Whereabouts places;
    const auto file = find_config("", process_environment);
    const auto config =
        file ? load_config(*file, process_environment) : tl::unexpected(file.error());
    if (config) places = {socket_in(*config).value_or(""), config->server.state_dir};
    if (const auto named = from_environment("HOTDESK_SOCKET"); !named.empty())
        places.socket = named;
    if (places.socket.empty()) places.socket = expanded("%t/hotdesk/hotdesk.sock");
    if (places.state_dir.empty()) places.state_dir = from_environment("HOTDESK_STATE_DIR");
    if (places.state_dir.empty()) places.state_dir = expanded("$XDG_STATE_HOME/hotdesk");
    return places;
}

std::string percent_encode(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || std::strchr("-._~", c) != nullptr;
        if (plain && c != '\0')
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

Result<Json> read_answer(std::string_view response) {
    const size_t head_end = response.find("\r\n\r\n");
    int status = 0;
    if (response.starts_with("HTTP/1.") && response.size() > 12)
        std::from_chars(response.data() + 9, response.data() + 12, status);
    if (head_end == std::string_view::npos || status < 100)
        return fail(
            Code::kInternal,
            fmt::format("the daemon's answer of {} bytes is no HTTP response", response.size()));
    Json body = Json::parse(response.substr(head_end + 4), nullptr, false);
    if (status >= 400) return tl::unexpected(error_in(body, status));
    if (body.is_discarded())
        return fail(Code::kInternal,
                    fmt::format("the daemon's answer of {} bytes is no JSON", response.size()));
    return body;
}

Result<Json> Client::ask(std::string_view method, std::string_view path) const {
    HD_TRY(const Fd fd, connect_to(socket_));
    HD_TRY_VOID(send_all(
        fd, fmt::format("{} /hotdesk/v1/{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        "Content-Length: 0\r\n\r\n",
                        method, path)));
    HD_TRY(const std::string response, read_all(fd));
    return read_answer(response);
}

}  // namespace hotdesk
