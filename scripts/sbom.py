#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the software bill of materials of a program as CycloneDX JSON.

Components are the Debian packages of all shared libraries that the program loads (ldd), of the
headers that are compiled into it, and of libraries that it loads only when asked. Versions come from
dpkg, licences from the packages' copyright files. The same system gives the same file: it has no
date and no random number.

Usage: sbom.py PROGRAM VERSION OUTPUT [--header FILE]... [--optional LIBRARY]...
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys


# Packages whose copyright file is prose.
LICENCES = {
    'libc6': ['LGPL-2.1-or-later'],
    'libgcc-s1': ['GPL-3.0-or-later WITH GCC-exception-3.1'],
    'libstdc++6': ['GPL-3.0-or-later WITH GCC-exception-3.1'],
    'libcairo2': ['LGPL-2.1-only OR MPL-1.1'],
    'libfontconfig1': ['HPND-sell-variant'],
    'libpixman-1-0': ['MIT'],
}
for library in ('libx11-6', 'libxau6', 'libxcb1', 'libxcb-render0', 'libxcb-shm0', 'libxdmcp6',
                'libxext6', 'libxrender1'):
    LICENCES[library] = ['MIT (X11)']


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def loaded_libraries(program):
    """Paths of the shared libraries, the loader among them; the kernel's own page is no file."""
    libraries = set()
    for line in output_of('ldd', program).splitlines():
        if 'not found' in line:
            raise SystemExit(f'{program}: {line.strip()}')
        path = re.search(r'(/\S+) \(0x', line)
        if path:
            libraries.add(path.group(1))
    return sorted(libraries)


def packages_of(paths):
    """The Debian package of each file that belongs to one."""
    # /lib is a link to /usr/lib; dpkg knows a file by the name under which it was packed.
    names = {}
    for path in paths:
        for name in (path, str(pathlib.Path(path).resolve())):
            names[name] = path
            names[name[4:] if name.startswith('/usr/') else '/usr' + name] = path
    found = subprocess.run(['dpkg-query', '-S', *names], capture_output=True, text=True)
    packages = {}
    for line in found.stdout.splitlines():
        package, _, name = line.partition(': ')
        if name in names:
            packages[names[name]] = package.split(',')[0]
    return packages


def licences_of(package):
    """Short names from the copyright file: of the files proper, not of the packaging."""
    name = package.split(':')[0]
    path = pathlib.Path('/usr/share/doc') / name / 'copyright'
    if not path.exists():
        return []
    names = []
    for paragraph in re.split(r'\n\s*\n', path.read_text(encoding='utf-8', errors='replace')):
        files = re.search(r'^Files:\s*(.*)$', paragraph, re.MULTILINE)
        licence = re.search(r'^License:\s*(.+)$', paragraph, re.MULTILINE)
        if files and licence and not files.group(1).startswith('debian/'):
            if licence.group(1).strip() not in names:
                names.append(licence.group(1).strip())
    return names


def component(package, files, scope):
    fields = output_of('dpkg-query', '-W', '-f=${Package}\t${Version}\t${Architecture}\t'
                       '${source:Package}', package).split('\t')
    name, version, architecture, source = fields
    licences = licences_of(package) or LICENCES.get(name) or [f'see /usr/share/doc/{name}/copyright']
    return {
        'type': 'library',
        'bom-ref': f'{name}@{version}',
        'name': name,
        'version': version,
        'scope': scope,
        'licenses': [{'license': {'name': licence}} for licence in licences],
        'purl': f'pkg:deb/debian/{name}@{version}?arch={architecture}',
        'properties': [{'name': 'debian:source', 'value': source}]
                      + [{'name': 'file', 'value': file} for file in sorted(files)],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('version')
    parser.add_argument('output')
    parser.add_argument('--header', action='append', default=[])
    parser.add_argument('--optional', action='append', default=[])
    arguments = parser.parse_args()

    wanted = [(path, 'required') for path in loaded_libraries(arguments.program) + arguments.header]
    wanted += [(path, 'optional') for path in arguments.optional]
    known = packages_of([path for path, _ in wanted])
    packages = {}
    for path, scope in wanted:
        if path not in known:
            print(f'{path}: belongs to no package', file=sys.stderr)
        package = known.get(path, f'unpackaged:{path}')
        files, _ = packages.setdefault(package, (set(), scope))
        files.add(path)
    components = []
    for package, (files, scope) in sorted(packages.items()):
        if package.startswith('unpackaged:'):
            path = package.split(':', 1)[1]
            components.append({'type': 'library', 'name': pathlib.Path(path).name, 'scope': scope,
                               'properties': [{'name': 'file', 'value': path}]})
        else:
            components.append(component(package, files, scope))

    with open(arguments.program, 'rb') as stream:
        digest = hashlib.sha256(stream.read()).hexdigest()
    bom = {
        'bomFormat': 'CycloneDX',
        'specVersion': '1.4',
        'version': 1,
        'metadata': {'component': {
            'type': 'application',
            'name': 'fivebar',
            'version': arguments.version,
            'licenses': [{'license': {'id': 'Apache-2.0'}}],
            'hashes': [{'alg': 'SHA-256', 'content': digest}],
        }},
        'components': components,
    }
    with open(arguments.output, 'w') as stream:
        json.dump(bom, stream, indent=2)
        stream.write('\n')


main()
