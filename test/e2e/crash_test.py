# SPDX-License-Identifier: MIT
"""The daemon is killed while runs run, and started again."""
import os
import time
import unittest

from daemon_case import DaemonTestCase, is_alive

# A run that says that it began, and starts a child that hides in a session of its own.
STUBBORN = ('echo "$HOTDESK_RUN_ID" >> began; trap "" TERM; '
            'setsid sh -c "echo \\$\\$ >> children; exec sleep 1000" & '
            'while :; do sleep 1000; done')


class Crash(DaemonTestCase):
    def test_a_killed_daemon_leaves_records_no_orphans_and_runs_nothing_twice(self):
        names = [f"a{i}" for i in range(8)]
        self.configure(agents=[self.agent(name, STUBBORN) for name in names] +
                       [self.agent("quick", 'echo "$HOTDESK_RUN_ID" >> began')])
        daemon = self.up()
        self.do("run", "quick", "--wait")
        for name in names:
            self.do("run", name)
        began = self.wait_for_lines("began", 9)
        children = [int(pid) for pid in self.wait_for_lines("children", 8)]
        before = {run["id"] for run in self.runs()}
        self.assertEqual(len(before), 9)
        daemon.kill()
        again = self.up()
        runs = {run["id"]: run for run in self.runs()}
        self.assertEqual(set(runs), before)
        for run in runs.values():
            if run["agent"] == "quick":
                self.assertEqual(run["outcome"], "done")
                continue
            self.assertEqual((run["outcome"], run["why"]["reason"]), ("interrupted", "daemon_ended"))
            self.assertIn("interrupted", self.do("runs", "--agent", run["agent"]))
        self.assertEqual(self.marked(), [again.pid])
        self.assertFalse([pid for pid in children if is_alive(pid)])
        self.do("run", "quick", "--wait")  # ids go on, nothing else has started
        self.assertEqual(self.runs("quick")[-1]["id"], "r-10")
        self.assertEqual(len(self.read("began").splitlines()), len(began) + 1)

    def test_a_model_does_not_outlive_its_daemon(self):
        self.configure(models=[self.model()])
        daemon = self.up()
        stream = daemon.stream("say 1000000 words")
        stream.event()
        self.assertEqual(len(self.marked()), 2)
        daemon.kill()
        self.wait_until(lambda: not self.marked(), "the worker is gone")
        stream.close()
        self.assertEqual(self.up().chat("still here").text, "still here")

    def test_overdue_agents_are_spread_and_do_not_choke_the_daemon(self):
        count = 45
        self.configure(
            agents=[self.agent(f"a{i:02}", 'echo "$HOTDESK_AGENT" >> began', schedule="every 10s",
                               grace="1h") for i in range(count)],
            fleet={"late_after": "1s"})
        daemon = self.up()
        self.wait_for_lines("began", count)
        daemon.kill()
        # Down for longer than a period, and up again later after a firing than late_after.
        down_since = time.monotonic()
        self.wait_until(lambda: time.monotonic() - down_since > 10 and 3 < time.time() % 10 < 4,
                        "the fleet is overdue")
        lines_before = len(self.read("began").splitlines())
        self.up()
        slowest = 0.0
        for _ in range(30):
            begun = time.monotonic()
            self.do("status")
            slowest = max(slowest, time.monotonic() - begun)
        print(f"hotdesk status with {count} overdue agents: at most {slowest * 1000:.0f} ms")
        self.wait_for_lines("began", lines_before + 3)
        caught_up = self.wait_until(
            lambda: [at for at, _, reason in self.decisions() if reason == "catch_up"][2:] and
            [at for at, _, reason in self.decisions() if reason == "catch_up"], "catch-ups")
        for earlier, later in zip(caught_up, caught_up[1:]):
            self.assertGreaterEqual(later - earlier, 500)
        answered = [(run["agent"], run["due_ms"]) for run in self.runs()]
        self.assertEqual(len(answered), len(set(answered)))

    def test_killed_again_and_again_it_starts_each_firing_at_most_once(self):
        self.configure(agents=[self.agent(
            f"a{i}", 'echo "$HOTDESK_RUN_ID" >> began; sleep 0.2', schedule="every 1s",
            overlap=overlap) for i, overlap in enumerate(["skip", "queue", "latest"] * 4)])
        for i in range(8):
            daemon = self.up()
            # Killed at another moment each time: in the middle of a burst, or just after one.
            self.wait_for_lines("began", len(self.read("began").splitlines()) + 1 + 3 * i)
            daemon.kill()
        self.up()
        began = self.read("began").splitlines()
        self.assertEqual(len(began), len(set(began)))
        runs = self.ask("runs", "--limit", "10000")["runs"]
        self.assertLessEqual(set(began), {run["id"] for run in runs})
        answered = [(run["agent"], run["due_ms"]) for run in runs]
        self.assertEqual(len(answered), len(set(answered)))


if __name__ == "__main__":
    unittest.main()
