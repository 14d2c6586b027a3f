// SPDX-License-Identifier: Apache-2.0
// Points in the plane and the curves that are made of them: freehand strokes, letters, SVG and CSV files.
'use strict';
const timeStep = 0.005;
const onGrid = (seconds) => Math.max(2, Math.round(seconds / timeStep)) * timeStep;
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const pathLength = (points) => points.slice(1).reduce((sum, p, i) => sum + distance(points[i], p), 0);

function boxOf(points) {
  const box = {x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity};
  for (const [x, y] of points) {
    box.x0 = Math.min(box.x0, x);
    box.x1 = Math.max(box.x1, x);
    box.y0 = Math.min(box.y0, y);
    box.y1 = Math.max(box.y1, y);
  }
  return box;
}

function withoutRepeats(points, least) {
  const kept = [];
  for (const p of points) if (kept.length === 0 || distance(kept[kept.length - 1], p) >= least) kept.push(p);
  return kept;
}

// Ramer-Douglas-Peucker: no point is left out that is further than `tolerance` from what stays. With a stack, because
// the points may be many.
function simplified(points, tolerance) {
  const keep = new Uint8Array(points.length);
  keep[0] = keep[points.length - 1] = 1;
  const pieces = [[0, points.length - 1]];
  while (pieces.length > 0) {
    const [a, b] = pieces.pop();
    const [ax, ay] = points[a];
    const length = distance(points[a], points[b]);
    let farthest = tolerance;
    let at = -1;
    for (let i = a + 1; i < b; ++i) {
      const d = length < 1e-12 ? distance(points[i], points[a])
        : Math.abs((points[b][0] - ax) * (ay - points[i][1]) - (ax - points[i][0]) * (points[b][1] - ay)) / length;
      if (d > farthest) { farthest = d; at = i; }
    }
    if (at > 0) {
      keep[at] = 1;
      pieces.push([a, at], [at, b]);
    }
  }
  return points.filter((_, i) => keep[i]);
}

// At most `most` points, with the smallest tolerance from `tolerance` on that leaves so few.
function atMost(points, most, tolerance) {
  let result = simplified(points, tolerance);
  for (let t = tolerance; result.length > most; t *= 1.5) result = simplified(points, t);
  return result;
}

// Points at equal distances along a path.
function resampled(points, count) {
  const total = pathLength(points);
  const result = [points[0]];
  let gone = 0;
  let next = total / (count - 1);
  for (let i = 1; i < points.length && result.length < count - 1; ++i) {
    const step = distance(points[i - 1], points[i]);
    while (step > 0 && gone + step >= next && result.length < count - 1) {
      const share = (next - gone) / step;
      result.push([0, 1].map((k) => points[i - 1][k] + share * (points[i][k] - points[i - 1][k])));
      next += total / (count - 1);
    }
    gone += step;
  }
  result.push(points[points.length - 1]);
  return result;
}

const rounded = (points) => points.map(([x, y]) => [round(x, 5), round(y, 5)]);

// A spline through points, with times by distance, the ends getting more because they begin and end at rest.
function splineCurve(points, duration) {
  points = rounded(withoutRepeats(points, 5e-4));
  if (points.length < 3) points = rounded(resampled([points[0], points[points.length - 1]], 3));
  const steps = points.slice(1).map((p, i) => distance(points[i], p));
  steps[0] *= 1.5;
  steps[steps.length - 1] *= 1.5;
  const total = steps.reduce((a, b) => a + b, 0);
  const end = onGrid(duration);
  const times = [0];
  for (const step of steps) times.push(times[times.length - 1] + step / total * end);
  times[times.length - 1] = end;
  return {type: 'spline', points, times: times.map((t) => round(t, 4)), ends: 'rest'};
}

// Straight lines with corners as sharp as the shortest line allows.
function polylineCurve(points, duration) {
  points = rounded(withoutRepeats(points, 5e-4));
  const lengths = points.slice(1).map((p, i) => distance(points[i], p));
  const speed = significant(pathLength(points) / duration, 4);
  const blend = Math.min(0.2, 0.8 * Math.min(...lengths) / Number(speed));
  return {type: 'polyline', points, speed: Number(speed), blend: Number(blend.toPrecision(3))};
}

// What a robot of this size can draw in peace: 60 mm/s, but at least two seconds.
const calmDuration = (points) => onGrid(clamp(pathLength(points) / 0.06, 2, 120));

// Files may have far more points than a curve of some centimetres can show.
const thinned = (points) => points.length > 4000 ? resampled(points, 4000) : points;

function curveOf(points, kind, wish = 0) {
  if (points.length < 2 || pathLength(points) < 1e-3) throw new Refusal('There is nothing to draw: the path has no length.');
  points = thinned(points);
  const size = boxOf(points);
  const fine = Math.max(2e-4, 0.003 * Math.max(size.x1 - size.x0, size.y1 - size.y0));
  const few = atMost(points, kind === 'polyline' ? 300 : 80, fine);
  const duration = wish > 0 ? wish : calmDuration(few);
  return kind === 'polyline' ? polylineCurve(few, duration) : splineCurve(few, duration);
}

// Moves and scales so that the box of the points has this width and centre; y up.
function placed(points, width, center, flip = false) {
  const box = boxOf(points);
  const own = Math.max(box.x1 - box.x0, 1e-9);
  const scale = width / own;
  return points.map(([x, y]) => [center[0] + scale * (x - (box.x0 + box.x1) / 2),
    center[1] + (flip ? -1 : 1) * scale * (y - (box.y0 + box.y1) / 2)]);
}

const longestFile = 3e6;
const longestPath = 300000;

// The lines of an SVG file, one after the other, in its own units; y down. Only shapes are looked at: nothing of the
// file becomes part of the page but their outlines.
function svgPoints(text) {
  if (text.length > longestFile) throw new Refusal('The SVG file is larger than 3 MB: simplify the path first.');
  const file = new DOMParser().parseFromString(text, 'image/svg+xml');
  const root = file.documentElement;
  if (file.querySelector('parsererror') || root.localName !== 'svg') {
    throw new Refusal('This is no SVG file: expected XML with an <svg> element.');
  }
  const shapes = [...root.querySelectorAll('path, polyline, polygon, line, rect, circle, ellipse')]
    .filter((shape) => !shape.closest('defs, clipPath, mask, marker, pattern, symbol'));
  if (shapes.length === 0) {
    throw new Refusal('The SVG file has no path: expected <path>, <polyline> or another shape (text must become paths).');
  }
  const size = shapes.reduce((sum, s) => sum + (s.getAttribute('d') ?? s.getAttribute('points') ?? '').length, 0);
  if (size > longestPath) {
    throw new Refusal(`The paths of the SVG file have ${size} characters, at most ${longestPath} can be drawn: simplify them.`);
  }
  if (shapes.some((s) => s.localName === 'path' && !isPath(s.getAttribute('d') ?? ''))) {
    throw new Refusal('A path of the SVG file is not valid: its d must begin with M and have the numbers that each command takes.');
  }
  const stage = makeSvg('svg', {width: 0, height: 0, style: 'position:absolute;visibility:hidden'}, document.body);
  try {
    const outlines = shapes.map((shape) => outlineOf(shape, stage)).filter((outline) => outline.length > 1);
    if (outlines.length === 0) throw new Refusal('The paths of the SVG file have no length.');
    return {points: outlines.flat(), outlines: outlines.length, unit: unitOf(root)};
  } finally {
    stage.remove();
  }
}

// Numbers that each command of a path takes; of arcs, whose flags may be written without spaces, any.
const pathNumbers = {m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, z: 0};

// Browsers complain in their console of paths that are wrong: these are not shown to them.
function isPath(text) {
  if (!/^\s*[Mm]/.test(text) || /[^\sMmLlHhVvCcSsQqTtAaZz0-9.,eE+-]/.test(text)) return false;
  for (const [, command, rest] of text.matchAll(/([MmLlHhVvCcSsQqTtAaZz])([^MmLlHhVvCcSsQqTtAaZz]*)/g)) {
    const numbers = rest.match(/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/g) ?? [];
    const unread = rest.replace(/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/g, '').replace(/[\s,]/g, '');
    const takes = pathNumbers[command.toLowerCase()];
    const fits = takes === undefined ? numbers.length > 0 : takes === 0 ? numbers.length === 0
      : numbers.length > 0 && numbers.length % takes === 0;
    if (unread || !fits) return false;
  }
  return true;
}

const geometry = ['d', 'points', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'width', 'height'];

function outlineOf(shape, stage) {
  const copy = makeSvg(shape.localName);
  for (const name of geometry) if (shape.hasAttribute(name)) copy.setAttribute(name, shape.getAttribute(name));
  let inner = copy;
  for (let node = shape; node?.localName && node.localName !== 'svg'; node = node.parentNode) {
    const group = makeSvg('g', node.hasAttribute('transform') ? {transform: node.getAttribute('transform')} : {});
    group.append(inner);
    inner = group;
  }
  stage.replaceChildren(inner);
  let total = 0;
  try { total = copy.getTotalLength(); } catch { return []; }
  const matrix = copy.getCTM();
  const count = clamp(Math.ceil(total / 0.5), 24, 600);
  const points = [];
  for (let i = 0; total > 0 && i <= count; ++i) {
    const p = copy.getPointAtLength(total * i / count);
    const q = matrix ? p.matrixTransform(matrix) : p;
    if (Number.isFinite(q.x) && Number.isFinite(q.y)) points.push([q.x, q.y]);
  }
  return points;
}

// Metres per unit of the file, where it says so; else pixels of 1/96 inch.
function unitOf(root) {
  const found = /^([\d.]+)(mm|cm|in|pt)$/.exec(root.getAttribute('width') ?? '');
  const box = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  const metres = {mm: 1e-3, cm: 1e-2, in: 0.0254, pt: 0.0254 / 72};
  return found && box[2] > 0 ? Number(found[1]) * metres[found[2]] / box[2] : 0.0254 / 96;
}

// Rows of x,y or t,x,y with or without names; `times` only with t.
function csvPoints(text) {
  if (text.length > longestFile) throw new Refusal('The CSV file is larger than 3 MB.');
  const lines = text.split(/\r?\n/).map((line, i) => ({line: line.trim(), number: i + 1}))
    .filter(({line}) => line && !line.startsWith('#'));
  let names = null;
  const rows = [];
  for (const {line, number} of lines) {
    const cells = line.split(/[,;\t]/).map((cell) => cell.trim());
    const values = cells.map(Number);
    if (cells.every((cell, i) => cell !== '' && Number.isFinite(values[i]))) rows.push(values);
    else if (!names && rows.length === 0) names = cells.map((cell) => cell.toLowerCase());
    else throw new Refusal(`Line ${number} of the CSV file has no numbers: '${line.slice(0, 40)}'.`);
  }
  const width = rows[0]?.length ?? 0;
  names ??= width === 2 ? ['x', 'y'] : ['t', 'x', 'y'];
  const [t, x, y] = ['t', 'x', 'y'].map((name) => names.indexOf(name));
  if (rows.length < 3 || x < 0 || y < 0 || rows.some((row) => row.length !== width)) {
    throw new Refusal('The CSV file must have at least three rows of x,y or t,x,y.');
  }
  const times = t < 0 ? null : rows.map((row) => row[t] - rows[0][t]);
  if (times && times.some((time, i) => i > 0 && !(time > times[i - 1]))) throw new Refusal('The times of the CSV file must increase.');
  return {points: rows.map((row) => [row[x], row[y]]), times};
}
