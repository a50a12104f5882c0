# SPDX-License-Identifier: MIT
"""Other programs at the desk: the daemon gives way at the end of a call, and serves again after."""
import json
import os
import time
import unittest

from daemon_case import Answer, DaemonTestCase

WAITS_TO_GO = "echo $$ >> holding; while ! [ -f {0} ]; do sleep 0.05; done; rm {0}"


class Strangers(DaemonTestCase):
    def setUp(self):
        super().setUp()
        self.environment["HOTDESK_STATE_DIR"] = self.state
        self.configure(models=[self.model(placement="desk")],
                       agents=[self.agent("trainer", WAITS_TO_GO.format("go"), gpu="run", wait="1m"),
                               self.agent("hasty", "true", gpu="run", wait="1s")],
                       queue={"gate_age": "1s"})
        self.daemon = self.up()

    def line(self):
        return self.ask("lease", "show", "--desk", "gpu0")["desks"][0]["line"]

    def stranger(self, *options):
        return self.start("lease", "run", "--desk", "gpu0", *options, "--",
                          "sh", "-c", WAITS_TO_GO.format("go"))

    def lease(self):
        return self.ask("status")["lease"]

    def test_the_daemon_gives_way_at_the_end_of_a_call_and_serves_again(self):
        stream = self.daemon.stream("say 1000000 words")
        stream.event()
        stranger = self.stranger("--for", "training")
        self.wait_until(lambda: len(self.line()) == 2, "it stands in line")
        holder, waiter = self.line()
        self.assertIn("hotdesk daemon", holder["what"])
        self.assertEqual(holder["pid"], self.daemon.pid)
        self.assertEqual(waiter["what"], "training")
        self.assertIn("training", self.do("lease", "show"))
        # The running call is not cut, and no new one goes before the stranger once it has waited.
        self.wait_until(lambda: self.ask("desks")["desks"][0]["gate"], "the gate closes")
        late = self.daemon.post("late")
        self.wait_until(lambda: len(self.calls()) == 2, "a late call waits")
        self.assertTrue(stream.event()["choices"])
        self.assertEqual(self.read("holding"), "")
        stream.close()
        self.wait_for_lines("holding", 1)
        self.assertEqual(self.model_now("small")["phase"], "absent")
        self.wait_until(lambda: self.lease() == "queued", "the daemon stands in line again")
        self.assertEqual([ticket["what"] for ticket in self.line()][0], "training")
        waits = self.wait_until(lambda: [call["waits_for"] for call in self.calls()], "the call waits")
        self.assertIn("(training) has the desk", waits[0])
        self.write("go", "")
        self.assertEqual(Answer(late.getresponse()).text, "late")
        late.close()
        self.assertEqual(stranger.wait(60), 0)
        self.assertEqual(self.lease(), "held")
        self.assertIn("stranger_waits", self.daemon.log())

    def test_an_idle_daemon_gives_way_at_once(self):
        self.daemon.chat()
        begun = time.monotonic()
        self.stranger()
        self.wait_for_lines("holding", 1)
        print(f"an idle desk was handed over after {time.monotonic() - begun:.2f} s, gate_age 1 s")
        self.write("go", "")

    def test_an_agent_that_uses_the_device_holds_the_desk_itself(self):
        self.daemon.chat()
        self.do("run", "trainer")
        self.wait_for_lines("holding", 1)
        self.assertEqual(self.model_now("small")["phase"], "absent")
        self.assertIn("trainer", json.dumps(self.line()[0]) + self.do("lease", "show"))
        # A second one that may wait for a second only skips.
        code, _, _ = self.cli("run", "hasty", "--wait")
        self.assertEqual((code, self.runs("hasty")[-1]["outcome"]), (75, "skipped"))
        self.write("go", "")
        self.assertEqual(self.wait_for_end("trainer")["outcome"], "done")
        self.assertEqual(self.daemon.chat("back").text, "back")

    def test_a_stopped_run_gives_the_desk_back(self):
        self.do("run", "trainer")
        self.wait_for_lines("holding", 1)
        self.do("stop", self.ask("ps")["runs"][0]["id"])
        self.assertEqual(self.wait_for_end("trainer")["outcome"], "interrupted")
        self.assertEqual(self.daemon.chat("back").text, "back")
        self.assertEqual(len(self.marked()), 2)  # the daemon and its worker

    def test_a_run_that_holds_the_desk_too_long_is_timed_out(self):
        self.configure(agents=[self.agent(
            "trainer", "trap 'echo asked; sleep 3; echo late' TERM; while :; do sleep 0.05; done",
            gpu="run", timeout="1s")])  # and kill_grace is a second
        self.do("reload")
        code, _, err = self.cli("run", "trainer", "--wait")
        run = self.runs("trainer")[-1]
        self.assertEqual((code, run["outcome"], run["why"]["reason"]), (124, "timed-out", "run_timeout"))
        self.assertIn("its timeout is 1.0 s", err)
        said = self.do("logs", "trainer").splitlines()
        self.assertEqual(("asked" in said, "late" in said), (True, False))
        self.assertEqual(self.line(), [])

    def test_a_killed_daemon_frees_the_desk(self):
        self.daemon.chat()
        self.assertEqual(self.lease(), "held")
        self.daemon.kill()
        self.stranger()
        self.wait_for_lines("holding", 1)
        self.write("go", "")


if __name__ == "__main__":
    unittest.main()
