# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The version of packages. Sourced, not run. Expects to stand in the repository's root.

# package_version FOLDER: the version of the sources in FOLDER, the one that `fivebar --version` says, too.
package_version() {
  cmake -D FOLDER="$1" -P cmake/git_version.cmake
}

# package_time FOLDER: the time of the sources in seconds since 1970, for SOURCE_DATE_EPOCH: that of the commit, or
# of the newest file where there is none.
package_time() {
  if [ -e "$1/.git" ] && git -C "$1" log -1 --format=%ct 2>/dev/null; then
    return
  fi
  find "$1" \( -path "$1/build" -o -path "$1/out" \) -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1 | cut -d. -f1
}
