# SPDX-License-Identifier: Apache-2.0
"""The report and the live page in a real browser. Arguments: the program, the config folder and,
if pictures are wanted, a folder for them."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, missing_programs

PROGRAM, CONFIG = [os.path.abspath(path) for path in sys.argv[1:3]]
PICTURES = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
SKIPPED = 77  # what ctest takes for "did not run"
SECTIONS = ["verdict", "figures", "path", "angles", "volts", "linkage", "history", "timing", "parameters"]


def fivebar(*arguments, cwd):
    subprocess.run([PROGRAM, *arguments], cwd=cwd, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class BrowserCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="fivebar-pages-")
        plant = os.path.join(CONFIG, "plants/mismatched.yaml")
        fivebar("plan", os.path.join(CONFIG, "curves/b.yaml"), "--out", "b.csv", "--quiet", cwd=cls.folder)
        for mode in ("pd", "feedforward+pd"):
            fivebar("run", "b.csv", "--plant", plant, "--mode", mode, "--log", mode + ".csv",
                    "--json", mode + ".json", cwd=cls.folder)
        fivebar("report", "b.csv", "pd.csv", "feedforward+pd.csv", "--timing", "pd.json",
                "--timing", "feedforward+pd.json", "--out", "b.html", cwd=cls.folder)
        cls.browser = Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        shutil.rmtree(cls.folder)


class Report(BrowserCase):
    def setUp(self):
        self.browser.resize(1440)
        self.browser.open("file://" + os.path.join(self.folder, "b.html"))

    def tearDown(self):
        self.assertEqual(self.browser.console_errors(), [])

    def test_has_every_section_with_something_to_see(self):
        for section in SECTIONS:
            height = self.browser.run(
                "return document.getElementById(arguments[0])?.getBoundingClientRect().height", section)
            self.assertGreater(height or 0, 60, section)

    def test_every_chart_draws_its_data(self):
        charts = self.browser.run("""
            return [...document.querySelectorAll('figure.chart')].map((figure) => [figure.id,
              [...figure.querySelectorAll('polyline.line')].map((line) => {
                const box = line.getBoundingClientRect();
                return [line.points.numberOfItems, box.width, box.height]; })])""")
        self.assertEqual(len(charts), 13)
        for name, lines in charts:
            self.assertGreater(len(lines), 0, name)
            for points, width, height in lines:
                self.assertGreaterEqual(points, 2, name)
                self.assertGreater(width + height, 50, name)
        points = dict(charts)["chart-distance"][0][0]
        self.assertGreater(points, 5000)  # a run of six seconds at 1 kHz is not thinned out

    def test_axes_of_the_path_are_equal(self):
        x, y = self.browser.run("""
            const plot = document.querySelector('#chart-path .plot');
            const box = plot.getBoundingClientRect();
            const d = plot.dataset;
            return [box.width / (d.x1 - d.x0), box.height / (d.y1 - d.y0)]""")
        self.assertAlmostEqual(x / y, 1.0, delta=0.01)

    def test_no_label_overlaps_another_and_nothing_is_cut(self):
        for width in (1440, 390):
            for dark in (False, True):
                self.browser.resize(width, dark=dark)
                overlaps = self.browser.run("""
                    const found = [];
                    for (const plot of document.querySelectorAll('.plot')) {
                      for (const axis of ['x', 'y']) {
                        const boxes = [...plot.querySelectorAll('.tick.' + axis)]
                          .map((t) => t.getBoundingClientRect());
                        boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
                          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
                            found.push(plot.parentElement.id + ' ' + axis); }));
                      }
                    }
                    return found""")
                self.assertEqual(overlaps, [], width)
                wide = self.browser.run("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width)
                smallest = self.browser.run("""
                    return Math.min(...[...document.querySelectorAll('main *')]
                      .filter((e) => e.textContent.trim() && e.getClientRects().length)
                      .map((e) => parseFloat(getComputedStyle(e).fontSize)))""")
                self.assertGreaterEqual(smallest, 11)
                if PICTURES:
                    name = f"report_{width}_{'dark' if dark else 'light'}.png"
                    self.browser.screenshot(os.path.join(PICTURES, name))

    def plot_box(self, chart):
        return self.browser.run("""
            const plot = document.querySelector('#' + arguments[0] + ' .plot');
            plot.scrollIntoView({block: 'center'});
            const b = plot.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]""", chart)

    def test_hover_shows_the_values_at_the_pointer(self):
        left, top, width, height = self.plot_box("chart-phi1")
        self.browser.mouse("mouseMoved", left + width / 2, top + height / 2)
        shown = self.browser.wait_until(
            "document.querySelector('#chart-phi1 .key.planned output').textContent")
        expected = self.browser.run("""
            const p = [...document.querySelector('#chart-phi1 polyline.planned').points];
            const d = document.querySelector('#chart-phi1 .plot').dataset;
            const x = (+d.x0 + +d.x1) / 2;
            return p.reduce((a, b) => Math.abs(a.x - x) <= Math.abs(b.x - x) ? a : b).y""")
        self.assertAlmostEqual(float(shown.split()[0]), expected, delta=0.005)
        self.assertTrue(shown.endswith("rad"))

    def test_drag_zooms_all_time_charts_and_double_click_zooms_out(self):
        left, top, width, height = self.plot_box("chart-phi1")
        middle = top + height / 2
        ticks = "[...document.querySelectorAll('#chart-phi4-error .tick.x')].map((t) => +t.textContent)"
        before = self.browser.run("return " + ticks)
        self.browser.mouse("mouseMoved", left + width * 0.25, middle)
        self.browser.mouse("mousePressed", left + width * 0.25, middle, buttons=1)
        self.browser.mouse("mouseMoved", left + width * 0.4, middle, buttons=1)
        self.browser.mouse("mouseReleased", left + width * 0.4, middle)
        zoomed = self.browser.run("return " + ticks)
        self.assertGreater(min(zoomed), 1.4)
        self.assertLess(max(zoomed), 2.5)
        for clicks in (1, 2):
            self.browser.mouse("mousePressed", left + 50, middle, buttons=1, clicks=clicks)
            self.browser.mouse("mouseReleased", left + 50, middle, clicks=clicks)
        self.assertEqual(self.browser.run("return " + ticks), before)


class Live(BrowserCase):
    def start(self, *extra):
        self.run_process = subprocess.Popen(
            [PROGRAM, "run", "b.csv", "--web", "127.0.0.1:0", "--web-wait", "--log", "live.csv", *extra],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.run_process.stderr:
            found = re.search(r"live view at (http://127\.0\.0\.1:(\d+)/)", line)
            if found:
                self.port = int(found.group(2))
                return found.group(1)
        self.fail("the program did not say where the live view is")

    def finish(self):
        out, err = self.run_process.communicate(timeout=30)
        return self.run_process.returncode, out, err

    def test_shows_the_run_and_the_emergency_stop_is_quick(self):
        self.browser.resize(1440)
        self.browser.open(self.start())
        self.browser.wait_until("document.getElementById('state').textContent === 'playing'")
        self.browser.wait_until("document.querySelectorAll('#drawn')[0].points.numberOfItems > 100")
        for width in (1440, 390):
            self.browser.resize(width, dark=width == 390)
            if PICTURES:
                self.browser.screenshot(os.path.join(PICTURES, f"live_{width}.png"))
        self.assertGreater(self.browser.run("return document.querySelector('#volts polyline.one').points.numberOfItems"), 10)
        self.browser.run("document.getElementById('emergency').click()")
        answer = self.browser.wait_until("document.getElementById('answer').textContent")
        self.assertIn("Zero volts", answer)
        code, _, err = self.finish()
        print("server:", err.strip().splitlines()[0], flush=True)
        milliseconds = float(re.search(r"zero volts after ([0-9.]+) ms", err).group(1))
        self.assertLess(milliseconds, 100.0)
        self.assertEqual(code, 130)
        self.assertIn("aborted on request", err)
        with open(os.path.join(self.folder, "live.csv")) as log:
            rows = [line.strip().split(",") for line in log if line[0] != "#"]
        last = dict(zip(rows[0], rows[-1]))
        self.assertEqual((float(last["u1_applied"]), float(last["u4_applied"])), (0.0, 0.0))
        self.browser.wait_until("document.getElementById('state').textContent === 'run over: aborted'")
        self.assertEqual(self.browser.console_errors(), [])

    def test_smooth_stop_comes_to_rest(self):
        self.browser.open(self.start())
        self.browser.wait_until("document.getElementById('state').textContent === 'playing'")
        self.browser.run("document.getElementById('smooth').click()")
        code, _, err = self.finish()
        self.assertEqual(code, 130)
        self.assertIn("stopped on request, at rest", err)
        self.assertEqual(self.browser.console_errors(), [])

    def request(self, text):
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(text.encode())
            return connection.recv(100).decode().split("\r\n")[0]

    def refusal(self, *arguments):
        run = subprocess.run([PROGRAM, "run", "b.csv", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=30)
        self.assertEqual(run.returncode, 2)
        return run.stderr

    def test_refuses_other_addresses_taken_ones_and_fast_runs(self):
        self.assertIn("add --web-remote and a token", self.refusal("--web", "0.0.0.0:0"))
        self.assertIn("needs a token", self.refusal("--web", "0.0.0.0:0", "--web-remote"))
        self.assertIn("with --fast", self.refusal("--web", "127.0.0.1:0", "--fast"))
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assertIn("cannot be bound", self.refusal("--web", address))

    def test_needs_the_token_where_there_is_one(self):
        self.start("--web-token", "0123456789abcdef")
        get = "GET /{} HTTP/1.1\r\nHost: anything\r\n\r\n"
        self.assertIn("403", self.request(get.format("")))
        self.assertIn("403", self.request(get.format("?token=0123456789abcdeX")))
        self.assertIn("200", self.request(get.format("?token=0123456789abcdef")))
        self.run_process.terminate()
        self.finish()

    def test_refuses_foreign_pages(self):
        self.start()
        own = f"127.0.0.1:{self.port}"
        stop = "POST /emergency-stop HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n{}\r\n"
        self.assertIn("403", self.request("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
        self.assertIn("403", self.request(stop.format("evil.example", "X-Fivebar: stop\r\n")))
        self.assertIn("403", self.request(stop.format(own, "")))
        self.assertIn("200", self.request(f"GET / HTTP/1.1\r\nHost: {own}\r\n\r\n"))
        self.assertIsNone(self.run_process.poll())
        self.run_process.terminate()
        self.finish()


if __name__ == "__main__":
    absent = missing_programs()
    if absent:
        print(f"SKIPPED: {' and '.join(absent)} not installed (packages chromium chromium-driver)")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
