// SPDX-License-Identifier: MIT
#include "os/run_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <cstdio>
#include <filesystem>
#include <utility>
#include "base/check.h"

namespace hotdesk {
namespace {

constexpr int64_t kCopyMax = 256 << 10;

// Bytes [from, to) of the file; shorter where it ends or cannot be read.
std::string read_range(int file, int64_t from, int64_t to) {
    std::string text(static_cast<size_t>(std::max<int64_t>(to - from, 0)), '\0');
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t n =
            pread(file, text.data() + done, text.size() - done, from + static_cast<int64_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<size_t>(n);
    }
    text.resize(done);
    return text;
}

// The length of `text` up to and with its last newline; all of it when a line fills it.
size_t whole_lines(std::string_view text) {
    const size_t newline = text.rfind('\n');
    return newline == std::string_view::npos ? text.size() : newline + 1;
}

// Where the first whole line of `text` begins; 0 when there is none.
size_t next_line(std::string_view text) {
    const size_t newline = text.find('\n');
    return newline == std::string_view::npos || newline + 1 == text.size() ? 0 : newline + 1;
}

}  // namespace

RunLog::RunLog(Fd file, Bytes limit) : file_(std::move(file)), limit_(limit.value) {}

Result<RunLog> RunLog::create(const std::string& path, Bytes limit) {
    HD_CHECK(limit >= kib(1));
    Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file)
        return fail(errno == ENOSPC ? Code::kNoSpace : Code::kDenied,
                    fmt::format("cannot write the log {}: {}", path, std::strerror(errno)));
    return RunLog(std::move(file), limit);
}

void RunLog::append(std::string_view text) {
    // Half of the bound at a time: a larger piece would not fit behind the beginning.
    for (; !text.empty();) {
        const auto piece = text.substr(0, static_cast<size_t>(limit_ / 8));
        if (size_ + static_cast<int64_t>(piece.size()) > limit_) cut_middle();
        write_out(piece);
        text.remove_prefix(piece.size());
    }
}

void RunLog::write_out(std::string_view text) {
    if (lost_ > lost_said_) {
        const std::string said =
            fmt::format("\n[... {} bytes lost: the disk was full ...]\n", lost_ - lost_said_);
        if (pwrite(file_.get(), said.data(), said.size(), size_) ==
            static_cast<ssize_t>(said.size())) {
            size_ += static_cast<int64_t>(said.size());
            lost_said_ = lost_;
        }
    }
    while (!text.empty()) {
        const ssize_t n = pwrite(file_.get(), text.data(), text.size(), size_);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        size_ += n;
        text.remove_prefix(static_cast<size_t>(n));
    }
    lost_ += static_cast<int64_t>(text.size());
}

// Beginning, mark, end. The end moves forward in the file; a kill in the middle of it leaves a log
// that is whole up to there.
void RunLog::cut_middle() {
    if (mark_ == 0)
        head_ = static_cast<int64_t>(whole_lines(read_range(file_.get(), 0, limit_ / 4)));
    const int64_t body = head_ + mark_;
    std::string end = read_range(file_.get(), std::max(body, size_ - limit_ / 2), size_);
    end.erase(0, next_line(end));
    cut_ += size_ - body - static_cast<int64_t>(end.size());
    const std::string mark = fmt::format("[... cut: {} bytes ...]\n", cut_);
    mark_ = static_cast<int64_t>(mark.size());
    size_ = head_;
    write_out(mark);
    write_out(end);
    (void)!ftruncate(file_.get(), size_);  // it only shrinks; a failure leaves old text at the end
}

bool copy_output(const Fd& from, RunLog& log) {
    std::vector<char> chunk(64 << 10);
    for (int64_t copied = 0; copied < kCopyMax;) {
        const ssize_t n = read(from.get(), chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN;
        if (n == 0) return true;
        log.append({chunk.data(), static_cast<size_t>(n)});
        copied += n;
    }
    return false;
}

void keep_newest_logs(const std::string& directory, int count) {
    std::vector<std::pair<uint64_t, std::filesystem::path>> logs;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ec)) {
        unsigned long long run = 0;
        std::string name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "r-%llu.log", &run) == 1)
            logs.emplace_back(run, entry.path());
    }
    std::sort(logs.begin(), logs.end());
    for (size_t i = 0; i + static_cast<size_t>(count) < logs.size(); ++i)
        std::filesystem::remove(logs[i].second, ec);
}

Result<LogPiece> read_log(const std::string& path, int64_t from, Bytes limit) {
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (!file || fstat(file.get(), &info) != 0)
        return fail(errno == EACCES ? Code::kDenied : Code::kNotFound,
                    fmt::format("cannot read the log {}: {}", path, std::strerror(errno)));
    const int64_t size = info.st_size;
    LogPiece piece;
    piece.was_cut = from > size;
    const int64_t begin = piece.was_cut ? size
                          : from < 0    ? std::max<int64_t>(0, size + from)
                                        : from;
    piece.text = read_range(file.get(), begin, std::min(size, begin + limit.value));
    piece.end = begin + static_cast<int64_t>(piece.text.size());
    return piece;
}

}  // namespace hotdesk
