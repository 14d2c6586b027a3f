#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The firmware core, compiled for a Cortex-M4F, in QEMU against the host program.

run_in_qemu.py FIVEBAR QEMU_WORLD FOLDER

Builds the images of hardware/firmware/boards, plays curves, kills the host, presses the emergency stop, and holds
the figures against the bars of docs/hardware.md. Prints a table; ends with 1 if anything is not as it should be."""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

FLAGS = ('-std=gnu99 -O2 -ffp-contract=off -ffunction-sections -fdata-sections -mcpu=cortex-m4 -mthumb '
         '-mfloat-abi=hard -mfpu=fpv4-sp-d16 -Wall -Wextra -Wconversion -Wdouble-promotion -Werror').split()
MOST_INSTRUCTIONS = 4000
MOST_MEMORY = 16384

program, world_program, folder = sys.argv[1:4]
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
firmware = os.path.join(source, 'hardware', 'firmware')
os.makedirs(folder, exist_ok=True)
failures = []


def expect(fact, what):
    if not fact:
        failures.append(what)
        print(f'NOT SO: {what}')


def build(board):
    image = os.path.join(folder, board + '.elf')
    files = [os.path.join(firmware, name) for name in sorted(os.listdir(firmware)) if name.endswith('.c')]
    subprocess.run(
        ['arm-none-eabi-gcc', *FLAGS, '-I', os.path.join(source, 'hardware'), '-nostartfiles', '-specs=nano.specs',
         '-Wl,--gc-sections', '-T', os.path.join(firmware, 'boards', board, 'link.ld'), *files,
         os.path.join(firmware, 'boards', board, 'main.c'), '-o', image], check=True)
    return image


def core_size():
    """Bytes of the core alone, as its objects have them: (flash, state of one board)."""
    flash = 0
    for name in sorted(os.listdir(firmware)):
        if name.endswith('.c'):
            made = os.path.join(folder, name + '.o')
            subprocess.run(['arm-none-eabi-gcc', *FLAGS, '-I', os.path.join(source, 'hardware'), '-c',
                            os.path.join(firmware, name), '-o', made], check=True)
            sizes = subprocess.run(['arm-none-eabi-size', made], check=True, capture_output=True, text=True).stdout
            text, data, bss = (int(n) for n in sizes.splitlines()[1].split()[:3])
            flash += text + data
            expect(data == 0 and bss == 0, f'{name} has no variables of its own')
    probe = os.path.join(folder, 'probe.c')
    with open(probe, 'w') as file:
        file.write('#include "firmware/board.h"\nchar state[sizeof(struct fivebar_board)];\n')
    subprocess.run(['arm-none-eabi-gcc', *FLAGS, '-I', os.path.join(source, 'hardware'), '-c', probe, '-o',
                    probe + '.o'], check=True)
    sizes = subprocess.run(['arm-none-eabi-nm', '-S', probe + '.o'], check=True, capture_output=True, text=True).stdout
    return flash, int(sizes.split()[1], 16)


class Board:
    """QEMU with the image, and the world around it."""

    def __init__(self, image, plant, name, stop_ms=None):
        self.socket = os.path.join(folder, name + '.socket')
        self.log = os.path.join(folder, name + '.world.csv')
        self.qemu = subprocess.Popen(
            ['qemu-system-arm', '-M', 'mps2-an386', '-display', 'none', '-monitor', 'none', '-icount', 'shift=6',
             '-chardev', 'pty,id=host', '-serial', 'chardev:host',
             '-chardev', f'socket,id=world,path={self.socket},server=on,wait=off', '-serial', 'chardev:world',
             '-kernel', image], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.qemu.stdout.readline()
        found = re.search(r'/dev/pts/\d+', line)
        if not found:
            raise SystemExit(f'qemu says: {line}')
        self.device = found.group()
        arguments = [world_program, self.socket, os.path.join(source, 'config/robot.yaml'), plant, self.log]
        self.world = subprocess.Popen(
            arguments + ([str(stop_ms)] if stop_ms is not None else []), stdout=subprocess.PIPE, text=True)
        time.sleep(0.5)

    def end(self):
        self.world.send_signal(signal.SIGTERM)
        text = self.world.communicate(timeout=20)[0]
        self.qemu.kill()
        self.qemu.wait()
        with open(self.log) as file:
            self.rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)
                         if None not in row.values()]
        return {key: float(value) for key, value in (line.split() for line in text.splitlines())}


def patient_calibration():
    """An emulated processor on a busy machine answers late."""
    with open(os.path.join(source, 'config/hardware/serial.yaml')) as file:
        text = file.read()
    text = re.sub('read_deadline: .*', 'read_deadline: 0.05', text)
    text = re.sub('largest_age: .*', 'largest_age: 0.1\n  open_timeout: 20.0', text)
    path = os.path.join(folder, 'serial.yaml')
    with open(path, 'w') as file:
        file.write(text)
    return path


def run_arguments(board, plan, name, *more):
    return [program, 'run', plan, '--hardware', 'serial:' + board.device, '--calibration',
            os.path.join(folder, 'serial.yaml'), '--homed', '--align', '--uncommissioned',
            '--json', os.path.join(folder, name + '.json'), '--log', os.path.join(folder, name + '.csv'), *more]


def report(name):
    with open(os.path.join(folder, name + '.json')) as file:
        return json.load(file)


def first_zero_after(rows, ms):
    """The first of the milliseconds from which on there are no volts."""
    last = max((row['ms'] for row in rows if row['volts1'] or row['volts4']), default=ms)
    return last + 1 - ms


def main():
    os.environ['FIVEBAR_STATE_DIR'] = os.path.join(folder, 'state')
    plant = os.path.join(source, 'config/plants/mismatched.yaml')
    patient_calibration()
    image = build('qemu_mps2')
    build('nucleo_f446re')
    flash, state = core_size()
    most = mean = stack = 0.0
    for curve in ('a_gentle', 'b_gentle', 'c_gentle'):
        plan = os.path.join(folder, curve + '.plan.csv')
        subprocess.run([program, 'plan', f'{source}/config/curves/{curve}.yaml', '--out', plan, '--quiet'], check=True)
        sim = os.path.join(folder, curve + '.sim.json')
        subprocess.run([program, 'run', plan, '--plant', plant, '--fast', '--align', '--json', sim], check=True,
                       stdout=subprocess.DEVNULL)
        board = Board(image, plant, curve)
        code = subprocess.run(run_arguments(board, plan, curve, '--play', 'board'), stdout=subprocess.DEVNULL).returncode
        figures = board.end()
        expect(code == 0, f'{curve} is played to its end (exit code {code})')
        if code != 0:
            continue
        with open(sim) as file:
            ratio = report(curve)['tracking']['ise'] / json.load(file)['tracking']['ise']
        print(f'{curve:10} ISE / simulated {ratio:.4f}, {report(curve)["board"]["lost_cycles"]} cycles lost, '
              f'{figures["instructions_mean"]:.0f} instructions per cycle, at most {figures["instructions_most"]:.0f}')
        expect(abs(ratio - 1) < 0.05, f'ISE of {curve} within 5 %')
        most = max(most, figures['instructions_most'])
        mean = max(mean, figures['instructions_mean'])
        stack = max(stack, figures['stack'])

    plan = os.path.join(folder, 'b_gentle.plan.csv')
    board = Board(image, plant, 'killed')
    host = subprocess.Popen(run_arguments(board, plan, 'killed', '--play', 'board'), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    time.sleep(2.5)
    host.kill()
    host.wait()
    time.sleep(4.0)
    board.end()
    states = [int(row['state']) for row in board.rows]
    expect(3 in states and 4 in states and 5 in states and states[-1] == 0,
           'a killed host leaves a smooth stop: stopping, holding, relaxing, idle')
    stopping = states.index(3) if 3 in states else 0
    print(f'host killed: smooth stop, zero volts {first_zero_after(board.rows, board.rows[stopping]["ms"]):.0f} ms '
          f'after it began')

    board = Board(image, plant, 'stop', stop_ms=1000)
    code = subprocess.run(run_arguments(board, plan, 'stop', '--play', 'board'), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode
    board.end()
    expect(code == 4, f'an emergency stop is a hardware fault (exit code {code})')
    began = next((row['ms'] for row in board.rows if row['state'] in (1, 2)), 0)
    after = first_zero_after(board.rows, began + 1000)
    expect(after <= 1, f'zero volts in the millisecond of the emergency stop ({after:.0f} ms)')
    print(f'emergency stop: zero volts after {after:.0f} ms')

    board = Board(image, plant, 'driven')
    host = subprocess.Popen(run_arguments(board, plan, 'driven', '--mode', 'pd', '--play', 'host'),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    host.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    host.kill()
    host.wait()
    board.end()
    expect(all(row['volts1'] == 0 and row['volts4'] == 0 for row in board.rows[-200:]),
           'the watchdog ends the motion of a host that drove it and was stopped')
    print('driven by the host, which stops: zero volts by the watchdog')

    memory = state + stack
    expect(0 < most <= MOST_INSTRUCTIONS, f'at most {MOST_INSTRUCTIONS} instructions per cycle')
    expect(memory <= MOST_MEMORY, f'at most {MOST_MEMORY} bytes of memory')
    print(f'core: {flash} bytes of flash, {state} of state, {stack:.0f} of stack; {mean:.0f} instructions per cycle, '
          f'at most {most:.0f}')
    return 1 if failures else 0


sys.exit(main())
