# SPDX-License-Identifier: Apache-2.0
"""package.xml names what CMake, the launch files and the tests ask for: no more, and no less."""

import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else '.').resolve()

# CMake's name of a package: keys of rosdep. Packages of ROS have one name.
ROSDEP = {
    'Eigen3': ['eigen'], 'yaml-cpp': ['yaml-cpp'], 'fmt': ['fmt'], 'Boost': ['libboost-dev'],
    'nlohmann_json': ['nlohmann-json-dev'], 'CLI11': ['cli11'],
    'NLopt': ['libnlopt-dev', 'libnlopt-cxx-dev'], 'GTest': ['libgtest-dev', 'libgmock-dev'],
}
# Python's name of a module: key of rosdep, where they differ.
PYTHON = {'yaml': 'python3-yaml', 'tf2_ros': 'tf2_ros_py', 'catkin_pkg': 'python3-catkin-pkg'}
# What is built without them works; docs/building.md says what each brings.
OPTIONAL = {'benchmark', 'PkgConfig', 'OpenSSL', 'DART', 'sdformat${version}', 'pybind11', 'Git',
            'Python3', 'gz-sim8', 'gz_ros2_control', 'ros_gz_sim', 'ros_gz_bridge'}
OURS = {'fivebar_control', 'Threads', '${package}'}
# Programs for people, not for a robot's computer (docs/ros.md).
FOR_PEOPLE = {'rviz2', 'joint_state_publisher', 'joint_state_publisher_gui', 'ros_gz_sim',
              'ros_gz_bridge', 'gz_ros2_control'}


def text(path):
    return (SOURCE / path).read_text()


def keys(*tags):
    root = xml.etree.ElementTree.parse(SOURCE / 'package.xml').getroot()
    return {element.text for tag in tags for element in root.iter(tag)}


def rosdep(names):
    return {key for name in names for key in ROSDEP.get(name, [name])}


def asked_for(files):
    """Return the packages that these CMake files look for."""
    found = set()
    for file in files:
        content = re.sub(r'#.*', '', text(file))
        found |= set(re.findall(r'find_package\(([^\s)]+)', content))
        for packages in re.findall(r'foreach\(package IN ITEMS([^)]*)\)', content):
            found |= set(packages.split())
    return found - OURS - OPTIONAL


def cmake_files(of_tests):
    files = [path.relative_to(SOURCE) for pattern in ('CMakeLists.txt', '*.cmake')
             for path in SOURCE.rglob(pattern)]
    return [file for file in files
            if file.parts[0] not in ('build', 'install', 'log', 'examples', 'out') and
            (file.parts[0] in ('test', 'bench')) == of_tests]


class PackageXml(unittest.TestCase):

    def test_names_what_the_build_asks_for(self):
        asked = rosdep(asked_for(cmake_files(of_tests=False)))
        self.assertEqual(asked, keys('depend', 'buildtool_depend'))

    def test_names_what_tests_and_benchmarks_ask_for(self):
        asked = rosdep(asked_for(cmake_files(of_tests=True)))
        missing = asked - keys('depend', 'buildtool_depend', 'exec_depend', 'test_depend')
        self.assertEqual(missing, set())

    def test_names_what_the_tests_import(self):
        known = set(sys.stdlib_module_names) | {'fivebar_control', 'gazebo_cell', 'robot_cell', 'launch_testing'}
        named = keys('depend', 'exec_depend', 'test_depend')
        for file in (SOURCE / 'test' / 'ros').glob('*.py'):
            for module in re.findall(r'^(?:from|import) (\w+)', file.read_text(), re.MULTILINE):
                if module not in known:
                    self.assertIn(PYTHON.get(module, module), named, file.name)

    def test_names_what_a_robot_runs_and_nothing_for_people(self):
        run = keys('depend', 'exec_depend')
        started, imported = set(), set()
        for file in [*(SOURCE / 'launch').glob('*.py'), *(SOURCE / 'controller').rglob('*.py')]:
            started |= set(re.findall(r"package='(\w+)'", file.read_text()))
            imported |= set(re.findall(r'^(?:from|import) (\w+)', file.read_text(), re.MULTILINE))
            started |= set(re.findall(r"share_directory\('(\w+)'\)", file.read_text()))
        imported = {PYTHON.get(module, module) for module in imported}
        needed = (started | imported) - FOR_PEOPLE - OURS - set(sys.stdlib_module_names)
        self.assertEqual(needed - run, set())
        self.assertEqual(run & FOR_PEOPLE, set())
        self.assertEqual(started & FOR_PEOPLE, FOR_PEOPLE - {'gz_ros2_control'}, 'a stale list')

    def test_has_the_version_of_the_project(self):
        version = re.search(r'project\(fivebar_control VERSION (\S+)', text('CMakeLists.txt'))[1]
        self.assertEqual(keys('version'), {version})


if __name__ == '__main__':
    unittest.main()
