# SPDX-License-Identifier: Apache-2.0
"""The component 'python' is a whole package by itself, and finds the configuration of its prefix.

Arguments: cmake, the build tree, the folder of the package below the prefix.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from common import CONFIG, Case

CMAKE, BUILD, FOLDER = sys.argv[1:4]


class Install(Case):
    def test_the_installed_package_plans_with_the_installed_configuration(self):
        prefix = self.folder / "prefix"
        subprocess.run(
            [CMAKE, "--install", BUILD, "--component", "python", "--prefix", str(prefix)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        package = prefix / FOLDER / "fivebar"
        names = sorted(path.name for path in package.iterdir() if path.suffix != ".so")
        self.assertEqual(
            names, ["__init__.py", "_errors.py", "_fivebar.pyi", "_pandas.py", "py.typed"]
        )
        self.assertEqual(len(list(prefix.rglob("*.so"))), 1)
        shutil.copytree(CONFIG, prefix / "share" / "fivebar_control" / "config")
        environment = {k: v for k, v in os.environ.items() if k != "FIVEBAR_CONFIG_DIR"}
        environment["PYTHONPATH"] = str(prefix / FOLDER)
        program = (
            "import fivebar\n"
            "request = fivebar.load_request(fivebar.find_config('curves/b_gentle.yaml'))\n"
            "print(fivebar.find_config('robot.yaml'), fivebar.plan(fivebar.load_robot(), request).verdict)"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", program],
            env=environment, cwd=self.folder, capture_output=True, text=True, check=True,
        )
        found = pathlib.Path(done.stdout.split()[0]).resolve()
        self.assertEqual(found, (prefix / "share/fivebar_control/config/robot.yaml").resolve())
        self.assertEqual(done.stdout.split()[1], "converged")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
