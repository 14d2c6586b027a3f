// SPDX-License-Identifier: Apache-2.0
// Changes single keys of a curve file's text and leaves everything else as it was written, comments included.
// Reading is the server's: it has the only parser of these files.
'use strict';

// Metres and seconds to 10 um and 10 us, everything else to six digits.
function yamlNumber(value) {
  if (Number.isInteger(value)) return Math.abs(value) < 1e6 ? value.toFixed(1) : String(value);
  const near = Number(value.toFixed(5));
  return Math.abs(value) >= 1e-3 && near !== 0 ? String(near) : Number(value.toPrecision(6)).toExponential();
}

const plainText = /^[A-Za-z][A-Za-z0-9 _.,()-]*$/;
function yamlScalar(value) {
  if (typeof value === 'number') return yamlNumber(value);
  return plainText.test(value) && !/^(true|false|yes|no|on|off|null)$/i.test(value) ? value : JSON.stringify(value);
}

function yamlFlow(value) {
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  if (typeof value === 'object') return `{${Object.entries(value).map(([k, v]) => `${k}: ${yamlFlow(v)}`).join(', ')}}`;
  return yamlScalar(value);
}

// "key: value" as lines. Long lists get one entry per line, or are wrapped.
function yamlLines(key, value, indent) {
  const space = ' '.repeat(indent);
  const line = `${space}${key}: ${yamlFlow(value)}`;
  if (!Array.isArray(value) || line.length <= 100) return [line];
  if (Array.isArray(value[0])) return [`${space}${key}:`, ...value.map((row) => `${space}  - ${yamlFlow(row)}`)];
  const lines = [`${space}${key}: [`];
  for (const part of value.map(yamlFlow)) {
    if (lines[lines.length - 1].length + part.length > 96) lines.push(`${space}  `);
    lines[lines.length - 1] += `${part}, `;
  }
  lines[lines.length - 1] = lines[lines.length - 1].replace(/, $/, ']');
  return lines.map((l) => l.trimEnd());
}

const isContent = (line) => line.trim() !== '' && !line.trim().startsWith('#');
const indentOf = (line) => line.length - line.trimStart().length;

// [first line, line after the last] of what belongs to `key` at this indentation, or null.
function yamlRange(lines, key, indent, begin = 0, end = lines.length) {
  const head = new RegExp(`^ {${indent}}${key}\\s*:`);
  for (let i = begin; i < end; ++i) {
    if (!head.test(lines[i])) continue;
    let after = i + 1;
    for (let j = after; j < end; ++j) {
      if (!isContent(lines[j])) continue;
      const deeper = indentOf(lines[j]) > indent || (indentOf(lines[j]) === indent && /^\s*(- |\])/.test(lines[j]));
      if (!deeper) break;
      after = j + 1;
    }
    return [i, after];
  }
  return null;
}

const commentOf = (line) => /\s+#.*$/.exec(line)?.[0] ?? '';

function replaceLines(lines, [begin, end], made) {
  // One line stays one line, with its comment.
  if (end - begin === 1 && made.length === 1) made = [made[0] + commentOf(lines[begin])];
  lines.splice(begin, end - begin, ...made);
}

// A key at the top, such as name; undefined removes it.
function yamlSetTop(text, key, value) {
  const lines = text.split('\n');
  const range = yamlRange(lines, key, 0);
  if (range) {
    if (value === undefined) lines.splice(range[0], range[1] - range[0]);
    else replaceLines(lines, range, yamlLines(key, value, 0));
  } else if (value !== undefined) {
    const at = lines.findIndex((line) => /^schema\s*:/.test(line)) + 1;
    lines.splice(at, 0, ...yamlLines(key, value, 0));
  }
  return lines.join('\n');
}

// A whole section, such as curve: what was in it goes. undefined or an empty one removes it.
function yamlSetSection(text, section, values) {
  const lines = text.split('\n');
  const range = yamlRange(lines, section, 0);
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  const made = entries.length === 0 ? []
    : [`${section}:`, ...entries.flatMap(([key, value]) => yamlLines(key, value, 2))];
  if (range) {
    lines.splice(range[0], range[1] - range[0], ...made);
  } else if (made.length > 0) {
    while (lines.length > 0 && lines[lines.length - 1].trim() === '') lines.pop();
    lines.push('', ...made, '');
  }
  return lines.join('\n');
}

// One key of a section. `all` are the section's values with this one, for what cannot be changed in place.
function yamlSet(text, section, key, value, all) {
  const lines = text.split('\n');
  const range = yamlRange(lines, section, 0);
  if (!range) return value === undefined ? text : yamlSetSection(text, section, {[key]: value});
  const head = lines[range[0]];
  if (!/:\s*(#.*)?$/.test(head)) {  // {a: 1, b: 2}
    const kept = Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined));
    if (Object.keys(kept).length === 0) return yamlSetSection(text, section, undefined);
    replaceLines(lines, range, [`${section}: ${yamlFlow(kept)}`]);
    return lines.join('\n');
  }
  const first = lines.slice(range[0] + 1, range[1]).find(isContent);
  const indent = first ? indentOf(first) : 2;
  const inner = yamlRange(lines, key, indent, range[0] + 1, range[1]);
  if (inner && value === undefined) lines.splice(inner[0], inner[1] - inner[0]);
  else if (inner) replaceLines(lines, inner, yamlLines(key, value, indent));
  else if (value !== undefined) lines.splice(range[1], 0, ...yamlLines(key, value, indent));
  const rest = yamlRange(lines, section, 0);
  if (!lines.slice(rest[0] + 1, rest[1]).some(isContent)) return yamlSetSection(lines.join('\n'), section, undefined);
  return lines.join('\n');
}
