# SPDX-License-Identifier: MIT
"""What the tests share that run programs: a folder with everything in it, starting and ending
processes, waiting for conditions. Standard library only."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATIENCE = 60.0  # seconds: never reached unless something is broken, even on a loaded machine


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class ProgramTestCase(unittest.TestCase):
    """Holds a folder; what was started is gone after the test, and then the folder."""

    program = None  # the path of what start() starts

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hotdesk-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.state = self.path("state")
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith(("HOTDESK_", "OPENAI_"))}

    # -- files

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        try:
            with open(self.path(name)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    # -- programs

    def popen(self, words, **options):
        options = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "cwd": self.folder, "text": True} | options
        process = subprocess.Popen(words, **options)
        self.addCleanup(self.end, process)
        return process

    def start(self, *words, **options):
        return self.popen([self.program, *words], **options)

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.communicate()

    @staticmethod
    def finish(process):
        """(exit code, stdout, stderr)"""
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def cli(self, *words, env=None):
        return self.finish(self.start(*words, env=self.environment | (env or {})))

    # -- waiting

    def wait_until(self, condition, what):
        """What the condition returned once it was true."""
        end = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.01)
