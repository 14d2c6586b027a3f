# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_rooms() { echo "the rooms include and link only what docs/architecture.md allows"; }
tools_rooms() { :; }

check_rooms() {
  figure "$(python3 scripts/check_rooms.py | tail -1)"
  python3 scripts/check_rooms.py
}
