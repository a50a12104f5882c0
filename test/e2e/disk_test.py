# SPDX-License-Identifier: MIT
"""A disk that fills up under the running daemon, and has room again."""
import os
import subprocess
import unittest

from daemon_case import DaemonTestCase


class FullDisk(DaemonTestCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.state)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.state],
                                               stderr=subprocess.DEVNULL).returncode:
            self.skipTest("may not mount a small file system")
        self.addCleanup(subprocess.run, ["umount", "-l", self.state], check=True)

    def fill(self):
        with open(os.path.join(self.state, "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    def test_nothing_that_happens_meanwhile_is_lost(self):
        self.configure(models=[self.model()], agents=[
            self.agent("tick", "echo $HOTDESK_RUN_ID >> ticks", schedule="every 1s"),
            self.agent("long", "echo x >> began; while ! [ -f go ]; do sleep 0.05; done")])
        daemon = self.up()
        self.do("run", "long")
        self.wait_for_lines("began", 1)
        self.wait_for_end("tick")
        self.fill()
        refused = self.wait_until(lambda: [line for line in daemon.log().splitlines()
                                           if "agent=tick not started" in line], "a run that is not started")[0]
        self.assertIn("full", refused)
        self.assertIn(os.path.join(self.state, "hotdesk.db"), refused)
        self.write("go", "")
        self.wait_until(lambda: "agent=long outcome=done" in daemon.log(), "the long run has ended")
        self.assertIsNone(self.runs("long")[0]["outcome"])  # which cannot be written yet
        self.assertEqual(daemon.chat("well").text, "well")  # a call needs no disk
        code, _, err = self.cli("run", "long", "--wait")
        self.assertEqual(code, 70)
        self.assertIn("the daemon's log says why", err)
        os.remove(os.path.join(self.state, "filler"))
        self.wait_until(lambda: "the history is written again" in daemon.log(), "it is written")
        count = len(self.ended("tick"))
        self.wait_for_end("tick", count + 1)
        self.assertEqual([run["outcome"] for run in self.runs("long")], ["done", "failed"])
        started = [run for run in self.runs() if run["id"]]  # the others are firings passed over
        runs = sorted(started, key=lambda run: int(run["id"].removeprefix("r-")))
        self.assertEqual([run["id"] for run in runs], [f"r-{i + 1}" for i in range(len(runs))])
        failed = [run for run in runs if run["outcome"] == "failed"]
        self.assertEqual({run["why"]["reason"] for run in failed}, {"not_started"})
        began = set(self.read("ticks").split())
        for run in runs:
            if run["agent"] == "tick" and run["outcome"] is not None:
                self.assertEqual(run["id"] in began, run["outcome"] == "done", run)
        self.assertIsNone(daemon.process.poll())


if __name__ == "__main__":
    unittest.main()
