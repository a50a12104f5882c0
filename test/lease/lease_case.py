# SPDX-License-Identifier: MIT
"""What the tests of the lease share: a desk in a folder of its own, its line and its tickets."""
import json
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness import ROOT, ProgramTestCase

sys.path.insert(0, os.path.join(ROOT, "clients", "python"))
TOOL = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "lease_tool"


def start_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[19])


def boot_id():
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


class LeaseTestCase(ProgramTestCase):
    program = TOOL

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # for the tests with two users
        self.desk = os.path.join(self.state, "desks", "gpu0")
        self.environment["HOTDESK_STATE_DIR"] = self.state

    def lease(self, *job, options=(), **popen):
        return self.start("run", *options, "--", *job, **popen)

    def run_lease(self, *job, options=(), **popen):
        return self.finish(self.lease(*job, options=options, **popen))

    def line(self):
        code, out, err = self.cli("show", "--desk", "gpu0", "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)["desks"][0]["line"]

    def pid_in(self, name):
        """The number that a job wrote to a file, once it is there."""
        def read():
            text = self.read(name)
            return int(text) if text.endswith("\n") else None
        return self.wait_until(read, f"a pid in {name}")

    def holder(self, script="exec sleep 1000", options=()):
        """A lease whose job has begun: (runner, pid of the job). The job writes its pid first."""
        runner = self.lease("sh", "-c", f"echo $$ > {self.path('job')}; {script}", options=options)
        return runner, self.pid_in("job")

    def tickets(self):
        return sorted(n for n in os.listdir(self.desk) if n.isdigit()) if os.path.isdir(self.desk) else []

    def waiter(self, *job, options=(), **popen):
        """A lease that stands in line."""
        before = len(self.tickets())
        process = self.lease(*job, options=options, **popen)
        self.wait_until(lambda: len(self.tickets()) > before, "a ticket")
        return process

    def assert_desk_is_clean(self):
        self.wait_until(lambda: os.listdir(self.desk) == ["sequence"], f"a clean desk: {os.listdir(self.desk)}")

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
