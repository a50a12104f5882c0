# SPDX-License-Identifier: MIT
"""Runs of agents: overlap, time-outs, exit codes, logs, and the API that each run is given."""
import os
import time
import unittest

from daemon_case import DaemonTestCase

# Asks its model with the standard library and what its environment says.
ASK = """
import json, os, sys, urllib.request
body = json.dumps({"messages": [{"role": "user", "content": sys.argv[1]}]}).encode()
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {
    "Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
with urllib.request.urlopen(request) as answer:
    print(answer.headers["x-hotdesk-call"], json.load(answer)["choices"][0]["message"]["content"])
"""


class Overlap(DaemonTestCase):
    def runs_of_a_slow_agent(self, overlap, firings):
        """Its first run lasts until `firings` later ones have come; then it is let go."""
        self.configure(agents=[self.agent(
            "slow", 'echo "$HOTDESK_RUN_ID" >> began; while ! [ -f go ]; do sleep 0.05; done',
            schedule="every 1s", overlap=overlap, catch_up="skip")])
        self.up()
        self.wait_for_lines("began", 1)
        first = self.runs("slow")[0]
        return first, firings

    def firings_since(self, first):
        return [run for run in self.runs("slow") if run["due_ms"] > first["due_ms"]]

    def test_skip_passes_over_what_is_due_meanwhile(self):
        first, _ = self.runs_of_a_slow_agent("skip", 2)
        skipped = self.wait_until(lambda: [run for run in self.firings_since(first)
                                           if run["outcome"] == "skipped"][1:], "skipped firings")
        self.assertEqual(skipped[0]["why"]["reason"], "overlap")
        self.assertIn(first["id"].removeprefix("r-"), skipped[0]["why"]["text"])
        self.assertIsNone(skipped[0]["id"])
        self.assertEqual(len(self.read("began").splitlines()), 1)

    def test_queue_keeps_every_firing(self):
        first, _ = self.runs_of_a_slow_agent("queue", 3)
        self.wait_until(lambda: self.ask("agents")["agents"][0]["held"] >= 3, "three held firings")
        self.write("go", "")
        self.wait_for_end("slow", 4)
        dues = [run["due_ms"] for run in self.ended("slow")[:4]]
        self.assertEqual(dues, [first["due_ms"] + 1000 * i for i in range(4)])
        self.assertEqual({run["outcome"] for run in self.ended("slow")[:4]}, {"done"})

    def test_latest_keeps_only_the_last_one(self):
        first, _ = self.runs_of_a_slow_agent("latest", 3)
        self.wait_until(lambda: [run for run in self.firings_since(first)
                                 if run["outcome"] == "skipped"][1:], "superseded firings")
        self.assertEqual(self.ask("agents")["agents"][0]["held"], 1)
        superseded = [run for run in self.firings_since(first) if run["outcome"] == "skipped"]
        self.assertEqual({run["why"]["reason"] for run in superseded}, {"superseded"})
        self.write("go", "")
        self.wait_for_end("slow", len(superseded) + 2)


class Ends(DaemonTestCase):
    def end_of(self, script, **keys):
        self.configure(agents=[self.agent("one", script, **keys)])
        self.up()
        code, _, err = self.cli("run", "one", "--wait")
        return code, self.runs("one")[-1], err

    def test_a_run_past_its_timeout_is_ended_and_killed_when_it_does_not_listen(self):
        code, run, err = self.end_of('trap "" TERM; while :; do sleep 0.1; done', timeout="1s")
        self.assertEqual((code, run["outcome"], run["why"]["reason"]), (124, "timed-out", "run_timeout"))
        self.assertEqual(run["exit_code"], 128 + 9)
        self.assertGreaterEqual(run["ran_ms"], 2000)  # timeout and kill_grace
        self.assertIn("timed-out", err)

    def test_exit_code_75_is_skipped(self):
        code, run, _ = self.end_of("exit 75")
        self.assertEqual((code, run["outcome"], run["exit_code"]), (75, "skipped", 75))

    def test_another_exit_code_is_failed_and_passed_on(self):
        code, run, _ = self.end_of("exit 7")
        self.assertEqual((code, run["outcome"], run["exit_code"]), (7, "failed", 7))
        self.assertEqual(run["why"]["reason"], "exited")

    def test_a_missing_command_is_a_failed_run_that_names_it(self):
        self.configure(agents=[{"name": "one", "command": ["no-such-program", "x"]},
                               {"name": "two", "command": ["true"], "dir": self.path("nowhere")}])
        self.up()
        code, _, err = self.cli("run", "one", "--wait")
        run = self.runs("one")[-1]
        self.assertEqual((code, run["outcome"], run["why"]["reason"]), (1, "failed", "not_started"))
        self.assertIn("no-such-program", run["why"]["text"])
        self.assertIn("no-such-program", err)
        self.cli("run", "two", "--wait")
        self.assertIn("nowhere", self.runs("two")[-1]["why"]["text"])

    def test_the_log_is_bounded_and_keeps_both_ends(self):
        self.configure(agents=[self.agent(
            "one", 'echo first; i=0; while [ $i -lt 4000 ]; do echo "line $i"; i=$((i+1)); done; '
            'echo last >&2')], logs={"bytes_max": "8KiB"})
        self.up()
        self.do("run", "one", "--wait")
        text = self.do("logs", "one")
        self.assertLessEqual(len(text), 9000)
        self.assertTrue(text.startswith("first\nline 0\n"), text[:100])
        self.assertTrue(text.endswith("line 3999\nlast\n"), text[-100:])
        self.assertLessEqual(os.path.getsize(self.runs("one")[-1]["log"]), 8192)

    def test_no_more_run_at_once_than_runs_max(self):
        self.configure(fleet={"runs_max": 2}, agents=[
            self.agent(f"a{i}", "while ! [ -f go ]; do sleep 0.05; done") for i in range(5)])
        self.up()
        for i in range(5):
            self.do("run", f"a{i}")
        self.wait_until(lambda: len(self.ask("ps")["runs"]) == 2, "two run")
        self.assertEqual(sum(agent["held"] for agent in self.ask("agents")["agents"]), 3)
        self.write("go", "")
        for i in range(5):
            self.assertEqual(self.wait_for_end(f"a{i}")["outcome"], "done")

    def test_every_asking_is_answered_by_its_own_run(self):
        self.configure(agents=[self.agent(
            "one", 'while ! [ -f go ]; do sleep 0.05; done; echo "$HOTDESK_RUN_ID"')])
        daemon = self.up()
        asked = [daemon.request("POST", "/hotdesk/v1/agents/one/run").json["run"] for _ in range(5)]
        self.assertEqual(len(set(asked)), 5)
        self.assertEqual(daemon.get(f"/hotdesk/v1/runs/{asked[-1]}").json["phase"], "asked")
        self.write("go", "")
        for run in asked:
            self.wait_until(lambda: daemon.get(f"/hotdesk/v1/runs/{run}").json["outcome"] == "done", run)
            self.assertEqual(self.do("logs", run), f"{run}\n")
        self.assertEqual([run["id"] for run in self.runs("one")], asked)

    def test_a_child_that_hides_ends_with_its_run(self):
        self.configure(agents=[self.agent("one", "setsid sleep 1000 & exit 0")])
        daemon = self.up()
        self.do("run", "one", "--wait")
        self.assertEqual(self.marked(), [daemon.pid])

    def test_a_stopped_run_is_interrupted(self):
        self.configure(agents=[self.agent("one", 'trap "" TERM; while :; do sleep 0.1; done')])
        self.up()
        self.do("run", "one")
        run = self.wait_until(lambda: [r for r in self.ask("ps")["runs"] if r["phase"] == "running"],
                              "it runs")[0]
        self.do("stop", run["id"])
        self.assertEqual(self.wait_for_end("one")["outcome"], "interrupted")


class Calls(DaemonTestCase):
    def test_a_run_finds_the_api_in_its_environment(self):
        self.write("ask.py", ASK)
        self.configure(models=[self.model()], tasks={"write": ["small"]}, agents=[
            {"name": "one", "command": ["python3", self.path("ask.py"), "hello there"], "task": "write"}])
        daemon = self.up()
        self.do("run", "one", "--wait")
        run = self.runs("one")[-1]
        call, _, text = self.do("logs", "one").strip().partition(" ")
        self.assertEqual(text, "hello there")
        self.assertEqual((run["outcome"], run["calls"]), ("done", 1))
        self.assertGreater(run["completion_tokens"], 0)
        record = self.ask("why", f"c-{call}")["record"]
        self.assertEqual((record["run"], record["agent"], record["model"], record["outcome"]),
                         (run["id"], "one", "small", "done"))
        # Its key went with it.
        self.configure(models=[self.model()], agents=[self.agent("key", "echo $OPENAI_API_KEY")])
        self.do("reload")
        self.do("run", "key", "--wait")
        key = self.do("logs", "key").strip()
        refused = daemon.chat(headers={"Authorization": f"Bearer {key}"})
        self.assertEqual((refused.status, refused.error["code"]), (401, "unknown_key"))

    def test_waiting_for_a_slow_load_does_not_count_as_run_time(self):
        self.write("ask.py", ASK)
        self.configure(models=[self.model()], tasks={"write": ["small"]}, agents=[
            {"name": "one", "command": ["python3", self.path("ask.py"), "hi"], "task": "write",
             "timeout": "4s"}])
        self.worker_options("small", "--load-ms 6000")
        self.up()
        code, _, err = self.cli("run", "one", "--wait")
        run = self.runs("one")[-1]
        self.assertEqual((code, run["outcome"]), (0, "done"), err)
        self.assertGreaterEqual(run["waited_ms"], 4000)
        self.assertLess(run["ran_ms"], 4000)
        self.assertIn("waiting for small to load", err)


if __name__ == "__main__":
    unittest.main()
