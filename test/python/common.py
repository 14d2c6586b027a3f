# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python module share."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import fivebar

CONFIG = pathlib.Path(os.environ["FIVEBAR_CONFIG_DIR"])
PROGRAM = os.environ["FIVEBAR_PROGRAM"]


def request(name="b_gentle"):
    return fivebar.load_request(CONFIG / "curves" / f"{name}.yaml")


def command(*arguments):
    """Runs the program; its output if it succeeds."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise AssertionError(f"fivebar {arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


class Case(unittest.TestCase):
    """Has a robot and a folder for files."""

    @classmethod
    def setUpClass(cls):
        cls.robot = fivebar.load_robot()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path
