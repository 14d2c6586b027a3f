# shellcheck shell=bash
# Shared by the scripts here: messages, installation of packages, configure and build.
# Sourced, not run. Expects to stand in the repository's root.

say() { printf '\n== %s\n' "$*"; }

# Debian 12 and Ubuntu 24.04 names of what the build and the tests need.
packages=(
  g++ cmake ninja-build pkg-config ccache
  libeigen3-dev libyaml-cpp-dev libfmt-dev libboost-dev nlohmann-json3-dev libcli11-dev
  libnlopt-dev libnlopt-cxx-dev
  libgtest-dev libgmock-dev libbenchmark-dev gnuplot-nox
)
# Nice to have, each for one thing: the comparison with MuJoCo; comedi: devices; pictures other than
# SVG (cairo, ffmpeg); the tests of the description for Gazebo (sdformat, DART); the live view.
optional_packages=(
  libmujoco-dev libcomedi-dev libcairo2-dev ffmpeg libsdformat-dev libdart-dev libcpp-httplib-dev
)
# For the browser test of scripts/test only.
browser_packages=(chromium chromium-driver)

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

apt() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@" >/dev/null
}

# Installs what is missing of the packages above; quick when nothing is.
install_packages() {
  local missing=() wanted=() package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  for package in "${optional_packages[@]}"; do
    is_installed "$package" || wanted+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
    say "All needed packages are installed."
    return
  fi
  if ! command -v apt-get >/dev/null; then
    say "No apt-get here: install the equivalents of ${missing[*]} ${wanted[*]} yourself."
    return
  fi
  say "Installing: ${missing[*]} ${wanted[*]}"
  apt update
  [ ${#missing[@]} -eq 0 ] || apt install -y --no-install-recommends "${missing[@]}"
  for package in "${wanted[@]}"; do
    apt install -y --no-install-recommends "$package" ||
      say "The optional package $package is not available here; going on without it."
  done
}

# A ROS 2 environment that is already sourced, or the newest under /opt/ros, is used; else none.
source_ros() {
  [ ${#ros_options[@]} -eq 0 ] || return 0
  if [ -n "${ROS_DISTRO:-}" ]; then
    say "ROS 2 ${ROS_DISTRO} is sourced."
  else
    local setup newest=""
    for setup in "$ros_folder"/*/setup.bash; do
      [ ! -e "$setup" ] || newest=$setup
    done
    [ -n "$newest" ] || return 1
    set +u
    # shellcheck disable=SC1090
    . "$newest"
    set -u
    say "ROS 2 ${ROS_DISTRO:-} found in ${newest%/setup.bash}."
  fi
  # ROS 2 is built for the distribution's Python; another one earlier on the path would be taken.
  export PATH="/usr/bin:$PATH"
  ros_options=(-DPython3_EXECUTABLE=/usr/bin/python3)
}
ros_options=()
ros_folder=/opt/ros

# ros_summary CONFIGURE_LOG COUNT: one sentence on whether the ROS tests ran, and why not.
ros_summary() {
  if [ -z "${ROS_DISTRO:-}" ]; then
    echo "ROS 2: not found (none sourced, none under $ros_folder); its tests did NOT run."
  elif grep -q 'nodes are built' "$1"; then
    echo "ROS 2: ${ROS_DISTRO} found; $2 ROS tests ran."
  else
    echo "ROS 2: ${ROS_DISTRO} found, but its tests did NOT run:"
  fi
  grep -o 'ROS 2: .*\(left out\|not used\).*' "$1" || true
}

# build PRESET: configures once, then builds; with ROS 2 where there is one, so that all scripts share
# one build.
build() {
  source_ros || true
  say "Building ($1)"
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  mkdir -p build
  cmake --preset "$1" "${launcher[@]}" "${ros_options[@]}" >"build/$1-configure.log" 2>&1 ||
    { cat "build/$1-configure.log"; exit 1; }
  cmake --build --preset "$1"
}
