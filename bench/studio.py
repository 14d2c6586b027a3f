#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time from a drag to its new verdict in the studio, in a real browser.

    bench/studio.py PROGRAM [DRAGS]

Drags a point of a spline with 1,001 nodes to random places, one move at a time, and takes the time from the browser's
time stamp of the mouse event to after the frame that shows the verdict. Then the same while the mouse moves without a
break, and the processor time that program and browser take when nobody does anything."""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "browser"))
from browser import Browser  # noqa: E402
from studio_page import Page, StudioProgram  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
DRAGS = int(sys.argv[2]) if len(sys.argv) > 2 else 200


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def show(name, timings):
    total = [t["total"] for t in timings]
    print(f"{name:<34} {len(total):4d} verdicts  median {statistics.median(total):6.1f} ms  p95 {percentile(total, 0.95):6.1f} ms  "
          f"largest {max(total):6.1f} ms  (in the server: median {statistics.median(t['server'] for t in timings):.1f} ms, "
          f"p95 {percentile([t['server'] for t in timings], 0.95):.1f} ms)", flush=True)


def descendants_cpu(pid):
    """Processor seconds of a process and all below it."""
    total = 0.0
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                fields = file.read().rsplit(") ", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append((int(entry), int(fields[11]) + int(fields[12])))
    waiting = [pid]
    while waiting:
        for child, ticks in children.get(waiting.pop(), []):
            total += ticks / os.sysconf("SC_CLK_TCK")
            waiting.append(child)
    return total


def load():
    with open("/proc/loadavg") as file:
        return file.read().split()[0]


def measure(page, places, pause):
    browser = page.browser
    browser.run("fivebarStudio.timings.length = 0")
    x, y = page.handle(2)
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mousePressed", x, y, buttons=1)
    for i in range(places):
        count = browser.run("return fivebarStudio.timings.length")
        browser.mouse("mouseMoved", x + random.uniform(-12, 12), y + random.uniform(-12, 12), buttons=1)
        if pause:
            browser.wait_until(f"fivebarStudio.timings.length > {count}", 10)
    browser.mouse("mouseReleased", x, y)
    page.settle()
    browser.run("return new Promise((r) => setTimeout(r, 200))")
    return browser.run("return fivebarStudio.timings")


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder, StudioProgram(PROGRAM, folder) as studio, Browser() as browser:
        page = Page(browser)
        browser.resize(1440)
        page.open(studio.url)
        page.set_value("curve-type", "spline", "change")
        page.settle()
        page.set_value("set-duration", "4")  # with both ramps 5 s, of 5 ms each
        page.settle()
        print(f"{browser.run('return fivebarStudio.answer.figures.nodes')} nodes; load of the machine {load()}, "
              f"{os.cpu_count()} cores, {subprocess.run([PROGRAM, '--version'], capture_output=True, text=True).stdout.splitlines()[0]}")
        measure(page, 20, True)
        show("one move at a time", measure(page, DRAGS, True))
        show("moves without a break", measure(page, DRAGS, False))
        print(f"load of the machine {load()}")
        time.sleep(2)
        seconds = 10.0
        server, whole = studio.cpu_seconds(), descendants_cpu(browser.driver.pid)
        time.sleep(seconds)
        print(f"idle for {seconds:.0f} s: program {100 * (studio.cpu_seconds() - server) / seconds:.2f} % of a core, "
              f"browser {100 * (descendants_cpu(browser.driver.pid) - whole) / seconds:.2f} %")


main()
