# SPDX-License-Identifier: Apache-2.0
"""What fivebar raises besides ValueError and TypeError, which are for arguments."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of fivebar."""


class InputError(Error, ValueError):
    """A file or a value that cannot be used.

    The text reads "file:line:column: what is wrong, what was expected", or "key: what was expected".
    `file`, `line` and `column` say the place, `key` the name of a value that stands in no file, as
    far as they are known; lines and columns count from 1.
    """

    def __init__(
        self,
        message: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.key = key


class NotReachable(Error):
    """Good input that asks for what the robot or the mechanism cannot do.

    For a curve the text says when, where and by how much.
    """


class LeavesWorkspace(NotReachable):
    """Voltages or angles with which the linkage does not close.

    `time` is the last moment at which it did [s], where that is known.
    """

    def __init__(self, message: str = "", time: float | None = None) -> None:
        super().__init__(message)
        self.time = time


class MechanismError(NotReachable):
    """A mechanism that cannot be computed in this way."""


class HardwareFailure(Error):
    """Motors, encoders or what connects them cannot be used."""


for _class in (Error, InputError, NotReachable, LeavesWorkspace, MechanismError, HardwareFailure):
    _class.__module__ = "fivebar"
