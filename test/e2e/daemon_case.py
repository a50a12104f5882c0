# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: a daemon with a config and a state directory of its own, asked
through the command line and HTTP. Every wait is for a condition."""
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from gguf import write_model
from harness import PATIENCE, ProgramTestCase, is_alive

HOTDESK = os.path.abspath(os.environ["HOTDESK_TEST_PROGRAM"])
FAKE_WORKER = os.path.abspath(os.environ["HOTDESK_TEST_FAKE_WORKER"])
MARK = "E2E_FOLDER"  # in the environment of the daemon and of all that it starts

# The fake worker under the real one's name. A file "MODEL.args" beside a model changes how the
# workers of that model behave. A token takes a millisecond: faster, and a stream that a test holds
# open without reading it would be cancelled within the test, for its client takes nothing.
WORKER_SCRIPT = """#!/bin/sh
[ -f "$2.args" ] && extra=$(cat "$2.args")
exec {} "$@" --token-us 1000 $extra
"""

_programs = None


def fake_programs():
    """A directory with the real hotdesk and the fake worker beside it, made once."""
    global _programs
    if _programs is None:
        _programs = tempfile.TemporaryDirectory(prefix="hotdesk-e2e-bin-")
        program = os.path.join(_programs.name, "hotdesk")
        try:
            os.link(HOTDESK, program)
        except OSError:
            shutil.copy(HOTDESK, program)
        worker = os.path.join(_programs.name, "hotdesk-worker")
        with open(worker, "w") as file:
            file.write(WORKER_SCRIPT.format(shlex.quote(FAKE_WORKER)))
        os.chmod(worker, 0o755)
    return _programs.name


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def table(name, keys):
    return f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items()) + "\n"


class Answer:
    """A response of the HTTP API."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {key.lower(): value for key, value in response.getheaders()}
        self.body = response.read().decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def text(self):
        choice = self.json["choices"][0]
        return choice["message"]["content"] if "message" in choice else choice["text"]


class Stream:
    """A streamed call; events are read one at a time."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.status = response.status

    def event(self):
        """The next data of the stream; None at its end. Comments are passed over."""
        while True:
            line = self.response.readline()
            if not line:
                return None
            if line.startswith(b"data: "):
                data = line[6:].strip().decode()
                return data if data == "[DONE]" else json.loads(data)

    def events(self):
        return list(iter(self.event, None))

    def close(self):
        self.response.close()
        self.connection.close()


class Daemon:
    """One `hotdesk up`, and its address."""

    def __init__(self, case, *options, env=None):
        self.case = case
        self.log_path = os.path.join(case.folder, f"daemon-{len(case.daemons)}.log")
        self.log_file = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [case.program, "up", "--config", case.config_path, *options],
            env=case.environment | (env or {}), stdout=self.log_file, stderr=self.log_file,
            cwd=case.folder)
        self.pid = self.process.pid

    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    def port(self):
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", self.log())
        return int(found[1]) if found else None

    def wait_until_ready(self):
        def is_ready():
            self.case.assertIsNone(self.process.poll(), self.log())
            return self.port() and " ready: " in self.log()
        self.case.wait_until(is_ready, "the daemon is ready")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.terminate()

    def wait(self):
        """Its exit code."""
        return self.process.wait(PATIENCE)

    # -- HTTP

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port(), timeout=PATIENCE)

    def request(self, method, path, body=None, headers=None):
        connection = self.connection()
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, body=data, headers=headers or {})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def chat(self, text="hello", model="small", headers=None, **body):
        return self.request("POST", "/v1/chat/completions", headers=headers, body={
            "model": model, "messages": [{"role": "user", "content": text}], **body})

    def stream(self, text, model="small", headers=None, **body):
        connection = self.connection()
        connection.request("POST", "/v1/chat/completions", headers=headers or {}, body=json.dumps({
            "model": model, "messages": [{"role": "user", "content": text}], "stream": True, **body}))
        return Stream(connection, connection.getresponse())

    def post(self, text, model="small", **body):
        """A call whose answer nobody has read yet: getresponse() reads it, close() hangs up."""
        connection = self.connection()
        connection.request("POST", "/v1/chat/completions", body=json.dumps({
            "model": model, "messages": [{"role": "user", "content": text}], **body}))
        return connection


class DaemonTestCase(ProgramTestCase):
    """All that the daemons started is gone after the test, and their journals replay."""

    uses_real_worker = False

    def setUp(self):
        super().setUp()
        self.socket_path = self.path("s")
        self.config_path = self.path("hotdesk.toml")
        self.program = HOTDESK if self.uses_real_worker else os.path.join(fake_programs(), "hotdesk")
        self.environment |= {"HOTDESK_SOCKET": self.socket_path, "HOTDESK_CONFIG": self.config_path,
                             MARK: self.folder, "TZ": "UTC"}
        self.daemons = []
        self.has_replayable_journals = True

    def tearDown(self):
        for daemon in self.daemons:
            self.end_daemon(daemon)
        self.kill_marked()
        if self.has_replayable_journals:
            self.replay_journals()

    def end_daemon(self, daemon):
        if daemon.process.poll() is None:
            daemon.terminate()
            try:
                daemon.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                daemon.kill()
        daemon.log_file.close()
        failed = any(error for _, error in self._outcome.errors) if hasattr(
            self._outcome, "errors") else not self._outcome.success
        if failed:
            print(f"---- {self.id()}: {daemon.log_path}\n{daemon.log()}", flush=True)

    # Every journal of every test decides the same when it is replayed.
    def replay_journals(self):
        folder = os.path.join(self.state, "journal")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if os.path.getsize(path) == 0:
                continue  # it was killed before its first decision
            code, out, err = self.cli("replay", path)
            self.assertEqual(code, 0, out[:2000] + err)

    # -- config

    def model(self, name="small", **keys):
        """A [[model]] whose file is made here."""
        file = self.path(f"{name}.gguf")
        if "file" not in keys and not os.path.exists(file):
            write_model(file)
        return {"name": name, "file": file, "placement": "cpu", "ctx": 4096, "keep": "10m"} | keys

    def worker_options(self, name, words):
        """How the fake workers of a model behave from now on."""
        with open(self.path(f"{name}.gguf.args"), "w") as file:
            file.write(words)

    def agent(self, name, script, **keys):
        return {"name": name, "command": ["sh", "-c", script], "dir": self.folder} | keys

    def configure(self, models=(), agents=(), tasks=None, **sections):
        sections = {"server": {}, "gpu": {}, "host": {"reserve": "0MiB"},
                    "fleet": {}, "queue": {}} | sections
        sections["server"] = {"listen": [f"unix:{self.socket_path}", "127.0.0.1:0"],
                              "state_dir": self.state} | sections["server"]
        sections["gpu"] = {"device": "none", "budget": "1GiB"} | sections["gpu"]
        sections["fleet"] = {"timezone": "UTC", "stagger": "0s", "kill_grace": "1s"} | sections["fleet"]
        sections["log"] = {"level": "debug"}
        text = "".join(table(name, keys) for name, keys in sections.items() if keys)
        for kind, items in (("[model]", models), ("[agent]", agents)):
            text += "".join(table(kind, item) for item in items)
        for name, names in (tasks or {}).items():
            text += table("[task]", {"name": name, "models": names})
        self.write(self.config_path, text)

    # -- programs

    def launch(self, *options, **named):
        daemon = Daemon(self, *options, **named)
        self.daemons.append(daemon)
        return daemon

    def up(self, *options, **named):
        return self.launch(*options, **named).wait_until_ready()

    def ask(self, *words):
        """The object that a command prints with --json."""
        code, out, err = self.cli(*words, "--json")
        self.assertEqual(code, 0, f"{words}: {err}")
        answer = json.loads(out)
        self.assertEqual(answer["schema"], 1)
        return answer

    def do(self, *words):
        """A command that has to work; its text."""
        code, out, err = self.cli(*words)
        self.assertEqual(code, 0, f"{words}: {err}")
        return out

    # -- what the daemon says

    def runs(self, agent=None):
        """Oldest first."""
        words = ["--agent", agent] if agent else []
        return self.ask("runs", "--limit", "1000", *words)["runs"][::-1]

    def ended(self, agent):
        return [run for run in self.runs(agent) if run["outcome"] is not None]

    def wait_for_end(self, agent, count=1):
        """The run, when the agent has `count` that ended; the latest of them."""
        return self.wait_until(lambda: len(self.ended(agent)) >= count and self.ended(agent)[count - 1],
                               f"{count} ended runs of {agent}")

    def decisions(self):
        """What the latest daemon decided: (monotonic ms, action, reason), from its journal."""
        folder = os.path.join(self.state, "journal")
        with open(os.path.join(folder, max(os.listdir(folder)))) as file:
            lines = file.read().split("\n")[:-1]  # the last one may still be being written
        cycles = [cycle for cycle in map(json.loads, lines) if "decisions" in cycle]
        return [(cycle["seen"]["now"], decision["action"], decision["why"]["reason"])
                for cycle in cycles for decision in cycle["decisions"]]

    def model_now(self, name):
        return next(model for model in self.ask("models")["models"] if model["name"] == name)

    def calls(self):
        return self.ask("queue")["calls"]

    # -- waiting

    def wait_for_lines(self, name, count):
        return self.wait_until(lambda: len(self.read(name).splitlines()) >= count
                               and self.read(name).splitlines(), f"{count} lines in {name}")

    # -- processes

    def marked(self):
        """Pids of what the test's daemons started and is alive; the daemons too."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark in file.read().split(b"\0") and is_alive(name):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def kill_marked(self):
        for pid in self.marked():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
