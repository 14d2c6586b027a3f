#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/test says about ROS 2 where it is found, where it is not and where it was not wanted.
# Arguments: cmake, its generator, and a folder to work in.
set -eu
cd "$(dirname "$0")/../.."
. scripts/lib.sh
cmake=$1
generator=$2
folder=$3
mkdir -p "$folder"
unset ROS_DISTRO AMENT_PREFIX_PATH

expect() {
  if ! grep -qF -- "$1" <<<"$2"; then
    printf "expected: %s\nfound: %s\n" "$1" "$2"
    exit 1
  fi
}

ros_folder=$folder/no_ros
if source_ros; then
  echo "found ROS 2 where there is none"
  exit 1
fi
echo "-- ROS 2: not used (FIVEBAR_WITH_ROS=AUTO); building as plain CMake" >"$folder/log"
expect "not found (none sourced, none under $folder/no_ros); its tests did NOT run" \
  "$(ros_summary "$folder/log" 0)"

ros_folder=$folder/ros
mkdir -p "$ros_folder/jazzy"
echo "ROS_DISTRO=jazzy" >"$ros_folder/jazzy/setup.bash"
source_ros >/dev/null
[ "$ROS_DISTRO" = jazzy ]
echo "-- ROS 2: messages, ros2_control plugins and nodes are built" >"$folder/log"
expect "jazzy found; 17 ROS tests ran" "$(ros_summary "$folder/log" 17)"
echo "-- ROS 2: the launch tests are left out; they need launch_testing_ament_cmake" >>"$folder/log"
expect "launch tests are left out; they need launch_testing" "$(ros_summary "$folder/log" 17)"

# The real configuration, told to leave ROS out.
"$cmake" -S . -B "$folder/build" -G "$generator" -DFIVEBAR_WITH_ROS=OFF -DBUILD_TESTING=OFF \
  -DFIVEBAR_BUILD_BENCHMARKS=OFF >"$folder/log"
found=$(ros_summary "$folder/log" 0)
expect "jazzy found, but its tests did NOT run" "$found"
expect "not used (FIVEBAR_WITH_ROS=OFF)" "$found"
