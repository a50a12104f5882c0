#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clients/python/hotdesk.py, alone and against `hotdesk lease`."""
import http.server
import json
import os
import signal
import sys
import threading
import time
import unittest
import urllib.error

from lease_case import LeaseTestCase
from harness import ROOT, is_alive

import hotdesk

HOLDER = """
import sys, time, subprocess
sys.path.insert(0, sys.argv[1])
import hotdesk
with hotdesk.lease("gpu0", what="python", max_hold=float(sys.argv[2]) or None):
    child = subprocess.Popen(["setsid", "sleep", "1000"])
    print(child.pid, flush=True)
    time.sleep(1000)
"""


class PythonLease(LeaseTestCase):
    def setUp(self):
        super().setUp()
        self.options = {"state_dir": self.state}

    def python_holder(self, max_hold=0):
        process = self.popen([sys.executable, "-c", HOLDER, ROOT + "/clients/python", str(max_hold)], stderr=None)
        child = int(process.stdout.readline())
        self.addCleanup(lambda: is_alive(child) and os.kill(child, signal.SIGKILL))
        return process, child

    def test_the_desk_is_held_inside_and_free_outside(self):
        with hotdesk.lease("gpu0", what="mine", **self.options) as turn:
            self.assertEqual([(e["state"], e["what"], e["pid"]) for e in self.line()], [("holds", "mine", os.getpid())])
            self.assertEqual(os.environ["HOTDESK_LEASE"], turn.marker)
            self.assertEqual(self.run_lease("true", options=["--wait", "100ms"])[0], 75)
        self.assertNotIn("HOTDESK_LEASE", os.environ)
        self.assert_desk_is_clean()

    def test_a_waiter_wakes_when_a_living_process_gives_back(self):
        with hotdesk.lease("gpu0", **self.options):
            waiter = self.waiter("echo", "next")
        self.assertEqual(self.finish(waiter)[:2], (0, "next\n"))

    def test_the_wait_is_over_with_lease_timeout_and_nothing_is_left(self):
        self.holder()
        descriptors = len(os.listdir("/proc/self/fd"))
        with self.assertRaisesRegex(hotdesk.LeaseTimeout, "still held after 0.2 s, by pid"):
            with hotdesk.lease("gpu0", wait=0.2, **self.options):
                self.fail("two holders")
        self.assertEqual(len(self.tickets()), 1)
        self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)

    def test_a_lease_inside_a_lease_does_not_wait_for_itself(self):
        with hotdesk.lease("gpu0", **self.options), hotdesk.lease("gpu0", wait=0.1, **self.options):
            self.assertEqual(len(self.line()), 1)
        self.assert_desk_is_clean()

    def test_an_exception_gives_back(self):
        with self.assertRaises(KeyError), hotdesk.lease("gpu0", **self.options):
            raise KeyError
        self.assert_desk_is_clean()

    def test_a_forked_child_gives_nothing_back(self):
        with hotdesk.lease("gpu0", **self.options) as turn:
            child = os.fork()
            if child == 0:
                turn.release()
                os._exit(0)
            os.waitpid(child, 0)
            self.assertEqual(len(self.line()), 1)

    def test_a_killed_holder_hands_over_when_its_children_are_gone(self):
        for waiter_is_python in (False, True):
            holder, child = self.python_holder()
            if waiter_is_python:
                threading.Timer(0.1, holder.kill).start()
                with hotdesk.lease("gpu0", wait=60, **self.options):
                    self.assertFalse(is_alive(child))
            else:
                waiter = self.waiter("true")
                holder.kill()
                self.assertEqual(self.finish(waiter)[0], 0)
                self.assertFalse(is_alive(child))

    def test_a_killed_job_hands_over_to_python(self):
        runner, job = self.holder()
        guard = self.line()[0]["pid"]
        threading.Timer(0.1, os.kill, (guard, signal.SIGKILL)).start()
        with hotdesk.lease("gpu0", wait=60, **self.options):
            self.assertFalse(is_alive(job))

    def test_max_hold_ends_a_holder_even_a_stopped_one(self):
        holder, _ = self.python_holder(max_hold=0.5)
        self.assertEqual(holder.wait(timeout=60), -signal.SIGTERM)
        holder, _ = self.python_holder(max_hold=0.5)
        holder.send_signal(signal.SIGSTOP)
        with hotdesk.lease("gpu0", wait=60, **self.options):
            self.assertEqual(holder.wait(timeout=60), -signal.SIGKILL)


class Server(http.server.BaseHTTPRequestHandler):
    answers = {}

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, answer = self.answers[body["model"]]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


class Chat(unittest.TestCase):
    def setUp(self):
        Server.answers = {
            "good": (200, {"choices": [{"message": {"content": "hi"}, "text": "ho"}]}),
            "busy": (429, {"error": {"message": "the desk was busy for 8 min"}}),
            "wrong": (400, {"error": {"message": "no such key"}})}
        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{server.server_port}/v1"

    def test_the_text_comes_back(self):
        self.assertEqual(hotdesk.chat([{"role": "user", "content": "x"}], model="good"), "hi")
        self.assertEqual(hotdesk.complete("x", model="good"), "ho")

    def test_a_busy_desk_is_skipped(self):
        with self.assertRaisesRegex(hotdesk.Skipped, "the desk was busy for 8 min"):
            hotdesk.chat([], model="busy")

    def test_an_error_says_what_the_server_said(self):
        with self.assertRaisesRegex(urllib.error.HTTPError, "no such key"):
            hotdesk.chat([], model="wrong")


if __name__ == "__main__":
    unittest.main()
