# SPDX-License-Identifier: MIT
"""Calls against the real daemon and workers that fail in every way, and bad input over HTTP."""
import os
import signal
import socket
import time
import unittest

from gguf import write_model
from daemon_case import Answer, DaemonTestCase, PATIENCE, is_alive


class Workers(DaemonTestCase):
    def worker_pid(self, daemon):
        return self.wait_until(lambda: [pid for pid in self.marked() if pid != daemon.pid], "a worker")[0]

    def test_a_killed_worker_breaks_its_stream_clearly_and_the_next_load_starts_at_once(self):
        self.configure(models=[self.model()])
        daemon = self.up()
        stream = daemon.stream("say 1000000 words", headers={"x-hotdesk-wait": "1m"})
        stream.event()
        os.kill(self.worker_pid(daemon), signal.SIGKILL)
        events = stream.events()
        stream.close()
        self.assertEqual(events[-1]["error"]["code"], "worker_died")
        begun = time.monotonic()
        self.assertEqual(daemon.chat("hello again").text, "hello again")
        self.assertLess(time.monotonic() - begun, 4)  # the second load after a crash waits 5 s
        self.assertEqual(self.model_now("small")["loads"], 2)
        self.assertIn("signal 9", daemon.log())

    def test_a_call_that_had_no_answer_yet_is_tried_once_more(self):
        self.configure(models=[self.model()])
        daemon = self.up()
        died = daemon.chat("crash")
        self.assertEqual((died.status, died.error["code"]), (503, "worker_died"))
        self.assertIn("retry-after", died.headers)
        self.assertEqual(self.model_now("small")["loads"], 2)

    def test_a_worker_that_ignores_quit_is_gone_after_the_grace(self):
        self.configure(models=[self.model()], fleet={"kill_grace": "1s"})
        self.worker_options("small", "--mode ignore_quit")
        daemon = self.up()
        daemon.chat()
        pid = self.worker_pid(daemon)
        self.do("evict", "small")
        begun = time.monotonic()
        self.wait_until(lambda: not is_alive(pid), "the worker is gone")
        print(f"a worker that ignores quit is gone after {time.monotonic() - begun:.2f} s, grace 1 s")
        self.assertIn("action=kill why=kill_grace_over", daemon.log())
        self.assertEqual(daemon.chat("hi").text, "hi")

    def test_loads_that_fail_are_told_with_what_the_worker_said(self):
        self.configure(models=[self.model("oom"), self.model("crash"), self.model("garbage")])
        self.worker_options("oom", "--mode oom")
        self.worker_options("crash", "--mode crash_on_load")
        self.worker_options("garbage", "--mode garbage")
        daemon = self.up()
        for name, code, words in (("crash", 503, "signal 11"), ("garbage", 500, "not a frame"),
                                  ("oom", 507, "4.0 GiB")):
            answer = daemon.chat(model=name, headers={"x-hotdesk-wait": "40s"})
            self.assertEqual((answer.status, answer.error["code"]), (code, "load_failed"), answer.body)
            self.assertIn(words, answer.error["message"])
            self.assertIn(words, self.model_now(name)["last_error"])
        self.do("status")

    def test_why_knows_a_call_as_soon_as_it_is_answered(self):
        self.configure(models=[self.model()])
        daemon = self.up()
        for _ in range(10):
            call = daemon.chat().headers["x-hotdesk-call"]
            answer = daemon.get(f"/hotdesk/v1/why/c-{call}")
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(answer.json["record"]["outcome"], "done")
            self.assertEqual(answer.json["reasons"][-1]["action"], "close_call")

    def test_a_call_that_waited_as_long_as_it_may_gets_a_typed_error(self):
        self.configure(models=[self.model(slots=4)])
        self.worker_options("small", "--slots 1 --load-ms 20000")
        daemon = self.up()
        answer = daemon.chat(headers={"x-hotdesk-wait": "1s"})
        self.assertEqual((answer.status, answer.error["code"]), (504, "wait_timeout"), answer.body)
        self.assertEqual(answer.error["need"], 1000)
        self.assertGreaterEqual(answer.error["have"], 1000)
        self.assertIn("still loading", answer.error["message"])
        self.assertEqual(answer.headers["x-should-retry"], "false")

    def test_a_client_that_hangs_up_frees_its_slot(self):
        self.configure(models=[self.model(slots=1)])
        daemon = self.up()
        client = daemon.post("hang")
        self.wait_until(lambda: [c for c in self.calls() if c["state"] == "running"], "it runs")
        waiter = daemon.post("hello")
        self.wait_until(lambda: len(self.calls()) == 2, "another waits")
        waiter.close()
        self.wait_until(lambda: len(self.calls()) == 1, "the waiter left the line")
        client.close()
        self.wait_until(lambda: not self.calls(), "nobody is left")
        self.assertEqual(daemon.chat("next").text, "next")
        self.assertIn('outcome="cancelled"', daemon.get("/metrics").body)

    def test_a_running_call_is_ended_after_call_max(self):
        self.configure(models=[self.model(slots=1)], queue={"call_max": "1s"})
        daemon = self.up()
        answer = daemon.chat("hang")
        self.assertEqual((answer.status, answer.error["code"]), (504, "call_max"))
        self.assertEqual(daemon.chat("next").text, "next")

    def test_a_stopped_worker_fails_its_calls_and_can_be_evicted(self):
        self.configure(models=[self.model()], queue={"call_max": "1s"})
        daemon = self.up()
        daemon.chat()
        os.kill(self.worker_pid(daemon), signal.SIGSTOP)
        self.assertEqual(daemon.chat().error["code"], "call_max")
        self.do("evict", "small")
        self.wait_until(lambda: self.model_now("small")["phase"] == "absent", "it is gone")
        self.assertEqual(daemon.chat("next").text, "next")

    def test_a_crowd_is_served_each_with_its_own_answer(self):
        self.configure(models=[self.model(name, placement="desk") for name in "ab"],
                       gpu={"budget": "150MiB"}, queue={"gate_age": "1s"})
        daemon = self.up()
        clients = [daemon.post(f"hello number {i}", model="ab"[i % 2]) for i in range(200)]
        for i, client in enumerate(clients):
            self.assertEqual(Answer(client.getresponse()).text, f"hello number {i}")
            client.close()
        self.assertLessEqual(sum(model["loads"] for model in self.ask("models")["models"]), 4)

    def test_a_full_line_refuses_one_more(self):
        self.configure(models=[self.model(slots=1)], queue={"waiting_max": 2})
        daemon = self.up()
        clients = [daemon.post("hang")]
        self.wait_until(lambda: [c for c in self.calls() if c["state"] == "running"], "it runs")
        clients += [daemon.post("x") for _ in range(2)]
        self.wait_until(lambda: len(self.calls()) == 3, "two wait")
        refused = daemon.chat()
        self.assertEqual((refused.status, refused.error["code"]), (429, "queue_full"))
        self.assertIn("retry-after", refused.headers)
        for client in clients:
            client.close()

    def test_a_prompt_over_the_context_is_refused_with_the_numbers(self):
        self.configure(models=[self.model()])
        daemon = self.up()
        for is_stream in (False, True):
            answer = daemon.chat("refuse", stream=is_stream)
            self.assertEqual((answer.status, answer.error["code"]), (400, "context_length_exceeded"))
            self.assertEqual((answer.error["prompt_tokens"], answer.error["context"]), (5000, 4096))


class BrokenModels(DaemonTestCase):
    def test_each_is_named_and_the_daemon_lives(self):
        good = self.model()
        with open(good["file"], "rb") as file:
            data = file.read()
        for name, content in (("cut", data[:len(data) // 2]), ("header", data[:100]),
                              ("text", b"this is no model\n" * 100), ("empty", b"")):
            with open(self.path(f"{name}.gguf"), "wb") as file:
                file.write(content)
        os.mkdir(self.path("folder.gguf"))
        write_model(self.path("part-00001-of-00003.gguf"), split=(0, 3))
        names = ["missing", "cut", "header", "text", "empty", "folder"]
        models = [self.model(name, file=self.path(f"{name}.gguf")) for name in names]
        models.append(self.model("part", file=self.path("part-00001-of-00003.gguf")))
        self.configure(models=[good] + models)
        daemon = self.up()
        self.assertIn("part-00002-of-00003.gguf", self.model_now("part")["unusable"])
        self.assertIn("part-00002-of-00003.gguf", daemon.chat(model="part").error["message"])
        listed = self.do("models")
        for name in names:
            why = self.model_now(name)["unusable"]
            self.assertIn(f"{name}.gguf", why)
            self.assertIn(f"{name}.gguf", listed)
            answer = daemon.chat(model=name)
            self.assertEqual((answer.status, answer.error["code"]), (503, "model_unusable"), answer.body)
            self.assertIn(f"{name}.gguf", answer.error["message"])
            self.assertIn(f"model={name} cannot be used", daemon.log())
        self.assertEqual(daemon.chat("well").text, "well")

    def test_a_file_that_appears_is_found_by_reload(self):
        self.configure(models=[self.model("late", file=self.path("late.gguf"))])
        daemon = self.up()
        self.assertEqual(daemon.chat(model="late").status, 503)
        write_model(self.path("late.gguf"))
        self.do("reload")
        self.wait_until(lambda: self.model_now("late")["unusable"] is None, "it is usable")
        self.assertEqual(daemon.chat("hi", model="late").text, "hi")


class BadInput(DaemonTestCase):
    def setUp(self):
        super().setUp()
        self.configure(models=[self.model()])
        self.daemon = self.up()

    def refused(self, answer, status, code, param=None):
        self.assertEqual((answer.status, answer.error["code"]), (status, code), answer.body)
        if param is not None:
            self.assertEqual(answer.error["param"], param)
        self.assertTrue(answer.error["message"])

    def test_bodies_that_are_no_request(self):
        post = lambda body: self.daemon.request("POST", "/v1/chat/completions", body)
        hello = [{"role": "user", "content": "hi"}]
        self.refused(post("{\n\"model\": "), 400, "bad_json")
        self.refused(post("[]"), 400, "bad_json")
        self.refused(post("[" * 100_000), 400, "bad_json")
        self.refused(post(b"\xff\xfe"), 400, "bad_json")
        self.refused(post({"model": "small"}), 400, "missing", "messages")
        self.refused(post({"model": 7, "messages": hello}), 400, "wrong_type", "model")
        self.refused(post({"model": "small", "messages": "hi"}), 400, "wrong_type", "messages")
        self.refused(post({"model": "small", "messages": hello, "max_tokens": "x"}), 400, "wrong_type",
                     "max_tokens")
        self.refused(post({"model": "small", "messages": hello, "n": 2}), 400, "unsupported", "n")

    def test_an_unknown_model_names_the_nearest_and_the_known(self):
        answer = self.daemon.chat(model="smal")
        self.refused(answer, 404, "model_not_found", "model")
        self.assertIn("small", answer.error["message"])
        self.assertEqual(answer.error["known"], ["small"])

    def test_an_unknown_key_and_strange_hosts(self):
        self.refused(self.daemon.chat(headers={"Authorization": "Bearer nope"}), 401, "unknown_key")
        self.refused(self.daemon.get("/v1/models", Host="evil.example"), 403, "host_denied")
        self.refused(self.daemon.get("/v1/models", Origin="http://evil.example"), 403, "origin_denied")
        self.refused(self.daemon.get("/hotdesk/v1/status", Host="evil.example"), 403, "host_denied")

    def test_a_body_over_the_limit(self):
        client = socket.create_connection(("127.0.0.1", self.daemon.port()))
        client.settimeout(PATIENCE)
        client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                       b"Content-Length: 99999999999\r\n\r\n")
        self.assertIn(b" 413 ", client.recv(4096))
        client.close()

    def test_paths_and_methods_that_do_not_exist(self):
        self.refused(self.daemon.get("/v1/nothing"), 404, "unknown_path")
        answer = self.daemon.get("/v1/chat/completions")
        self.refused(answer, 405, "method_not_allowed")
        self.assertEqual(answer.headers["allow"], "POST")
        self.refused(self.daemon.get("/hotdesk/v1/why/nobody"), 404, "not_found")
        self.refused(self.daemon.get("/hotdesk/v1/runs/r-99"), 404, "not_found")
        self.refused(self.daemon.get("/hotdesk/v1/runs/xyz"), 400, "invalid")
        self.refused(self.daemon.get("/hotdesk/v1/logs/%00%ff"), 404, "not_found")

    def test_after_all_that_it_is_well(self):
        for junk in (b"\0" * 1000, b"GET\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n", b"G" * 100_000):
            client = socket.create_connection(("127.0.0.1", self.daemon.port()))
            try:
                client.sendall(junk)
            except OSError:
                pass  # it hung up on us already
            client.close()
        self.assertEqual(self.daemon.get("/healthz").body, "ok\n")
        self.assertEqual(self.daemon.chat("well").text, "well")


if __name__ == "__main__":
    unittest.main()
