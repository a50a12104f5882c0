// SPDX-License-Identifier: MIT
#include "daemon/http_types.h"

#include <algorithm>
#include <array>

namespace hotdesk::http {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

struct Phrase {
    int status;
    std::string_view text;
};
constexpr std::array kPhrases = {Phrase{200, "OK"},
                                 Phrase{202, "Accepted"},
                                 Phrase{204, "No Content"},
                                 Phrase{400, "Bad Request"},
                                 Phrase{401, "Unauthorized"},
                                 Phrase{403, "Forbidden"},
                                 Phrase{404, "Not Found"},
                                 Phrase{405, "Method Not Allowed"},
                                 Phrase{408, "Request Timeout"},
                                 Phrase{409, "Conflict"},
                                 Phrase{413, "Payload Too Large"},
                                 Phrase{429, "Too Many Requests"},
                                 Phrase{431, "Request Header Fields Too Large"},
                                 Phrase{500, "Internal Server Error"},
                                 Phrase{503, "Service Unavailable"},
                                 Phrase{504, "Gateway Timeout"},
                                 Phrase{507, "Insufficient Storage"}};

}  // namespace

std::string_view Request::header(std::string_view name) const {
    const auto it = std::find_if(headers.begin(), headers.end(),
                                 [&](const auto& header) { return header.first == name; });
    return it == headers.end() ? std::string_view{} : it->second;
}

std::string Request::query_value(std::string_view key) const {
    std::string_view rest = query;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const size_t equals = pair.find('=');
        if (percent_decode(pair.substr(0, equals)) != key) continue;
        return equals == std::string_view::npos ? "" : percent_decode(pair.substr(equals + 1));
    }
    return {};
}

std::string percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        const bool has_digits = text[i] == '%' && i + 2 < text.size();
        const int high = has_digits ? hex_digit(text[i + 1]) : -1;
        const int low = has_digits ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            out += text[i];
            continue;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string_view reason_phrase(int status) {
    for (const Phrase& phrase : kPhrases)
        if (phrase.status == status) return phrase.text;
    return "Status";
}

}  // namespace hotdesk::http
