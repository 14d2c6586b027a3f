#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over source files, several at a time; what passed once is not looked at again.

Usage: tidy.py BUILD_FOLDER JOBS FILE...
Prints the findings and ends with 1 if there are any. BUILD_FOLDER has compile_commands.json.

A file passes for good as long as nothing that it is made of changes: its text with all headers, the
compiler's flags, .clang-tidy (that of its folder, too) and the version of clang-tidy. What passed is remembered as empty files
in ~/.cache/fivebar_control/tidy (or $XDG_CACHE_HOME); delete the folder to begin anew.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys


def plain_command(entry):
    """The compile command without a compiler cache and without headers that GCC has precompiled,
    which clang cannot read."""
    words = shlex.split(entry['command'])
    cache = [i for i, word in enumerate(words) if word.endswith('ccache')]
    words = words[cache[0] + 1:] if cache else words
    kept = []
    for word in words:
        if word.endswith('/cmake_pch.hxx'):
            kept.pop()  # its -include
        elif not word.startswith(('-Winvalid-pch', '-Wno-error=', '-fpch-preprocess')):
            kept.append(word)
    return kept


def preprocess_command(entry):
    """The compile command, told to print what the compiler proper would see, comments included."""
    words = shlex.split(entry['command'])
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ('-o', '-MT', '-MF'):
            skip = True
        elif word not in ('-c', '-MD'):
            kept.append(word)
    return kept + ['-E', '-P', '-C', '-w']


def fingerprint(entry, settings, root):
    own_settings = pathlib.Path(entry['file']).with_name('.clang-tidy')
    if own_settings.exists():
        settings += own_settings.read_bytes()
    command = preprocess_command(entry)
    text = subprocess.run(command, cwd=entry['directory'], check=True, capture_output=True).stdout
    digest = hashlib.sha256()
    for part in (settings, ' '.join(command).encode(), text):
        digest.update(part.replace(root.encode(), b'.') + b'\0')
    return digest.hexdigest()


def main():
    build, jobs, files = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    root = os.getcwd()
    with open(build / 'compile_commands.json') as stream:
        entries = {entry['file']: dict(entry, command=shlex.join(plain_command(entry)))
                   for entry in json.load(stream)}
    plain = build / 'tidy'
    plain.mkdir(exist_ok=True)
    with open(plain / 'compile_commands.json', 'w') as stream:
        json.dump(list(entries.values()), stream)
    cache = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache')
    cache = cache / 'fivebar_control' / 'tidy'
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(['clang-tidy', '--version'], check=True, capture_output=True).stdout
    settings = version + pathlib.Path('.clang-tidy').read_bytes()

    def look_at(name):
        passed = cache / fingerprint(entries[os.path.join(root, name)], settings, root)
        if passed.exists():
            return ''
        run = subprocess.run(
            ['clang-tidy', '-p', str(plain), '--quiet', name], capture_output=True, text=True)
        if run.returncode == 0:
            passed.touch()
            return ''
        return run.stdout or run.stderr

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, findings in zip(files, pool.map(look_at, files)):
            print(name, 'FINDINGS' if findings else 'ok', flush=True)
            print(findings, end='')
            failed += findings != ''
    return 1 if failed else 0


sys.exit(main())
