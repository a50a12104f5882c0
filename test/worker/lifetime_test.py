# SPDX-License-Identifier: MIT
"""How a worker comes and goes: bad models, no room, the end of its daemon."""

import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

from worker_process import EMULATED, PATIENCE_S, WORKER, Worker, model, once, user

GREEDY = {"temperature": 0, "ignore_eos": True}


class BadModels(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def file(self, name, content):
        path = pathlib.Path(self.dir.name) / name
        path.write_bytes(content)
        return str(path)

    def assert_refused(self, path, code, words, status):
        with Worker(path) as worker:
            self.assertEqual(worker.first["frame"], "load_failed", worker.first)
            error = worker.first["error"]
            self.assertEqual(error["code"], code, error)
            self.assertIn(words, error["message"])
            self.assertIn(path.rsplit("/", 1)[0], error["message"])
            self.assertEqual(worker.process.wait(PATIENCE_S), status)
        self.assertEqual(once(path, {"messages": user("x")}),
                         (status, {"error": error}))

    def test_a_missing_file(self):
        self.assert_refused(self.dir.name + "/none.gguf", "not_found", "No such file", 66)

    def test_a_directory(self):
        self.assert_refused(self.dir.name + "/.", "invalid", "not a regular file", 65)

    def test_what_is_not_gguf(self):
        self.assert_refused(self.file("x.gguf", b"PK\3\4" + bytes(100)), "invalid",
                            "not GGUF: it begins with 50 4b 03 04", 65)

    def test_a_file_of_a_few_bytes(self):
        self.assert_refused(self.file("x.gguf", b"GGUF\3\0\0"), "invalid", "cut off: 7 of", 65)

    def test_another_version(self):
        self.assert_refused(self.file("x.gguf", b"GGUF" + struct.pack("<IQQ", 9, 1, 1)), "invalid",
                            "GGUF version 9", 65)

    def test_forged_counts(self):
        for counts in ((1 << 60, 1), (1, 1 << 60)):
            forged = b"GGUF" + struct.pack("<IQQ", 3, *counts) + bytes(200)
            self.assert_refused(self.file("x.gguf", forged), "invalid", "claims", 65)

    def test_cut_off_anywhere(self):
        whole = pathlib.Path(model()).read_bytes()
        for size in (24, 100, 20_000, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size), Worker(self.file("x.gguf", whole[:size])) as worker:
                self.assertEqual(worker.first["frame"], "load_failed")
                self.assertEqual(worker.first["error"]["code"], "invalid", worker.first)
                self.assertEqual(worker.process.wait(PATIENCE_S), 65)

    def test_a_split_model_with_a_part_missing(self):
        whole = pathlib.Path(model()).read_bytes()
        first = self.file("m-00001-of-00003.gguf", whole)
        self.file("m-00003-of-00003.gguf", whole)
        self.assert_refused(first, "not_found", "part 2 of 3", 66)

    def test_options_that_cannot_be(self):
        for options in (["--ctx", "0"], ["--kv", "f8"], ["--slots"], ["--nonsense", "1"], []):
            done = subprocess.run([WORKER, "--model", "x", *options], capture_output=True,
                                  timeout=PATIENCE_S)
            self.assertEqual(done.returncode, 64)
            self.assertIn(b"usage:", done.stderr)
        done = subprocess.run([WORKER, "--model", model(), "--once", "--contexts", "257"], input=b'{"prompt":"x"}',
                              capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 65)
        self.assertIn(b"257 sequences", done.stdout)


@unittest.skipUnless(EMULATED, "no emulated device was built")
class Device(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def env(self, size):
        return {"HOTDESK_EMULATED_BYTES": size,
                "HOTDESK_EMULATED_LEDGER": self.dir.name + "/ledger"}

    def start(self, size, *options):
        return Worker(model(), "--backend", EMULATED, *options, env=self.env(size))

    def test_a_model_lies_on_the_device_as_far_as_it_was_told(self):
        bytes_on_device = []
        for layers in ("0", "2", "all"):
            with self.start("64MiB", "--gpu-layers", layers) as worker:
                self.assertEqual(worker.first["frame"], "ready", worker.first)
                wanted = {"0": 0, "2": 2, "all": 4}[layers]
                self.assertEqual(worker.first["layers_on_device"], wanted)
                bytes_on_device.append(worker.first["device_bytes"])
                self.assertEqual(worker.ask(messages=user("x"), max_tokens=3,
                                            **GREEDY).end["completion"], 3)
        self.assertEqual(bytes_on_device[0], 0)
        self.assertLess(bytes_on_device[1], bytes_on_device[2])

    def test_the_device_says_what_the_cpu_says(self):
        texts = []
        for device in (["--device", "none"], []):
            with self.start("64MiB", *device) as worker:
                texts.append(worker.ask(messages=user("x"), max_tokens=30, **GREEDY).text)
        self.assertEqual(texts[0], texts[1])

    def assert_no_space(self, size, *options):
        with self.start(size, *options) as worker:
            self.assertEqual(worker.first["frame"], "load_failed", worker.first)
            error = worker.first["error"]
            self.assertEqual(error["code"], "no_space", error)
            self.assertIn("allocate", error["message"])
            self.assertEqual(worker.process.wait(PATIENCE_S), 73)
            return error["message"]

    def test_weights_that_do_not_fit(self):
        self.assert_no_space("2MiB")
        code, answer = once(model(), {"messages": user("x")}, "--backend", EMULATED,
                            env=self.env("2MiB"))
        self.assertEqual((code, answer["error"]["code"]), (73, "no_space"))

    def test_a_kv_pool_that_does_not_fit(self):
        self.assertIn("KV pool", self.assert_no_space("24MiB", "--ctx", "65536"))

    def test_the_second_that_does_not_fit_fails_and_the_first_goes_on(self):
        with self.start("32MiB", "--ctx", "4096") as first:
            self.assertEqual(first.first["frame"], "ready")
            self.assert_no_space("32MiB", "--ctx", "4096")
            self.assertEqual(first.ask(messages=user("x"), max_tokens=3,
                                       **GREEDY).end["completion"], 3)
        with self.start("32MiB", "--ctx", "4096") as again:  # the first is gone, and so are its bytes
            self.assertEqual(again.first["frame"], "ready")

    def test_an_unknown_device_or_backend_is_named(self):
        with self.start("64MiB", "--device", "gpu9") as worker:
            self.assertEqual(worker.first["error"]["code"], "not_found")
            self.assertIn("no device gpu9; there is", worker.first["error"]["message"])
        with Worker(model(), "--backend", "/no/such.so") as worker:
            self.assertIn("/no/such.so", worker.first["error"]["message"])


class Ends(unittest.TestCase):
    def test_quit_ends_it_in_the_middle_of_a_call(self):
        with Worker(model()) as worker:
            call = worker.start(messages=user("x"), max_tokens=4000, **GREEDY)
            worker.wait_for(lambda f: f.get("id") == call)
            worker.send("quit")
            self.assertEqual(worker.process.wait(PATIENCE_S), 0)

    def test_it_ends_when_the_socket_closes(self):
        worker = Worker(model())
        worker.start(messages=user("x"), max_tokens=4000, **GREEDY)
        worker.lines.close()
        worker.socket.close()
        self.assertEqual(worker.process.wait(PATIENCE_S), 0)

    def test_it_ends_when_the_socket_closes_while_it_loads(self):
        worker = Worker(model(), wait=False)
        worker.lines.close()
        worker.socket.close()
        self.assertIn(worker.process.wait(PATIENCE_S), (0, 69))

    def test_it_dies_with_a_parent_that_is_killed(self):
        # The socket stays open here, so that nothing but the parent's end can end the worker.
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        parent = subprocess.Popen(
            [sys.executable, "-c", "import os, subprocess, sys; subprocess.run("
             "sys.argv[1:] + ['--parent', str(os.getpid())], close_fds=False)",
             WORKER, "--model", model(), "--fd", str(theirs.fileno())],
            pass_fds=[theirs.fileno()])
        theirs.close()
        lines = ours.makefile("rb")
        while b'"ready"' not in lines.readline():
            pass
        parent.send_signal(signal.SIGKILL)
        parent.wait(PATIENCE_S)
        self.assertEqual(lines.readline(), b"")  # end of file: its last holder is gone
        lines.close()
        ours.close()

    def test_it_does_not_start_for_a_parent_that_is_gone(self):
        done = subprocess.run([WORKER, "--model", model(), "--once", "--parent", "1"],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0 if os.getpid() == 1 else 69)

    def test_the_environment_loads_no_library(self):
        env = {"GGML_BACKEND_PATH": EMULATED or "/no/such.so", "HOTDESK_EMULATED_BYTES": "64MiB"}
        with Worker(model(), env=env) as worker:
            self.assertEqual((worker.first["frame"], worker.first["device_bytes"]), ("ready", 0))


if __name__ == "__main__":
    unittest.main()
