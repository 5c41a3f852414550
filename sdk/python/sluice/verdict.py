"""What becomes of a record that does not go on."""

from __future__ import annotations

from typing import NoReturn


class Verdict(Exception):
    """What a step decided about a record that does not go on."""

    keeps = False  # side rows and counts of the record

    def __init__(self, message: str) -> None:
        self.message = str(message)  # an exception, perhaps
        super().__init__(self.message)


class Reject(Verdict):
    """A record that cannot be accepted: it goes to the dead letter."""

    def __init__(self, code: str, message: str, path: str = "", *, keep: bool = False) -> None:
        super().__init__(message)
        self.code, self.path, self.keeps = str(code), str(path), keep


class Drop(Verdict):
    """A record that is left out on purpose."""

    keeps = True


class Decline(Verdict):
    """A record of another step, inside a ``first`` block."""

    def __init__(self, message: str, *, keep: bool = False) -> None:
        super().__init__(message)
        self.keeps = keep


class Fatal(Exception):
    """A failure that every other record would meet too: it ends the run."""


def reject(code: str, message: str, path: str = "", *, keep: bool = False) -> NoReturn:
    """Rejects the record: it goes to the dead letter with the code, in snake_case, the message and the path, "" for the whole record.

    The message must not hold values that may be personal. keep keeps side rows and counts, which are discarded otherwise.
    """
    raise Reject(code, message, path, keep=keep)


def drop(reason: str) -> NoReturn:
    """Leaves the record out on purpose. Drops are counted by reason, so use few different ones."""
    raise Drop(reason)


def decline(reason: str, *, keep: bool = False) -> NoReturn:
    """Leaves the record to the next step of a ``first`` block; elsewhere it is rejected with code declined."""
    raise Decline(reason, keep=keep)


def fatal(message: str) -> NoReturn:
    """Ends the run, for a failure that every other record would meet too."""
    raise Fatal(message)
