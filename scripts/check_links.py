#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the relative links of all Markdown files: the file is there, and so is the anchor.

Links to the network are not followed. A block of code below a comment with the name of a file, <!-- examples/x.cpp -->,
must stand in that file, whatever its indentation. Prints how many links were checked.
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r'!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)')
HTML = re.compile(r'(?:src|href)="([^"]+)"')
FENCE = re.compile(r'^(```|~~~).*?^\1', re.MULTILINE | re.DOTALL)
QUOTE = re.compile(r'^<!-- (\S+) -->\n```\w*\n(.*?)^```', re.MULTILINE | re.DOTALL)


def anchors(path):
    """The anchors that GitHub makes of the headings."""
    seen = {}
    names = set()
    text = FENCE.sub('', path.read_text(encoding='utf-8'))
    for heading in re.findall(r'^#{1,6}\s+(.*?)\s*#*\s*$', text, re.MULTILINE):
        heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading)
        name = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(name if count == 0 else f'{name}-{count}')
    names.update(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    return names


def quoted_wrongly(source):
    """The files of which the document quotes what they do not have."""
    for name, block in QUOTE.findall(source.read_text(encoding='utf-8')):
        lines = [[line.strip() for line in text.split('\n') if line.strip()]
                 for text in (block, pathlib.Path(name).read_text(encoding='utf-8'))]
        if '\n'.join(lines[0]) not in '\n'.join(lines[1]):
            yield f'{source}: quotes what {name} does not have'


def main():
    files = subprocess.run(['git', 'ls-files', '*.md'], capture_output=True, text=True, check=True)
    broken, checked = [], 0
    for name in files.stdout.split():
        source = pathlib.Path(name)
        broken.extend(quoted_wrongly(source))
        text = re.sub(r'`[^`\n]*`', '', FENCE.sub('', source.read_text(encoding='utf-8')))
        for target in LINK.findall(text) + HTML.findall(text):
            if re.match(r'[a-z]+:', target):
                continue
            checked += 1
            path, _, anchor = target.partition('#')
            file = (source.parent / path) if path else source
            if not file.exists():
                broken.append(f'{name}: {target}: no such file')
            elif anchor and file.suffix == '.md' and anchor not in anchors(file):
                broken.append(f'{name}: {target}: no such heading')
    for line in broken:
        print(line, file=sys.stderr)
    print(f'{checked} links')
    return 1 if broken else 0


sys.exit(main())
