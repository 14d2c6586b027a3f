// SPDX-License-Identifier: Apache-2.0
// The charts of all pages. Those of a report are complete pictures that get hover values, zoom and keyboard here;
// live pages make theirs with fivebarCharts.make() and change them with show().
const fivebarCharts = (() => {
'use strict';
const most_x_ticks = 8;
const most_y_ticks = 6;

// Round values for an axis; mirrors ticks() of chart.cpp.
function ticks(low, high, most, whole) {
  const least = (high - low) / most;
  let step = 10 ** Math.ceil(Math.log10(least));
  if (whole) {
    step = Math.max(1, Math.ceil(least));
  } else {
    const part = [0.2, 0.5].find((p) => step * p >= least);
    step *= part ?? 1;
  }
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) values.push(i * step);
  return values;
}

function tickText(value, range, logarithmic) {
  if (logarithmic) {
    const number = 10 ** value;
    return number >= 0.01 && number < 1e5 ? String(Number(number.toPrecision(6))) : '1e' + value.toFixed(0);
  }
  return String(Number((Math.abs(value) < 1e-9 * range ? 0 : value).toPrecision(6)));
}

function element(tag, className, parent) {
  const made = document.createElement(tag);
  made.className = className;
  parent.append(made);
  return made;
}

// First index whose value is not below x; xs increase.
function lowerBound(xs, x) {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

class Chart {
  constructor(figure) {
    this.figure = figure;
    this.plot = figure.querySelector('.plot');
    this.data = figure.querySelector('.data');
    this.grid = figure.querySelector('.grid');
    this.group = figure.dataset.group;
    this.equal = figure.classList.contains('equal');
    this.logX = figure.dataset.logX === '1';
    this.logY = figure.dataset.logY === '1';
    this.wholeX = this.logX || figure.dataset.wholeX === '1';
    const d = this.plot.dataset;
    this.home = {x0: +d.x0, x1: +d.x1, y0: +d.y0, y1: +d.y1};
    this.view = {...this.home};
    this.unit = (/\[(.*)\]/.exec(figure.querySelector('.y-label').textContent) ?? ['', ''])[1];
    this.keys = [...figure.querySelectorAll('.key')];
    this.series = [...figure.querySelectorAll('polyline.line')].map((line) => ({line, hidden: false}));
    this.spoken = element('output', 'spoken', figure);
    this.spoken.setAttribute('aria-live', 'polite');
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'group');
    this.plot.setAttribute('aria-label', `${figure.querySelector('figcaption').textContent}: arrow keys read values, ` +
      'plus and minus zoom, Escape shows all');
    this.listen();
    this.listenToKeys();
  }

  // New data: lists of x and y per line (null: nothing there). `range` holds what is not to follow from the data, and
  // what the user has zoomed to stays.
  show(lines, range = {}, marks = []) {
    const zoomed = this.isZoomed();
    const home = {x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity};
    this.series.forEach((series, s) => {
      const [xs, ys] = lines[s] ?? [[], []];
      series.xs = xs;
      series.ys = ys;
      series.line.setAttribute('points', pointsText(xs, ys));
      const limit = series.line.classList.contains('limit') && !range.limits;
      for (let i = 0; i < xs.length; ++i) {
        if (ys[i] === null || xs[i] === null) continue;
        if (!limit) {
          home.y0 = Math.min(home.y0, ys[i]);
          home.y1 = Math.max(home.y1, ys[i]);
        }
        home.x0 = Math.min(home.x0, xs[i]);
        home.x1 = Math.max(home.x1, xs[i]);
      }
    });
    if (!(home.x0 < home.x1)) Object.assign(home, {x0: 0, x1: 1});
    if (!(home.y0 <= home.y1)) Object.assign(home, {y0: 0, y1: 1});
    const margin = 0.06 * (home.y1 - home.y0) || 0.1 * Math.abs(home.y0) || 0.5;
    home.y0 -= margin;
    home.y1 += margin;
    for (const key of Object.keys(home)) home[key] = range[key] ?? home[key];
    this.home = home;
    if (!zoomed) this.view = {...home};
    this.plot.querySelectorAll('.mark').forEach((mark) => mark.remove());
    for (const {x, label, style} of marks) {
      const mark = element('span', `mark line ${style ?? ''}`, this.plot);
      mark.dataset.x = x;
      element('b', '', mark).textContent = label;
    }
    this.draw();
  }

  isZoomed() { return ['x0', 'x1', 'y0', 'y1'].some((k) => this.view[k] !== this.home[k]); }

  // The data are read from the picture itself, when first needed.
  points(series) {
    if (!series.xs) {
      const numbers = (series.line.getAttribute('points').match(/[^\s,]+/g) ?? []).map(Number);
      series.xs = numbers.filter((_, i) => i % 2 === 0);
      series.ys = numbers.filter((_, i) => i % 2 === 1);
    }
    return series;
  }

  at(event) {
    const box = this.plot.getBoundingClientRect();
    const px = Math.min(Math.max(event.clientX - box.left, 0), box.width);
    const py = Math.min(Math.max(event.clientY - box.top, 0), box.height);
    const v = this.view;
    return {px, py, x: v.x0 + (px / box.width) * (v.x1 - v.x0), y: v.y1 - (py / box.height) * (v.y1 - v.y0), box};
  }

  left(x) { return 100 * (x - this.view.x0) / (this.view.x1 - this.view.x0); }
  bottom(y) { return 100 * (y - this.view.y0) / (this.view.y1 - this.view.y0); }

  draw() {
    const {x0, x1, y0, y1} = this.view;
    const sx = 1000 / (x1 - x0);
    const sy = 1000 / (y1 - y0);
    this.data.setAttribute('transform', `matrix(${sx} 0 0 ${-sy} ${-x0 * sx} ${1000 + y0 * sy})`);
    this.plot.querySelectorAll('.tick').forEach((tick) => tick.remove());
    let lines = '';
    for (const x of ticks(x0, x1, most_x_ticks, this.wholeX)) {
      lines += `<path d="M${10 * this.left(x)} 0V1000"/>`;
      const tick = element('span', 'tick x', this.plot);
      tick.style.left = this.left(x) + '%';
      tick.textContent = tickText(x, x1 - x0, this.logX);
    }
    for (const y of ticks(y0, y1, most_y_ticks, this.logY)) {
      lines += `<path d="M0 ${1000 - 10 * this.bottom(y)}H1000"/>`;
      const tick = element('span', 'tick y', this.plot);
      tick.style.bottom = this.bottom(y) + '%';
      tick.textContent = tickText(y, y1 - y0, this.logY);
    }
    this.grid.innerHTML = lines;
    for (const mark of this.plot.querySelectorAll('.mark')) {
      const x = this.left(+mark.dataset.x);
      const y = mark.classList.contains('point') ? this.bottom(+mark.dataset.y) : 0;
      mark.style.left = x + '%';
      mark.style.bottom = y + '%';
      mark.hidden = x < 0 || x > 100 || y < 0 || y > 100;
    }
    this.showZoomOut();
  }

  showZoomOut() {
    const zoomed = this.isZoomed();
    let button = this.figure.querySelector('.zoom-out');
    if (zoomed && !button) {
      button = element('button', 'zoom-out', this.figure);
      button.type = 'button';
      button.textContent = 'Zoom out';
      button.addEventListener('click', () => zoomOut(this));
    }
    if (!zoomed && button) button.remove();
  }

  // Fits y to what is visible between x0 and x1.
  showX(x0, x1) {
    let low = Infinity;
    let high = -Infinity;
    for (const series of this.series) {
      if (series.hidden || series.line.classList.contains('limit')) continue;
      const {xs, ys} = this.points(series);
      const end = Math.min(lowerBound(xs, x1) + 1, xs.length);
      for (let i = Math.max(lowerBound(xs, x0) - 1, 0); i < end; ++i) {
        if (ys[i] === null) continue;
        low = Math.min(low, ys[i]);
        high = Math.max(high, ys[i]);
      }
    }
    if (low > high) return;
    const margin = 0.06 * (high - low) || 0.5;
    this.view = {x0, x1, y0: low - margin, y1: high + margin};
    this.draw();
  }

  // The chosen rectangle, widened to the shape of the plot: axes stay equal.
  showBox(a, b) {
    const home = this.home;
    const shape = (home.x1 - home.x0) / (home.y1 - home.y0);
    const width = Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y) * shape);
    const x = (a.x + b.x) / 2;
    const y = (a.y + b.y) / 2;
    this.view = {x0: x - width / 2, x1: x + width / 2, y0: y - width / shape / 2, y1: y + width / shape / 2};
    this.draw();
  }

  reset() {
    this.view = {...this.home};
    this.draw();
  }

  number(value, logarithmic) {
    return Number((logarithmic ? 10 ** value : value).toPrecision(4)).toString();
  }

  hover(place) {
    this.leave();
    if (this.equal) {
      this.hoverPoint(place);
      return;
    }
    element('div', 'cursor', this.plot).style.left = this.left(place.x) + '%';
    this.series.forEach((series, s) => {
      const {xs, ys} = this.points(series);
      if (xs.length === 0) return;
      let i = Math.min(lowerBound(xs, place.x), xs.length - 1);
      if (i > 0 && place.x - xs[i - 1] < xs[i] - place.x) --i;
      if (ys[i] === null) return;
      this.keys[s].querySelector('output').textContent = `${this.number(ys[i], this.logY)} ${this.unit}`;
    });
    const label = this.figure.querySelector('.x-label');
    this.xLabel ??= label.textContent;
    label.textContent = `${this.number(place.x, this.logX)} \u2190 ${this.xLabel}`;
  }

  // Nearest point of any line, by distance on the screen.
  hoverPoint(place) {
    let best = {distance: Infinity};
    this.series.forEach((series, s) => {
      if (series.hidden) return;
      const {xs, ys} = this.points(series);
      for (let i = 0; i < xs.length; ++i) {
        const distance = (xs[i] - place.x) ** 2 + (ys[i] - place.y) ** 2;
        if (distance < best.distance) best = {distance, s, x: xs[i], y: ys[i]};
      }
    });
    if (best.s === undefined) return;
    const spot = element('div', 'cursor spot', this.plot);
    spot.style.left = this.left(best.x) + '%';
    spot.style.top = 100 - this.bottom(best.y) + '%';
    this.keys[best.s].querySelector('output').textContent =
      `(${best.x.toFixed(2)}, ${best.y.toFixed(2)}) ${this.unit}`;
  }

  leave() {
    this.plot.querySelectorAll('.cursor').forEach((cursor) => cursor.remove());
    this.keys.forEach((key) => { key.querySelector('output').textContent = ''; });
    if (this.xLabel) this.figure.querySelector('.x-label').textContent = this.xLabel;
  }

  // The same as the pointer can: a cursor that reads values, and zoom.
  listenToKeys() {
    let x = null;
    const steps = {ArrowLeft: -1, ArrowRight: 1, Home: -1000, End: 1000};
    this.plot.addEventListener('keydown', (event) => {
      const {x0, x1} = this.view;
      x = Math.min(Math.max(x ?? (x0 + x1) / 2, x0), x1);
      if (event.key in steps && !this.equal) {
        x = Math.min(Math.max(x + steps[event.key] * (event.shiftKey ? 10 : 1) * (x1 - x0) / 100, x0), x1);
        for (const chart of friends(this)) chart.hover({x});
        this.spoken.textContent = `${this.number(x, this.logX)}: ` + this.keys.filter((key) => !key.hidden)
          .map((key) => key.textContent).join(', ');
      } else if ((event.key === '+' || event.key === '-') && !this.equal) {
        const half = (x1 - x0) * (event.key === '+' ? 0.25 : 1);
        for (const chart of friends(this)) chart.showX(Math.max(x - half, this.home.x0), Math.min(x + half, this.home.x1));
      } else if (event.key === 'Escape') {
        zoomOut(this);
        friends(this).forEach((chart) => chart.leave());
      } else {
        return;
      }
      event.preventDefault();
    });
    this.plot.addEventListener('blur', () => friends(this).forEach((chart) => chart.leave()));
  }

  listen() {
    let start = null;
    let lens = null;
    this.plot.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      start = this.at(event);
      lens = element('div', 'lens', this.plot);
      this.plot.setPointerCapture(event.pointerId);
    });
    this.plot.addEventListener('pointermove', (event) => {
      const place = this.at(event);
      if (start) {
        lens.style.left = Math.min(start.px, place.px) + 'px';
        lens.style.width = Math.abs(start.px - place.px) + 'px';
        lens.style.top = this.equal ? Math.min(start.py, place.py) + 'px' : 0;
        lens.style.height = this.equal ? Math.abs(start.py - place.py) + 'px' : '100%';
      }
      for (const chart of friends(this)) chart.hover(place);
    });
    const end = (event) => {
      if (!start) return;
      const place = this.at(event);
      const far = Math.abs(place.px - start.px) > 8 || (this.equal && Math.abs(place.py - start.py) > 8);
      if (far && event.type === 'pointerup') {
        if (this.equal) this.showBox(start, place);
        else for (const chart of friends(this)) chart.showX(Math.min(start.x, place.x), Math.max(start.x, place.x));
      }
      lens.remove();
      start = null;
    };
    this.plot.addEventListener('pointerup', end);
    this.plot.addEventListener('pointercancel', end);
    this.plot.addEventListener('pointerleave', () => friends(this).forEach((chart) => chart.leave()));
    this.plot.addEventListener('dblclick', () => zoomOut(this));
    this.keys.forEach((key, s) => key.addEventListener('click', () => {
      const series = this.series[s];
      series.hidden = !series.hidden;
      series.line.style.display = series.hidden ? 'none' : '';
      key.setAttribute('aria-pressed', String(!series.hidden));
    }));
  }
}

const pointsText = (xs, ys) => {
  let text = '';
  for (let i = 0; i < xs.length; ++i) if (xs[i] !== null && ys[i] !== null) text += `${xs[i]},${ys[i]} `;
  return text;
};

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// A chart with nothing in it yet, in the form of to_html() of chart.cpp. series: [{name, style}].
function make(parent, {id, title, x, y, series, group = '', equal = false, height = 200}) {
  const figure = element('figure', equal ? 'chart equal' : 'chart', parent);
  figure.id = id;
  Object.assign(figure.dataset, {group, logX: '0', logY: '0', wholeX: '0'});
  figure.innerHTML = `<figcaption>${escaped(title)}</figcaption><div class="legend">` +
    series.map((s) => `<button type="button" class="key ${s.style}" aria-pressed="true"${s.name ? '' : ' hidden'}>` +
      `<i></i>${escaped(s.name)}<output></output></button>`).join('') +
    `</div><div class="y-label">${escaped(y)}</div><div class="plot" style="height:${height}px" data-x0="0" data-x1="1" ` +
    'data-y0="0" data-y1="1"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" ' +
    `aria-label="${escaped(title)}"><g class="grid"></g><g class="data">` +
    series.map((s) => `<polyline class="line ${s.style}"/>`).join('') +
    `</g></svg></div><div class="x-label">${escaped(x)}</div>`;
  const chart = new Chart(figure);
  charts.push(chart);
  return chart;
}

const friends = (chart) => chart.group ? charts.filter((other) => other.group === chart.group) : [chart];
const zoomOut = (chart) => friends(chart).forEach((other) => other.reset());
const charts = [...document.querySelectorAll('figure.chart')].map((figure) => new Chart(figure));
return {make};
})();
