#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hand-over of a lease against flock(1), in one run.

    bench/lease_handover.py HOTDESK_LEASE... STAMP [--waiters 50] [--rounds 5] [--json]

N waiters stand in line behind a holder that lets go. Each job notes when it starts and ends; a
hand-over is the time from the end of one job to the start of the next. Rounds alternate
between the two programs, so that a busy machine is busy for both.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def wait_until(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"lease_handover: {what} did not come within {seconds} s")
        time.sleep(0.005)


def children_asleep(processes):
    """Whether every waiter has gone to sleep in the kernel, waiting for its turn."""
    def state(pid):
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    return all(state(p.pid) == "S" for p in processes)


def one_round(prefix, stamp, waiters):
    """The hand-overs of one line, in microseconds, and the time from gate to last end in ms."""
    folder = tempfile.mkdtemp(prefix="hotdesk-bench-")
    stamps, gate = folder + "/stamps", folder + "/gate"
    os.mkfifo(gate)
    environment = dict(os.environ, HOTDESK_STATE_DIR=folder)
    command = [word.replace("LOCK", folder + "/lock") for word in prefix]
    start = lambda job: subprocess.Popen(command + job, env=environment, stderr=subprocess.DEVNULL)
    holder = start(["sh", "-c", f"read go < {gate}; exec {stamp} {stamps}"])
    rope = open(gate, "w")  # returns when the holder has the lock and reads
    line = [start([stamp, stamps]) for _ in range(waiters)]
    wait_until(lambda: children_asleep(line), "the line")
    time.sleep(0.3)
    rope.write("go\n")
    rope.close()
    for process in [holder] + line:
        if process.wait() != 0:
            sys.exit(f"lease_handover: {command} exited {process.returncode}")
    with open(stamps) as file:
        jobs = sorted(tuple(map(int, text.split())) for text in file)
    shutil.rmtree(folder)
    gaps = [(later[0] - earlier[1]) / 1e3 for earlier, later in zip(jobs, jobs[1:])]
    return gaps, (jobs[-1][1] - jobs[0][0]) / 1e6


def summary(gaps, walls, waiters):
    gaps = sorted(gaps)
    return {"handover_us_p50": round(statistics.median(gaps)),
            "handover_us_p95": round(gaps[int(len(gaps) * 0.95)]),
            "handovers_per_s": round(waiters / (statistics.median(walls) / 1e3))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="+", help="the lease program, as in: hotdesk lease; then lease_stamp")
    parser.add_argument("--waiters", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    *lease, stamp = options.words
    programs = {"flock": ["flock", "LOCK"], "hotdesk": lease + ["run", "--"]}
    measured = {name: ([], []) for name in programs}
    for _ in range(options.rounds):
        for name, prefix in programs.items():
            gaps, wall = one_round(prefix, os.path.abspath(stamp), options.waiters)
            measured[name][0].extend(gaps)
            measured[name][1].append(wall)
    result = {name: summary(gaps, walls, options.waiters) for name, (gaps, walls) in measured.items()}
    ratio = result["hotdesk"]["handover_us_p50"] / result["flock"]["handover_us_p50"]
    result.update(waiters=options.waiters, rounds=options.rounds, ratio_p50=round(ratio, 2))
    if options.json:
        return print(json.dumps(result))
    for name in programs:
        print("{0:8} p50 {handover_us_p50:7} us   p95 {handover_us_p95:7} us   {handovers_per_s:6} hand-overs/s"
              .format(name, **result[name]))
    print(f"ratio    {result['ratio_p50']} (hotdesk / flock, p50; {options.waiters} waiters, "
          f"{options.rounds} rounds, load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
