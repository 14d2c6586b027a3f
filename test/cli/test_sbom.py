# SPDX-License-Identifier: Apache-2.0
"""Every library that ldd shows has a component with a version and a licence, and the digest is the
program's. Usage: test_sbom.py PROGRAM BILL.json"""
import hashlib
import json
import re
import subprocess
import sys

program, bill = sys.argv[1:]
with open(bill) as stream:
    bom = json.load(stream)
defects = []

files = {}
for component in bom['components']:
    for entry in component['properties']:
        if entry['name'] == 'file':
            files[entry['value']] = component

loaded = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
libraries = re.findall(r'(/\S+) \(0x', loaded)
for library in libraries:
    component = files.get(library)
    if component is None:
        defects.append(f'{library} is not named')
    elif not component.get('version') or not component.get('licenses'):
        defects.append(f"{library}: {component['name']} has no version or no licence")
if len(libraries) < 5:
    defects.append(f'ldd shows only {libraries}')

for name in ('libeigen3-dev', 'nlohmann-json3-dev', 'libcli11-dev'):
    if not any(component['name'] == name for component in bom['components']):
        defects.append(f'{name}, which is compiled into the program, is not named')

with open(program, 'rb') as stream:
    digest = hashlib.sha256(stream.read()).hexdigest()
if bom['metadata']['component']['hashes'][0]['content'] != digest:
    defects.append('the digest is not that of the program')

print('\n'.join(defects) or f"{len(libraries)} libraries, {len(bom['components'])} components")
sys.exit(1 if defects else 0)
