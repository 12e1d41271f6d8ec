"""`trimtab-guard -- COMMAND`, as a process: its command lives as it would without.

No Kafka is needed: that queues are released is in `tests/integration/sdk/test_guard.py`.
"""

import os
import pty
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.builders.application import WAIT_S, until
from tests.unit.sdk.supervised import SUPERVISE, Run, children, command_of, line_of, python
from trimtab.guard_lines import ADDRESS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL),
        (["sh", "-c", "kill -ABRT $$"], 128 + signal.SIGABRT),
        (python("import ctypes; ctypes.string_at(0)"), 128 + signal.SIGSEGV),
    ],
)
def test_it_ends_as_its_command_does(run: Run, command: list[str], code: int) -> None:
    """By the shell's rule for signals."""
    assert code == run(command).wait(WAIT_S)


def test_input_output_and_arguments_are_the_commands_own(run: Run) -> None:
    """As without."""
    process = run(python("import sys; print(sys.stdin.read(), *sys.argv[1:])", "--", "--help"))

    assert ("heard -- --help\n", "") == process.communicate("heard", WAIT_S)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGQUIT", "SIGWINCH"])
def test_signals_are_passed_on(run: Run, name: str) -> None:
    """Once each; the command decides what they mean."""
    process = run(
        python(
            """
            import signal, sys
            number = signal.Signals[sys.argv[1]]
            # Python calls a handler between two steps: never, of a signal just before it reads.
            signal.pthread_sigmask(signal.SIG_BLOCK, [number])
            print("ready", flush=True)
            signal.sigwait([number])
            print("came", flush=True)
            print(sys.stdin.readline(), signal.sigpending())
            """,
            name,
        )
    )
    assert line_of(process) == "ready"
    process.send_signal(signal.Signals[name])
    assert line_of(process) == "came"

    assert ("over set()\n", "") == process.communicate("over", WAIT_S)
    assert process.returncode == 0


@pytest.mark.slow
def test_the_command_has_the_signals_that_it_would_have_without(run: Run) -> None:
    """None is blocked, and a broken pipe ends it."""
    process = run(
        python(
            """
            import signal
            print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            """
        )
    )
    with open("/proc/self/status") as ours:  # noqa: PTH123 - it is no file
        ignored = next(it for it in ours if it.startswith("SigIgn"))
    assert int(ignored.split()[1], 16) & 1 << (signal.SIGPIPE - 1)  # ours is ignored: by Python
    assert line_of(process) == "set()"

    broken = run(["sh", "-c", "yes"])
    assert broken.stdout is not None
    broken.stdout.readline()
    broken.stdout.close()
    broken.stdout = None
    assert 128 + signal.SIGPIPE == broken.wait(WAIT_S)


def test_a_key_in_the_terminal_is_heard_once() -> None:
    """The terminal tells all processes in front; the supervisor does not tell it again."""
    program = """
    import os, signal, time
    heard = 0
    def count(*_):
        global heard
        heard += 1
    signal.signal(signal.SIGINT, count)
    print("ready", flush=True)
    while not heard:
        time.sleep(0.01)
    time.sleep(0.2)
    print(heard, flush=True)
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(SUPERVISE[0], [*SUPERVISE, *python(program)])  # noqa: S606 - as a shell does
    said = b""
    while b"ready" not in said:
        said += os.read(terminal, 1_024)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        said += os.read(terminal, 1_024)
    os.close(terminal)

    assert (0, "1") == (os.waitstatus_to_exitcode(status), said.decode().strip()[-1])


@pytest.mark.parametrize("leads", [True, False], ids=["it leads the session", "a shell does"])
def test_a_terminal_that_is_closed_is_heard_once(*, leads: bool) -> None:
    """As without: the kernel tells the first process of a session, and a shell tells all of its."""
    program = """
    import os, signal, time
    heard = 0
    def count(*_):
        global heard
        heard += 1
    signal.signal(signal.SIGHUP, count)
    os.write(1, b"ready")
    over_at = time.monotonic() + 10
    while not heard and time.monotonic() < over_at:
        time.sleep(0.01)
    time.sleep(0.2)
    os.write(int(os.environ["TOLD"]), b"%d" % heard)
    """
    told, end = os.pipe()
    os.set_inheritable(end, True)  # noqa: FBT003 - as the standard library has it
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TOLD"] = str(end)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup make test` has all ignore it
        command = [*SUPERVISE, *python(program)]
        if not leads:
            command = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *command]
        os.execv(command[0], command)  # noqa: S606 - as a terminal does
    os.close(end)
    said = b""
    while b"ready" not in said:
        said += os.read(terminal, 1_024)
    os.close(terminal)
    with os.fdopen(told, "rb") as told_file:
        assert b"1" == told_file.read()  # to its end: nobody lives on
    os.waitpid(pid, 0)


def test_orphans_are_reaped(run: Run) -> None:
    """It may be the first process of a container."""
    process = run(
        python(
            """
            import os, sys
            until, end = os.pipe()
            for _ in range(3):
                if os.fork() == 0:
                    if os.fork() == 0:
                        os.close(end)
                        os.read(until, 1)
                    os._exit(0)
                os.wait()
            print("ready", flush=True)
            sys.stdin.readline()
            os.close(end)
            sys.stdin.readline()
            """
        )
    )
    assert line_of(process) == "ready"
    until(lambda: 3 + 2 == len(children(process.pid)))  # the orphans, the command and the guard
    assert process.stdin is not None
    process.stdin.write("they may end\n")
    process.stdin.flush()
    until(lambda: 2 == len(children(process.pid)))

    process.communicate("over\n", WAIT_S)
    assert process.returncode == 0


def test_a_guard_that_is_killed_harms_nobody(run: Run) -> None:
    """The command goes on; the log says so, and new members find none."""
    process = run(python("import os, sys; print(os.environ['TRIMTAB_GUARD'], flush=True); input()"))
    folder = Path(line_of(process)).parent
    assert folder.is_dir()
    (guard,) = (it for it in children(process.pid) if "trimtab.guard" in command_of(it))
    os.kill(guard, signal.SIGKILL)
    until(lambda: not folder.exists())
    assert process.poll() is None

    _, said = process.communicate("over\n", WAIT_S)
    assert (0, True) == (process.returncode, said.startswith("trimtab-guard: the guard has ended"))


def test_a_supervisor_that_is_killed_takes_nobody_along(run: Run) -> None:
    """Nor does the guard end before its members; here there are none."""
    process = run(python("import os, sys; print(os.getpid(), flush=True); input(); print('lived')"))
    command = int(line_of(process))
    process.kill()
    process.wait()
    os.kill(command, 0)

    assert ("lived\n", "") == process.communicate("over\n", WAIT_S)


def test_the_command_finds_the_guard_in_its_environment(run: Run) -> None:
    """And so do its own children, whatever they are."""
    process = run(["sh", "-c", f"sh -c 'test -S ${ADDRESS}'"])

    assert process.wait(WAIT_S) == 0
