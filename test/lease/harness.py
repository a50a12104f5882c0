# SPDX-License-Identifier: MIT
"""What the tests of the lease share: a desk in a folder of its own, and waiting for conditions."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "clients", "python"))
TOOL = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "lease_tool"
PATIENCE = 60.0  # seconds: never reached unless something is broken, even on a loaded machine


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def start_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[19])


def boot_id():
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


class LeaseTestCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hotdesk-lease-")
        os.chmod(self.folder, 0o755)
        self.state = os.path.join(self.folder, "state")
        self.desk = os.path.join(self.state, "desks", "gpu0")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("HOTDESK_")}
        self.environment["HOTDESK_STATE_DIR"] = self.state
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()
        shutil.rmtree(self.folder)

    def eventually(self, condition, what):
        end = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.01)

    def start(self, *words, **options):
        options.setdefault("env", self.environment)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([TOOL, *words], text=True, **options)
        self.started.append(process)
        return process

    def lease(self, *job, options=(), **popen):
        return self.start("run", *options, "--", *job, **popen)

    def finish(self, process):
        """(exit code, stdout, stderr)"""
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def run_lease(self, *job, options=(), **popen):
        return self.finish(self.lease(*job, options=options, **popen))

    def line(self):
        code, out, err = self.finish(self.start("show", "--desk", "gpu0", "--json"))
        self.assertEqual(code, 0, err)
        return json.loads(out)["desks"][0]["line"]

    def file(self, name):
        return os.path.join(self.folder, name)

    def pid_in(self, name):
        """The number that a job wrote to a file, once it is there."""
        def read():
            try:
                with open(self.file(name)) as file:
                    text = file.read()
                return int(text) if text.endswith("\n") else None
            except FileNotFoundError:
                return None
        return self.eventually(read, f"a pid in {name}")

    def holder(self, script="exec sleep 1000", options=()):
        """A lease whose job has begun: (runner, pid of the job). The job writes its pid first."""
        runner = self.lease("sh", "-c", f"echo $$ > {self.file('job')}; {script}", options=options)
        return runner, self.pid_in("job")

    def tickets(self):
        return sorted(n for n in os.listdir(self.desk) if n.isdigit()) if os.path.isdir(self.desk) else []

    def waiter(self, *job, options=(), **popen):
        """A lease that stands in line."""
        before = len(self.tickets())
        process = self.lease(*job, options=options, **popen)
        self.eventually(lambda: len(self.tickets()) > before, "a ticket")
        return process

    def assert_desk_is_clean(self):
        self.eventually(lambda: os.listdir(self.desk) == ["sequence"], f"a clean desk: {os.listdir(self.desk)}")

    def write_ticket(self, number=1, **fields):
        """A ticket as another program would have left it."""
        os.makedirs(self.desk, exist_ok=True)
        ticket = {"schema": 1, "boot_id": boot_id(), "pid": os.getpid(), "start_time": start_time(os.getpid()),
                  "pid_ns": os.stat("/proc/self/ns/pid").st_ino, "nonce": "00ff", "what": "test",
                  "since_ms": 1, "wait_max_ms": None, "held_since_ms": 1, "hold_max_ms": None,
                  "deadline_monotonic_ms": None, **fields}
        with open(os.path.join(self.desk, f"{number:012}"), "w") as file:
            json.dump(ticket, file)
        with open(os.path.join(self.desk, "sequence"), "w") as file:
            file.write(f"{number + 1:012}\n")
