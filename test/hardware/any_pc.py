#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Curves played by the emulated board while everything happens to the host that happens to hosts.

any_pc.py FIVEBAR FOLDER [RUNS of each curve]

Every core is loaded; the host is stopped (SIGSTOP) for 20 ms again and again and once for 200 ms; cyclictest runs
all the while, and its worst wake-up stands in the table. The board has a clock of its own. Every run must end well with an
ISE within 5 % of the simulated robot's. Ends with 1 if one does not."""
import json
import os
import random
import signal
import subprocess
import sys
import time

program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
plant = os.path.join(source, 'config/plants/mismatched.yaml')
quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.PIPE, 'text': True}


def load():
    """One busy process per core, at the priority of everybody else."""
    return [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(os.cpu_count() or 1)]


def disturb(host, dice, seconds):
    """20 ms stops all the time, one of 200 ms in the middle, until the host has ended."""
    began, long_one = time.monotonic(), False
    while host.poll() is None:
        time.sleep(dice.uniform(0.02, 0.15))
        long_now = not long_one and time.monotonic() - began > seconds / 2
        long_one = long_one or long_now
        host.send_signal(signal.SIGSTOP)
        time.sleep(0.2 if long_now else 0.02)
        host.send_signal(signal.SIGCONT)
    return long_one


def play(curve, plan, number, seconds):
    """Of one run: exit code, ISE and what the program says about it."""
    link = os.path.join(folder, f'{curve}.{number}.board')
    result = os.path.join(folder, f'{curve}.{number}.json')
    board = subprocess.Popen([program, 'emulate', '--link', link, '--plant', plant, '--own-clock'], **quiet)
    for _ in range(500):
        if os.path.islink(link):
            break
        time.sleep(0.02)
    host = subprocess.Popen(
        [program, 'run', plan, '--hardware', 'serial:' + link, '--homed', '--align', '--uncommissioned', '--play', 'board',
         '--json', result, '--priority', '0'], **quiet)
    stopped = disturb(host, random.Random(number), seconds)
    message = host.communicate()[1]
    board.send_signal(signal.SIGINT)
    board.communicate()
    if host.returncode != 0:
        return {'code': host.returncode, 'message': message.strip()}
    with open(result) as file:
        told = json.load(file)
    return {'code': 0, 'ise': told['tracking']['ise'], 'board': told['board'], 'stopped': stopped}


def main():
    os.makedirs(folder, exist_ok=True)
    os.environ['FIVEBAR_STATE_DIR'] = os.path.join(folder, 'state')
    good, total, worst = 0, 0, 0.0
    histogram = os.path.join(folder, 'cyclictest.txt')
    with open(histogram, 'w') as file:
        other = subprocess.Popen(['cyclictest', '-q', '-m', '-t2', '-p', '80', '-i', '1000', '-D', '24h'], stdout=file)
    busy = load()
    try:
        for curve in ('a_gentle', 'b_gentle', 'c_gentle'):
            plan = os.path.join(folder, curve + '.plan.csv')
            sim = os.path.join(folder, curve + '.sim.json')
            subprocess.run([program, 'plan', f'{source}/config/curves/{curve}.yaml', '--out', plan, '--quiet'], check=True)
            subprocess.run([program, 'run', plan, '--plant', plant, '--fast', '--align', '--json', sim], check=True,
                           stdout=subprocess.DEVNULL)
            with open(sim) as file:
                told = json.load(file)
            ratios, lost, gap, least = [], 0, 0.0, 1e9
            for number in range(runs):
                outcome = play(curve, plan, number, told['cycles'] / told['rate'])
                total += 1
                if outcome['code'] != 0:
                    print(f'{curve} run {number}: exit code {outcome["code"]}: {outcome["message"]}', flush=True)
                    continue
                ratio = outcome['ise'] / told['tracking']['ise']
                ratios.append(ratio)
                lost += outcome['board']['lost_cycles']
                gap = max(gap, outcome['board']['longest_host_gap_ns'] * 1e-6)
                least = min(least, outcome['board']['least_buffered'])
                if abs(ratio - 1) < 0.05 and outcome['stopped']:
                    good += 1
                else:
                    print(f'{curve} run {number}: ISE ratio {ratio:.3f}, stopped in the middle: {outcome["stopped"]}')
                worst = max(worst, abs(ratio - 1))
            if ratios:
                print(f'{curve}: {len(ratios)} of {runs} runs ended well, ISE / simulated {min(ratios):.4f} to '
                      f'{max(ratios):.4f}, {lost} cycles lost, host away for up to {gap:.0f} ms, '
                      f'at least {least:.2f} s of the path buffered', flush=True)
    finally:
        for process in busy:
            process.kill()
        other.send_signal(signal.SIGINT)
        other.wait()
    with open(histogram) as file:
        maxima = [int(line.split('Max:')[1].split()[0]) for line in file if 'Max:' in line]
    latest = f'cyclictest woken up to {max(maxima) / 1000:.1f} ms late' if maxima else 'cyclictest said nothing'
    print(f'all: {good} of {total} runs within 5 % of the simulated robot (worst {100 * worst:.1f} %); {latest}')
    return 0 if good == total else 1


sys.exit(main())
