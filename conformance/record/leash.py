"""Run a command that cannot outlive its parent: `python leash.py PARENT_PID COMMAND ARGUMENT...`.

A recorder that is itself killed must not leave servers behind. On Linux the kernel sends SIGKILL to this process, and
so to the command that replaces it, when the thread that started it ends (PR_SET_PDEATHSIG, prctl(2)). Elsewhere the
command just runs. A program of its own, because Python code between fork and exec of a threaded process may deadlock.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent, then become the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the leash was on
            sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 - the command replaces this process


if __name__ == "__main__":
    main()
