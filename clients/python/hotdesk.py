# SPDX-License-Identifier: MIT
"""Hotdesk for Python programs: hold a desk, and ask its models. Standard library only, Python >= 3.9.

    import hotdesk

    with hotdesk.lease("gpu0", wait=600, what="nightly render"):
        render()                      # nobody else uses the device meanwhile

    answer = hotdesk.chat([{"role": "user", "content": "Hello"}], model="task:write")

lease() needs no daemon: it stands in the same line as `hotdesk lease run`, in the same files
(doc/lease.md describes them). It raises LeaseTimeout when the wait is over: skip, and come back at
the next scheduled run. chat() and complete() speak to OPENAI_BASE_URL.
"""
import contextlib
import errno
import fcntl
import json
import os
import secrets
import select
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

GRACE = 5.0         # seconds after its deadline in which a holder ends its job, if it names no other
OVERDUE = 1.0       # seconds after that it is stopped or stuck, and the next in line ends it
STOPPED_LOOK = 10.0  # seconds between two looks whether the one before us was stopped
LOCK_LOOK = 1.0     # seconds between two tries of the lock of a ticket that cannot be watched


class LeaseTimeout(TimeoutError):
    """The longest wait was reached and the desk is still held. Nothing is left behind."""


class Skipped(Exception):
    """The call was not made or not answered in time: the desk was busy. Try again at the next run."""


# ---- processes ----------------------------------------------------------------------------------

def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _boot_id():
    return _read("/proc/sys/kernel/random/boot_id").decode().strip()


def _stat(pid):
    """(state, session, start time, uid) of a process; None when there is none, or /proc hides it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            uid = os.fstat(file.fileno()).st_uid
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[3]), int(fields[19]), uid
    except (OSError, IndexError):
        return None


def _identity():
    pid = os.getpid()
    return {"boot_id": _boot_id(), "pid": pid, "start_time": _stat(pid)[2],
            "pid_ns": os.stat("/proc/self/ns/pid").st_ino}


class _Unknown(Exception):
    """Whether a process lives cannot be known from here."""


def _watch(holder):
    """A pidfd on exactly that process: opened first, checked afterwards. None when it is dead."""
    if holder["boot_id"] != _boot_id():
        return None
    if holder["pid_ns"] not in (0, os.stat("/proc/self/ns/pid").st_ino):
        raise _Unknown
    try:
        pidfd = os.pidfd_open(holder["pid"])
    except ProcessLookupError:
        return None
    except OSError as error:
        raise _Unknown from error
    stat = _stat(holder["pid"])
    if stat is not None and stat[2] == holder["start_time"] and not _ended(pidfd):
        return pidfd
    ended = _ended(pidfd) or stat is not None
    os.close(pidfd)
    if ended:
        return None
    raise _Unknown


def _ended(pidfd):
    watched = select.poll()
    watched.register(pidfd, select.POLLIN)
    return bool(watched.poll(0))


def _is_stopped(pid):
    stat = _stat(pid)
    return stat is not None and stat[0] in "Tt"


def _leftovers(ticket, marker, fresh):
    """Sends SIGKILL to what is left of a dead holder's job; the pidfds of what has not ended yet."""
    leader = ticket.get("session")
    first = _stat(leader) if leader else None
    known = leader and (fresh or (first and first[2] == ticket["session_start_time"]))
    left = []
    for name in os.listdir("/proc"):
        stat = _stat(name) if name.isdigit() else None
        if not stat or stat[0] in "ZX" or stat[2] < ticket["start_time"] or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if not (known and stat[1] == leader) and marker.encode() not in _read(f"/proc/{name}/environ"):
                continue
            pidfd = _watch({"boot_id": _boot_id(), "pid": int(name), "start_time": stat[2], "pid_ns": 0})
            if pidfd is None:
                continue
            left.append(pidfd)
            if ticket["owner"] in (0, stat[3]):  # never a third person's process
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    return left


# ---- the files of the line ----------------------------------------------------------------------

def desk_directory(desk="gpu0", state_dir=None, desk_dir=None):
    """(directory of the desk, whether it is shared between users), as `hotdesk lease` finds it."""
    shared = desk_dir or os.environ.get("HOTDESK_DESK_DIR")
    if shared:
        return os.path.join(shared, desk), True
    state = state_dir or os.environ.get("HOTDESK_STATE_DIR") or os.path.join(
        os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "hotdesk")
    return os.path.join(state, "desks", desk), False


def _open_directory(path, shared):
    if not os.path.isdir(path):
        if not shared:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        mode = os.stat(os.path.dirname(path)).st_mode & 0o7777 if shared else 0o700
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, mode)
            os.chmod(path, mode)
    owner = os.stat(path).st_uid
    if not shared and owner != os.geteuid():
        raise PermissionError(errno.EPERM, f"belongs to user {owner}, and we are user {os.geteuid()}: to share "
                              "a desk between users, set HOTDESK_DESK_DIR to a directory both may write", path)
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


class _Line:
    """The directory of one desk. See doc/lease.md for the protocol."""

    def __init__(self, desk, state_dir, desk_dir):
        self.desk = desk
        self.path, shared = desk_directory(desk, state_dir, desk_dir)
        self.dir = _open_directory(self.path, shared)
        self.mode = os.fstat(self.dir).st_mode & 0o666 if shared else 0o600

    def close(self):
        os.close(self.dir)

    def open(self, name, flags, mode=0o600):
        return os.open(name, flags | os.O_CLOEXEC, mode, dir_fd=self.dir)

    @contextlib.contextmanager
    def locked(self, operation):
        try:
            fd = self.open("sequence", os.O_RDWR)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                os.close(self.open("sequence", os.O_RDWR | os.O_CREAT | os.O_EXCL))
                os.chmod("sequence", self.mode, dir_fd=self.dir)
            fd = self.open("sequence", os.O_RDWR)
        try:
            fcntl.flock(fd, operation)
            yield fd
        finally:
            os.close(fd)

    def unlink(self, name):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.dir)

    def list(self):
        names = os.listdir(self.dir)
        return sorted(int(name) for name in names if name.isdigit() and len(name) >= 12)

    def numbers(self):
        with self.locked(fcntl.LOCK_SH):
            return self.list()

    def write_new(self, ticket):
        """The descriptor of `.new`, locked. Requires the lock of `sequence`."""
        self.unlink(".new")
        fd = self.open(".new", os.O_RDWR | os.O_CREAT | os.O_EXCL)
        text = (json.dumps(ticket) + "\n").encode()
        try:
            os.fchmod(fd, self.mode)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.pwrite(fd, text, 0) != len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.path)
        except BaseException:
            os.close(fd)
            self.unlink(".new")
            raise
        return fd

    def draw(self, ticket):
        """(number, descriptor of the ticket, descriptor of its bell)."""
        with self.locked(fcntl.LOCK_EX) as sequence:
            fd = self.write_new(ticket)
            bell_name = None
            try:
                text = os.pread(sequence, 32, 0)[:-1]
                number = int(text) if text.isdigit() else (self.list() or [0])[-1] + 1
                os.pwrite(sequence, b"%012d\n" % (number + 1), 0)
                bell_name = f"{number:012}.bell"
                self.unlink(bell_name)
                os.mkfifo(bell_name, 0o600, dir_fd=self.dir)
                os.chmod(bell_name, self.mode, dir_fd=self.dir)
                bell = self.open(bell_name, os.O_RDWR | os.O_NONBLOCK)
                os.link(".new", f"{number:012}", src_dir_fd=self.dir, dst_dir_fd=self.dir)
            except BaseException:
                os.close(fd)
                if bell_name:
                    self.unlink(bell_name)
                raise
            finally:
                self.unlink(".new")
            return number, fd, bell

    def read(self, number):
        """None when it is gone. Raises ValueError when it is no ticket."""
        try:
            fd = self.open(f"{number:012}", os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            ticket = json.loads(os.pread(fd, 65536, 0))
            ticket["owner"] = os.fstat(fd).st_uid
            ticket["boot_id"], ticket["pid"], ticket["start_time"], ticket["pid_ns"], ticket["nonce"]
            return ticket
        except (KeyError, TypeError) as error:
            raise ValueError(f"{self.path}/{number:012}: no ticket") from error
        finally:
            os.close(fd)

    def contains(self, number):
        return os.access(f"{number:012}", os.F_OK, dir_fd=self.dir)

    def is_locked(self, number):
        try:
            fd = self.open(f"{number:012}", os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
        except OSError:
            return True
        finally:
            os.close(fd)

    def is_ours(self):
        """Whether this process is part of a job that holds the desk: it would wait for itself."""
        for marker in os.environ.get("HOTDESK_LEASE", "").split():
            desk, _, rest = marker.partition(":")
            number = rest.partition(":")[0]
            with contextlib.suppress(ValueError, OSError):
                ticket = self.read(int(number)) if desk == self.desk else None
                if ticket and "held_since_ms" in ticket and rest == f"{number}:{ticket['nonce']}":
                    return True
        return False

    def remove(self, number):
        """First the ticket, then the bell: who hears it finds the ticket gone."""
        self.unlink(f"{number:012}")
        with contextlib.suppress(OSError):
            bell = self.open(f"{number:012}.bell", os.O_WRONLY | os.O_NONBLOCK)
            os.write(bell, b"!")
            os.close(bell)
        self.unlink(f"{number:012}.bell")


# ---- the turn -----------------------------------------------------------------------------------

class Lease:
    """A turn at a desk. Made by lease(); release() gives it back, at the latest when the process ends."""

    def __init__(self, line, what, wait, max_hold):
        self._line, self._what, self._wait, self._max_hold = line, what, wait, max_hold
        self._watched = []      # descriptors: a pidfd and a bell, or pidfds of what is left of a job
        self._seen_alive = None
        self._timer = None
        self._drawn_by = None
        self._draw()

    def _draw(self):
        self._ticket = dict(_identity(), schema=1, nonce=secrets.token_hex(8), what=self._what,
                            since_ms=time.time_ns() // 10**6,
                            wait_max_ms=None if self._wait is None else int(self._wait * 1000))
        self.number, self._fd, self._bell = self._line.draw(self._ticket)
        self._drawn_by = os.getpid()

    @property
    def marker(self):
        return f"{self._line.desk}:{self.number}:{self._ticket['nonce']}"

    def _acquire(self):
        end = None if self._wait is None else time.monotonic() + self._wait
        while True:
            pause = self._look()
            if pause is None:
                return self._hold()
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise LeaseTimeout(f"{self._line.desk} is still held after {self._wait} s{self._by_whom()}")
            watched = select.poll()
            for fd in self._watched:
                watched.register(fd, select.POLLIN)
            watched.poll(1000 * (pause if left is None else min(pause, left)) + 1)

    def _hold(self):
        self._unwatch()
        inherited = os.environ.get("HOTDESK_LEASE")
        os.environ["HOTDESK_LEASE"] = f"{inherited} {self.marker}" if inherited else self.marker
        self._inherited = inherited
        if self._max_hold is not None:
            self._timer = threading.Timer(self._max_hold, os.kill, (os.getpid(), signal.SIGTERM))
            self._timer.daemon = True
            self._timer.start()

    def _by_whom(self):
        for number in self._line.numbers():
            with contextlib.suppress(ValueError, OSError):
                ticket = self._line.read(number) if number < self.number else None
                if ticket:
                    return f", by pid {ticket['pid']} ({ticket['what']})"
        return ""

    def _unwatch(self):
        for fd in self._watched:
            os.close(fd)
        self._watched = []

    def _look(self):
        """None once the desk is ours; else the seconds after which to look again at the latest."""
        while True:
            self._unwatch()
            if not self._line.contains(self.number):  # passed over while we were stopped
                os.close(self._fd), os.close(self._bell)
                self._draw()
            passed_over = []
            for number in reversed(self._line.numbers()):
                pause = self._look_at(number, passed_over) if number < self.number else 0
                if pause is None:
                    break  # the line has changed: look again
                if pause > 0:
                    return pause
            else:
                if self._claim(passed_over):
                    return None

    def _look_at(self, number, passed_over):
        """0: no obstacle; seconds: watched; None: it has just changed."""
        try:
            ticket = self._line.read(number)
        except ValueError:
            return self._watch_by_lock(number)
        if ticket is None:
            return 0
        try:
            pidfd = _watch(ticket)
        except _Unknown:
            return self._watch_by_lock(number)
        if pidfd is None:
            return self._clear_dead(number, ticket)
        self._watched.append(pidfd)
        if "held_since_ms" not in ticket and _is_stopped(ticket["pid"]):
            passed_over.append(number)
            return 0
        return self._watch_alive(number, ticket, pidfd)

    def _watch_alive(self, number, ticket, pidfd):
        pause = STOPPED_LOOK
        deadline = ticket.get("deadline_monotonic_ms")
        if deadline is not None:
            grace = ticket.get("hold_grace_ms", GRACE * 1000)
            left = (deadline + grace) / 1000 + OVERDUE - time.monotonic()
            stat = _stat(ticket["pid"])
            if left <= 0 and stat and ticket["owner"] in (0, stat[3]):
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            pause = min(pause, left if left > 0 else LOCK_LOOK)
        self._hear_bell(number)
        self._seen_alive = number
        return pause if self._line.contains(number) else None

    def _hear_bell(self, number):
        with contextlib.suppress(OSError):
            self._watched.append(self._line.open(f"{number:012}.bell", os.O_RDONLY | os.O_NONBLOCK))

    def _watch_by_lock(self, number):
        if not self._line.is_locked(number):
            self._line.remove(number)
            return 0
        self._hear_bell(number)
        return LOCK_LOOK if self._line.contains(number) else None

    def _clear_dead(self, number, ticket):
        if "held_since_ms" in ticket and ticket["boot_id"] == _boot_id():
            marker = f"{self._line.desk}:{number}:{ticket['nonce']}"
            left = _leftovers(ticket, marker, self._seen_alive == number)
            if left:
                self._watched.extend(left)
                return LOCK_LOOK
        with contextlib.suppress(PermissionError):
            self._line.remove(number)
        return 0

    def _claim(self, passed_over):
        held = dict(self._ticket, held_since_ms=time.time_ns() // 10**6,
                    hold_max_ms=None if self._max_hold is None else int(self._max_hold * 1000),
                    deadline_monotonic_ms=None if self._max_hold is None
                    else int((time.monotonic() + self._max_hold) * 1000))
        with self._line.locked(fcntl.LOCK_EX):
            if not self._line.contains(self.number):
                return False
            for number in passed_over:
                other = self._line.read(number)
                if other and ("held_since_ms" in other or not _is_stopped(other["pid"])):
                    return False
            for number in passed_over:
                self._line.remove(number)
            fd = self._line.write_new(held)
            os.rename(".new", f"{self.number:012}", src_dir_fd=self._line.dir, dst_dir_fd=self._line.dir)
        os.close(self._fd)
        self._ticket, self._fd = held, fd
        return True

    def release(self):
        """Gives the desk back. A forked child gives nothing back; twice is once."""
        if self._drawn_by != os.getpid():
            return
        self._drawn_by = None
        if self._timer:
            self._timer.cancel()
        if "held_since_ms" in self._ticket and os.environ.get("HOTDESK_LEASE", "").endswith(self.marker):
            os.environ.pop("HOTDESK_LEASE")
            if self._inherited:
                os.environ["HOTDESK_LEASE"] = self._inherited
        self._unwatch()
        self._line.remove(self.number)
        os.close(self._fd)
        os.close(self._bell)
        self._line.close()


@contextlib.contextmanager
def lease(desk="gpu0", wait=None, max_hold=None, what=None, state_dir=None, desk_dir=None):
    """Holds a desk for the length of a `with` block.

    wait      longest wait in seconds, then LeaseTimeout; None waits for ever
    max_hold  longest hold in seconds: then this process gets SIGTERM, and six seconds later the
              next in line kills it; None holds for ever
    what      what for, told to those who wait

    Processes started inside the block are part of it: if this process dies, the next in line ends
    them (they are known by HOTDESK_LEASE in their environment). In a job that holds the desk already the
    block runs under that lease. Raises LeaseTimeout, OSError.
    """
    line = _Line(desk, state_dir, desk_dir)
    try:
        turn = None if line.is_ours() else Lease(line, what or " ".join(sys.argv) or "python", wait, max_hold)
    except BaseException:
        line.close()
        raise
    if turn is None:
        line.close()
        yield None
        return
    try:
        turn._acquire()
        yield turn
    finally:
        turn.release()


# ---- models -------------------------------------------------------------------------------------

def _post(path, body, timeout):
    base = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:8111/v1").rstrip("/")
    key = os.environ.get("OPENAI_API_KEY", "")
    request = urllib.request.Request(base + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        with contextlib.suppress(ValueError, KeyError, TypeError):
            text = json.loads(text)["error"]["message"]
        if error.code in (429, 503, 504):
            raise Skipped(text) from error
        error.msg = f"{error.msg}: {text}"
        raise


def chat(messages, model=None, timeout=None, **options):
    """The text of the answer. Raises Skipped when the desk was busy too long, else HTTPError, URLError."""
    body = dict(options, messages=messages, model=model or os.environ.get("OPENAI_MODEL", "auto"))
    return _post("/chat/completions", body, timeout)["choices"][0]["message"].get("content") or ""


def complete(prompt, model=None, timeout=None, **options):
    """The text that continues `prompt`. Raises as chat() does."""
    body = dict(options, prompt=prompt, model=model or os.environ.get("OPENAI_MODEL", "auto"))
    return _post("/completions", body, timeout)["choices"][0]["text"]
