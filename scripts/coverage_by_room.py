#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line coverage per room from gcovr's JSON summary.

Usage: coverage_by_room.py SUMMARY.json BAR ROOM...
Prints one line; ends with 1 if one of the ROOMs is below BAR percent.
"""
import collections
import json
import sys


def main():
    summary, bar, rooms = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    total = collections.Counter()
    covered = collections.Counter()
    with open(summary) as stream:
        for entry in json.load(stream)['files']:
            room = entry['filename'].split('/')[0]
            total[room] += entry['line_total']
            covered[room] += entry['line_covered']
    percent = {room: 100.0 * covered[room] / total[room] for room in total if total[room]}
    print(', '.join(f'{room} {percent[room]:.1f} %' for room in sorted(percent)))
    return 1 if any(percent.get(room, 0.0) < bar for room in rooms) else 0


sys.exit(main())
