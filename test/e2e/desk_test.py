# SPDX-License-Identifier: MIT
"""The desk with real workers on an emulated GPU: two models that exclude each other, a third that
can never fit."""
import base64
import json
import os
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from daemon_case import Answer, DaemonTestCase

MKMODEL = os.environ.get("HOTDESK_TEST_MKMODEL", "")
EMULATED = os.environ.get("HOTDESK_TEST_EMULATED", "")  # the ggml backend
LEDGER_TOOL = os.environ.get("HOTDESK_TEST_LEDGER_TOOL", "")
MIB = 1 << 20
DEVICE = 24 * MIB


@unittest.skipUnless(EMULATED, "the engine is not built")
class Desk(DaemonTestCase):
    uses_real_worker = True

    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory(prefix="hotdesk-e2e-models-")
        for seed, name in enumerate("ab"):
            cls.make_model(name, size="10MiB", quant="Q8_0", seed=seed)
        cls.make_model("tiny", layers=2, embd=64, ff=128)

    @classmethod
    def tearDownClass(cls):
        cls.files.cleanup()

    @classmethod
    def file(cls, name):
        return os.path.join(cls.files.name, f"{name}.gguf")

    @classmethod
    def make_model(cls, name, **options):
        flags = [f"--{key}={value}" for key, value in options.items()]
        subprocess.run([MKMODEL, cls.file(name), "--quiet", *flags], check=True)

    def setUp(self):
        super().setUp()
        self.ledger = self.path("ledger")
        self.environment |= {"HOTDESK_EMULATED_LEDGER": self.ledger,
                             "HOTDESK_EMULATED_BYTES": str(DEVICE)}
        self.change_device("--total", str(DEVICE))
        keys = {"placement": "desk", "ctx": 1024, "slots": 2}
        self.configure(
            models=[self.model(name, file=self.file(name), **keys) for name in "ab"] + [
                # Its context alone is larger than the device.
                self.model("vast", file=self.file("a"), placement="desk", ctx=1 << 20),
                self.model("tiny", file=self.file("tiny"), ctx=1024)],
            queue={"gate_age": "1s"},
            gpu={"device": f"emulated:{self.ledger}", "budget": DEVICE, "reserve": "0MiB",
                 "backends": [EMULATED]})
        self.daemon = self.up()

    def change_device(self, *options):
        subprocess.run([LEDGER_TOOL, self.ledger, *options], check=True, capture_output=True)

    def device(self):
        return json.loads(subprocess.run([LEDGER_TOOL, self.ledger], check=True,
                                         capture_output=True).stdout)

    def say(self, model, tokens=4, **more):
        return self.daemon.chat("Hello", model=model, max_tokens=tokens, temperature=0, **more)

    def loads(self):
        return {model["name"]: model["loads"] for model in self.ask("models")["models"]}

    def test_two_heavy_models_take_turns_and_never_overflow(self):
        needs = [self.model_now(name)["device_bytes_needed"] for name in "ab"]
        self.assertLess(max(needs), DEVICE)
        self.assertGreater(sum(needs), DEVICE)
        order = "abaatbabatb"
        models = ["tiny" if letter == "t" else letter for letter in order]
        clients = [self.daemon.post("Hello", model=model, max_tokens=4) for model in models]
        for model, client in zip(models, clients):
            answer = Answer(client.getresponse())
            self.assertEqual((answer.status, answer.headers["x-hotdesk-model"]), (200, model), answer.body)
            client.close()
        loads = self.loads()
        print(f"{len(order)} calls in the order {order}: loads {loads}")
        self.assertLessEqual(loads["a"] + loads["b"], 4)  # one by one it would be 8
        self.assertEqual(loads["tiny"], 1)
        device = self.device()
        self.assertLessEqual(device["peak"], DEVICE)
        self.assertEqual(device["failed_allocations"], 0)

    def test_a_stream_is_not_cut_by_another_models_turn(self):
        stream = self.daemon.stream("Hello", model="a", max_tokens=300, ignore_eos=True)
        stream.event()
        waiter = self.daemon.post("Hello", model="b")
        self.wait_until(lambda: any(call["model"] == "b" for call in self.calls()), "b waits")
        events = stream.events()
        stream.close()
        self.assertEqual(events[-1], "[DONE]")
        ends = [event["choices"][0]["finish_reason"] for event in events[:-1] if event["choices"]]
        self.assertIn("length", ends)
        self.wait_until(lambda: self.model_now("b")["loads"] == 1, "b is loaded after it")
        waiter.close()

    def test_what_can_never_fit_is_refused_at_once_and_evicts_nothing(self):
        self.assertEqual(self.say("a").status, 200)
        begun = time.monotonic()
        answer = self.say("vast")
        took = time.monotonic() - begun
        print(f"a model that can never fit was refused after {took * 1000:.0f} ms")
        self.assertEqual((answer.status, answer.error["code"]), (507, "cannot_fit"), answer.body)
        self.assertGreater(answer.error["need"], DEVICE)
        self.assertEqual(answer.error["have"], DEVICE)
        self.assertEqual(answer.headers["x-should-retry"], "false")
        self.assertLess(took, 1.0)
        self.assertEqual(self.model_now("a")["phase"], "ready")
        self.assertEqual(self.loads()["vast"], 0)

    def test_a_killed_worker_gives_its_memory_back_and_the_next_load_follows(self):
        self.say("a")
        stream = self.daemon.stream("Hello", model="a", max_tokens=900, ignore_eos=True)
        stream.event()
        self.assertEqual(len(self.device()["owners"]), 1)
        os.kill(self.device()["owners"][0]["pid"], signal.SIGKILL)
        events = stream.events()
        stream.close()
        self.assertEqual(events[-1]["error"]["code"], "worker_died")
        self.assertEqual(self.say("b").status, 200)
        self.assertEqual(len(self.device()["owners"]), 1)
        self.assertEqual(self.device()["failed_allocations"], 0)

    def test_a_prompt_over_the_context_is_refused_with_the_numbers(self):
        for is_stream in (False, True):
            answer = self.daemon.chat("word " * 3000, model="tiny", stream=is_stream)
            self.assertEqual((answer.status, answer.error["code"]), (400, "context_length_exceeded"))
            self.assertGreater(answer.error["prompt_tokens"], 1024)
            self.assertEqual(answer.error["context"], 1024)

    def test_a_client_that_hangs_up_frees_the_worker(self):
        client = self.daemon.post("Hello", model="tiny", max_tokens=900, ignore_eos=True)
        self.wait_until(lambda: [c for c in self.calls() if c["state"] == "running"], "it runs")
        client.close()
        self.wait_until(lambda: not self.calls(), "it is gone")
        self.assertEqual(self.say("tiny").status, 200)

    def test_memory_that_a_stranger_holds_is_waited_for_and_told(self):
        self.change_device("--reserved", "20MiB")
        # It fails at once and after 3 s, and is tried again 5 s later: not a third time within 6 s,
        # after which callers would be told instead of being kept.
        answer = self.say("a", headers={"x-hotdesk-wait": "6s"})
        self.assertIn(answer.status, (503, 504, 507), answer.body)
        self.assertTrue(answer.error["message"])
        print(f"a stranger holds 20 of 24 MiB: {answer.status} {answer.error['message']}")
        self.change_device("--reserved", "0MiB")
        self.assertEqual(self.say("a", headers={"x-hotdesk-wait": "2m"}).status, 200)


@unittest.skipUnless(MKMODEL, "the engine is not built")
class Embeddings(DaemonTestCase):
    uses_real_worker = True

    def test_a_model_of_embeddings_answers_with_vectors_and_with_no_text(self):
        file = self.path("vectors.gguf")
        subprocess.run([MKMODEL, file, "--quiet", "--pooling=mean", "--layers=2", "--embd=64", "--ff=128"],
                       check=True)
        self.configure(models=[self.model("vectors", file=file, ctx=1024)])
        daemon = self.up()
        ask = {"model": "vectors", "input": ["one text", "another"]}
        answer = daemon.request("POST", "/v1/embeddings", ask)
        self.assertEqual(answer.status, 200, answer.body)
        vectors = [one["embedding"] for one in answer.json["data"]]
        self.assertEqual([len(vector) for vector in vectors], [64, 64])
        self.assertGreater(answer.json["usage"]["prompt_tokens"], 1)
        coded = daemon.request("POST", "/v1/embeddings", {**ask, "encoding_format": "base64"}).json["data"]
        for vector, one in zip(vectors, coded):
            floats = struct.unpack("<64f", base64.b64decode(one["embedding"]))
            self.assertTrue(all(abs(x - y) < 1e-6 for x, y in zip(vector, floats)))
        refused = daemon.chat(model="vectors")
        self.assertEqual((refused.status, refused.error["code"]), (400, "not_a_text_model"), refused.body)


if __name__ == "__main__":
    unittest.main()
