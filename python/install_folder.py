# SPDX-License-Identifier: Apache-2.0
"""Prints where Python looks for packages, relative to an installation prefix."""

import os
import sys
import sysconfig

prefix = os.path.normpath(sys.argv[1])
# Debian keeps its own packages apart from those that were built here.
if prefix == "/usr" and "deb_system" in sysconfig.get_scheme_names():
    paths = sysconfig.get_paths("deb_system")
else:
    paths = sysconfig.get_paths()
print(os.path.relpath(paths["platlib"], paths["data"]))
