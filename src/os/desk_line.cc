// SPDX-License-Identifier: MIT
#include "os/desk_line.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace hotdesk {
namespace {

constexpr const char* kSequence = "sequence";
constexpr const char* kNew = ".new";
constexpr size_t kTicketBytesMax = 64 << 10;  // a command line as `what` is the longest part of it

std::string bell_name(TicketNumber number) {
    return file_name(number) + ".bell";
}

Code code_of(int error) {
    switch (error) {
        case EACCES:
        case EPERM:
        case EROFS: return Code::kDenied;
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return Code::kNoSpace;
        case ENOENT: return Code::kNotFound;
        default: return Code::kInternal;
    }
}

const char* advice(Code code) {
    if (code == Code::kNoSpace) return "; make room on that disk, or set HOTDESK_STATE_DIR";
    if (code == Code::kDenied) return "; set HOTDESK_STATE_DIR to a directory of your own";
    return "";
}

tl::unexpected<Error> system_failure(const std::string& what) {
    const int error = errno;
    const Code code = code_of(error);
    return fail(code, fmt::format("{}: {}{}", what, std::strerror(error), advice(code)));
}

// Letters, digits and "._-", not first a dot: a desk is a directory, and a word in a message.
Status check_name(const std::string& desk) {
    const auto is_fine = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    };
    if (!desk.empty() && desk.size() <= 64 && desk[0] != '.' &&
        std::all_of(desk.begin(), desk.end(), is_fine))
        return {};
    return fail(Code::kInvalid,
                fmt::format("'{}' is no name for a desk: 1 to 64 letters, digits, '.', '_' or '-', "
                            "as in gpu0",
                            desk));
}

// Private by default; a desk in a shared directory is as open as that directory.
Status make_desk_directory(const DeskPlace& place, const std::string& path) {
    const auto unusable = [&] {
        return system_failure(fmt::format("cannot use the directory of desks {}", place.directory));
    };
    std::error_code error;
    if (!place.is_shared) std::filesystem::create_directories(place.directory, error);
    if (error) {
        errno = error.value();
        return unusable();
    }
    struct stat parent {};
    if (stat(place.directory.c_str(), &parent) != 0) return unusable();
    const mode_t mode = place.is_shared ? (parent.st_mode & 07777) : 0700;
    if (mkdir(path.c_str(), mode) != 0)
        return errno == EEXIST ? Status() : system_failure(fmt::format("cannot make {}", path));
    if (place.is_shared && chmod(path.c_str(), mode) != 0)  // umask does not decide who shares
        return system_failure(fmt::format("cannot share {}", path));
    return {};
}

Status check_owner(const DeskPlace& place, const std::string& path, uid_t owner) {
    if (place.is_shared || owner == geteuid()) return {};
    return fail(
        Code::kDenied,
        fmt::format("{} belongs to user {}, and we are user {}: to share a desk between users, set "
                    "HOTDESK_DESK_DIR (or --desk-dir) to a directory that both may write",
                    path, owner, geteuid()));
}

Status write_all(int fd, std::string_view text) {
    const ssize_t written = pwrite(fd, text.data(), text.size(), 0);
    if (written == static_cast<ssize_t>(text.size())) return {};
    if (written >= 0) errno = ENOSPC;  // a short write to a file means that the disk is full
    return system_failure("cannot write");
}

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

Result<DeskPlace> desk_place(const DeskOptions& options) {
    const std::string shared =
        !options.desk_dir.empty() ? options.desk_dir : environment("HOTDESK_DESK_DIR");
    if (!shared.empty()) return DeskPlace{options.desk, shared, true};
    std::string state =
        !options.state_dir.empty() ? options.state_dir : environment("HOTDESK_STATE_DIR");
    if (state.empty() && !environment("XDG_STATE_HOME").empty())
        state = environment("XDG_STATE_HOME") + "/hotdesk";
    if (state.empty() && !environment("HOME").empty())
        state = environment("HOME") + "/.local/state/hotdesk";
    if (state.empty())
        return fail(Code::kInvalid,
                    "no place for the desks: set HOTDESK_STATE_DIR, XDG_STATE_HOME or HOME");
    return DeskPlace{options.desk, state + "/desks", false};
}

Result<DeskLine> DeskLine::open(const DeskPlace& place) {
    HD_TRY_VOID(check_name(place.desk));
    const std::string path = place.directory + "/" + place.desk;
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
        HD_TRY_VOID(make_desk_directory(place, path));
    }
    Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || fstat(directory.get(), &info) != 0 ||
        faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
        return system_failure(fmt::format("cannot use the desk {}", path));
    HD_TRY_VOID(check_owner(place, path, info.st_uid));
    const mode_t mode = place.is_shared ? (info.st_mode & 0666) : 0600;
    return DeskLine(path, std::move(directory), mode);
}

tl::unexpected<Error> DeskLine::failure(const char* what, const std::string& name) const {
    return system_failure(fmt::format("{} {}/{}", what, path_, name));
}

// Created exclusively, then opened plainly: in a sticky directory the kernel forbids O_CREAT on
// somebody else's file (fs.protected_regular).
Result<Fd> DeskLine::lock_sequence(int operation) const {
    Fd file;
    for (int attempt = 0; attempt < 3 && !file; ++attempt) {
        file.reset(openat(directory_.get(), kSequence, O_RDWR | O_CLOEXEC));
        if (file || errno != ENOENT) break;
        file.reset(
            openat(directory_.get(), kSequence, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file) fchmod(file.get(), mode_);
    }
    if (!file) return failure("cannot open", kSequence);
    while (flock(file.get(), operation) != 0)
        if (errno != EINTR) return failure("cannot lock", kSequence);
    return file;
}

// Twelve digits and a newline, written in place: it never grows, so a full disk cannot stop it.
// A file that says something else (a crash of the machine) is made good from the tickets.
Result<TicketNumber> DeskLine::next_number(const Fd& sequence) const {
    std::array<char, 32> text{};
    const ssize_t n = pread(sequence.get(), text.data(), text.size(), 0);
    const std::string_view digits(text.data(), n > 0 ? static_cast<size_t>(n - 1) : 0);
    auto number = parse_file_name(digits);
    if (!number) {
        HD_TRY(const auto numbers, list());
        number = numbers.empty() ? TicketNumber{1} : TicketNumber{numbers.back().value + 1};
    }
    if (auto wrote = write_all(sequence.get(), file_name({number->value + 1}) + "\n"); !wrote)
        return fail(wrote.error().code,
                    fmt::format("{}/{}: {}", path_, kSequence, wrote.error().message));
    return *number;
}

// Requires: `sequence` is locked. The new file is locked before anybody can see it.
Result<Fd> DeskLine::write_new(const Ticket& ticket) const {
    unlinkat(directory_.get(), kNew, 0);  // of one that was killed while it wrote
    Fd file(openat(directory_.get(), kNew, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return failure("cannot make", kNew);
    fchmod(file.get(), mode_);
    flock(file.get(), LOCK_EX | LOCK_NB);
    if (auto wrote = write_all(file.get(), encode(ticket)); !wrote) {
        unlinkat(directory_.get(), kNew, 0);
        return fail(wrote.error().code,
                    fmt::format("no ticket in {}: {}", path_, wrote.error().message));
    }
    return file;
}

Result<Fd> DeskLine::hang_bell(TicketNumber number) const {
    const std::string name = bell_name(number);
    unlinkat(directory_.get(), name.c_str(), 0);
    if (mkfifoat(directory_.get(), name.c_str(), 0600) != 0) return failure("cannot make", name);
    fchmodat(directory_.get(), name.c_str(), mode_, 0);
    Fd bell(openat(directory_.get(), name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (bell) return bell;
    auto failed = failure("cannot open", name);
    unlinkat(directory_.get(), name.c_str(), 0);
    return failed;
}

Result<DrawnTicket> DeskLine::draw(const Ticket& ticket) const {
    HD_TRY(const Fd sequence, lock_sequence(LOCK_EX));
    HD_TRY(Fd file, write_new(ticket));
    const auto number = next_number(sequence);
    auto bell = number ? hang_bell(*number) : Result<Fd>(tl::unexpected(number.error()));
    if (!bell) {
        unlinkat(directory_.get(), kNew, 0);
        return tl::unexpected(bell.error());
    }
    const std::string name = file_name(*number);
    if (renameat2(directory_.get(), kNew, directory_.get(), name.c_str(), RENAME_NOREPLACE) == 0)
        return DrawnTicket{*number, std::move(file), std::move(*bell)};
    auto failed = failure("cannot make", name);
    unlinkat(directory_.get(), bell_name(*number).c_str(), 0);
    unlinkat(directory_.get(), kNew, 0);
    return failed;
}

Result<bool> DeskLine::rewrite(DrawnTicket& mine, const Ticket& ticket,
                               const std::function<bool()>& is_due) const {
    HD_TRY(const Fd sequence, lock_sequence(LOCK_EX));
    if (!contains(mine.number) || !is_due()) return false;
    HD_TRY(Fd file, write_new(ticket));
    const std::string name = file_name(mine.number);
    if (renameat(directory_.get(), kNew, directory_.get(), name.c_str()) != 0) {
        auto failed = failure("cannot rewrite", name);
        unlinkat(directory_.get(), kNew, 0);
        return failed;
    }
    mine.lock = std::move(file);
    return true;
}

Result<std::vector<TicketNumber>> DeskLine::list() const {
    const int copy = openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const dir = copy >= 0 ? fdopendir(copy) : nullptr;
    if (dir == nullptr) return failure("cannot list", "");
    std::vector<TicketNumber> found;
    while (const dirent* entry = readdir(dir))
        if (const auto number = parse_file_name(entry->d_name)) found.push_back(*number);
    closedir(dir);
    std::sort(found.begin(), found.end());
    return found;
}

// Under the lock, because readdir() may miss a name that rename() replaces meanwhile, and a
// holder that was missed would be a desk given twice.
Result<std::vector<TicketNumber>> DeskLine::numbers() const {
    HD_TRY(const Fd sequence, lock_sequence(LOCK_SH));
    return list();
}

Result<std::optional<Ticket>> DeskLine::read(TicketNumber number) const {
    const std::string name = file_name(number);
    const Fd file(openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file && errno == ENOENT) return std::nullopt;
    struct stat info {};
    if (!file || fstat(file.get(), &info) != 0) return failure("cannot read", name);
    std::string text(kTicketBytesMax, '\0');
    const ssize_t n = pread(file.get(), text.data(), text.size(), 0);
    if (n < 0) return failure("cannot read", name);
    auto ticket = decode_ticket(std::string_view(text).substr(0, static_cast<size_t>(n)));
    if (!ticket)
        return fail(ticket.error().code,
                    fmt::format("{}/{}: {}", path_, name, ticket.error().message));
    ticket->owner = info.st_uid;
    return std::optional(std::move(*ticket));
}

bool DeskLine::contains(TicketNumber number) const {
    return faccessat(directory_.get(), file_name(number).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool DeskLine::is_locked(TicketNumber number) const {
    const Fd file(openat(directory_.get(), file_name(number).c_str(), O_RDONLY | O_CLOEXEC));
    return file && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<Fd> DeskLine::hear_bell(TicketNumber number) const {
    const std::string name = bell_name(number);
    Fd bell(openat(directory_.get(), name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!bell) return failure("cannot hear", name);
    return bell;
}

// First the ticket, then the bell: who hears it finds the ticket gone, and who opened the bell
// too late for it finds that too.
Status DeskLine::remove(TicketNumber number) const {
    if (unlinkat(directory_.get(), file_name(number).c_str(), 0) != 0 && errno != ENOENT)
        return failure("cannot remove", file_name(number));
    const std::string name = bell_name(number);
    const Fd bell(openat(directory_.get(), name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (bell) [[maybe_unused]]
        const ssize_t rung = write(bell.get(), "!", 1);
    unlinkat(directory_.get(), name.c_str(), 0);
    return {};
}

}  // namespace hotdesk
