#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`hotdesk lease` against everything that goes wrong with locks, with real processes."""
import os
import resource
import signal
import subprocess
import time
import unittest

from lease_case import TOOL, LeaseTestCase, start_time
from harness import is_alive

import hotdesk

NOBODY, SOMEBODY = 65534, 65533
IS_ROOT = os.geteuid() == 0
# A grandchild that hides: a session of its own, nothing in its environment, its parent gone.
ESCAPE = "(env -i setsid sh -c 'echo $$ > {0}; exec sleep 1000' &) ; while ! [ -s {0} ]; do :; done;"


def as_user(uid):
    return {"user": uid, "group": uid, "extra_groups": []}


class ExitCodes(LeaseTestCase):
    def test_the_commands_own_code_is_ours(self):
        self.assertEqual(self.run_lease("sh", "-c", "exit 7")[0], 7)
        self.assertEqual(self.run_lease("sh", "-c", "kill -9 $$")[0], 137)
        self.assertEqual(self.run_lease("true"), (0, "", ""))
        self.assert_desk_is_clean()

    def test_what_cannot_run_does_not_wait(self):
        self.holder()
        self.assertEqual(self.run_lease("no-such-command")[0], 127)
        self.assertEqual(self.run_lease("/etc/passwd")[0], 126)
        self.assertEqual(self.run_lease("/etc")[0], 126)

    def test_a_script_without_interpreter_line_runs_in_sh(self):
        with open(self.path("script"), "w") as script:
            script.write("echo fine\n")
        os.chmod(self.path("script"), 0o755)
        self.assertEqual(self.run_lease(self.path("script"))[:2], (0, "fine\n"))

    def test_wrong_usage_is_64(self):
        for words in (["run"], ["run", "--"], ["run", "--wait", "5", "--", "true"], ["run", "--bogus", "--", "true"],
                      ["run", "--max-hold", "0", "--", "true"], ["run", "--desk", "../x", "--", "true"], ["dance"], []):
            self.assertEqual(self.finish(self.start(*words))[0], 64, words)

    def test_the_wait_is_over_with_75_and_nothing_is_left(self):
        _, job = self.holder()
        code, out, err = self.run_lease("echo", "never", options=["--wait", "300ms"])
        self.assertEqual((code, out), (75, ""))
        self.assertIn("place 2 in line; held by pid", err)
        self.assertIn("skipped, try again later", err)
        self.assertEqual(len(self.tickets()), 1)
        self.assertEqual(len([n for n in os.listdir(self.desk) if n.endswith(".bell")]), 1)
        self.assertTrue(is_alive(job))

    def test_a_wait_of_zero_takes_a_free_desk(self):
        self.assertEqual(self.run_lease("true", options=["--wait", "0"])[0], 0)
        self.holder()
        self.assertEqual(self.run_lease("true", options=["--wait", "0"])[0], 75)


class Job(LeaseTestCase):
    def test_it_is_marked_alone_in_its_session_and_has_no_lock(self):
        code, out, _ = self.run_lease("sh", "-c", "ls /proc/$$/fd; cat /proc/$$/stat; echo $HOTDESK_LEASE")
        *fds, stat, marker = out.splitlines()
        self.assertEqual(code, 0)
        self.assertLessEqual(set(fds), {"0", "1", "2", "10", "255"})  # sh's own copies
        pid, session = stat.split()[0], stat.rpartition(")")[2].split()[3]
        self.assertEqual(pid, session)
        self.assertRegex(marker, r"^gpu0:1:[0-9a-f]{16}$")

    def test_a_grandchild_does_not_outlive_the_job(self):
        escape = ESCAPE.format(self.path("hidden"))
        code, _, err = self.run_lease("sh", "-c", f"sleep 1000 & echo $! > {self.path('child')}; {escape} exit 3")
        self.assertEqual(code, 3, err)
        self.assertFalse(is_alive(self.pid_in("child")))
        self.assertFalse(is_alive(self.pid_in("hidden")))
        self.assert_desk_is_clean()

    def test_the_next_one_starts_after_the_last_grandchild(self):
        escape = ESCAPE.format(self.path("hidden"))
        runner = self.lease("sh", "-c", f"{escape} read go", stdin=subprocess.PIPE)
        hidden = self.pid_in("hidden")
        waiter = self.waiter("cat", f"/proc/{hidden}/stat")
        runner.communicate("go\n")
        code, out, err = self.finish(waiter)
        self.assertEqual((code, out), (1, ""), err)  # there is no such process any more

    def test_signals_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            runner, _ = self.holder("trap 'exit 40' TERM; trap 'exit 41' INT; trap 'exit 42' USR1;"
                                    f"echo $$ > {self.path('ready')}; while :; do sleep 0.05; done")
            self.pid_in("ready")
            runner.send_signal(number)
            self.assertEqual(self.finish(runner)[0],
                             {signal.SIGTERM: 40, signal.SIGINT: 41, signal.SIGUSR1: 42}[number])
            os.unlink(self.path("ready"))
            os.unlink(self.path("job"))

    def test_a_signal_ends_the_wait(self):
        self.holder()
        waiter = self.waiter("true")
        waiter.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(waiter)[0], 143)
        self.wait_until(lambda: len(self.tickets()) == 1, "one ticket left")


class Nested(LeaseTestCase):
    def test_a_job_does_not_wait_for_itself(self):
        inner = f"{TOOL} run --wait 1s -- sh -c 'echo $HOTDESK_LEASE'"
        code, out, err = self.run_lease("sh", "-c", f"echo $HOTDESK_LEASE; {inner}")
        self.assertEqual(code, 0, err)
        self.assertEqual(*out.splitlines())
        self.assertIn("gpu0 is ours already", err)

    def test_a_job_may_hold_two_desks(self):
        inner = f"{TOOL} run --desk gpu1 -- sh -c 'echo $HOTDESK_LEASE'"
        self.assertRegex(self.run_lease("sh", "-c", inner)[1], r"^gpu1:1:\w+ gpu0:1:\w+\n$")

    def test_an_old_mark_is_no_lease(self):
        self.holder()
        self.environment["HOTDESK_LEASE"] = "gpu0:1:0000000000000000"
        self.assertEqual(self.run_lease("true", options=["--wait", "100ms"])[0], 75)


class OwnerKilled(LeaseTestCase):
    """The next one starts at once, and not before the dead owner's job is gone."""

    def next_after(self, kill):
        escape = ESCAPE.format(self.path("hidden"))
        runner, job = self.holder(f"{escape} sleep 1000 & echo $! > {self.path('child')}; exec sleep 1000")
        pids = [job, self.pid_in("child"), self.pid_in("hidden")]
        seen = " ".join(f"/proc/{pid}" for pid in pids)
        waiter = self.waiter("sh", "-c", f"date +%s.%N; cat {seen.replace(' ', '/stat ')}/stat 2>/dev/null; true")
        self.wait_until(lambda: len(self.line()) == 2 and self.line()[1]["process"] == "alive", "a waiter")
        killed_at = time.time()
        kill(runner, self.line()[0]["pid"])
        code, out, err = self.finish(waiter)
        self.assertEqual(code, 0, err)
        started, *left = out.splitlines()
        running = [text for text in left if text.rpartition(")")[2].split()[0] not in "ZX"]
        return float(started) - killed_at, [text.split()[0] for text in running], pids

    def assert_handed_over(self, kill):
        took, running, _ = self.next_after(kill)
        self.assertEqual(running, [])
        self.assertLess(took, 15)  # the aim is 1 s, on a machine that has nothing else to do
        self.assert_desk_is_clean()

    def test_the_runner(self):
        self.assert_handed_over(lambda runner, guard: runner.kill())

    def test_the_guard(self):
        took, running, pids = self.next_after(lambda runner, guard: os.kill(guard, signal.SIGKILL))
        # The one that hides is ended by the runner, which does not hold the ticket.
        self.assertLessEqual(set(running), {str(pids[2])})
        self.assertLess(took, 15)
        for pid in pids:
            self.wait_until(lambda: not is_alive(pid), f"the end of {pid}")

    def test_runner_and_guard_at_once(self):
        def kill(runner, guard):
            runner.send_signal(signal.SIGSTOP)
            os.kill(guard, signal.SIGKILL)
            runner.kill()
        took, running, pids = self.next_after(kill)
        self.assertLessEqual(set(running), {str(pids[2])})  # no mark, no session, no parent: not known
        self.assertLess(took, 15)
        if is_alive(pids[2]):
            os.kill(pids[2], signal.SIGKILL)

    def test_with_nobody_waiting_the_job_ends_too(self):
        runner, job = self.holder()
        runner.kill()
        self.wait_until(lambda: not is_alive(job), "the end of the job")
        self.assert_desk_is_clean()

    def test_a_marked_process_of_an_owner_long_dead_is_ended_first(self):
        marked = subprocess.Popen(["sleep", "1000"], env={"PATH": os.environ["PATH"], "HOTDESK_LEASE": "gpu0:1:00ff"},
                                  start_new_session=True)
        self.write_ticket(pid=2**22 + 1, start_time=1)
        self.assertEqual(self.run_lease("true")[0], 0)
        self.assertEqual(marked.wait(timeout=60), -signal.SIGKILL)


class OwnerIsNotWhoItSeems(LeaseTestCase):
    def test_a_reused_pid_is_dead_and_the_innocent_lives(self):
        innocent = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.addCleanup(innocent.wait)
        self.addCleanup(innocent.kill)
        self.write_ticket(pid=innocent.pid, start_time=start_time(innocent.pid) - 1,
                          session=innocent.pid, session_start_time=start_time(innocent.pid) - 1)
        self.assertEqual(self.run_lease("true", options=["--wait", "30s"])[0], 0)
        self.assertIsNone(innocent.poll())
        self.assert_desk_is_clean()

    def test_the_right_start_time_is_alive(self):
        self.write_ticket()
        self.assertEqual(self.run_lease("true", options=["--wait", "200ms"])[0], 75)

    def test_a_ticket_of_another_boot_is_dead(self):
        self.write_ticket(boot_id="00000000-0000-0000-0000-000000000000", session=os.getpid(),
                          session_start_time=start_time(os.getpid()))
        self.assertEqual(self.run_lease("true", options=["--wait", "30s"])[0], 0)
        self.assert_desk_is_clean()

    def test_the_lock_decides_for_another_pid_namespace(self):
        self.write_ticket(pid_ns=1)
        self.assertEqual(self.run_lease("true", options=["--wait", "30s"])[0], 0)
        self.write_ticket(pid_ns=1)
        import fcntl
        with open(os.path.join(self.desk, f"{1:012}")) as ticket:
            fcntl.flock(ticket, fcntl.LOCK_EX)
            self.assertEqual(self.run_lease("true", options=["--wait", "300ms"])[0], 75)

    def test_rubbish_does_not_stop_the_line(self):
        self.write_ticket(pid=2**22 + 1)
        for name, text in ((f"{1:012}", "{half"), (".new", "x"), ("sequence", "rubbish")):
            with open(os.path.join(self.desk, name), "w") as file:
                file.write(text)
        self.assertEqual(self.run_lease("true", options=["--wait", "30s"])[0], 0)
        self.assert_desk_is_clean()


class MaxHold(LeaseTestCase):
    HOLD = ["--max-hold", "500ms"]

    def test_the_job_is_asked_first(self):
        code, out, _ = self.run_lease("sh", "-c", "trap 'echo asked; exit 0' TERM; while :; do sleep 0.05; done",
                                      options=self.HOLD)
        self.assertEqual((code, out), (124, "asked\n"))

    def test_a_job_that_ignores_it_is_killed(self):
        self.assertEqual(self.run_lease("sh", "-c", "trap '' TERM; while :; do sleep 0.05; done",
                                        options=self.HOLD)[0], 124)
        self.assert_desk_is_clean()

    def test_it_has_as_long_to_end_as_was_said(self):
        slow_to_end = "trap 'sleep 3; echo late; exit' TERM; while :; do sleep 0.05; done"
        code, out, _ = self.run_lease("sh", "-c", slow_to_end, options=[*self.HOLD, "--grace", "100ms"])
        self.assertEqual((code, out), (124, ""))
        code, out, _ = self.run_lease("sh", "-c", slow_to_end, options=[*self.HOLD, "--grace", "1m"])
        self.assertEqual((code, out), (124, "late\n"))

    def test_the_next_in_line_heeds_the_grace_of_the_ticket(self):
        holder = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        ticket = {"pid": holder.pid, "start_time": start_time(holder.pid), "deadline_monotonic_ms": 1}
        self.write_ticket(hold_grace_ms=10**12, **ticket)
        self.assertEqual(self.run_lease("true", options=["--wait", "500ms"])[0], 75)
        with self.assertRaises(hotdesk.LeaseTimeout):
            hotdesk.lease("gpu0", wait=0.5, state_dir=self.state).__enter__()
        self.assertIsNone(holder.poll())
        self.write_ticket(**ticket)
        self.assertEqual(self.run_lease("true")[0], 0)
        self.assertEqual(holder.wait(), -signal.SIGKILL)

    def test_a_stopped_job_is_ended(self):
        runner, job = self.holder("kill -STOP $$; exec sleep 1000", options=self.HOLD)
        self.assertEqual(self.finish(runner)[0], 124)
        self.assertFalse(is_alive(job))

    def stopped(self, stop):
        runner, job = self.holder(options=self.HOLD)
        stop(runner, self.line()[0]["pid"])
        waiter = self.waiter("sh", "-c", f"cat /proc/{job}/stat 2>/dev/null; true")
        code, out, err = self.finish(waiter)
        self.assertEqual(code, 0, err)
        self.assertIn(out.rpartition(")")[2][1:2], ("", "Z"))  # gone, or ended and not yet reaped
        return runner

    def test_a_stopped_runner_does_not_keep_the_desk(self):
        runner = self.stopped(lambda runner, guard: runner.send_signal(signal.SIGSTOP))
        self.assertEqual(self.finish(runner)[0], 124)

    def test_a_stopped_guard_is_ended_by_the_next_in_line(self):
        runner = self.stopped(lambda runner, guard: os.kill(guard, signal.SIGSTOP))
        self.assertEqual(self.finish(runner)[0], 124)

    def test_all_stopped(self):
        def stop(runner, guard):
            os.kill(guard, signal.SIGSTOP)
            runner.send_signal(signal.SIGSTOP)
        runner = self.stopped(stop)
        runner.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(runner)[0], 124)

    def test_a_job_that_ends_in_time_keeps_its_code(self):
        self.assertEqual(self.run_lease("sh", "-c", "exit 3", options=["--max-hold", "1m"])[0], 3)


class StoppedWaiter(LeaseTestCase):
    def test_it_is_passed_over_and_stands_in_line_again(self):
        _, job = self.holder()
        stopped = self.waiter("echo", "late")
        guard = self.wait_until(lambda: len(self.line()) == 2 and self.line()[1], "the waiter")["pid"]
        os.kill(guard, signal.SIGSTOP)
        self.wait_until(lambda: self.line()[1]["process"] == "stopped", "a stopped waiter")
        other = self.waiter("echo", "first")
        os.kill(job, signal.SIGKILL)
        self.assertEqual(self.finish(other)[:2], (0, "first\n"))
        os.kill(guard, signal.SIGCONT)
        self.assertEqual(self.finish(stopped)[:2], (0, "late\n"))
        self.assert_desk_is_clean()


class Break(LeaseTestCase):
    def test_it_says_whom_it_broke_and_hands_over(self):
        for options in ([], ["--force"]):
            runner, job = self.holder(options=["--for", "a long render"])
            waiter = self.waiter("echo", "next")
            code, out, err = self.finish(self.start("break", "--desk", "gpu0", *options))
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"^broke the lease of pid \d+ \(a long render\) on gpu0, held for ")
            self.assertEqual(self.finish(waiter)[:2], (0, "next\n"))
            self.assertFalse(is_alive(job))
            self.assertNotEqual(self.finish(runner)[0], 0)
            os.unlink(self.path("job"))

    def test_a_free_desk_is_no_error(self):
        self.run_lease("true")
        self.assertEqual(self.finish(self.start("break", "--desk", "gpu0"))[:2], (0, "nobody holds gpu0\n"))

    def test_a_holder_that_is_no_job_needs_force(self):
        self.write_ticket()
        self.assertEqual(self.finish(self.start("break", "--desk", "gpu0"))[0], 77)


class Disk(LeaseTestCase):
    def test_a_full_disk_is_said_and_leaves_nothing(self):
        os.mkdir(self.state)
        if not IS_ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.state],
                                         stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs root and mount(2)")
        try:
            self.fill_the_disk_and_run()
        finally:
            subprocess.run(["umount", "-l", self.state], check=True)

    def fill_the_disk_and_run(self):
        self.assertEqual(self.run_lease("true")[0], 0)
        with open(self.state + "/ballast", "wb", buffering=0) as ballast, self.assertRaises(OSError):
            while True:
                ballast.write(b"x" * 4096)
        code, _, err = self.run_lease("true")
        self.assertEqual(code, 73)
        self.assertIn("No space left on device", err)
        self.assertEqual(os.listdir(self.desk), ["sequence"])
        os.unlink(self.state + "/ballast")
        self.assertEqual(self.run_lease("true")[0], 0)

    def test_a_limit_on_file_sizes_is_said_and_leaves_nothing(self):
        self.run_lease("true")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
        self.assertEqual(self.run_lease("true", preexec_fn=limit)[0], 73)
        self.assertEqual(os.listdir(self.desk), ["sequence"])

    def test_no_permission_is_said(self):
        os.makedirs(self.state)
        os.chmod(self.state, 0o555)
        options = as_user(NOBODY) if IS_ROOT else {}
        code, _, err = self.run_lease("true", **options)
        self.assertEqual(code, 77)
        self.assertIn("Permission denied; set HOTDESK_STATE_DIR to a directory of your own", err)
        self.assertEqual(os.listdir(self.state), [])


@unittest.skipUnless(IS_ROOT, "needs root to be two users")
class TwoUsers(LeaseTestCase):
    def test_a_desk_of_somebody_else_is_refused(self):
        self.run_lease("true")
        os.chmod(self.desk, 0o777)
        for folder in (self.state, self.state + "/desks"):
            os.chmod(folder, 0o755)
        code, _, err = self.run_lease("true", **as_user(NOBODY))
        self.assertEqual(code, 77)
        self.assertIn("belongs to user 0, and we are user 65534", err)
        self.assertIn("HOTDESK_DESK_DIR", err)

    def shared(self, mode):
        folder = self.path("shared")
        os.mkdir(folder)
        os.chmod(folder, mode)
        self.environment["HOTDESK_DESK_DIR"] = folder
        self.desk = os.path.join(folder, "gpu0")
        first = self.lease("sh", "-c", "echo one; read go", stdin=subprocess.PIPE, **as_user(NOBODY))
        self.wait_until(lambda: first.stdout.readline() == "one\n", "the first job")
        second = self.waiter("echo", "two", **as_user(SOMEBODY))
        code, _, err = self.run_lease("true", options=["--wait", "100ms"], **as_user(SOMEBODY))
        self.assertEqual(code, 75, err)
        return first, second

    def test_a_shared_desk_is_one_line(self):
        for mode in (0o777, 0o1777):
            with self.subTest(mode=oct(mode)):
                first, second = self.shared(mode)
                first.communicate("go\n")
                self.assertEqual(self.finish(second)[:2], (0, "two\n"))
                self.assert_desk_is_clean()
                subprocess.run(["rm", "-r", self.path("shared")], check=True)

    def test_the_dead_owner_of_another_user_hands_over(self):
        first, second = self.shared(0o777)
        first.kill()
        self.assertEqual(self.finish(second)[:2], (0, "two\n"))

    def test_nobody_has_a_third_persons_process_killed(self):
        self.shared(0o777)[0].communicate("go\n")
        self.wait_until(lambda: not self.tickets(), "a free desk")
        victim = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        self.write_ticket(number=90, pid=victim.pid, start_time=start_time(victim.pid), hold_max_ms=1,
                          deadline_monotonic_ms=1)
        os.chown(os.path.join(self.desk, f"{90:012}"), NOBODY, NOBODY)
        self.assertEqual(self.run_lease("true", options=["--wait", "1s"])[0], 75)
        self.assertIsNone(victim.poll())


class Show(LeaseTestCase):
    def test_it_shows_the_line(self):
        self.holder(options=["--for", "train", "--max-hold", "2h"])
        self.waiter("true", options=["--for", "render", "--wait", "10m"])
        self.wait_until(lambda: len(self.line()) == 2, "two in line")
        first, second = self.line()
        self.assertEqual([first[key] for key in ("place", "state", "process", "what", "wait_max_ms")],
                         [1, "holds", "alive", "train", None])
        self.assertEqual([second[key] for key in ("place", "state", "process", "what", "wait_max_ms", "deadline_ms")],
                         [2, "waits", "alive", "render", 600_000, None])
        self.assertAlmostEqual(first["deadline_ms"] - first["held_since_ms"], 7_200_000, delta=1000)
        code, out, _ = self.finish(self.start("show"))
        self.assertEqual([row.split()[:3] for row in out.splitlines()],
                         [["DESK", "PLACE", "STATE"], ["gpu0", "1", "holds"], ["gpu0", "2", "waits"]])

    def test_a_free_desk(self):
        self.run_lease("true")
        self.assertEqual(self.finish(self.start("show"))[:2], (0, "gpu0 is free\n"))
        self.assertEqual(self.line(), [])


if __name__ == "__main__":
    unittest.main()
