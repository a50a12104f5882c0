// SPDX-License-Identifier: MIT
#include "os/desk_ticket.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ranges>

#include "os/job_session.h"

namespace hotdesk {
namespace {

Wall wall_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

// CLOCK_MONOTONIC, the same for all processes of a boot; it stands still while the machine
// sleeps, which is not the job's fault.
Instant monotonic_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

tl::unexpected<Error> no_descriptor(const char* what) {
    return fail(Code::kNoSpace, fmt::format("cannot make {}: {}", what, std::strerror(errno)));
}

bool is_stopped(const Ticket& ticket) {
    const auto process = process_stat(ticket.holder.pid);
    return process && process->is_stopped();
}

// When the one behind `ticket` looks at it again; 0 or less: it is overdue now.
Millis next_look(const Ticket& ticket) {
    if (!ticket.tenure || !ticket.tenure->deadline) return kStoppedLook;
    const Instant overdue = *ticket.tenure->deadline + ticket.tenure->grace + kOverdueAfter;
    return std::min(kStoppedLook, overdue - monotonic_now());
}

// Only for the one who wrote the ticket: in a shared directory a ticket must not be a way to have
// a third person's process killed.
void end_holder(const Ticket& ticket, const Fd& pidfd) {
    const auto process = process_stat(ticket.holder.pid);
    if (process && (ticket.owner == 0 || ticket.owner == process->uid))
        static_cast<void>(signal_process(pidfd, SIGKILL));
}

// The next word of a text of words separated by spaces.
std::string_view take_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
}

}  // namespace

bool is_under_lease(const DeskPlace& place) {
    const char* const markers = std::getenv(kLeaseVariable);
    if (markers == nullptr) return false;
    const auto line = DeskLine::open(place);
    const std::string prefix = place.desk + ":";
    for (std::string_view rest = markers; line && !rest.empty();) {
        const std::string_view marker = take_word(rest);
        if (!marker.starts_with(prefix)) continue;
        TicketNumber number;
        std::from_chars(marker.data() + prefix.size(), marker.data() + marker.size(), number.value);
        const auto ticket = line->read(number);
        if (ticket && *ticket && (*ticket)->tenure &&
            job_marker(place.desk, number, (*ticket)->nonce) == marker)
            return true;
    }
    return false;
}

DeskTicket::DeskTicket(DeskTicket&& other) noexcept
    : request_(std::move(other.request_)),
      line_(std::move(other.line_)),
      drawn_(std::move(other.drawn_)),
      ticket_(std::move(other.ticket_)),
      drawn_by_(std::exchange(other.drawn_by_, 0)),
      events_(std::move(other.events_)),
      timer_(std::move(other.timer_)),
      watches_(std::move(other.watches_)),
      watched_(std::move(other.watched_)),
      seen_alive_(other.seen_alive_) {}

DeskTicket& DeskTicket::operator=(DeskTicket&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
}

Result<DeskTicket> DeskTicket::enqueue(DeskRequest request) {
    HD_TRY(DeskLine line, DeskLine::open(request.place));
    DeskTicket ticket(std::move(request), std::move(line));
    HD_TRY_VOID(ticket.prepare_events());
    HD_TRY_VOID(ticket.draw());
    return ticket;
}

Status DeskTicket::prepare_events() {
    events_.reset(epoll_create1(EPOLL_CLOEXEC));
    if (!events_) return no_descriptor("an epoll descriptor");
    timer_.reset(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer_) return no_descriptor("a timer");
    epoll_event event{.events = EPOLLIN, .data = {.fd = timer_.get()}};
    epoll_ctl(events_.get(), EPOLL_CTL_ADD, timer_.get(), &event);
    return {};
}

// The timer fires at once, so that whoever waits on watch_fd() takes a first look.
Status DeskTicket::draw() {
    ticket_ = {};
    HD_TRY(ticket_.holder, own_identity());
    ticket_.nonce = random_nonce();
    ticket_.what = request_.what;
    ticket_.queued_at = wall_now();
    ticket_.wait_max = request_.wait_max;
    HD_TRY(drawn_, line_.draw(ticket_));
    drawn_by_ = getpid();
    set_timer({1});
    return {};
}

Result<bool> DeskTicket::poll_granted() {
    if (is_held()) return true;
    std::array<epoll_event, 4> events;
    epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()),
               0);  // takes the edges
    if (Millis again; is_as_watched(again)) {
        set_timer(again);
        return false;
    }
    for (;;) {
        HD_TRY(const Look seen, look());
        if (seen != Look::kAgain) return seen == Look::kFree;
    }
}

// Whether the ticket before ours is as it was, and when to look again. A full look, which lists
// the line, is then spared.
bool DeskTicket::is_as_watched(Millis& again) const {
    if (!watched_ || !line_.contains(drawn_.number)) return false;
    const auto ticket = line_.read(watched_->number);
    if (!ticket || !*ticket || (*ticket)->holder != watched_->holder) return false;
    const auto process = process_stat(watched_->holder.pid);
    if (!process || process->has_ended() || process->start_ticks != watched_->holder.start_ticks)
        return false;
    again = next_look(**ticket);
    const bool is_passed_over = !(*ticket)->tenure && process->is_stopped();
    return !is_passed_over && again > Millis{0};
}

Result<DeskTicket::Look> DeskTicket::look() {
    forget_watches();
    if (!line_.contains(drawn_.number)) {  // passed over while we were stopped
        HD_TRY_VOID(draw());
    }
    HD_TRY(const auto numbers, line_.numbers());
    std::vector<TicketNumber> passed_over;
    for (const TicketNumber number : numbers | std::views::reverse) {
        if (number >= drawn_.number) continue;
        HD_TRY(const Look seen, look_at(number, passed_over));
        if (seen != Look::kFree) return seen;
    }
    HD_TRY(const bool claimed, claim(passed_over));
    return claimed ? Look::kFree : Look::kAgain;
}

Result<DeskTicket::Look> DeskTicket::look_at(TicketNumber number,
                                             std::vector<TicketNumber>& passed_over) {
    const auto read = line_.read(number);
    if (!read && read.error().code == Code::kInvalid) return watch_by_lock(number);
    if (!read) return tl::unexpected(read.error());
    if (!*read) return Look::kFree;
    const Ticket& ticket = **read;
    auto pidfd = watch_process(ticket.holder);
    if (!pidfd && pidfd.error().code == Code::kUnavailable && line_.is_locked(number))
        return watch_by_lock(number);
    if (!pidfd) return clear_dead(number, ticket);
    if (!ticket.tenure && is_stopped(ticket)) {
        passed_over.push_back(number);
        return Look::kFree;
    }
    return watch(number, ticket, std::move(*pidfd));
}

DeskTicket::Look DeskTicket::watch(TicketNumber number, const Ticket& ticket, Fd pidfd) {
    Millis again = next_look(ticket);
    if (again <= Millis{0}) {
        end_holder(ticket, pidfd);
        again = kLockLook;
    }
    add_event(std::move(pidfd), EPOLLIN);
    auto bell = line_.hear_bell(number);
    if (bell) add_event(std::move(*bell), EPOLLIN | EPOLLET);
    if (!line_.contains(number)) return Look::kAgain;
    if (!bell) again = std::min(again, kLockLook);  // somebody removed the bell
    seen_alive_ = number;
    watched_ = Watched{number, ticket.holder};
    set_timer(again);
    return Look::kWait;
}

// For a process that cannot be watched from here (another pid namespace, a /proc that hides it),
// and for a file that is no ticket: its lock says whether somebody stands behind it.
DeskTicket::Look DeskTicket::watch_by_lock(TicketNumber number) {
    if (!line_.is_locked(number)) {
        static_cast<void>(line_.remove(number));
        return Look::kFree;
    }
    if (auto bell = line_.hear_bell(number)) add_event(std::move(*bell), EPOLLIN | EPOLLET);
    if (!line_.contains(number)) return Look::kAgain;
    set_timer(kLockLook);
    return Look::kWait;
}

// A dead ticket that we may not remove (another user's, in a sticky directory) is no obstacle.
DeskTicket::Look DeskTicket::clear_dead(TicketNumber number, const Ticket& ticket) {
    if (ticket.tenure && ticket.holder.boot_id == boot_id()) {
        auto marker = job_marker(request_.place.desk, number, ticket.nonce);
        auto left = kill_leftovers(trace_of(ticket, std::move(marker), seen_alive_ == number));
        if (!left.empty()) {
            for (Fd& pidfd : left) add_event(std::move(pidfd), EPOLLIN);
            set_timer(kLockLook);
            return Look::kWait;
        }
    }
    static_cast<void>(line_.remove(number));
    return Look::kFree;
}

// Those passed over are taken out while the line is locked, so that one that is continued right
// now either has claimed the desk before us or finds its ticket gone.
Result<bool> DeskTicket::claim(const std::vector<TicketNumber>& passed_over) {
    Ticket held = ticket_;
    held.tenure = Tenure{wall_now(), request_.hold_max, std::nullopt, request_.hold_grace};
    if (request_.hold_max) held.tenure->deadline = monotonic_now() + *request_.hold_max;
    const auto is_due = [&] {
        for (const TicketNumber number : passed_over) {
            const auto other = line_.read(number);
            if (other && *other && ((*other)->tenure || !is_stopped(**other))) return false;
        }
        for (const TicketNumber number : passed_over) static_cast<void>(line_.remove(number));
        return true;
    };
    HD_TRY(const bool claimed, line_.rewrite(drawn_, held, is_due));
    if (claimed) ticket_ = std::move(held);
    return claimed;
}

std::string DeskTicket::marker() const {
    return job_marker(request_.place.desk, drawn_.number, ticket_.nonce);
}

Result<std::optional<WaitingFor>> DeskTicket::waiting_for() const {
    HD_TRY(const auto numbers, line_.numbers());
    WaitingFor found{.place = 1};
    bool has_head = false;
    for (const TicketNumber number : numbers) {
        if (number >= drawn_.number) break;
        ++found.place;
        if (has_head) continue;
        const auto ticket = line_.read(number);
        if (!ticket || !*ticket) continue;
        found.number = number;
        found.ticket = **ticket;
        has_head = true;
    }
    return has_head ? std::optional(std::move(found)) : std::nullopt;
}

Result<int> DeskTicket::waiters_behind() const {
    HD_TRY(const auto numbers, line_.numbers());
    int waiters = 0;
    for (const TicketNumber number : numbers) {
        if (number <= drawn_.number) continue;
        const auto ticket = line_.read(number);
        if (ticket && *ticket && life_of((*ticket)->holder) != Life::kDead) ++waiters;
    }
    return waiters;
}

Result<Fd> DeskTicket::watch_line() const {
    Fd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (watch && inotify_add_watch(watch.get(), line_.path().c_str(), IN_MOVED_TO | IN_DELETE) >= 0)
        return watch;
    return fail(Code::kNoSpace,
                fmt::format("cannot watch {}: {}; raise fs.inotify.max_user_instances",
                            line_.path(), std::strerror(errno)));
}

Status DeskTicket::set_session(const JobSession& session) {
    ticket_.session = session;
    HD_TRY(const bool rewritten, line_.rewrite(drawn_, ticket_, [] { return true; }));
    return rewritten ? Status() : fail(Code::kBusy, "the desk was taken from us");
}

void DeskTicket::give_back() {
    if (drawn_by_ == getpid()) static_cast<void>(line_.remove(drawn_.number));
    drawn_by_ = 0;
    drawn_ = {};
    watches_.clear();
    ticket_.tenure.reset();
}

void DeskTicket::add_event(Fd fd, uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = fd.get()}};
    epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd.get(), &event);
    watches_.push_back(std::move(fd));
}

// Taken out one by one: a child of ours between fork and exec may still hold a copy, and then
// closing alone would leave it in the set.
void DeskTicket::forget_watches() {
    for (const Fd& fd : watches_) epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd.get(), nullptr);
    watches_.clear();
    watched_.reset();
}

void DeskTicket::set_timer(Millis in) {
    itimerspec when{};
    when.it_value.tv_sec = in.value / 1000;
    when.it_value.tv_nsec = in.value % 1000 * 1'000'000;
    timerfd_settime(timer_.get(), 0, &when, nullptr);
}

}  // namespace hotdesk
