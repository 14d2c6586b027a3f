"""What fivebar raises besides ValueError and TypeError, which are for arguments."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of fivebar."""


class FileError(Error):
    """A file that cannot be used.

    The text reads "file:line:column: what is wrong, what was expected". `file`, `line` and `column`
    say the place, as far as it is known; lines and columns count from 1.
    """

    def __init__(
        self,
        message: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class NotReachable(Error):
    """The robot cannot draw the curve; the text says when, where and by how much."""


class LeavesWorkspace(Error):
    """Voltages or angles with which the linkage does not close.

    `time` is the last moment at which it did [s], where that is known.
    """

    def __init__(self, message: str = "", time: float | None = None) -> None:
        super().__init__(message)
        self.time = time


class MechanismError(Error):
    """A mechanism that cannot be computed in this way."""


for _class in (Error, FileError, NotReachable, LeavesWorkspace, MechanismError):
    _class.__module__ = "fivebar"
