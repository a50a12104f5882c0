#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an idle daemon costs: fifty agents that are not due, no model loaded.

usage: daemon_idle.py HOTDESK [SECONDS]

Prints resident memory and the share of one core. Limits: 25 MB, 0.2 %.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

AGENTS = 50
SETTLE_S = 2  # start-up is not idling


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status_kib(pid, key):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{key}:\s+(\d+)", file.read())[1])


def switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        total += status_kib(f"{pid}/task/{task}", "voluntary_ctxt_switches")
    return total


def config(folder):
    text = (f'[server]\nlisten = ["unix:{folder}/s"]\nstate_dir = "{folder}/state"\n'
            '[gpu]\ndevice = "none"\nbudget = "1GiB"\n[fleet]\ntimezone = "UTC"\n')
    for i in range(AGENTS):
        text += f'[[agent]]\nname = "a{i}"\ncommand = ["true"]\nschedule = "0 0 1 1 *"\n'
    return text


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    with tempfile.TemporaryDirectory(prefix="hotdesk-idle-") as folder:
        path = os.path.join(folder, "hotdesk.toml")
        with open(path, "w") as file:
            file.write(config(folder))
        daemon = subprocess.Popen([program, "up", "--config", path], stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(os.path.join(folder, "s")):
                time.sleep(0.05)
            time.sleep(SETTLE_S)
            begun, before, woken = time.monotonic(), cpu_seconds(daemon.pid), switches(daemon.pid)
            time.sleep(seconds)
            took = time.monotonic() - begun
            print(json.dumps({
                "agents": AGENTS, "seconds": round(took, 1),
                "resident_mb": round(status_kib(daemon.pid, "VmRSS") * 1024 / 1e6, 1),
                "anonymous_mb": round(status_kib(daemon.pid, "RssAnon") * 1024 / 1e6, 1),
                "core_percent": round((cpu_seconds(daemon.pid) - before) / took * 100, 3),
                "wakeups_per_s": round((switches(daemon.pid) - woken) / took, 1)}))
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    main()
