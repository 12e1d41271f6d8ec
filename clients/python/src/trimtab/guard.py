"""The guard: a process that releases the queues of members when their processes are dead.

    python -m trimtab.guard < socket

What starts it holds the other end of the socket: one member (`guarding`), or the supervisor of a
command (`trimtab-guard`), which says at which socket any number of members will connect. Each
member has a thread here (`post`); this one reads what they say and learns of their deaths.

Its one rule: it never ends before those whom it has welcomed. It ignores the signals that are meant
for them, and goes on if the supervisor is killed. Whoever kills the whole machine, or container,
kills the guard too; then the controller finds out by silence.
"""

import errno
import os
import resource
import shutil
import signal
import socket
import sys
import threading
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, DefaultSelector
from typing import Final, assert_never

from trimtab.errors import TrimtabError
from trimtab.guard_lines import Ended, Farewell, Heard, Listen, Post, Refused, Welcome, heard
from trimtab.holdings import Holdings
from trimtab.other_end import OtherEnd
from trimtab.post import Watch, stand
from trimtab.transports import choose

_FULL: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Why nobody more can be let in, until somebody has gone; otherwise it is who came that has."""
_REST_S: Final = 1.0
"""Before it is tried again: who waits makes no difference between the two."""


class Guard:
    """All that are guarded by this process."""

    def __init__(self, starter: socket.socket) -> None:
        self._selector = DefaultSelector()
        self._ends: dict[OtherEnd, Watch | None] = {}
        """Who may say something or die: the members, and what has not said what it is."""
        self._settling: list[Watch] = []
        self._listener: socket.socket | None = None
        self._is_full = False
        """The listener rests; who comes waits there."""
        self._has_told = False
        """That it is full."""
        self._folder: str | None = None
        self._starter = OtherEnd(starter)
        self._meet(self._starter)

    def serve(self) -> None:
        """Guard until there is nobody left, and all is said."""
        while self._ends:
            happened = self._selector.select(_REST_S if self._is_full else None)
            if self._is_full:
                self._open()
            for key, _ in happened:
                key.data()
        for watch in self._settling:
            watch.settled.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._selector.close()
        self._starter.close()

    def _meet(self, end: OtherEnd) -> None:
        self._ends[end] = None
        self._selector.register(end.connection, EVENT_READ, partial(self._hear, end))

    def _accept(self) -> None:
        if self._listener is None:
            return  # it was closed in this very round
        try:
            connection, _ = self._listener.accept()
        except OSError as error:
            if error.errno in _FULL:
                self._rest(self._listener, error)
        else:
            self._has_told = False
            self._meet(OtherEnd(connection))

    def _rest(self, listener: socket.socket, why: OSError) -> None:
        """Let nobody in for a moment: the listener would be ready again and again."""
        self._selector.unregister(listener)
        self._is_full = True
        if not self._has_told:
            _tell(
                f"it is full ({why.strerror}): whoever comes now is not guarded until another has"
                " gone. Raise the limit of open files (ulimit -Hn), or take a guard for each"
            )
        self._has_told = True

    def _open(self) -> None:
        """Let in who comes."""
        self._is_full = False
        if self._listener is not None:
            self._selector.register(self._listener, EVENT_READ, self._accept)

    def _hear(self, end: OtherEnd) -> None:
        """Take what one says, and notice if it will say nothing more."""
        if end not in self._ends:
            return  # it was forgotten in this very round
        try:
            for said in map(heard, end.lines()):
                self._take(end, said)
        except ValueError as error:
            end.say(Refused(reason=f"a line cannot be read: {error}"))
            self._forget(end, in_good_order=True)  # rather nothing than half of what it holds
        if end.is_closed and end in self._ends:
            self._selector.unregister(end.connection)
            if end is self._starter:
                self._stop_listening()
            if end.process is None:
                self._forget(end, in_good_order=False)

    def _take(self, end: OtherEnd, said: Heard) -> None:
        watch = self._ends.get(end)
        match said:
            case Post():
                if watch is None:
                    self._stand(end, said)
            case Holdings():
                if watch is not None:
                    watch.holdings = said
            case Farewell():
                self._forget(end, in_good_order=True)
            case Listen() | Ended():
                self._obey(end, said)
            case _:
                assert_never(said)

    def _obey(self, end: OtherEnd, said: Listen | Ended) -> None:
        if end is not self._starter:
            raise ValueError("only the supervisor may say so")
        if isinstance(said, Listen):
            self._listen(said)
        else:
            self._end(said)

    def _stand(self, end: OtherEnd, post: Post) -> None:
        """Take up a post: watch the process, then say so, then go to Kafka."""
        refusal = end.refusal()
        if refusal is not None:
            end.say(Refused(reason=refusal))
            return
        end.watch()
        if end.process is not None:
            self._selector.register(end.process, EVENT_READ, partial(self._is_dead, end))
        watch = self._ends[end] = Watch()
        end.say(Welcome(pid=os.getpid()))
        threading.Thread(target=_stand, args=(post, end, watch), daemon=True).start()

    def _is_dead(self, end: OtherEnd) -> None:
        """Read its last words, then have them carried out."""
        if end in self._ends and not end.is_closed:
            self._hear(end)
        self._forget(end, in_good_order=False)

    def _forget(self, end: OtherEnd, *, in_good_order: bool) -> None:
        """Be done with one, who is dead or needs nobody any more."""
        if end not in self._ends:
            return
        watch = self._ends.pop(end)
        for what in (end.connection, end.process):
            if what is not None:
                with suppress(KeyError):
                    self._selector.unregister(what)
        if watch is not None:
            watch.end(in_good_order=in_good_order)
            if not in_good_order:
                self._settling = [it for it in self._settling if not it.settled.is_set()]
                self._settling.append(watch)
        if end is not self._starter:
            end.close()

    def _listen(self, where: Listen) -> None:
        self._folder = where.folder
        self._listener = socket.socket(fileno=where.file)
        self._listener.setblocking(False)  # noqa: FBT003 - as the standard library has it
        self._open()

    def _stop_listening(self) -> None:
        if self._listener is not None:
            if not self._is_full:
                self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None

    def _end(self, ended: Ended) -> None:
        """Speak for the command; let the supervisor end when all is said of those that are dead.

        If it is the last process of a container, the system kills all others when it ends. So the
        members among them are killed now, while there is somebody who speaks for them.
        """
        self._stop_listening()
        self._forget(self._starter, in_good_order=True)
        for end in list(self._ends):
            if end.pid == ended.pid or end.is_dead():
                self._is_dead(end)
            elif ended.last:
                end.kill()
        if not ended.last:
            threading.Thread(target=self._let_go, args=(list(self._settling),), daemon=True).start()

    def _let_go(self, settling: list[Watch]) -> None:
        """Tell the supervisor, by closing, that it may end."""
        for watch in settling:
            watch.settled.wait()
        with suppress(OSError):
            self._starter.connection.shutdown(socket.SHUT_RDWR)


def _stand(post: Post, end: OtherEnd, watch: Watch) -> None:
    """Be the guard of one member; tell it, or say on stderr, what fails."""
    try:
        kafka = post.client, post.servers, post.prefix, post.patience_ms, post.kafka
        if not stand(post, lambda: choose(*kafka), watch):
            _tell("a release did not reach Kafka: the controller finds out by silence")
    except Exception as error:  # noqa: BLE001 - whatever it is, nobody stands guard any more
        reason = str(error) if isinstance(error, TrimtabError) else repr(error)
        if watch.is_over(0):
            _tell(reason)
        else:
            end.say(Refused(reason=reason))
    finally:
        watch.settled.set()


def _tell(trouble: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"trimtab-guard: {trouble}\n")
        sys.stderr.flush()


def _take_all_files() -> None:
    """Open as many as the system allows: each member costs twenty, and most limits are 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems allow less than they say
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main() -> None:
    """Be the guard of who is at the other end of stdin."""
    _take_all_files()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # meant for the members, whose ends are noticed
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the supervisor waits for all of them
    Guard(socket.socket(fileno=sys.stdin.fileno())).serve()
    os._exit(0)  # connections of members that said farewell may take long to close, for nothing


if __name__ == "__main__":
    main()
