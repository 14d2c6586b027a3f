# SPDX-License-Identifier: Apache-2.0
"""What bloom, the release tool of ROS, wants of a package: its own parsers read our files."""

import pathlib
import sys
import unittest

from catkin_pkg.changelog import get_changelog_from_path
from catkin_pkg.package import parse_package

SOURCE = pathlib.Path(sys.argv.pop())


class ReleaseLayout(unittest.TestCase):

    def test_the_manifest_is_valid_and_without_warnings(self):
        warnings = []
        package = parse_package(str(SOURCE), warnings=warnings)
        package.validate(warnings=warnings)
        self.assertEqual(warnings, [])
        self.assertEqual(package.name, 'fivebar_control')
        self.assertTrue((SOURCE / package.licenses[0].file).is_file())

    def test_the_changelog_has_this_version_or_the_next(self):
        package = parse_package(str(SOURCE))
        changelog = get_changelog_from_path(str(SOURCE), package.name)
        self.assertIsNotNone(changelog, 'CHANGELOG.rst')
        versions = [version for version, _, _ in changelog.foreach_version()]
        self.assertTrue('Forthcoming' in changelog.rst or package.version in versions, versions)


if __name__ == '__main__':
    unittest.main()
