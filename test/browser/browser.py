# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through chromedriver with nothing but Python's standard library."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars",
]


def missing_programs():
    """Names of what a browser test needs and is not installed."""
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    """One browser with a new, empty profile; a context manager."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="fivebar-browser-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = None
        for line in self.driver.stdout:
            if "on port" in line and "successfully" in line:
                self.base = "http://127.0.0.1:" + line.rstrip(".\n").rsplit(" ", 1)[1]
                break
        options = {
            "args": CHROMIUM_ARGUMENTS + ["--user-data-dir=" + self.profile],
            "binary": shutil.which("chromium"),
        }
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.stdout.close()
            self.driver.wait(10)
            shutil.rmtree(self.profile, ignore_errors=True)

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self._call("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs JavaScript; `return` hands a value back."""
        return self._call(
            "POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_until(self, script, seconds=10.0):
        """Waits until the JavaScript expression is true and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run("return " + script)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"not true within {seconds} s: {script}")

    def command(self, name, **parameters):
        """A command of the Chrome DevTools protocol."""
        return self._call(
            "POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, width, height=900, dark=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path, clip=None):
        """The whole page, or clip = (x, y, width, height), as PNG."""
        size = self.run(
            "const e = document.documentElement; return [0, 0, e.clientWidth, e.scrollHeight]")
        x, y, width, height = clip or size
        answer = self.command(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True,
            clip={"x": x, "y": y, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def mouse(self, kind, x, y, buttons=0, clicks=1):
        """kind: mouseMoved, mousePressed or mouseReleased; CSS pixels of the viewport."""
        button = "none" if kind == "mouseMoved" and buttons == 0 else "left"
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                     buttons=buttons, clickCount=clicks)

    def console_errors(self):
        """What the console has complained about since the last call."""
        entries = self._call("POST", self.session + "/se/log", {"type": "browser"})
        return [e["message"] for e in entries if e["level"] in ("SEVERE", "WARNING")]
