#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source, header, CMake file and script names its licence.

The first line, or the second one after a `#!`, is a comment with nothing but SPDX-License-Identifier: Apache-2.0.

    python3 scripts/check_licence.py [ROOT]

Prints one line per file that lacks it and ends with 1 if there is any.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
IDENTIFIER = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    (".cpp", ".hpp", ".cpp.in", ".js"): f"// {IDENTIFIER}",
    (".c", ".h", ".css"): f"/* {IDENTIFIER} */",
    (".cmake", ".cmake.in", "CMakeLists.txt", ".py", ".pyi", ".sh", ".gp"): f"# {IDENTIFIER}",
}


def expected(name, lines):
    """The comment that the file must have, or None if it is none of those that need one."""
    for endings, comment in COMMENTS.items():
        if name.endswith(endings):
            return comment
    return f"# {IDENTIFIER}" if lines[0].startswith("#!") else None


def main():
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout.split("\n")
    checked, missing = 0, 0
    for name in names:
        path = ROOT / name
        if not path.is_file() or "/corpus/" in name or "/regressions/" in name:
            continue
        lines = path.read_text(errors="replace").split("\n", 2)
        comment = expected(name, lines)
        if comment is None:
            continue
        checked += 1
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if first != comment:
            missing += 1
            print(f"{name}: the first line is not '{comment}'")
    print(f"{checked} files, {missing} without their licence")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
