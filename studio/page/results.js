// SPDX-License-Identifier: Apache-2.0
// What the planner says of the curve: the verdict, its figures, the charts over time.
'use strict';
const partNames = [['position', 'position'], ['velocity', 'velocity'], ['terminal', 'end'], ['soft_limit', 'high voltage'], ['rate', 'voltage rate']];

class PlanCharts {
  constructor(parent, robot) {
    this.limits = robot.limits;
    const chart = (id, title, y, series) => fivebarCharts.make(parent, {id, title, x: 't [s]', y: `[${y}]`, group: 'plan', height: 150, series});
    const limit = [{name: 'limit', style: 'limit'}, {name: '', style: 'limit'}];
    this.error = chart('plan-error', 'Distance of the plan from the curve', 'mm', [{name: 'error of P', style: 'two'}]);
    this.volts = chart('plan-volts', 'Voltages', 'V', [{name: 'motor 1', style: 'one'}, {name: 'motor 4', style: 'two'}, ...limit]);
    this.angles = chart('plan-angles', 'Joint angles', 'rad', [{name: 'phi1', style: 'one'}, {name: 'phi4', style: 'two'}]);
    this.speeds = chart('plan-speeds', 'Joint speeds', 'rad/s', [{name: 'phi1', style: 'one'}, {name: 'phi4', style: 'two'}, ...limit]);
    this.margins = chart('plan-margins', 'Singularity margins', '|sin|', [{name: 'links 2, 3', style: 'three'}, {name: 'links 1, 2', style: 'one'},
      {name: 'links 4, 3', style: 'two'}, {name: 'limits', style: 'limit'}, {name: '', style: 'limit'}]);
    const figure = make('figure', {className: 'chart', id: 'plan-parts'}, make('figcaption', {textContent: 'What the cost is made of'}));
    this.parts = make('div', {className: 'parts'});
    figure.append(this.parts);
    parent.append(figure);
  }
  show(answer) {
    const s = answer.series;
    const ends = [s.t[0], s.t[s.t.length - 1]];
    const level = (value) => [ends, [value, value]];
    const {voltage, speed, parallel, serial} = this.limits;
    const volts = answer.figures.voltage_limit ?? voltage;
    this.error.show([[s.t, s.error]], {y0: 0});
    this.volts.show([[s.t, s.u1], [s.t, s.u4], level(volts), level(-volts)]);
    this.angles.show([[s.t, s.phi1], [s.t, s.phi4]]);
    this.speeds.show([[s.t, s.dphi1], [s.t, s.dphi4], level(speed), level(-speed)]);
    this.margins.show([[s.t, s.parallel], [s.t, s.serial1], [s.t, s.serial4], level(parallel), level(serial)], {y0: 0, y1: 1.05});
    this.showParts(answer.figures);
  }
  showParts({cost, cost_parts: parts}) {
    const shown = partNames.filter(([key]) => parts[key] > 0);
    const total = shown.reduce((sum, [key]) => sum + parts[key], 0) || 1;
    this.parts.innerHTML = `<p>J = ${cost.toExponential(3)} m² s</p><div class="bar">` +
      shown.map(([key], i) => `<span class="run-${i}" style="flex:${parts[key] / total}"></span>`).join('') + '</div><ul>' +
      shown.map(([key, name], i) => `<li><i class="run-${i}"></i>${name} <b>${(100 * parts[key] / total).toFixed(1)} %</b></li>`).join('') + '</ul>';
  }
}

// The sentence, what to change, and the figures that one looks at while dragging.
const verdictBox = {
  show(answer, onFix, onLine) {
    $('verdict').className = `card ${answer.state}`;
    $('sentence').textContent = answer.sentence;
    const hints = answer.hints.map((text) => make('li', {textContent: text}));
    if (answer.fix) {
      const apply = make('button', {type: 'button', textContent: 'Move it there', className: 'small', id: 'apply-fix'});
      apply.addEventListener('click', () => onFix(answer.fix));
      hints[hints.length - 1].append(' ', apply);
    }
    if (answer.error?.line) {
      const go = make('button', {type: 'button', textContent: `Go to line ${answer.error.line}`, className: 'small'});
      go.addEventListener('click', () => onLine(answer.error.line));
      hints.push(make('li', {}, go));
    }
    $('hints').replaceChildren(...hints);
    this.figures(answer);
  },
  figures(answer) {
    const f = answer.figures;
    const set = (id, text) => { $(id).textContent = text; };
    set('figure-duration', answer.duration === undefined ? '–' : `${answer.duration.toFixed(2)} s`);
    set('figure-error', f ? f.largest_error < 1e-5 ? `${significant(1e6 * f.largest_error, 2)} µm` : mm(f.largest_error) : '–');
    set('figure-volts', f ? `${f.largest_voltage.toFixed(2)} V` : '–');
    set('figure-nodes', f ? `${f.nodes} × ${significant(1e3 * f.time_step)} ms` : '–');
    set('figure-time', `${answer.milliseconds.toFixed(1)} ms`);
  },
};

// Which error the darkest shade of the path stands for, in round steps so that colours do not flicker.
// A tenth of the accuracy that is asked for is never more than green.
function fullError(series, accuracy) {
  const most = Math.max(...series.error, 100 * accuracy);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((k) => k * power).find((v) => v >= most);
}

function showShades(full) {
  $('shades').hidden = full === null;
  if (full !== null) $('shade-full').textContent = `${significant(full)} mm`;
}

// Value of a course at time t, linear in between; `cursor` remembers where it was.
function sampleAt(ts, values, t) {
  let low = 0;
  let high = ts.length - 1;
  if (t <= ts[0]) return values[0];
  if (t >= ts[high]) return values[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ts[middle] <= t) low = middle; else high = middle;
  }
  const share = (t - ts[low]) / (ts[high] - ts[low] || 1);
  return values[low] + share * (values[high] - values[low]);
}
