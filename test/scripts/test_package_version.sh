#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The version of packages: at a tag, before it, after it, with changes, and without Git.
# Argument: a folder to work in.
set -eu
cd "$(dirname "$0")/../.."
. scripts/version.sh
folder=$1
rm -rf "$folder"
mkdir -p "$folder"

expect() {
  if [[ ! $2 =~ ^$1$ ]]; then
    printf "expected: %s\nfound: %s\n" "$1" "$2"
    exit 1
  fi
}

# commit TIME: everything, as nobody in particular.
commit() {
  git -C "$folder" add -A
  GIT_COMMITTER_DATE=$1 git -C "$folder" -c user.name=nobody -c user.email=nobody@localhost \
    -c commit.gpgsign=false commit -q -m "something" --date "$1"
}

echo 'project(fivebar_control VERSION 1.2.3 LANGUAGES C CXX)' >"$folder/CMakeLists.txt"
expect '1\.2\.3' "$(package_version "$folder")"
touch -d '2026-01-02 03:04:05 UTC' "$folder/CMakeLists.txt"
expect 1767323045 "$(package_time "$folder")"

git -C "$folder" init -q
commit '2026-01-02T03:04:05+0000'
before=$(package_version "$folder")
expect '1\.2\.3~git202601020304\.[0-9a-f]{7}' "$before"
expect 1767323045 "$(package_time "$folder")"

git -C "$folder" tag v1.2.3
expect '1\.2\.3' "$(package_version "$folder")"

echo '# changed' >>"$folder/CMakeLists.txt"
expect '1\.2\.3\+git202601020304\.[0-9a-f]{7}\.changed' "$(package_version "$folder")"
commit '2026-02-03T04:05:06+0100'
after=$(package_version "$folder")
expect '1\.2\.3\+git202602030305\.[0-9a-f]{7}' "$after"

# As dpkg sorts them, where there is dpkg.
if command -v dpkg >/dev/null; then
  dpkg --compare-versions "$before" lt 1.2.3
  dpkg --compare-versions 1.2.3 lt "$after"
fi
