# SPDX-License-Identifier: Apache-2.0
"""When the controller manager dies, robot.launch.py ends: nobody is left to believe that it runs."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from ament_index_python.packages import get_package_share_directory
import launch
from launch.launch_description_sources import PythonLaunchDescriptionSource


def run_launch():
    """Be the launch process."""
    file = pathlib.Path(get_package_share_directory('fivebar_control')) / 'launch/robot.launch.py'
    service = launch.LaunchService()
    service.include_launch_description(launch.LaunchDescription([
        launch.actions.IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(file)),
            launch_arguments={'planner': 'false'}.items())]))
    return service.run()


def manager_of(parent):
    """Return the process of this launch that is the manager, or None."""
    for folder in pathlib.Path('/proc').iterdir():
        try:
            command = (folder / 'cmdline').read_bytes()
            status = (folder / 'stat').read_text()
        except (OSError, ValueError):
            continue
        if b'ros2_control_node' in command and int(status.rsplit(')')[-1].split()[1]) == parent:
            return int(folder.name)
    return None


class ManagerEnds(unittest.TestCase):

    def test_the_launch_ends_with_its_manager(self):
        process = subprocess.Popen([sys.executable, __file__, 'launch'])
        self.addCleanup(process.wait)
        self.addCleanup(process.send_signal, signal.SIGINT)
        manager = None
        for _ in range(600):
            manager = manager or manager_of(process.pid)
            if manager:
                break
            time.sleep(0.1)
        self.assertIsNotNone(manager)
        time.sleep(1.0)
        os.kill(manager, signal.SIGKILL)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.fail('the launch goes on without its manager')


if __name__ == '__main__':
    if sys.argv[1:] == ['launch']:
        sys.exit(run_launch())
    unittest.main()
