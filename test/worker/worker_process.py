# SPDX-License-Identifier: MIT
"""Starts a real hotdesk-worker and speaks its frames. Standard library only."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile

WORKER = os.environ["HOTDESK_WORKER"]
MKMODEL = os.environ["HOTDESK_MKMODEL"]
EMULATED = os.environ.get("HOTDESK_EMULATED", "")
MODELS = pathlib.Path(os.environ.get("HOTDESK_TEST_MODELS", tempfile.gettempdir())) / "worker"

# Nothing here takes a second; this only turns a hang into a failure.
PATIENCE_S = 60


def model(name="tiny", **options):
    """The path of a small random model, made once. The same options give the same bytes."""
    options = {"layers": 4, "embd": 256, "heads": 4, "heads-kv": 2, "ff": 768, "seed": 42,
               "quant": "F16"} | {key.replace("_", "-"): value for key, value in options.items()}
    path = MODELS / f"{name}.gguf"
    if not path.exists():
        MODELS.mkdir(parents=True, exist_ok=True)
        flags = [f"--{key}={value}" for key, value in options.items()]
        part = MODELS / f"{name}.{os.getpid()}.part"
        subprocess.run([MKMODEL, str(part), "--quiet", *flags], check=True)
        part.rename(path)
    return str(path)


class Worker:
    """One worker process and the daemon's end of its socket."""

    def __init__(self, path, *options, wait=True, env=None):
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(PATIENCE_S)
        self.process = subprocess.Popen(
            [WORKER, "--model", path, "--fd", str(theirs.fileno()), *options],
            pass_fds=[theirs.fileno()], env={**os.environ, **(env or {})})
        theirs.close()
        self.lines = self.socket.makefile("rb")
        self.next_id = 0
        self.early = []  # frames that were read while waiting for another
        self.loading = []
        if wait:
            first = self.frame()
            while first["frame"] == "loading":
                self.loading.append(first["permille"])
                first = self.frame()
            self.first = first

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()

    def send(self, frame, **fields):
        self.socket.sendall(json.dumps({"frame": frame, **fields}).encode() + b"\n")

    def frame(self):
        """The next frame; None when the worker has closed its end."""
        line = self.lines.readline()
        return json.loads(line) if line else None

    def start(self, kind="chat", context="", **body):
        """Sends a call, returns its id."""
        self.next_id += 1
        self.send("generate", id=self.next_id, kind=kind, context=context, body=body)
        return self.next_id

    def wait_for(self, wanted):
        """The first frame that `wanted` accepts; the others are kept for finish()."""
        for at, frame in enumerate(self.early):
            if wanted(frame):
                return self.early.pop(at)
        while True:
            frame = self.frame()
            if frame is None:
                raise EOFError("the worker is gone")
            if wanted(frame):
                return frame
            self.early.append(frame)

    def finish(self, call):
        """Reads until the call has ended. Returns an Answer."""
        answer = Answer()
        while answer.end is None:
            answer.take(self.wait_for(lambda frame: frame.get("id") == call))
        return answer

    def ask(self, kind="chat", context="", **body):
        return self.finish(self.start(kind, context, **body))

    def stats(self):
        self.send("ask_stats")
        return self.wait_for(lambda frame: frame["frame"] == "stats")

    def context(self, frame, key, path):
        """Park or restore; returns the frame that answers."""
        self.send(frame, context=key, path=path)
        return self.wait_for(lambda f: f["frame"] in ("parked", "restored", "context_failed"))


class Answer:
    def __init__(self):
        self.deltas = []
        self.end = None

    def take(self, frame):
        if frame["frame"] == "delta":
            self.deltas.append(frame)
        else:
            self.end = frame

    @property
    def text(self):
        return "".join(d["delta"].get("content", "") + d["delta"].get("text", "")
                       for d in self.deltas)

    @property
    def tool_calls(self):
        calls = {}
        for delta in self.deltas:
            for piece in delta["delta"].get("tool_calls", []):
                call = calls.setdefault(piece["index"], {"name": "", "arguments": "", "id": ""})
                call["id"] += piece.get("id", "")
                call["name"] += piece["function"].get("name", "")
                call["arguments"] += piece["function"].get("arguments", "")
        return [calls[index] for index in sorted(calls)]


def user(text):
    return [{"role": "user", "content": text}]


def once(path, body, *options, env=None):
    """Runs --once. Returns (exit code, the object it printed)."""
    done = subprocess.run([WORKER, "--model", path, "--once", *options], text=True,
                          input=body if isinstance(body, str) else json.dumps(body),
                          capture_output=True, timeout=PATIENCE_S, env={**os.environ, **(env or {})})
    return done.returncode, json.loads(done.stdout)
