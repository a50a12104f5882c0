# SPDX-License-Identifier: MIT
"""The daemon begins and ends: what it refuses to start with, and how it stops."""
import os
import signal
import time
import unittest

from daemon_case import DaemonTestCase

STUBBORN = 'echo $$ >> began; trap "" TERM; while :; do sleep 0.1; done'


class Start(DaemonTestCase):
    def test_a_second_daemon_on_the_same_state_is_refused(self):
        self.configure()
        self.up()
        code, _, err = self.cli("up", "--config", self.config_path)
        self.assertEqual(code, 75)
        self.assertIn(f"another hotdesk daemon uses {self.state}", err)
        self.do("status")  # the first one's socket is still there

    def test_a_config_with_errors_tells_them_all_with_their_places(self):
        self.write("hotdesk.toml", '[fleet]\ntimezone = "Mars/Base"\nstager = "1s"\n\n[[agent]]\n'
                   'name = "a"\ncommand = ["true"]\nschedule = "99 * * * *"\noverlap = "never"\n'
                   'task = "nothing"\n')
        for words in (["up"], ["config", "check"]):
            code, _, err = self.cli(*words)
            self.assertEqual(code, 78, words)
            for place in (":3:", ":5:", ":8:", ":9:"):
                self.assertIn(self.config_path + place, err, words)
        self.write("hotdesk.toml", "[fleet\n")
        code, _, err = self.cli("up")
        self.assertEqual(code, 78)
        self.assertIn(f"{self.config_path}:1:", err)
        self.assertEqual(self.cli("up", "--config", self.path("none.toml"))[0], 66)

    def test_a_damaged_history_is_set_aside_and_named(self):
        self.configure(agents=[self.agent("one", "true")])
        daemon = self.up()
        self.do("run", "one", "--wait")
        daemon.terminate()
        daemon.wait()
        damage = b"this was a database once" * 400
        with open(os.path.join(self.state, "hotdesk.db"), "wb") as file:
            file.write(damage)
        daemon = self.up()
        aside = [name for name in os.listdir(self.state) if name.startswith("hotdesk.db.corrupt-")]
        self.assertEqual(len([name for name in aside if not name.endswith(("-wal", "-shm"))]), 1, aside)
        self.assertIn(aside[0].removesuffix("-wal").removesuffix("-shm"), daemon.log())
        with open(os.path.join(self.state, min(aside, key=len)), "rb") as file:
            self.assertEqual(file.read(), damage)
        self.do("run", "one", "--wait")

    def test_a_socket_left_behind_is_no_obstacle_and_an_address_in_use_is_named(self):
        self.configure()
        self.up().kill()
        self.assertTrue(os.path.exists(self.socket_path))
        daemon = self.up()
        self.configure(server={"state_dir": self.path("other"),
                               "listen": [f"unix:{self.path('t')}", f"127.0.0.1:{daemon.port()}"]})
        code, _, err = self.cli("up")
        self.assertNotEqual(code, 0)
        self.assertIn(str(daemon.port()), err)
        self.do("status")

    def test_a_state_directory_that_cannot_be_made_is_named(self):
        self.write("file", "")
        self.configure(server={"state_dir": self.path("file/state")})
        code, _, err = self.cli("up")
        self.assertEqual(code, 77)
        self.assertIn(self.path("file/state"), err)


class Stop(DaemonTestCase):
    def busy_daemon(self, **fleet):
        self.configure(models=[self.model()], agents=[self.agent("one", STUBBORN)], fleet=fleet)
        daemon = self.up()
        self.do("run", "one")
        self.wait_for_lines("began", 1)
        return daemon

    def test_sigterm_asks_the_runs_to_end_and_leaves_nothing(self):
        daemon = self.busy_daemon()
        stream = daemon.stream("say 1000000 words")
        stream.event()
        begun = time.monotonic()
        daemon.terminate()
        self.assertEqual(daemon.wait(), 0)
        print(f"stopped with a stubborn run after {time.monotonic() - begun:.2f} s, kill_grace 1 s")
        stream.close()
        self.wait_until(lambda: not self.marked(), "nothing is left")
        run = self.ended("one")[0]
        self.assertEqual((run["outcome"], run["exit_code"]), ("interrupted", 137))
        self.assertFalse(os.path.exists(self.socket_path))

    def test_a_second_signal_ends_it_at_once(self):
        daemon = self.busy_daemon(kill_grace="10m")
        daemon.terminate()
        self.wait_until(lambda: "once more to stop at once" in daemon.log(), "the first is heard")
        begun = time.monotonic()
        daemon.process.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait(), 0)
        print(f"stopped by the second signal after {time.monotonic() - begun:.2f} s")
        self.wait_until(lambda: not self.marked(), "nothing is left")
        self.up()
        self.assertEqual(self.ended("one")[0]["outcome"], "interrupted")

    def test_sigint_stops_an_idle_daemon(self):
        self.configure()
        daemon = self.up()
        daemon.process.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait(), 0)
        self.assertIn("stopped", daemon.log())

    def test_drain_finishes_what_runs_and_starts_nothing_new(self):
        self.configure(models=[self.model()], agents=[
            self.agent("one", "echo x >> began; while ! [ -f go ]; do sleep 0.05; done"),
            self.agent("tick", "echo x >> ticks", schedule="every 1s")])
        daemon = self.up()
        self.do("run", "one")
        self.wait_for_lines("began", 1)
        self.wait_for_lines("ticks", 1)
        self.do("drain")
        self.wait_until(lambda: self.ask("status")["draining"], "it drains")
        ready = daemon.get("/readyz")
        self.assertEqual(ready.status, 503)
        refused = daemon.chat()
        self.assertEqual((refused.status, refused.error["code"]), (503, "draining"))
        ticks = len(self.runs("tick"))
        self.do("run", "one")  # asked for, and not begun
        self.write("go", "")
        self.assertEqual(daemon.wait(), 0)
        self.assertEqual([run["outcome"] for run in self.ended("one")], ["done"])
        self.assertLessEqual(len(self.runs("tick")), ticks)


if __name__ == "__main__":
    unittest.main()
