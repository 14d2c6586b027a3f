// SPDX-License-Identifier: Apache-2.0
// The board: where P can be, the curve with its handles, the plan, and the linkage. Millimetres, y up (drawn as -y).
'use strict';
const at = ([x, y]) => [1e3 * x, -1e3 * y];
const pathText = (xs, ys) => xs.map((x, i) => `${(1e3 * x).toFixed(2)},${(-1e3 * ys[i]).toFixed(2)}`).join(' ');
// As Obstacle of the planner.
const obstacleWords = ['', 'out of reach', 'only in the other assembly mode', 'too near a singularity of links 2 and 3',
  'too near a singularity of links 1 and 2', 'too near a singularity of links 4 and 3', 'outside the range of phi1',
  'outside the range of phi4'];
const obstacleKind = ['', 'out', 'parallel', 'parallel', 'serial', 'serial', 'range', 'range'];
const errorColours = 8;

class Board {
  // `on` has what the page does: handle(i, point, stamp, done), move(delta, ...), insert(point), stroke(points).
  constructor(svg, start, on) {
    this.svg = svg;
    this.on = on;
    this.robot = start.robot;
    this.map = start.map;
    this.tool = 'select';
    this.layers = {};
    for (const name of ['reach', 'grid', 'nominal', 'grip', 'plan', 'runs', 'links', 'handles', 'stroke']) {
      this.layers[name] = makeSvg('g', {class: name}, svg);
    }
    const {low, cell, columns, rows} = this.map;
    const arm = Math.max(...this.robot.lengths);
    this.home = {x: 1e3 * (low[0] - cell / 2), y: -1e3 * (low[1] + (rows - 0.5) * cell), w: 1e3 * columns * cell, h: 1e3 * rows * cell};
    // Pivots and elbows of usual poses, too.
    const lowest = 1e3 * Math.min(this.robot.pivot1[1], this.robot.pivot4[1]) - 350 * arm;
    this.home.h = Math.min(this.home.h, -lowest - this.home.y);
    this.view = {...this.home};
    this.image = makeSvg('image', {x: 1e3 * (low[0] - cell / 2), y: -1e3 * (low[1] + (rows - 0.5) * cell), width: 1e3 * columns * cell,
      height: 1e3 * rows * cell, preserveAspectRatio: 'none'}, this.layers.reach);
    this.links = makeSvg('polyline', {class: 'link'}, this.layers.links);
    for (const pivot of [this.robot.pivot1, this.robot.pivot4]) {
      makeSvg('circle', {class: 'pivot', r: 4, cx: at(pivot)[0], cy: at(pivot)[1]}, this.layers.links);
    }
    this.tip = makeSvg('circle', {class: 'tip', r: 3.2}, this.layers.links);
    this.handles = [];
    this.paintReach();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.paintReach());
    this.listen();
    this.show();
  }

  // One pixel per cell, in the colours of the page.
  paintReach() {
    const {columns, rows, obstacles} = this.map;
    const style = getComputedStyle(document.documentElement);
    const colours = ['', 'out', 'parallel', 'serial', 'range'].map((kind) => {
      const text = style.getPropertyValue(kind ? `--reach-${kind}` : '--reach').trim();
      return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
    });
    const index = {'': 0, out: 1, parallel: 2, serial: 3, range: 4};
    const canvas = make('canvas', {width: columns, height: rows});
    const context = canvas.getContext('2d');
    const pixels = context.createImageData(columns, rows);
    for (let row = 0; row < rows; ++row) {
      for (let column = 0; column < columns; ++column) {
        const colour = colours[index[obstacleKind[Number(obstacles[row * columns + column])]]];
        const to = 4 * ((rows - 1 - row) * columns + column);
        pixels.data.set([...colour, 255], to);
      }
    }
    context.putImageData(pixels, 0, 0);
    this.image.setAttribute('href', canvas.toDataURL());
  }

  // What is drawn depends on the zoom: lines and handles keep their size on the screen.
  show() {
    const [width, height] = [this.svg.clientWidth || 700, this.svg.clientHeight || 500];
    this.unit = Math.max(this.view.w / width, this.view.h / height);
    // As wide or as high as the board is: its grid goes to the edges.
    const [w, h] = [width * this.unit, height * this.unit];
    const [x, y] = [this.view.x - (w - this.view.w) / 2, this.view.y - (h - this.view.h) / 2];
    this.svg.setAttribute('viewBox', `${x} ${y} ${w} ${h}`);
    this.svg.style.setProperty('--unit', `${this.unit}px`);
    const step = [5, 10, 20, 50, 100].find((s) => s / this.unit > 55) ?? 200;
    let lines = '';
    for (let i = Math.ceil(x / step); i * step <= x + w; ++i) {
      lines += `<path d="M${i * step} ${y}v${h}"/><text x="${i * step + 3 * this.unit}" y="${y + h - 5 * this.unit}">${i * step}</text>`;
    }
    for (let i = Math.ceil(y / step); i * step <= y + h; ++i) {
      lines += `<path d="M${x} ${i * step}h${w}"/><text x="${x + 4 * this.unit}" y="${i * step - 3 * this.unit}">${-i * step || 0}</text>`;
    }
    this.layers.grid.innerHTML = lines;
    for (const handle of this.handles) handle.setAttribute('r', this.handleSize(handle));
    this.tip.setAttribute('r', 4 * this.unit);
    this.layers.links.querySelectorAll('.pivot').forEach((pivot) => pivot.setAttribute('r', 6 * this.unit));
  }
  handleSize(handle) { return this.crowded ? 3.2 * this.unit : (handle.classList.contains('small') ? 4.5 : 6.5) * this.unit; }

  zoom(factor, center = [this.view.x + this.view.w / 2, this.view.y + this.view.h / 2]) {
    const scale = clamp(this.view.w * factor, this.home.w / 20, this.home.w * 1.6) / this.view.w;
    const v = this.view;
    this.view = {x: center[0] + (v.x - center[0]) * scale, y: center[1] + (v.y - center[1]) * scale, w: v.w * scale, h: v.h * scale};
    this.show();
  }
  fit() {
    this.view = {...this.home};
    this.show();
  }

  place(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [p.x / 1e3, -p.y / 1e3];
  }

  // The curve as it is wanted; where it cannot be drawn it says why by its colour.
  setCurve(curve) {
    const layer = this.layers.nominal;
    this.curve = curve;
    if (!curve) { layer.replaceChildren(); this.layers.grip.replaceChildren(); return; }
    let text = `<polyline points="${pathText(curve.x, curve.y)}"/>`;
    for (let i = 0; i < curve.x.length;) {
      const kind = obstacleKind[curve.obstacle[i]];
      let end = i + 1;
      while (end < curve.x.length && obstacleKind[curve.obstacle[end]] === kind) ++end;
      if (kind) text += `<polyline class="bad" points="${pathText(curve.x.slice(Math.max(i - 1, 0), end + 1), curve.y.slice(Math.max(i - 1, 0), end + 1))}"/>`;
      i = end;
    }
    layer.innerHTML = text;
    this.layers.grip.innerHTML = `<polyline points="${pathText(curve.x, curve.y)}"/>`;
  }

  // The planned path of P in eight shades of its error; `full` is the error of the last one, in mm.
  setPlan(series, full) {
    const layer = this.layers.plan;
    if (!series) { layer.replaceChildren(); return; }
    const shade = (i) => Math.min(errorColours - 1, Math.floor(errorColours * Math.max(series.error[i], series.error[i + 1]) / full));
    const parts = Array.from({length: errorColours}, () => '');
    for (let i = 0; i + 1 < series.x.length;) {
      const colour = shade(i);
      let end = i + 1;
      while (end + 1 < series.x.length && shade(end) === colour) ++end;
      parts[colour] += 'M' + pathText(series.x.slice(i, end + 1), series.y.slice(i, end + 1)).replaceAll(' ', 'L');
      i = end;
    }
    layer.innerHTML = parts.map((d, i) => d ? `<path class="shade-${i}" d="${d}"/>` : '').join('');
  }

  setRuns(runs) {
    this.layers.runs.innerHTML = runs.map(({style, series}) =>
      `<polyline class="${style}" points="${pathText(series.x, series.y)}"/>`).join('');
  }

  elbows(phi1, phi4) {
    const {pivot1, pivot4, lengths} = this.robot;
    return [[pivot1[0] + lengths[0] * Math.cos(phi1), pivot1[1] + lengths[0] * Math.sin(phi1)],
      [pivot4[0] + lengths[3] * Math.cos(phi4), pivot4[1] + lengths[3] * Math.sin(phi4)]];
  }
  linkage(phi1, phi4, p) {
    const [elbow1, elbow4] = this.elbows(phi1, phi4);
    return [this.robot.pivot1, elbow1, p, elbow4, this.robot.pivot4].map((q) => at(q).map((v) => v.toFixed(2)).join(',')).join(' ');
  }
  setPose(phi1, phi4, p) {
    this.layers.links.style.display = p ? '' : 'none';
    if (!p) return;
    this.links.setAttribute('points', this.linkage(phi1, phi4, p));
    this.tip.setAttribute('cx', at(p)[0]);
    this.tip.setAttribute('cy', at(p)[1]);
  }

  // handles: [{point, label, small}], in metres.
  setHandles(handles) {
    const layer = this.layers.handles;
    const gaps = handles.slice(1).map(({point}, i) => 1e3 * distance(point, handles[i].point) / this.unit).sort((a, b) => a - b);
    this.crowded = gaps.length > 2 && gaps[gaps.length >> 1] < 24;
    while (this.handles.length > handles.length) this.handles.pop().remove();
    handles.forEach(({point, label, small}, i) => {
      if (!this.handles[i]) {
        this.handles.push(makeSvg('circle', {tabindex: 0, role: 'button', 'data-handle': i}, layer));
      }
      const handle = this.handles[i];
      const [x, y] = at(point);
      handle.setAttribute('class', small ? 'handle small' : 'handle');
      handle.setAttribute('cx', x);
      handle.setAttribute('cy', y);
      handle.setAttribute('r', this.handleSize(handle));
      handle.setAttribute('aria-label', `${label}, x ${x.toFixed(1)} mm, y ${(-y).toFixed(1)} mm: arrow keys move it`);
      handle.point = point;
    });
  }

  setTool(tool) {
    this.tool = tool;
    this.svg.dataset.tool = tool;
    this.layers.stroke.replaceChildren();
  }

  listen() {
    this.svg.addEventListener('pointerdown', (event) => this.down(event));
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at(this.place(event)));
    }, {passive: false});
    this.svg.addEventListener('dblclick', (event) => {
      if (this.pressedCurve) this.on.insert(this.place(event));  // its target is who captured the pointer
    });
    this.svg.addEventListener('pointermove', (event) => {
      const [x, y] = this.place(event);
      $('place').textContent = `x ${(1e3 * x).toFixed(1)} mm, y ${(1e3 * y).toFixed(1)} mm${this.wordAt(x, y)}`;
    });
    this.svg.addEventListener('pointerleave', () => { $('place').textContent = ''; });
    this.svg.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.show()).observe(this.svg);
  }
  wordAt(x, y) {
    const {low, cell, columns, rows, obstacles} = this.map;
    const column = Math.round((x - low[0]) / cell);
    const row = Math.round((y - low[1]) / cell);
    const inside = column >= 0 && column < columns && row >= 0 && row < rows;
    const word = inside ? obstacleWords[Number(obstacles[row * columns + column])] : obstacleWords[1];
    return word ? `, ${word}` : '';
  }

  down(event) {
    if (event.button !== 0) return;
    const begin = this.place(event);
    const handle = event.target.closest('.handle');
    const onCurve = event.target.closest('.grip');
    this.pressedCurve = Boolean(onCurve) && this.tool === 'select';
    let last = begin;
    const stroke = [begin];
    const view = {...this.view};
    const follow = (move) => {
      const point = this.place(move);
      if (this.tool === 'freehand') {
        stroke.push(...(move.getCoalescedEvents?.() ?? [move]).map((e) => this.place(e)));
        this.layers.stroke.innerHTML = `<polyline points="${pathText(stroke.map((p) => p[0]), stroke.map((p) => p[1]))}"/>`;
      } else if (handle) {
        this.on.handle(Number(handle.dataset.handle), point, move.timeStamp);
      } else if (onCurve) {
        this.on.move([point[0] - last[0], point[1] - last[1]], move.timeStamp);
        last = point;
      } else {
        this.view.x = view.x - (move.clientX - event.clientX) * this.unit;
        this.view.y = view.y - (move.clientY - event.clientY) * this.unit;
        this.show();
      }
    };
    const end = () => {
      this.svg.removeEventListener('pointermove', follow);
      this.svg.removeEventListener('pointerup', end);
      this.svg.removeEventListener('pointercancel', end);
      if (this.tool === 'freehand') {
        this.layers.stroke.replaceChildren();
        this.on.stroke(stroke);
      } else {
        this.on.done();
      }
    };
    this.svg.setPointerCapture(event.pointerId);
    this.svg.addEventListener('pointermove', follow);
    this.svg.addEventListener('pointerup', end);
    this.svg.addEventListener('pointercancel', end);
    if (handle) handle.focus({preventScroll: true});
    event.preventDefault();
  }

  key(event) {
    const handle = event.target.closest('.handle');
    if (!handle) return;
    const step = event.shiftKey ? 1e-4 : 1e-3;
    const delta = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]}[event.key];
    const i = Number(handle.dataset.handle);
    if (delta) {
      this.on.handle(i, [handle.point[0] + delta[0], handle.point[1] + delta[1]], event.timeStamp);
      this.on.done();
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      this.on.remove(i);
    } else {
      return;
    }
    event.preventDefault();
  }
}
