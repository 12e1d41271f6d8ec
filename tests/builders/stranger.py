"""A guarded member without the SDK: what `docs/guard.md` says, and the standard library.

    python -IS tests/builders/stranger.py < LINES

Reads a JSON list of pairs (post, hold), one for each member in this process, and then how it is to
go on. It says "held" on stdout when the guard has been told. Its one rule: it imports nothing of
ours, for it stands for a member in another language.
"""

import json
import os
import signal
import socket
import sys


def be_guarded(post: dict[str, object], hold: dict[str, object]) -> socket.socket:
    """Do what a member does."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["TRIMTAB_GUARD"])
    with connection.makefile("rw") as lines:
        lines.write(json.dumps({"kind": "post", **post}) + "\n")
        lines.flush()
        assert json.loads(lines.readline())["kind"] == "welcome"
        lines.write(json.dumps({"kind": "hold", **hold}) + "\n")
    return connection


def go_on(how: str, connections: list[socket.socket]) -> None:
    """Do what is asked for, if anything is."""
    if how == "fork" and os.fork() == 0:
        os.close(1)  # or whoever reads it waits for this child
        sys.stdin.read()  # it has the connections as well
        os._exit(0)
    for it in connections:
        if how == "close":
            it.close()
        elif how == "farewell":
            it.sendall(b'{"kind": "farewell"}\n')
        elif how == "garbage":
            it.sendall(b'{"kind": "hold"}\n')


def main() -> None:
    """Be these members until somebody ends it."""
    connections = [be_guarded(*it) for it in json.loads(sys.stdin.readline())]
    go_on(sys.stdin.readline().strip(), connections)
    sys.stdout.write("held\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
