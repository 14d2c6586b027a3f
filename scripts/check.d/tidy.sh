# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_tidy() { echo "clang-tidy (.clang-tidy) over all rooms: no finding"; }
tools_tidy() { echo "clang-tidy"; }

check_tidy() {
  build release
  local files
  mapfile -t files < <(git ls-files 'support/*.cpp' 'model/*.cpp' 'planner/*.cpp' 'multibody/*.cpp' \
    'controller/*.cpp' 'hardware/*.cpp' 'report/*.cpp' 'daemon/*.cpp' 'plan/*.cpp' 'runs/*.cpp' 'simulation/*.cpp' 'cli/*.cpp' 'python/*.cpp' | grep -v /ros/)
  # Sources that this machine does not build (a library is missing) have no compile command.
  local known=() file
  for file in "${files[@]}"; do
    if grep -q "\"file\": \"$PWD/$file\"" build/release/compile_commands.json; then
      known+=("$file")
    else
      left_out "$file, which is not built here"
    fi
  done
  left_out "controller/ros, hardware/ros, planner/ros and test/: their frameworks' macros"
  figure "${#known[@]} files"
  python3 scripts/tidy.py build/release "$jobs" "${known[@]}"
}
