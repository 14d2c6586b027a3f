# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The version of packages. Sourced, not run.

# package_version FOLDER: the version of the sources in FOLDER, such that newer ones sort later. In a Git work tree
# at the tag v0.1.0, and in sources without Git: 0.1.0. After that tag 0.1.0+gitTIME.COMMIT; before it
# 0.1.0~gitTIME.COMMIT, which dpkg sorts before 0.1.0. TIME is the commit's, in UTC.
package_version() {
  local version tag commit sign='~'
  version=$(sed -n 's/^project(fivebar_control VERSION \([0-9.]*\).*/\1/p' "$1/CMakeLists.txt")
  # The work tree must be ours: sources without Git may lie within the repository of somebody else.
  if [ ! -e "$1/.git" ] || ! commit=$(git -C "$1" rev-parse HEAD 2>/dev/null); then
    echo "$version"
    return
  fi
  if tag=$(git -C "$1" rev-parse --verify --quiet "v$version^{commit}"); then
    sign='+'
  fi
  local changed=""
  git -C "$1" diff --quiet HEAD || changed=.changed
  if [ "${tag:-}" = "$commit" ] && [ -z "$changed" ]; then
    echo "$version"
    return
  fi
  echo "$version${sign}git$(TZ=UTC git -C "$1" log -1 --format=%cd --date=format-local:%Y%m%d%H%M).${commit:0:7}$changed"
}

# package_time FOLDER: the time of the sources in seconds since 1970, for SOURCE_DATE_EPOCH: that of the commit, or
# of the newest file where there is none.
package_time() {
  if [ -e "$1/.git" ] && git -C "$1" log -1 --format=%ct 2>/dev/null; then
    return
  fi
  find "$1" \( -path "$1/build" -o -path "$1/out" \) -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1 | cut -d. -f1
}
