// SPDX-License-Identifier: Apache-2.0
// What can be set of a curve file: handles on the board, sliders beside it, and the text itself. All of them end in
// edits of the text, [section, key, value] each; undefined removes a key.
'use strict';
const point5 = ([x, y]) => [round(x, 5), round(y, 5)];

// World = about + scale * turn * (p - about) + translate, as the planner places curves.
function placementOf(model, curve) {
  const p = model.placement ?? {};
  const translate = p.translate ?? [0, 0];
  const about = p.about ?? [curve.x[0] - translate[0], curve.y[0] - translate[1]];
  const [c, s] = [Math.cos(p.rotate ?? 0), Math.sin(p.rotate ?? 0)];
  const scale = p.scale ?? 1;
  return {
    toWorld: ([x, y]) => [about[0] + translate[0] + scale * (c * (x - about[0]) - s * (y - about[1])),
      about[1] + translate[1] + scale * (s * (x - about[0]) + c * (y - about[1]))],
    toCurve: ([x, y]) => {
      const [dx, dy] = [x - about[0] - translate[0], y - about[1] - translate[1]];
      return [about[0] + (c * dx + s * dy) / scale, about[1] + (-s * dx + c * dy) / scale];
    },
  };
}

// The handles of a curve: {point (world), label, move(point) -> edits, remove() -> edits}.
function handlesOf(model, drawn) {
  const curve = model.curve;
  const place = placementOf(model, drawn);
  const set = (key, value) => ['curve', key, value];
  if (curve.type === 'lissajous') {
    const corner = [curve.center[0] + curve.amplitude[0], curve.center[1] + curve.amplitude[1]];
    return [
      {point: place.toWorld(curve.center), label: 'centre', move: (p) => [set('center', point5(place.toCurve(p)))]},
      {point: place.toWorld(corner), label: 'amplitude', small: true, move: (p) => {
        const q = place.toCurve(p);
        return [set('amplitude', [0, 1].map((k) => Math.max(0.001, round(Math.abs(q[k] - curve.center[k]), 5))))];
      }}];
  }
  if (curve.type === 'circle') {
    const angle = curve.start_angle ?? 0;
    const start = [curve.center[0] + curve.radius * Math.cos(angle), curve.center[1] + curve.radius * Math.sin(angle)];
    return [
      {point: place.toWorld(curve.center), label: 'centre', move: (p) => [set('center', point5(place.toCurve(p)))]},
      {point: place.toWorld(start), label: 'start and radius', small: true, move: (p) => {
        const q = place.toCurve(p).map((v, k) => v - curve.center[k]);
        return [set('radius', Math.max(0.001, round(Math.hypot(...q), 5))), set('start_angle', round(Math.atan2(q[1], q[0]), 4))];
      }}];
  }
  if (!curve.points || curve.points.length > 120) return [];
  const least = curve.type === 'spline' ? 3 : 2;
  return curve.points.map((point, i) => ({
    point: place.toWorld(point), label: `point ${i + 1}`, small: curve.points.length > 30,
    move: (p) => [set('points', curve.points.map((q, j) => j === i ? point5(place.toCurve(p)) : q))],
    remove: () => curve.points.length <= least ? null
      : [set('points', curve.points.filter((_, j) => j !== i)),
        ...(curve.times ? [set('times', curve.times.filter((_, j) => j !== (i === 0 ? 1 : i === curve.times.length - 1 ? i - 1 : i)))] : [])],
  }));
}

// Edits that move the whole curve.
function moveEdits(model, [dx, dy]) {
  const shift = ([x, y]) => point5([x + dx, y + dy]);
  const placed = model.placement && (model.placement.scale ?? 1) * (model.placement.rotate ? 0 : 1) !== 1;
  if (placed || model.placement?.about || model.curve.type === 'samples') {
    return [['placement', 'translate', shift(model.placement?.translate ?? [0, 0])]];
  }
  return model.curve.points ? [['curve', 'points', model.curve.points.map(shift)]] : [['curve', 'center', shift(model.curve.center)]];
}

// A point more where the curve was clicked, in the middle of the nearest piece; null where there are no points.
function insertEdits(model, drawn, where) {
  const {points, times} = model.curve;
  if (!points) return null;
  const p = placementOf(model, drawn).toCurve(where);
  let best = {d: Infinity};
  for (let i = 1; i < points.length; ++i) {
    const [a, b] = [points[i - 1], points[i]];
    const length = distance(a, b) || 1e-9;
    const share = clamp(((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length ** 2, 0.1, 0.9);
    const d = distance(p, [0, 1].map((k) => a[k] + share * (b[k] - a[k])));
    if (d < best.d) best = {d, i, share};
  }
  const edits = [['curve', 'points', [...points.slice(0, best.i), point5(p), ...points.slice(best.i)]]];
  if (times) {
    const time = times[best.i - 1] + best.share * (times[best.i] - times[best.i - 1]);
    edits.push(['curve', 'times', [...times.slice(0, best.i), round(time, 4), ...times.slice(best.i)]]);
  }
  return edits;
}

// Another type of curve in the place of the one that is there.
function convertedCurve(type, model, drawn, reachCenter) {
  const points = drawn ? drawn.x.map((x, i) => [x, drawn.y[i]]) : [[reachCenter[0] - 0.02, reachCenter[1]], [reachCenter[0] + 0.02, reachCenter[1]]];
  const box = boxOf(points);
  const center = point5([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]);
  const half = [(box.x1 - box.x0) / 2, (box.y1 - box.y0) / 2].map((v) => Math.max(round(v, 4), 0.005));
  const duration = onGrid(model.curve?.duration ?? model.curve?.times?.at(-1) ?? calmDuration(points));
  if (type === 'lissajous') return {type, center, amplitude: half, angular_frequency: [2.5, 3.75], duration: 5.0};
  if (type === 'circle') return {type, center, radius: Math.min(...half), duration};
  if (type === 'polyline') return polylineCurve(atMost(points, 24, 0.001), Math.max(duration, pathLength(points) / 0.12));
  return splineCurve(resampled(points, clamp(Math.round(pathLength(points) / 0.025), 5, 24)), duration);
}

const logSlider = (low, high) => ({  // 0, then 10^low to 10^high
  min: 0, max: 100, step: 1,
  toSlider: (v) => v > 0 ? clamp(1 + 99 * (Math.log10(v) - low) / (high - low), 1, 100) : 0,
  fromSlider: (s) => s < 1 ? 0 : Number((10 ** (low + (s - 1) / 99 * (high - low))).toPrecision(2)),
});
const evenSlider = (min, max, step) => ({min, max, step, toSlider: (v) => v, fromSlider: Number});

// The sliders. `get` gives undefined where the curve has no such thing; `set` gives edits.
const settings = [
  {group: 'Time', id: 'duration', label: 'Duration', unit: 's', ...evenSlider(0.5, 20, 0.1), least: 0.01,
    get: (m) => m.curve.type === 'spline' ? m.curve.times.at(-1) - m.curve.times[0] : m.curve.duration,
    set: (v, m) => {
      const end = onGrid(v);
      if (m.curve.type !== 'spline') return [['curve', 'duration', round(end, 5)]];
      const t = m.curve.times;
      return [['curve', 'times', t.map((x, i) => i === t.length - 1 ? round(end, 5) : round((x - t[0]) * end / (t.at(-1) - t[0]), 4))]];
    }},
  {group: 'Time', id: 'speed', label: 'Speed', unit: 'mm/s', ...evenSlider(5, 400, 1), least: 0.1,
    get: (m) => m.curve.type === 'polyline' ? 1e3 * m.curve.speed : undefined,
    set: (v, m) => {
      const p = m.curve.points;
      const shortest = Math.min(...p.slice(1).map((q, i) => distance(p[i], q)));
      const blend = Math.min(m.curve.blend, Number((0.8 * shortest / (v / 1e3)).toPrecision(3)));
      return [['curve', 'speed', round(v / 1e3, 5)], ['curve', 'blend', blend]];
    }},
  {group: 'Time', id: 'blend', label: 'Corner time', unit: 's', ...evenSlider(0.005, 0.5, 0.005), least: 0.001,
    get: (m) => m.curve.type === 'polyline' ? m.curve.blend : undefined, set: (v) => [['curve', 'blend', v]]},
  {group: 'Time', id: 'ramp-in', label: 'Ramp in', unit: 's', ...evenSlider(0, 3, 0.05), least: 0,
    get: (m) => m.ramp?.in ?? 0, set: (v) => [['ramp', 'in', round(2 * onGridOrZero(v / 2), 5) || undefined]]},
  {group: 'Time', id: 'ramp-out', label: 'Ramp out', unit: 's', ...evenSlider(0, 3, 0.05), least: 0,
    get: (m) => m.ramp?.out ?? 0, set: (v) => [['ramp', 'out', round(2 * onGridOrZero(v / 2), 5) || undefined]]},
  {group: 'Shape', id: 'frequency-x', label: 'Frequency x', unit: 'rad/s', ...evenSlider(0, 12, 0.05), least: -100,
    get: (m) => m.curve.angular_frequency?.[0], set: (v, m) => [['curve', 'angular_frequency', [v, m.curve.angular_frequency[1]]]]},
  {group: 'Shape', id: 'frequency-y', label: 'Frequency y', unit: 'rad/s', ...evenSlider(0, 12, 0.05), least: -100,
    get: (m) => m.curve.angular_frequency?.[1], set: (v, m) => [['curve', 'angular_frequency', [m.curve.angular_frequency[0], v]]]},
  {group: 'Shape', id: 'turns', label: 'Turns', unit: '', ...evenSlider(-5, 5, 0.25), least: -100,
    get: (m) => m.curve.type === 'circle' ? m.curve.turns ?? 1 : undefined, set: (v) => [['curve', 'turns', v]]},
  {group: 'Shape', id: 'scale', label: 'Scale', unit: '', ...evenSlider(0.1, 3, 0.01), least: 0.01,
    get: (m) => m.placement?.scale ?? 1, set: (v) => [['placement', 'scale', v === 1 ? undefined : v]]},
  {group: 'Shape', id: 'rotate', label: 'Turn', unit: '°', ...evenSlider(-180, 180, 1), least: -360,
    get: (m) => round((m.placement?.rotate ?? 0) * 180 / Math.PI, 2), set: (v) => [['placement', 'rotate', v ? round(v * Math.PI / 180, 5) : undefined]]},
  {group: 'Limits', id: 'voltage', label: 'Voltage limit', unit: 'V', ...evenSlider(0.1, 24, 0.1), least: 0.001, placeholder: 'robot',
    get: (m, robot) => typeof m.limits?.voltage === 'number' ? m.limits.voltage : m.limits?.voltage === 'none' ? Infinity : robot.limits.voltage,
    set: (v, m, robot) => [['limits', 'voltage', v === robot.limits.voltage ? undefined : v]]},
  {group: 'Limits', id: 'voltage-rate', label: 'Rate limit', unit: 'V/s', ...logSlider(1, 4), least: 0, placeholder: 'none',
    get: (m) => typeof m.limits?.voltage_rate === 'number' ? m.limits.voltage_rate : 0, set: (v) => [['limits', 'voltage_rate', v || undefined]]},
  {group: 'Limits', id: 'accuracy', label: 'Accuracy', unit: 'mm', ...evenSlider(0.1, 20, 0.1), least: 1e-6,
    get: (m) => 1e3 * (m.accuracy ?? 0.005), set: (v) => [['', 'accuracy', round(v / 1e3, 7)]]},
  {group: 'Weights', id: 'alpha', label: 'End error α', unit: '', ...evenSlider(0, 1, 0.01), least: 0,
    get: (m) => m.cost?.alpha ?? 0.05, set: (v) => [['cost', 'alpha', v]]},
  {group: 'Weights', id: 'beta', label: 'Velocity error β', unit: 's²', ...logSlider(-3, 2), least: 0,
    get: (m) => m.cost?.beta ?? 1, set: (v) => [['cost', 'beta', v]]},
  {group: 'Weights', id: 'rho', label: 'Voltage rate ρ', unit: 'm²s²/V²', ...logSlider(-11, -5), least: 0,
    get: (m) => m.cost?.rho ?? 0, set: (v) => [['cost', 'rho', v || undefined]]},
  {group: 'Weights', id: 'gamma', label: 'High voltage γ', unit: 'm²/V²', ...logSlider(-4, 1), least: 0,
    get: (m) => m.cost?.gamma ?? 0,
    set: (v, m, robot) => [['cost', 'soft_voltage', v ? m.cost?.soft_voltage ?? 0.8 * robot.limits.voltage : undefined], ['cost', 'gamma', v || undefined]]},
  {group: 'Weights', id: 'soft-voltage', label: '… above', unit: 'V', ...evenSlider(0.1, 24, 0.1), least: 0.001,
    get: (m) => m.cost?.gamma ? m.cost.soft_voltage : undefined, set: (v) => [['cost', 'soft_voltage', v]]},
];
const onGridOrZero = (seconds) => Math.round(seconds / timeStep) * timeStep;

// Builds the sliders into `parent`; on.edit(edits, stamp) and on.done().
class SettingsPanel {
  constructor(parent, robot, on) {
    this.robot = robot;
    this.rows = [];
    for (const group of ['Shape', 'Time', 'Limits', 'Weights']) {
      const box = make('fieldset', {}, make('legend', {textContent: group}));
      for (const setting of settings.filter((s) => s.group === group)) box.append(this.row(setting, on));
      parent.append(box);
    }
  }
  row(setting, on) {
    const slider = make('input', {type: 'range', id: `slider-${setting.id}`, min: setting.min, max: setting.max, step: setting.step});
    const number = make('input', {type: 'number', id: `set-${setting.id}`, step: 'any', placeholder: setting.placeholder ?? ''});
    slider.setAttribute('aria-label', setting.label);
    const change = (value, stamp) => {
      if (!this.model || !Number.isFinite(value) || value < setting.least) return;
      on.edit(setting.set(value, this.model, this.robot), stamp);
    };
    slider.addEventListener('input', (event) => {
      const value = setting.fromSlider(Number(slider.value));
      number.value = value;
      change(value, event.timeStamp);
    });
    number.addEventListener('input', (event) => { if (number.value !== '') change(Number(number.value), event.timeStamp); });
    slider.addEventListener('change', () => on.done());
    number.addEventListener('change', () => on.done());
    const row = make('div', {className: 'setting'}, make('label', {htmlFor: number.id, textContent: setting.label}), slider, number,
      make('span', {className: 'unit', textContent: setting.unit}));
    this.rows.push({setting, row, slider, number});
    return row;
  }
  show(model) {
    this.model = model;
    for (const {setting, row, slider, number} of this.rows) {
      const value = model?.curve ? setting.get(model, this.robot) : undefined;
      row.hidden = value === undefined;
      if (value === undefined) continue;
      const text = Number.isFinite(value) ? String(round(value, 7) || (value === 0 ? 0 : value)) : '';
      if (document.activeElement !== number) number.value = text === '0' && setting.placeholder ? '' : text;
      if (document.activeElement !== slider) slider.value = setting.toSlider(Number.isFinite(value) ? value : setting.max);
    }
  }
}

// The text with line numbers; a line that is wrong is marked.
class TextPanel {
  constructor(area, onInput) {
    this.area = area;
    this.gutter = $('gutter');
    this.mark = $('mark-line');
    area.addEventListener('input', (event) => { this.number(); onInput(area.value, event.timeStamp); });
    area.addEventListener('scroll', () => this.follow());
  }
  set(text) {
    if (this.area.value === text) return;
    const {selectionStart, selectionEnd, scrollTop} = this.area;
    this.area.value = text;
    this.area.setSelectionRange(selectionStart, selectionEnd);
    this.area.scrollTop = scrollTop;
    this.number();
  }
  number() {
    const count = this.area.value.split('\n').length;
    if (count === this.count) return;
    this.count = count;
    this.gutter.textContent = Array.from({length: count}, (_, i) => i + 1).join('\n');
  }
  setError(line) {
    this.line = line;
    this.mark.hidden = !line;
    this.area.setAttribute('aria-invalid', String(Boolean(line)));
    this.follow();
  }
  follow() {
    this.gutter.style.transform = `translateY(${-this.area.scrollTop}px)`;
    this.mark.style.transform = `translateY(${20 * ((this.line || 1) - 1) - this.area.scrollTop}px)`;
  }
  goTo(line) {
    this.area.scrollTop = Math.max(0, 20 * (line - 6));
    this.follow();
  }
}
