"""How a recorder gives up: each error tells what failed, why, and what to try."""

from __future__ import annotations


class PackagesUnavailable(Exception):
    """The program to be recorded cannot be had here: a client, a registry or a runtime is missing.

    The only recorder error for which a test may skip.
    """

    def __init__(self, what: str, why: str, advice: str) -> None:
        super().__init__(f"{what} cannot be had: {why}. Try: {advice}.")
        self.what, self.why, self.advice = what, why, advice


class LockMismatch(Exception):
    """A downloaded file is not the one that the committed lock names: damage or tampering, never a reason to skip."""

    def __init__(self, what: str, why: str) -> None:
        advice = "leave out a mirror that serves other files, or, if the change is meant, renew the lock"
        super().__init__(f"{what} is not the locked one: {why}. Try: {advice}.")
        self.what, self.why, self.advice = what, why, advice


class BuildFailed(Exception):
    """A program of ours cannot be built, though all that it needs is there: a defect, never a reason to skip."""

    def __init__(self, what: str, why: str) -> None:
        advice = "mend the sources, or their go.mod"
        super().__init__(f"{what} cannot be built: {why}. Try: {advice}.")
        self.what, self.why, self.advice = what, why, advice


class ClusterFailed(Exception):
    """A started cluster did not do in time what the scenario waits for; carries the tail of each node's log."""

    def __init__(self, what: str, logs: dict[str, str]) -> None:
        tails = "".join(f"\n--- last lines of {name} ---\n{tail}" for name, tail in logs.items())
        super().__init__(f"{what}{tails}")
        self.what, self.logs = what, logs


class DamagedFile(ValueError):
    """A file of a recorded system that cannot be read: says where, and why."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(f"byte {position}: {why}")
        self.position, self.why = position, why


class BookKeeperSaid(Exception):
    """A call of BookKeeper's client failed.

    Attributes:
        name: its own name of what went wrong, such as ``LedgerFencedException``.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
