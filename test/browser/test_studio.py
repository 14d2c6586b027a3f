# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser. Arguments: the program, the config folder and, if pictures are wanted, a folder for
them."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, missing_programs
from studio_page import Page, StudioProgram

PROGRAM, CONFIG = [os.path.abspath(path) for path in sys.argv[1:3]]
PICTURES = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
SKIPPED = 77  # what ctest takes for "did not run"
HEART = """<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="40mm" viewBox="0 0 40 40"><g transform="translate(2 2)">
<path d="M18 32 C4 22 0 14 4 7 C8 1 16 3 18 9 C20 3 28 1 32 7 C36 14 32 22 18 32 Z" fill="red"/></g></svg>"""


class StudioCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser().__enter__()
        cls.page = Page(cls.browser)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fivebar-studio-")
        self.studio = StudioProgram(PROGRAM, self.folder, *self.arguments())
        self.browser.resize(1440)
        self.page.open(self.studio.url)

    def arguments(self):
        return []

    def tearDown(self):
        self.assertEqual(self.browser.console_errors(), [])
        self.browser.run("sessionStorage.clear(); window.fivebarStudio.remember = () => {}")
        self.assertEqual(self.studio.stop(), 0)
        shutil.rmtree(self.folder)

    def picture(self, name):
        if PICTURES:
            self.browser.screenshot(os.path.join(PICTURES, f"studio_{name}.png"))

    def wait_state(self, state):
        self.browser.wait_until(f"fivebarStudio.answer.state === '{state}'")

    def use_spline(self):
        self.page.set_value("curve-type", "spline", "change")
        self.page.settle()
        self.browser.wait_until("document.querySelectorAll('#board .handle').length > 4")


class Drawing(StudioCase):
    def test_dragging_a_point_changes_path_charts_and_verdict(self):
        page = self.page
        self.use_spline()
        self.assertEqual(page.state(), "good")
        before = page.text("sentence"), self.browser.run("return fivebarStudio.text")
        chart = "document.querySelector('#plan-volts polyline.line').getAttribute('points')"
        volts = self.browser.run("return " + chart)
        x, y = page.handle(2)
        page.drag((x, y), (x + 10, y + 6), (x + 24, y + 14))
        self.assertNotEqual(page.text("sentence"), before[0])
        self.assertNotEqual(self.browser.run("return " + chart), volts)
        self.assertNotEqual(self.browser.run("return fivebarStudio.text"), before[1])
        page.click("undo")
        page.settle()
        self.assertEqual(self.browser.run("return fivebarStudio.text"), before[1])
        self.assertEqual(page.text("sentence"), before[0])
        page.click("redo")
        page.settle()
        self.assertNotEqual(page.text("sentence"), before[0])

    def test_a_curve_out_of_reach_is_told_and_moved_back_by_a_button(self):
        page = self.page
        x, y = page.handle(0)  # the centre
        target = page.point_on_screen(0.127, 0.195)
        page.drag((x, y), ((x + target[0]) / 2, (y + target[1]) / 2), target)
        self.assertEqual(page.state(), "bad")
        self.assertRegex(page.text("sentence"), "(leaves the workspace|singularity|cannot be drawn).*\\.$")
        self.assertGreater(self.browser.run("return document.querySelectorAll('#board .nominal .bad').length"), 0)
        self.picture("out_of_reach")
        page.click("apply-fix")
        page.settle()
        self.assertIn(page.state(), ("good", "warn"))

    def test_freehand_becomes_a_spline(self):
        page = self.page
        page.click("tool-freehand")
        places = [page.point_on_screen(0.10 + 0.006 * i, 0.11 + 0.012 * ((i * i) % 5 - 2) / 2) for i in range(9)]
        page.drag(places[0], *places[1:])
        self.assertEqual(self.browser.run("return fivebarStudio.model.curve.type"), "spline")
        self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"), page.text("sentence"))

    def test_every_type_of_curve_can_be_chosen_and_dragged(self):
        page = self.page
        for kind in ("circle", "polyline", "spline", "lissajous"):
            page.set_value("curve-type", kind, "change")
            page.settle()
            self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"), f"{kind}: {page.text('sentence')}")
            text = self.browser.run("return fivebarStudio.text")
            x, y = page.handle(0)
            page.drag((x, y), (x - 9, y + 5))
            self.assertNotEqual(self.browser.run("return fivebarStudio.text"), text, kind)
            self.assertNotEqual(page.state(), "error", page.text("sentence"))

    def test_points_are_added_nudged_and_removed_by_keyboard_and_double_click(self):
        page = self.page
        self.use_spline()
        count = "fivebarStudio.model.curve.points.length"
        before = self.browser.run("return " + count)
        middle = self.browser.run("""
            const c = fivebarStudio.board.curve; const i = Math.round(0.45 * c.x.length); return [c.x[i], c.y[i]]""")
        x, y = page.point_on_screen(*middle)
        for clicks in (1, 2):
            self.browser.mouse("mousePressed", x, y, buttons=1, clicks=clicks)
            self.browser.mouse("mouseReleased", x, y, clicks=clicks)
        self.browser.wait_until(f"{count} === {before + 1}")
        page.settle()
        self.browser.run("""
            const h = document.querySelectorAll('#board .handle')[1];
            h.focus();
            for (const key of ['ArrowLeft', 'ArrowUp', 'Delete'])
              h.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))""")
        page.settle()
        self.assertEqual(self.browser.run("return " + count), before)


class Text(StudioCase):
    def test_yaml_and_sliders_show_the_same_and_comments_stay(self):
        page = self.page
        self.page.set_value("set-duration", "6.5")
        page.settle()
        text = self.browser.run("return document.getElementById('yaml').value")
        self.assertIn("duration: 6.5                     # s", text)
        self.assertIn("# Curve B with a gentle start and stop", text)
        page.set_value("yaml", text.replace("duration: 6.5", "duration: 7.5"), "input")
        page.settle()
        self.assertEqual(self.browser.run("return document.getElementById('set-duration').value"), "7.5")
        self.page.set_value("set-rho", "0.000001")
        self.page.set_value("set-ramp-in", "2")
        page.settle()
        text = self.browser.run("return fivebarStudio.text")
        self.assertIn("rho: 1e-6", text)
        self.assertIn("ramp: {in: 2.0, out: 1.0}", text)
        self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"))

    def test_a_bad_line_is_marked_with_the_words_of_the_command_line(self):
        page = self.page
        text = self.browser.run("return fivebarStudio.text").replace("  amplitude:", "  amplitdue:")
        page.set_value("yaml", text, "input")
        self.wait_state("error")
        with open(os.path.join(self.folder, "studio.yaml"), "w") as file:
            file.write(text)
        command = subprocess.run([PROGRAM, "plan", "studio.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(command.returncode, 2)
        self.assertIn(page.text("sentence"), command.stderr)
        line = int(page.text("sentence").split(":")[1])
        page.click("tab-yaml")
        shown = self.browser.run("""
            const m = document.getElementById('mark-line').getBoundingClientRect();
            const e = document.querySelector('.editor').getBoundingClientRect();
            return [document.getElementById('mark-line').hidden, (m.top - e.top - 8) / 20 + 1]""")
        self.assertEqual(shown[0], False)
        self.assertAlmostEqual(shown[1], line, delta=0.2)
        self.picture("bad_yaml")
        for bad in ("", "{", "a: [", "- 1\n- 2", "curve: {type: circle", "\t", "schema: 99", "x" * 200000, "[" * 20000):
            page.set_value("yaml", bad, "input")
            page.settle()
            self.assertEqual(page.state(), "error", bad[:20])
        page.set_value("yaml", text.replace("amplitdue:", "amplitude:"), "input")
        self.wait_state("good")


class Import(StudioCase):
    def insert(self):
        self.browser.wait_until("document.getElementById('place-dialog').open")
        self.picture("place")
        self.assertFalse(self.browser.run("return document.getElementById('place-yes').disabled"),
                         self.page.text("place-word"))
        before = self.browser.run("return fivebarStudio.past.length")
        self.page.click("place-yes")
        self.browser.wait_until(f"fivebarStudio.past.length > {before}")
        self.page.settle()

    def test_an_svg_path_becomes_a_curve_of_its_size(self):
        self.page.import_text("heart.svg", HEART)
        self.insert()
        points = self.browser.run("return fivebarStudio.model.curve.points")
        width = max(p[0] for p in points) - min(p[0] for p in points)
        self.assertAlmostEqual(width, 0.0307, delta=0.002)
        top = max(points, key=lambda p: p[1])
        bottom = min(points, key=lambda p: p[1])
        self.assertGreater(abs(top[0] - bottom[0]), 0.003)  # the point of the heart is below, its arcs above
        self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"), self.page.text("sentence"))

    def test_text_is_written_in_single_strokes(self):
        self.page.click("text-open")
        self.page.set_value("place-words", "Hi 5!", "input")
        self.insert()
        self.assertEqual(self.browser.run("return fivebarStudio.model.curve.type"), "polyline")
        self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"), self.page.text("sentence"))
        self.picture("text")

    def test_csv_with_and_without_times(self):
        self.page.import_text("c.csv", "t,x,y\n0,0.10,0.12\n1,0.12,0.14\n2,0.14,0.12\n3,0.12,0.10\n")
        self.insert()
        self.assertEqual(self.browser.run("return fivebarStudio.model.curve.times"), [0, 1, 2, 3])
        self.page.import_text("c.csv", "110,120\n120,130\n130,120\n")
        self.insert()
        self.assertAlmostEqual(self.browser.run("return fivebarStudio.model.curve.points[0][0]"), 0.110, delta=1e-3)

    def test_bad_and_huge_files_are_refused_with_a_reason(self):
        circle = "M0 0" + " L1 1 L0 1" * 50000
        for name, text, reason in (
                ("a.svg", "<svg", "no SVG file"), ("a.svg", "<html/>", "no SVG file"),
                ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><text>hi</text></svg>", "no path"),
                ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path d='nonsense'/></svg>", "not valid"),
                ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path d='M1 2 L3'/></svg>", "not valid"),
                ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path d='M1 2'/></svg>", "no length"),
                ("a.svg", f"<svg xmlns='http://www.w3.org/2000/svg'><path d='{circle}'/></svg>", "simplify"),
                ("a.svg", " " * 3100000, "larger than 3 MB"),
                ("a.csv", "x,y\n1,2\n", "at least three rows"), ("a.csv", "1,2\na,b\n3,4\n", "Line 2"),
                ("a.csv", "t,x,y\n0,0,0\n0,1,1\n1,2,2\n", "must increase"), ("a.png", "x", "expected a file ending in")):
            self.browser.run("document.getElementById('notice').textContent = ''")
            self.page.import_text(name, text)
            told = self.browser.wait_until("document.getElementById('notice').textContent")
            self.assertIn(reason, told)
            self.assertFalse(self.browser.run("return document.getElementById('place-dialog').open"))

    def test_a_hostile_svg_runs_nothing(self):
        self.page.import_text("a.svg", HEART.replace(
            "<path", "<script>window.hacked = 1</script><image href='x' onerror='window.hacked = 2'/><path onload='window.hacked = 3'"))
        self.insert()
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))

    def test_a_long_path_keeps_the_page_awake(self):
        rows = "\n".join(f"{0.1 + 0.03 * ((i * 7919) % 1000) / 1000:.5f},{0.12 + 0.02 * ((i * 104729) % 1000) / 1000:.5f}"
                         for i in range(60000))
        self.page.import_text("noise.csv", rows)
        self.insert()
        self.assertLessEqual(self.browser.run("return fivebarStudio.model.curve.points.length"), 300)
        self.assertNotEqual(self.page.state(), "error", self.page.text("sentence"))


class Playing(StudioCase):
    def test_plays_with_and_without_feedforward_side_by_side(self):
        page = self.page
        self.browser.run("fivebarStudio.showResults('play-panel')")
        self.browser.wait_until("document.querySelectorAll('#run-table tbody tr').length >= 2", 30)
        self.browser.wait_until("!document.getElementById('play-results').classList.contains('old')")
        rows = self.browser.run("""
            return [...document.querySelectorAll('#run-table tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))""")
        names = [row[0] for row in rows]
        self.assertIn("pd", names)
        self.assertIn("feedforward+pd", names)
        errors = {row[0]: float(row[1].split()[0]) for row in rows}
        self.assertGreater(errors["pd"], 3 * errors["feedforward+pd"])
        self.assertIn("times less squared error", page.text("play-sentence"))
        tip = "document.querySelector('.run-picture .tip').getAttribute('cx')"
        at_begin = self.browser.run("return " + tip)
        page.set_value("time", "2.5", "input")
        self.assertNotEqual(self.browser.run("return " + tip), at_begin)
        page.click("play-pause")
        self.browser.wait_until("fivebarStudio.player.t > 2.6")
        page.click("play-pause")
        paused = self.browser.run("return fivebarStudio.player.t")
        x, y = page.handle(0)
        page.drag((x, y), (x + 3, y + 3))
        self.assertEqual(self.browser.run("return [fivebarStudio.player.t, fivebarStudio.player.playing]"), [paused, False])
        self.browser.wait_until("!document.getElementById('play-results').classList.contains('old')", 30)
        for width in (1440, 390):
            for dark in (False, True):
                self.browser.resize(width, dark=dark)
                self.picture(f"play_{width}_{'dark' if dark else 'light'}")
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)

    def test_commands_save_run_and_link_their_results(self):
        page = self.page
        page.set_value("name", "heart.yaml", "change")
        self.browser.run("fivebarStudio.showResults('commands-panel')")
        self.browser.run("document.querySelector('[data-action=compare]').click()")
        self.browser.wait_until("document.getElementById('job-state').textContent === 'done'", 60)
        self.assertIn("fivebar compare heart.plan.csv --report heart.report.html", page.text("job-command"))
        self.assertIn("times less ISE", page.text("job-output"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["heart.plan.csv", "heart.report.html", "heart.yaml"])
        self.picture("commands")


class Files(StudioCase):
    def test_saves_reopens_and_the_plan_is_that_of_the_command_line(self):
        page = self.page
        page.set_value("name", "my curve", "change")
        self.use_spline()
        page.click("save-plan")
        self.browser.wait_until("/Saved .* and its plan/.test(document.getElementById('notice').textContent)")
        subprocess.run([PROGRAM, "plan", "my curve.yaml", "--out", "command.csv", "--quiet"], cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "command.csv"), "rb") as one, \
                open(os.path.join(self.folder, "my curve.plan.csv"), "rb") as two:
            self.assertEqual(one.read(), two.read())
        saved = self.browser.run("return fivebarStudio.text")
        page.click("new")
        page.settle()
        self.assertNotEqual(self.browser.run("return fivebarStudio.text"), saved)
        page.click("open")
        self.browser.wait_until("document.querySelectorAll('#files-list .file').length === 3")
        self.picture("open")
        self.browser.run("[...document.querySelectorAll('#files-list .file')].find((f) => f.textContent.startsWith('my curve.yaml')).click()")
        self.browser.wait_until("fivebarStudio.name === 'my curve.yaml'")
        page.settle()
        self.assertEqual(self.browser.run("return fivebarStudio.text"), saved)
        # Another curve under this name asks first.
        page.click("new")
        page.set_value("name", "my curve.yaml", "change")
        page.settle()
        page.click("save")
        self.browser.wait_until("document.getElementById('confirm').open")
        self.browser.run("document.querySelector('#confirm button[value=no]').click()")
        self.browser.wait_until("/was not replaced/.test(document.getElementById('notice').textContent)")
        with open(os.path.join(self.folder, "my curve.yaml")) as file:
            self.assertEqual(file.read(), saved)

    def test_a_plan_and_a_log_are_opened_too(self):
        shutil.copy(os.path.join(CONFIG, "curves/a_gentle.yaml"), os.path.join(self.folder, "a.yaml"))
        for arguments in (["plan", "a.yaml", "--out", "a.plan.csv", "--quiet"], ["run", "a.plan.csv", "--fast", "--log", "a.log.csv"]):
            subprocess.run([PROGRAM, *arguments], cwd=self.folder, check=True, capture_output=True)
        for kind in ("plan", "log"):
            self.page.click("open")
            self.browser.wait_until("document.getElementById('files').open")
            self.browser.run("""
                [...document.querySelectorAll('#files-list .file')].find((f) => f.textContent.startsWith(arguments[0])).click()""",
                             f"a.{kind}.csv")
            self.browser.wait_until("fivebarStudio.name === 'a.yaml'")
            self.page.settle()
            self.assertTrue(self.browser.run("return fivebarStudio.answer.ok"), self.page.text("sentence"))
        self.browser.wait_until("document.querySelectorAll('#run-table tbody tr').length === 1", 20)


class Together(StudioCase):
    def test_two_tabs_do_not_disturb_each_other(self):
        first = self.browser._call("GET", self.browser.session + "/window")
        second = self.browser._call("POST", self.browser.session + "/window/new", {"type": "tab"})["handle"]
        to = lambda handle: self.browser._call("POST", self.browser.session + "/window", {"handle": handle})
        to(second)
        self.browser.resize(1440)
        self.page.open(self.studio.url)
        self.use_spline()
        to(first)
        self.assertEqual(self.browser.run("return fivebarStudio.model.curve.type"), "lissajous")
        x, y = self.page.handle(0)
        self.page.drag((x, y), (x + 5, y))
        moved = self.browser.run("return fivebarStudio.text")
        to(second)
        self.assertEqual(self.browser.run("return fivebarStudio.model.curve.type"), "spline")
        self.assertNotEqual(self.browser.run("return fivebarStudio.text"), moved)
        self.assertEqual(self.browser.console_errors(), [])
        self.browser._call("DELETE", self.browser.session + "/window")
        to(first)

    def test_what_is_drawn_survives_a_restart_of_the_program_and_a_reload(self):
        x, y = self.page.handle(0)
        self.page.drag((x, y), (x + 6, y + 4))
        text = self.browser.run("return fivebarStudio.text")
        self.studio.stop()
        self.page.set_value("set-duration", "6")
        self.browser.wait_until("document.body.classList.contains('lost')")
        self.picture("lost")
        self.assertIn("does not answer", self.page.text("notice"))
        self.studio = StudioProgram(PROGRAM, self.folder, port=self.studio.port)
        self.browser.wait_until("!document.body.classList.contains('lost')", 20)
        self.browser.wait_until("fivebarStudio.answer.duration === 7", 20)  # with its ramps
        # What the browser itself says of a server that is not there.
        self.assertTrue(all("ERR_CONNECTION_REFUSED" in error for error in self.browser.console_errors()))
        changed = self.browser.run("return fivebarStudio.text")
        self.assertNotEqual(changed, text)
        self.page.open(self.studio.url)
        self.assertEqual(self.browser.run("return fivebarStudio.text"), changed)


class Looks(StudioCase):
    def test_fits_every_width_in_light_and_dark_and_no_text_is_tiny(self):
        for width in (1440, 390):
            for dark in (False, True):
                self.browser.resize(width, dark=dark)
                for panel in ("plan", "commands"):
                    self.browser.run(f"fivebarStudio.showResults('{panel}-panel')")
                    self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    if panel == "plan":
                        self.picture(f"{width}_{'dark' if dark else 'light'}")
                smallest = self.browser.run("""
                    return Math.min(...[...document.querySelectorAll('body *:not(script):not(style)')]
                      .filter((e) => e.textContent.trim() && e.getClientRects().length && !(e instanceof SVGElement))
                      .map((e) => parseFloat(getComputedStyle(e).fontSize)))""")
                self.assertGreaterEqual(smallest, 12)
                overlaps = self.browser.run("""
                    const boxes = [...document.querySelectorAll('header > *, main button, main label, #verdict dd')]
                      .filter((e) => e.getClientRects().length && !e.closest('.legend'))
                      .map((e) => [e, e.getBoundingClientRect()]);
                    const found = [];
                    boxes.forEach(([e, a], i) => boxes.slice(i + 1).forEach(([f, b]) => {
                      if (!e.contains(f) && !f.contains(e) && a.left < b.right - 1 && b.left < a.right - 1 &&
                          a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push(e.outerHTML.slice(0, 60) + ' / ' + f.outerHTML.slice(0, 60)); }));
                    return found""")
                self.assertEqual(overlaps, [], (width, dark))

    def test_charts_speak_and_are_moved_by_keys(self):
        self.browser.run("document.querySelector('#plan-volts .plot').focus()")
        for key in ("ArrowRight", "ArrowRight"):
            self.browser.run("""
                document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))""", key)
        self.assertRegex(self.browser.run("return document.querySelector('#plan-volts .spoken').textContent"),
                         r"motor 1-?[0-9.e-]+ V")
        self.browser.run("""
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '+', bubbles: true}))""")
        self.assertTrue(self.browser.run("return document.querySelectorAll('#plan-panel .zoom-out').length > 3"))
        unlabelled = self.browser.run("""
            return [...document.querySelectorAll('button, input, select, textarea, iframe')].filter((e) => e.getClientRects().length &&
              !e.textContent.trim() && !e.labels?.length && !e.getAttribute('aria-label') && !e.title).map((e) => e.outerHTML.slice(0, 80))""")
        self.assertEqual(unlabelled, [])


class Robot(StudioCase):
    def arguments(self):
        return ["--hardware", "sim"]

    def test_arms_starts_shows_the_live_view_and_stops(self):
        page = self.page
        self.browser.run("fivebarStudio.showResults('robot-panel')")
        self.assertTrue(self.browser.run("return document.getElementById('start').disabled"))
        page.click("arm")
        self.browser.wait_until("!document.getElementById('start').disabled")
        self.assertIn("fivebar run studio.plan.csv --hardware sim", page.text("robot-command"))
        page.click("start")
        self.browser.wait_until("/live view at/.test(document.getElementById('robot-output').textContent)", 20)
        self.browser.wait_until("!document.getElementById('live').hidden")
        frame = self.browser.run("return document.getElementById('live')")
        self.browser._call("POST", self.browser.session + "/frame", {"id": frame})
        self.browser.wait_until("document.getElementById('state').textContent === 'playing'", 30)
        self.browser.wait_until("document.querySelector('#volts polyline.one').points.numberOfItems > 10", 30)
        self.browser._call("POST", self.browser.session + "/frame", {"id": None})
        self.picture("robot")
        page.click("emergency-stop")
        self.browser.wait_until("/E-stop: zero volts [0-9.]+ ms/.test(document.getElementById('notice').textContent)")
        self.browser.wait_until("document.getElementById('robot-state').textContent === 'The run was stopped.'")
        print(page.text("notice"), flush=True)
        # The frame of a run that is over loses its stream.
        self.assertTrue(all("/events" in error or "live" in error for error in self.browser.console_errors()))


if __name__ == "__main__":
    absent = missing_programs()
    if absent:
        print(f"SKIPPED: {' and '.join(absent)} not installed (packages chromium chromium-driver)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
