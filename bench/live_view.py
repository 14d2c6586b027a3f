#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a spectator disturb the loop? Plays a plan in real time without a live view, and with a live
view, one page that reads and one client that never does; alternating, and prints the late cycles
and wake-up delays of both. Usage: bench/live_view.py [FIVEBAR [ROUNDS]]"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/cli/fivebar"))
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5


def connect(port, reads):
    """Asks for the events; reads them until the end, or nothing at all."""
    client = socket.socket()
    if not reads:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    client.connect(("127.0.0.1", port))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/scene") as scene:
        key = json.load(scene)["key"]
    client.sendall(f"GET /events?key={key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    if reads:
        threading.Thread(target=drain, args=(client,), daemon=True).start()
    return client


def drain(client):
    """Reads to the end; how many bytes that were."""
    count = 0
    try:
        while data := client.recv(65536):
            count += len(data)
    except ConnectionResetError:
        pass
    return count


def play(folder, watched):
    command = [PROGRAM, "run", "b.csv", "--log", "run.csv", "--json", "run.json"]
    if watched:
        command += ["--web", "127.0.0.1:0", "--web-wait"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        clients = []
        for line in run.stderr:
            found = re.search(r"live view at http://127\.0\.0\.1:(\d+)/", line)
            if found:
                clients = [connect(int(found.group(1)), reads) for reads in (False, True)]
    if clients:
        print(f"         the client that never read had {drain(clients[0]) / 1e3:.0f} kB waiting at the end")
    with open(os.path.join(folder, "run.json")) as file:
        result = json.load(file)
    timing = result["timing"]
    return result["cycles"], timing["late_cycles"], timing["wake_up_ns"]["p99"], timing["wake_up_ns"]["max"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        curve = os.path.join(ROOT, "config/curves/b_gentle.yaml")
        subprocess.run([PROGRAM, "plan", curve, "--out", "b.csv", "--quiet"], cwd=folder, check=True)
        totals = {False: [0, 0], True: [0, 0]}
        for _ in range(ROUNDS):
            for watched in (False, True):
                cycles, late, p99, largest = play(folder, watched)
                totals[watched][0] += cycles
                totals[watched][1] += late
                print(f"{'watched' if watched else 'alone':8} late {late:4} of {cycles}, wake-up 99 % "
                      f"{p99 / 1e3:8.1f} us, largest {largest / 1e3:8.1f} us", flush=True)
        for watched, name in ((False, "alone"), (True, "with a page and a client that never reads")):
            cycles, late = totals[watched]
            print(f"{name}: {late} late of {cycles} cycles ({100 * late / cycles:.3f} %)")


if __name__ == "__main__":
    main()
