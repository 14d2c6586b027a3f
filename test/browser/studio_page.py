# SPDX-License-Identifier: Apache-2.0
"""A studio with a page of it in a browser: what tests and measurements of it share."""

import os
import re
import subprocess


class StudioProgram:
    """`fivebar studio` in a folder; a context manager."""

    def __init__(self, program, folder, *arguments, port=0):
        self.process = subprocess.Popen(
            [program, "studio", f"127.0.0.1:{port}", "--no-browser", *arguments], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"studio at (http://127\.0\.0\.1:(\d+)/)", line)
        if not found:
            raise RuntimeError("the studio did not begin: " + line + self.process.stderr.read())
        self.url, self.port = found.group(1), int(found.group(2))

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(20)
        self.process.stderr.close()
        return code

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Page:
    """What a person does on the page."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, url):
        self.browser.open(url)
        self.browser.wait_until("window.fivebarStudio && fivebarStudio.answer", 60)
        self.settle()

    def settle(self):
        """Waits until everything that was asked has been answered."""
        self.browser.wait_until(
            "!fivebarStudio.dirty && fivebarStudio.underway === 0 && !fivebarStudio.waiting && !fivebarStudio.drawing", 60)

    def text(self, element):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", element)

    def click(self, element):
        self.browser.run("document.getElementById(arguments[0]).click()", element)

    def set_value(self, element, value, *events):
        self.browser.run("""
            const e = document.getElementById(arguments[0]);
            e.value = arguments[1];
            for (const name of arguments[2]) e.dispatchEvent(new Event(name, {bubbles: true}))""",
                         element, value, list(events or ("input", "change")))

    def state(self):
        return self.browser.run("return fivebarStudio.answer.state")

    def point_on_screen(self, x, y):
        """Pixels of a point in metres."""
        return self.browser.run("""
            const m = document.getElementById('board').getScreenCTM();
            const p = new DOMPoint(1e3 * arguments[0], -1e3 * arguments[1]).matrixTransform(m);
            return [p.x, p.y]""", x, y)

    def handle(self, i):
        """Pixels of the middle of a handle."""
        return self.browser.run("""
            const b = document.querySelectorAll('#board .handle')[arguments[0]].getBoundingClientRect();
            return [b.left + b.width / 2, b.top + b.height / 2]""", i)

    def drag(self, start, *places):
        self.browser.mouse("mouseMoved", *start)
        self.browser.mouse("mousePressed", *start, buttons=1)
        for place in places:
            self.browser.mouse("mouseMoved", *place, buttons=1)
        self.browser.mouse("mouseReleased", *places[-1])
        self.settle()

    def import_text(self, name, text):
        """As if a file had been chosen."""
        self.browser.run("""
            const [name, text] = arguments;
            const list = new DataTransfer();
            list.items.add(new File([text], name));
            const input = document.getElementById('import-file');
            input.files = list.files;
            input.dispatchEvent(new Event('change'))""", name, text)
