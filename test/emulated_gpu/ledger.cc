// SPDX-License-Identifier: MIT
#include "ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "os/process_identity.h"

namespace hotdesk::emulated {
namespace {

// Holds the file against the other processes; the kernel lets go when the holder is killed.
class FileLock {
  public:
    explicit FileLock(int fd) : fd_(fd) {
        while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) continue;
    }
    ~FileLock() { flock(fd_, LOCK_UN); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

  private:
    int fd_;
};

tl::unexpected<Error> system_error(const std::string& path) {
    return fail(Code::kDenied,
                fmt::format("emulated GPU ledger {}: {}", path, std::strerror(errno)));
}

Fd open_file(const std::string& path) {
    if (path.empty()) return Fd(memfd_create("hotdesk-emulated", MFD_CLOEXEC));
    return Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

// Requires: the file is locked. A file of size 0 has just been made.
Status prepare_content(int fd, const std::string& path) {
    EmulatedLedgerFile content;
    const ssize_t size = lseek(fd, 0, SEEK_END);
    if (size == 0) {
        if (pwrite(fd, &content, sizeof content, 0) != static_cast<ssize_t>(sizeof content))
            return system_error(path);
        return {};
    }
    if (size != static_cast<ssize_t>(sizeof content) ||
        pread(fd, &content, sizeof content, 0) != size || content.magic != kEmulatedMagic)
        return fail(Code::kInvalid,
                    fmt::format("{}: not the ledger of an emulated GPU; name another file", path));
    return {};
}

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::open(const std::string& path, const DeviceSize& size) {
    Fd fd = open_file(path);
    if (!fd) return system_error(path);
    {
        const FileLock lock(fd.get());
        HD_TRY_VOID(prepare_content(fd.get(), path));
    }
    void* map =
        mmap(nullptr, sizeof(EmulatedLedgerFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED) return system_error(path);
    std::unique_ptr<Ledger> ledger(
        new Ledger(std::move(fd), static_cast<EmulatedLedgerFile*>(map)));
    HD_TRY_VOID(ledger->set_size(size, path));
    return ledger;
}

Ledger::~Ledger() {
    munmap(file_, sizeof *file_);
}

Status Ledger::set_size(const DeviceSize& size, const std::string& path) {
    const FileLock processes(fd_.get());
    if (size.total) file_->total = static_cast<uint64_t>(size.total->value);
    if (size.reserved) file_->reserved = static_cast<uint64_t>(size.reserved->value);
    if (file_->total > 0) return {};
    return fail(Code::kInvalid, fmt::format("the emulated GPU {} has no size yet: set "
                                            "HOTDESK_EMULATED_BYTES",
                                            path));
}

bool Ledger::take(Bytes bytes) {
    const std::lock_guard threads(mutex_);
    const FileLock processes(fd_.get());
    drop_the_dead();
    EmulatedLedgerFile::Owner* row = own_row();
    const EmulatedReading now = reading_of(*file_);
    if (row == nullptr || bytes > now.free()) {
        ++file_->failed_allocations;
        return false;
    }
    row->bytes += static_cast<uint64_t>(bytes.value);
    file_->peak = std::max(file_->peak, static_cast<uint64_t>((now.used + bytes).value));
    return true;
}

void Ledger::give_back(Bytes bytes) {
    const std::lock_guard threads(mutex_);
    const FileLock processes(fd_.get());
    EmulatedLedgerFile::Owner* row = own_row();
    if (row == nullptr) return;
    row->bytes -= std::min(row->bytes, static_cast<uint64_t>(bytes.value));
    if (row->bytes == 0) row->pid = 0;
}

void Ledger::reset_peak() {
    const std::lock_guard threads(mutex_);
    const FileLock processes(fd_.get());
    file_->peak = static_cast<uint64_t>(read().used.value);
}

void Ledger::drop_the_dead() {
    for (EmulatedLedgerFile::Owner& owner : file_->owners)
        if (owner.pid != 0 && !is_living(owner)) owner = {};
}

// The row of this process; a free one when it has none; null when all are taken.
EmulatedLedgerFile::Owner* Ledger::own_row() {
    const pid_t pid = getpid();
    const auto self = process_stat(pid);
    if (!self) return nullptr;
    for (EmulatedLedgerFile::Owner& owner : file_->owners)
        if (owner.pid == pid && owner.start_ticks == self->start_ticks) return &owner;
    for (EmulatedLedgerFile::Owner& owner : file_->owners)
        if (owner.pid == 0) {
            // The bytes are 0 until the caller adds: a kill between these stores loses nothing.
            owner.bytes = 0;
            owner.start_ticks = self->start_ticks;
            owner.pid = pid;
            return &owner;
        }
    return nullptr;
}

}  // namespace hotdesk::emulated
