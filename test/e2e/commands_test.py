# SPDX-License-Identifier: MIT
"""Every command that asks or tells the daemon: its text, its JSON, its exit code."""
import json
import os
import unittest

from daemon_case import Answer, DaemonTestCase

LOOKS = [["status"], ["ps"], ["top"], ["agents"], ["runs"], ["queue"], ["models"], ["desks"],
         ["why", "inbox"], ["why", "r-1"], ["why", "small"], ["logs", "inbox"], ["logs", "r-1"],
         ["config", "check"]]
TELLS = [["pause"], ["resume"], ["pause", "inbox"], ["resume", "inbox"], ["evict", "small"],
         ["reload"], ["run", "inbox"]]
UNKNOWN = [["why", "inbx"], ["logs", "inbx"], ["run", "inbx"], ["pause", "inbx"], ["resume", "inbx"],
           ["runs", "--agent", "inbx"]]


class Commands(DaemonTestCase):
    def setUp(self):
        super().setUp()
        self.models = [self.model()]
        self.agents = [self.agent("inbox", "echo hello", schedule="0 4 * * *"),
                       self.agent("long", "sleep 1000")]
        self.configure(models=self.models, agents=self.agents)

    def test_each_answers_in_words_and_in_json(self):
        self.up()
        self.do("run", "inbox", "--wait")
        for words in LOOKS:
            self.assertTrue(self.do(*words).strip(), words)
            self.ask(*words)
        for words in TELLS:
            self.assertEqual(self.do(*words), "", words)  # what was done is said on stderr
            self.ask(*words)
        self.assertEqual(self.ask("run", "inbox", "--wait")["outcome"], "done")
        self.assertIn("hello", self.do("logs", "inbox"))
        self.assertEqual(self.ask("logs", "inbox")["text"], "hello\n")

    def test_unknown_names_exit_66_and_name_the_nearest(self):
        self.up()
        for words in UNKNOWN:
            for more in ([], ["--json"]):
                code, out, err = self.cli(*words, *more)
                self.assertEqual((code, out), (66, ""), words)
                self.assertIn("did you mean inbox?", err, words)
        self.assertEqual(self.cli("evict", "smal")[0], 66)
        for words in (["stop", "r-99"], ["logs", "r-99"], ["why", "r-99"], ["why", "c-99"]):
            self.assertEqual(self.cli(*words)[0], 66, words)

    def test_without_a_daemon_they_exit_69_and_say_what_to_do(self):
        for words in LOOKS[:10] + TELLS + [["drain"], ["stop", "r-1"]]:
            code, out, err = self.cli(*words)
            self.assertEqual((code, out), (69, ""), words)
            self.assertIn("hotdesk up", err)

    def test_without_a_daemon_the_history_is_still_read(self):
        daemon = self.up()
        self.do("run", "inbox", "--wait")
        daemon.terminate()
        daemon.wait()
        for words, text in ((["runs"], "done"), (["logs", "inbox"], "hello"), (["why", "r-1"], "done")):
            code, out, err = self.cli(*words)
            self.assertEqual(code, 0, err)
            self.assertIn(text, out)
            self.assertIn("no daemon is running", err)
            self.ask(*words)

    def test_wrong_command_lines_exit_64(self):
        for words in ([], ["nonsense"], ["run"], ["why"], ["ps", "x"], ["runs", "--limit", "x"],
                      ["status", "--nope"], ["up", "--nope"], ["stop"], ["evict"]):
            code, out, err = self.cli(*words)
            self.assertEqual((code, out), (64, ""), words)
            self.assertTrue(err, words)

    def test_paused_agents_are_skipped_and_resumed_ones_run(self):
        self.agents[0]["schedule"] = "every 1s"
        self.configure(models=self.models, agents=self.agents)
        self.up()
        self.wait_for_end("inbox")
        self.do("pause", "inbox")
        skipped = self.wait_until(lambda: [run for run in self.runs("inbox")
                                           if run["outcome"] == "skipped"], "a skipped firing")[0]
        self.assertEqual(skipped["why"]["reason"], "paused")
        self.assertTrue(next(a for a in self.ask("agents")["agents"] if a["name"] == "inbox")["paused"])
        done = len([run for run in self.runs("inbox") if run["outcome"] == "done"])
        self.do("resume", "inbox")
        self.wait_until(lambda: len([run for run in self.runs("inbox")
                                     if run["outcome"] == "done"]) > done, "it runs again")
        self.do("pause")
        self.wait_until(lambda: self.ask("status")["paused"], "the fleet is paused")
        self.assertIn("paused", self.do("status"))
        self.do("resume")

    def test_reload_adds_and_removes_and_keeps_the_old_config_when_the_new_one_is_wrong(self):
        daemon = self.up()
        self.configure(models=self.models, agents=[self.agent("fresh", "echo new")])
        self.do("reload")
        self.wait_until(lambda: [a["name"] for a in self.ask("agents")["agents"]] == ["fresh"], "reloaded")
        self.do("run", "fresh", "--wait")
        self.configure(models=self.models, agents=[self.agent("inbox", "true", schedule="nonsense")])
        code, out, err = self.cli("reload")
        self.assertEqual((code, out), (65, ""))
        self.assertIn(f"{self.config_path}:", err)
        self.assertEqual([a["name"] for a in self.ask("agents")["agents"]], ["fresh"])
        self.configure(models=self.models, agents=self.agents)
        daemon.process.send_signal(1)  # SIGHUP
        self.wait_until(lambda: len(self.ask("agents")["agents"]) == 2, "reloaded by signal")

    def test_a_removed_agents_run_goes_on_and_is_recorded(self):
        self.agents[1]["command"] = ["sh", "-c", "while ! [ -f go ]; do sleep 0.05; done"]
        self.configure(models=self.models, agents=self.agents)
        self.up()
        self.do("run", "long")
        self.wait_until(lambda: self.ask("ps")["runs"], "it runs")
        self.configure(models=self.models, agents=self.agents[:1])
        self.do("reload")
        self.wait_until(lambda: len(self.ask("agents")["agents"]) == 1, "reloaded")
        self.write("go", "")
        self.assertEqual(self.wait_for_end("long")["outcome"], "done")

    def test_a_removed_model_refuses_who_waits_and_finishes_who_runs(self):
        self.models = [self.model(slots=1), self.model("other")]
        self.configure(models=self.models)
        daemon = self.up()
        stream = daemon.stream("say 1000000 words")
        stream.event()
        waiter = daemon.post("late")
        self.wait_until(lambda: len(self.calls()) == 2, "one waits")
        self.configure(models=self.models[1:])
        self.do("reload")
        refused = Answer(waiter.getresponse())
        waiter.close()
        self.assertEqual((refused.status, refused.error["code"]), (404, "model_not_found"))
        self.assertTrue(stream.event()["choices"])
        stream.close()
        self.wait_until(lambda: self.marked() == [daemon.pid], "its worker is gone")

    def test_a_changed_model_is_loaded_anew_when_its_calls_have_ended(self):
        daemon = self.up()
        stream = daemon.stream("say 1000 words")
        stream.event()
        self.configure(models=[self.model(slots=2)])
        self.do("reload")
        self.assertEqual(daemon.chat("next").text, "next")
        self.assertEqual(stream.events()[-1], "[DONE]")
        stream.close()
        self.assertEqual(self.model_now("small")["loads"], 2)

    def test_logs_follow_until_the_run_ends(self):
        self.agents = [self.agent("inbox", "echo a; while ! [ -f go ]; do sleep 0.05; done; echo b")]
        self.configure(agents=self.agents)
        self.up()
        self.do("run", "inbox")
        self.wait_until(lambda: self.cli("logs", "inbox")[1] == "a\n", "its first words")
        follower = self.start("logs", "-f", "inbox")
        self.assertEqual(follower.stdout.readline(), "a\n")
        self.write("go", "")
        self.assertEqual(follower.stdout.readline(), "b\n")
        self.assertEqual(follower.wait(60), 0)

    def test_evict_unloads_when_no_call_runs(self):
        daemon = self.up()
        stream = daemon.stream("say 1000000 words")
        stream.event()
        self.do("evict", "small")
        self.assertEqual(self.model_now("small")["phase"], "ready")
        stream.close()
        self.wait_until(lambda: self.model_now("small")["phase"] == "absent", "unloaded")
        self.wait_until(lambda: "evict_asked" in json.dumps(self.ask("why", "small")), "why says so")

    def test_init_writes_a_config_that_passes_the_check_and_overwrites_nothing(self):
        path = self.path("fresh.toml")
        code, _, err = self.cli("init", path)
        self.assertEqual(code, 0, err)
        self.do("config", "check", path)
        with open(path) as file:
            before = file.read()
        self.assertNotEqual(self.cli("init", path)[0], 0)
        with open(path) as file:
            self.assertEqual(file.read(), before)

    def test_init_says_in_json_what_it_wrote_and_found(self):
        self.environment["HOME"] = self.folder
        os.mkdir(self.path("models"))
        os.rename(self.path("small.gguf"), self.path("models/Small-Q4.gguf"))
        answer = self.ask("init", self.path("fresh.toml"))
        self.assertEqual(answer["file"], self.path("fresh.toml"))
        self.assertEqual(answer["models"], [{"name": "small-q4", "path": self.path("models/Small-Q4.gguf"),
                                             "bytes": os.path.getsize(self.path("models/Small-Q4.gguf"))}])
        self.do("config", "check", answer["file"])

    def test_replay_says_what_is_no_journal(self):
        self.up()
        self.do("status")
        folder = os.path.join(self.state, "journal")
        journal = os.path.join(folder, os.listdir(folder)[0])
        self.assertIn("all decided alike", self.do("replay", journal))
        self.assertEqual(self.ask("replay", journal)["different"], 0)
        self.assertEqual(self.cli("replay", self.path("nothing"))[0], 66)
        self.write("noise", "this is no journal\n")
        self.assertEqual(self.cli("replay", self.path("noise"))[0], 65)


if __name__ == "__main__":
    unittest.main()
