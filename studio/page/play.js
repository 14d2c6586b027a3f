// SPDX-License-Identifier: Apache-2.0
// The simulated robot: runs side by side, animated with one time slider. The slider moves the linkage on the board, too.
'use strict';
const runStyle = (i) => `run-${i}`;

class Player {
  constructor(board, start) {
    this.board = board;
    this.start = start;
    this.plan = null;
    this.runs = [];
    this.t = 0;
    this.playing = false;
    this.slider = $('time');
    this.slider.addEventListener('input', () => { this.pause(); this.setTime(Number(this.slider.value)); });
    $('play-pause').addEventListener('click', () => this.playing ? this.pause() : this.run());
  }
  duration() {
    const runs = this.runs.map((run) => run.series.t[run.series.t.length - 1]);
    return Math.max(this.plan ? this.plan.t[this.plan.t.length - 1] : 0, ...runs, 0.01);
  }
  // The place on the time slider and whether it plays stay when the curve changes.
  setPlan(series) {
    this.plan = series;
    this.refresh();
  }
  setRuns(runs) {
    this.runs = runs;
    this.refresh();
  }
  refresh() {
    this.slider.max = this.duration();
    this.setTime(Math.min(this.t, this.duration()));
  }
  setTime(t) {
    this.t = t;
    this.slider.value = t;
    $('time-text').textContent = `${t.toFixed(2)} s`;
    if (this.plan) {
      const [phi1, phi4, x, y] = ['phi1', 'phi4', 'x', 'y'].map((key) => sampleAt(this.plan.t, this.plan[key], t));
      this.board.setPose(phi1, phi4, [x, y]);
    } else {
      this.board.setPose(0, 0, null);
    }
    for (const run of this.runs) run.picture?.show(t);
  }
  run() {
    if (!this.plan && this.runs.length === 0) return;
    if (this.t >= this.duration() - 1e-3) this.t = 0;
    this.playing = true;
    $('play-pause').textContent = 'Pause';
    let last = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      this.setTime(Math.min(this.t + (now - last) / 1e3 * Number($('speed').value), this.duration()));
      last = now;
      if (this.t >= this.duration()) this.pause(); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
  pause() {
    this.playing = false;
    $('play-pause').textContent = 'Play';
  }
}

// One run as a small moving picture: the planned path, what was drawn so far, the linkage, deviations magnified.
class RunPicture {
  constructor(parent, board, run, plan, style) {
    this.board = board;
    this.run = run;
    this.plan = plan;
    const svg = makeSvg('svg', {role: 'img', 'aria-label': `${run.name}: the linkage along the curve`});
    const box = boxOf([...plan.x.map((x, i) => [x, plan.y[i]]), board.robot.pivot1, board.robot.pivot4,
      ...plan.phi1.filter((_, i) => i % 10 === 0).flatMap((phi, i) => board.elbows(phi, plan.phi4[10 * i]))]);
    const edge = 26;  // room for magnified errors
    svg.setAttribute('viewBox', `${1e3 * box.x0 - edge} ${-1e3 * box.y1 - edge} ${1e3 * (box.x1 - box.x0) + 2 * edge} ${1e3 * (box.y1 - box.y0) + 2 * edge}`);
    makeSvg('polyline', {class: 'wanted', points: pathText(plan.x, plan.y)}, svg);
    this.links = makeSvg('polyline', {class: 'link'}, svg);
    this.drawn = makeSvg('polyline', {class: `drawn ${style}`}, svg);
    this.tip = makeSvg('circle', {class: `tip ${style}`, r: 3}, svg);
    this.text = make('span', {className: 'now'});
    parent.append(make('figure', {className: 'run-picture'}, make('figcaption', {}, make('b', {textContent: run.name, className: style}), ' ', this.text), svg));
  }
  // The error of P times the magnification, so that a millimetre can be seen.
  magnified(x, y, t) {
    const factor = Number($('magnify').value);
    const [px, py] = ['x', 'y'].map((key) => sampleAt(this.plan.t, this.plan[key], t));
    return [px + factor * (x - px), py + factor * (y - py)];
  }
  show(t) {
    const s = this.run.series;
    const xs = [];
    const ys = [];
    for (let i = 0; i < s.t.length && s.t[i] <= t; ++i) {
      if (s.t[i] < 0) continue;
      const [x, y] = this.magnified(s.x[i], s.y[i], s.t[i]);
      xs.push(x);
      ys.push(y);
    }
    this.drawn.setAttribute('points', pathText(xs, ys));
    const [phi1, phi4, x, y, error] = ['phi1', 'phi4', 'x', 'y', 'error'].map((key) => sampleAt(s.t, s[key], t));
    this.links.setAttribute('points', this.board.linkage(phi1, phi4, [x, y]));
    const tip = at(this.magnified(x, y, t));
    this.tip.setAttribute('cx', tip[0]);
    this.tip.setAttribute('cy', tip[1]);
    this.text.textContent = `${error.toFixed(2)} mm off`;
  }
}

class PlayPanel {
  constructor(player, board, start, studio) {
    Object.assign(this, {player, board, start, studio});
    const plants = $('plant');
    plants.append(new Option('the model itself', ''), ...start.plants.map((name) => new Option(name, `shipped:${name}`)));
    plants.value = start.plants.includes('mismatched') ? 'shipped:mismatched' : '';
    const chosen = ['pd', 'feedforward_pd', 'feedforward_tvlqr'];
    for (const law of start.laws) {
      const box = make('input', {type: 'checkbox', value: law.key, checked: chosen.includes(law.key)});
      box.addEventListener('change', () => this.changed());
      $('laws').append(make('label', {}, box, ` ${law.name}`));
    }
    plants.addEventListener('change', () => this.changed());
    $('play-now').addEventListener('click', guarded(() => this.play()));
    $('magnify').addEventListener('input', () => {
      $('magnify-text').textContent = `× ${$('magnify').value}`;
      player.setTime(player.t);
    });
  }
  changed() { if (this.visible) guarded(() => this.play())(); }
  setVisible(visible) {
    this.visible = visible;
    if (visible && this.shownText !== this.studio.text && this.studio.answer?.ok) guarded(() => this.play())();
  }
  // After the curve: runs of the old one are not runs of this one.
  outdated() {
    clearTimeout(this.timer);
    this.board.setRuns([]);
    $('play-results').classList.add('old');
    if (this.visible && this.studio.answer?.ok) this.timer = setTimeout(guarded(() => this.play()), 250);
  }
  async play() {
    const laws = [...$('laws').querySelectorAll('input:checked')].map((box) => box.value);
    if (laws.length === 0) throw new Refusal('Choose at least one law to play with.');
    await this.studio.settled();
    if (!this.studio.answer?.ok) throw new Refusal('There is no plan of this curve to play: see the verdict.');
    const text = this.studio.text;
    $('play-sentence').textContent = 'Playing …';
    try {
      const answer = await ask('/api/play', {text, name: this.studio.name, plant: $('plant').value, client: this.studio.client, laws});
      if (answer.superseded) return;
      this.shownText = text;
      this.show(answer, this.studio.answer?.series);
    } catch (error) {
      $('play-sentence').textContent = error.message;
      $('play-results').classList.add('old');
      throw error;
    }
  }
  show(answer, plan) {
    $('play-sentence').textContent = answer.sentence;
    $('play-hints').replaceChildren(...answer.hints.map((text) => make('li', {textContent: text})));
    $('play-results').classList.remove('old');
    showCommand($('play-command'), answer.command);
    this.table(answer.runs);
    const pictures = $('run-pictures');
    pictures.replaceChildren();
    const runs = answer.runs.map((run, i) => ({...run, style: runStyle(i)}));
    if (plan) runs.forEach((run) => { run.picture = new RunPicture(pictures, this.board, run, plan, run.style); });
    this.charts(runs);
    this.board.setRuns(runs);
    this.player.setRuns(runs);
  }
  table(runs) {
    const best = Math.min(...runs.map((run) => run.ise));
    const rows = runs.map((run, i) => make('tr', {},
      make('th', {scope: 'row'}, make('i', {className: runStyle(i)}), run.name),
      make('td', {textContent: mm(run.largest_error, 3)}),
      make('td', {textContent: `${run.ise.toExponential(2)}${run.ise === best && runs.length > 1 ? ' (least)' : ''}`}),
      make('td', {textContent: `${run.feedback_rms.toFixed(3)} V`}),
      make('td', {textContent: `${run.largest_volts.toFixed(2)} V`}),
      make('td', {textContent: run.ended === 'finished' ? 'finished' : `${run.ended}: ${run.reason.replaceAll('_', ' ')}`})));
    $('run-table').tBodies[0].replaceChildren(...rows);
  }
  charts(runs) {
    const box = $('run-charts');
    const names = runs.map((run) => run.name).join();
    if (this.names !== names) {
      this.names = names;
      box.replaceChildren();
      const series = runs.map((run) => ({name: run.name, style: run.style}));
      const chart = (id, title, y) => fivebarCharts.make(box, {id, title, x: 't [s]', y: `[${y}]`, group: 'runs', height: 160, series});
      this.made = {error: chart('run-error', 'Distance of P from the planned path', 'mm'),
        u1: chart('run-u1', 'Volts at motor 1', 'V'), u4: chart('run-u4', 'Volts at motor 4', 'V'),
        feedback1: chart('run-feedback1', 'Feedback at motor 1', 'V'), feedback4: chart('run-feedback4', 'Feedback at motor 4', 'V')};
    }
    for (const [key, chart] of Object.entries(this.made)) {
      chart.show(runs.map((run) => [run.series.t, run.series[key]]), key === 'error' ? {y0: 0} : {});
    }
  }
}
