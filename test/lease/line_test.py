#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A thousand waiters, in C++ and Python, run in the order in which they came.

HOTDESK_TEST_WAITERS sets another number (the sanitizer builds use 100).
"""
import os
import subprocess
import sys
import unittest

from lease_case import LeaseTestCase
from harness import ROOT

WAITERS = int(os.environ.get("HOTDESK_TEST_WAITERS", "1000"))
PYTHON_WAITER = """
import sys
sys.path.insert(0, sys.argv[1])
import hotdesk
with hotdesk.lease("gpu0", wait=500, what="python"):
    with open(sys.argv[2], "a") as order:
        order.write(sys.argv[3] + "\\n")
"""


class Line(LeaseTestCase):
    def hold(self):
        """A holder that lets go when its input ends."""
        holder = self.lease("sh", "-c", "echo in; read go; true", stdin=subprocess.PIPE)
        self.assertEqual(holder.stdout.readline(), "in\n")
        return holder

    def stand_in_line(self, count, start):
        """Each stands in line before the next one comes. The bound is on each one, not on all."""
        for index in range(count):
            before = len(self.tickets())
            self.waiters.append(start(index))
            self.wait_until(lambda: len(self.tickets()) > before, f"waiter {index}")

    def run_in_order(self, count, start):
        self.waiters = []
        holder = self.hold()
        self.stand_in_line(count, start)
        holder.communicate("go\n")
        for waiter in self.waiters:
            self.assertEqual(waiter.wait(timeout=300), 0)
        with open(self.path("order")) as order:
            self.assertEqual([int(text) for text in order], list(range(count)))
        self.assert_desk_is_clean()

    def cpp(self, index):
        return self.lease("sh", "-c", f"echo {index} >> {self.path('order')}",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def python(self, index):
        return self.popen(
            [sys.executable, "-c", PYTHON_WAITER, ROOT + "/clients/python", self.path("order"), str(index)],
            stdout=subprocess.DEVNULL, stderr=None)

    def test_nobody_overtakes(self):
        self.run_in_order(WAITERS, self.cpp)

    def test_cpp_and_python_stand_in_one_line(self):
        self.run_in_order(20, lambda index: self.python(index) if index % 2 else self.cpp(index))

    def test_gaps_in_the_line_close(self):
        """Waiters that die or give up anywhere in the line are not missed by those behind them."""
        self.waiters = []
        holder = self.hold()
        self.stand_in_line(30, self.cpp)
        for index in (0, 1, 2, 10, 28, 11, 12):
            self.waiters[index].kill()
        for index in (20, 29, 19):
            self.waiters[index].terminate()
        gone = {0, 1, 2, 10, 28, 11, 12, 20, 29, 19}
        for index in gone:
            self.waiters[index].wait(timeout=60)
        holder.communicate("go\n")
        for index in set(range(30)) - gone:
            self.assertEqual(self.waiters[index].wait(timeout=60), 0)
        with open(self.path("order")) as order:
            self.assertEqual([int(text) for text in order], sorted(set(range(30)) - gone))
        self.assert_desk_is_clean()


if __name__ == "__main__":
    unittest.main()
