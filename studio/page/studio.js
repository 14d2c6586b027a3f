// SPDX-License-Identifier: Apache-2.0
// Ties the parts together: one text, from which everything follows; every change of it asks for a plan, and the newest
// answer is shown.
'use strict';

class Studio {
  constructor(start) {
    this.start = start;
    this.client = crypto.getRandomValues(new Uint32Array(2)).join('-');
    this.robot = start.robot;
    this.name = 'studio.yaml';
    this.text = '';
    this.model = null;
    this.answer = null;
    this.asked = this.shown = this.underway = 0;
    this.past = [];
    this.future = [];
    this.timings = [];
    this.reachCenter = this.middleOfReach();
    const edit = (edits, stamp) => this.edit(edits, stamp);
    const done = () => this.commit();
    this.board = new Board($('board'), start, {
      handle: (i, point, stamp) => { if (this.handles?.[i]) edit(this.handles[i].move(point), stamp); },
      move: (delta, stamp) => { if (this.model) edit(moveEdits(this.model, delta), stamp); },
      insert: (where) => this.change(this.model && insertEdits(this.model, this.board.curve, where)),
      remove: (i) => this.change(this.handles?.[i]?.remove?.()),
      stroke: (points) => guarded(async () => this.drawn(points))(),
      done,
    });
    this.settings = new SettingsPanel($('settings'), start.robot, {edit, done});
    this.textPanel = new TextPanel($('yaml'), (text, stamp) => {
      this.text = text;
      this.request(stamp);
      clearTimeout(this.typing);
      this.typing = setTimeout(done, 600);
    });
    this.charts = new PlanCharts($('plan-charts'), start.robot);
    this.player = new Player(this.board, start);
    this.playPanel = new PlayPanel(this.player, this.board, start, this);
    this.files = new FilesPanel(this, this.playPanel);
    this.commands = new CommandsPanel(this);
    this.robotPanel = new RobotPanel(this, start);
    this.showResults = useTabs($('result-tabs'), (id) => {
      this.visible = id;
      this.playPanel.setVisible(id === 'play-panel');
      $('board').classList.toggle('with-runs', id === 'play-panel');
      if (id === 'plan-panel' && this.answer?.ok) this.charts.show(this.answer);
    });
    useTabs($('side-tabs'));
    this.listen();
    this.showResults('plan-panel');
  }

  // The middle of the cells where P can be: where things go that have no place.
  middleOfReach() {
    const {low, cell, columns, obstacles} = this.start.map;
    let [x, y, count] = [0, 0, 0];
    for (let i = 0; i < obstacles.length; ++i) {
      if (obstacles[i] !== '0') continue;
      x += i % columns;
      y += Math.floor(i / columns);
      ++count;
    }
    return count ? [low[0] + cell * x / count, low[1] + cell * y / count] : [0, 0];
  }

  listen() {
    $('undo').addEventListener('click', () => this.step(this.past, this.future));
    $('redo').addEventListener('click', () => this.step(this.future, this.past));
    $('save').addEventListener('click', guarded(() => this.save()));
    $('save-plan').addEventListener('click', guarded(() => this.savePlan(false)));
    $('download').addEventListener('click', () => download(this.name, this.text));
    $('new').addEventListener('click', () => this.load('studio.yaml', this.start.curve));
    $('fit').addEventListener('click', () => this.board.fit());
    $('zoom-in').addEventListener('click', () => this.board.zoom(1 / 1.4));
    $('zoom-out').addEventListener('click', () => this.board.zoom(1.4));
    $('name').addEventListener('change', () => this.rename($('name').value));
    $('curve-type').addEventListener('change', () => this.convert($('curve-type').value));
    for (const tool of ['select', 'freehand']) {
      $(`tool-${tool}`).addEventListener('click', () => this.setTool(tool));
    }
    addEventListener('keydown', (event) => {
      const inText = /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName);
      const control = event.ctrlKey || event.metaKey;
      if (control && event.key.toLowerCase() === 's') {
        guarded(() => this.save())();
      } else if (control && !inText && event.key.toLowerCase() === 'z') {
        if (event.shiftKey) this.step(this.future, this.past); else this.step(this.past, this.future);
      } else if (control && !inText && event.key.toLowerCase() === 'y') {
        this.step(this.future, this.past);
      } else {
        return;
      }
      event.preventDefault();
    });
    addEventListener('beforeunload', () => this.remember());
    connection.whenBack.push(() => { notice('The studio is back.'); this.request(); });
  }
  setTool(tool) {
    this.board.setTool(tool);
    for (const name of ['select', 'freehand']) $(`tool-${name}`).setAttribute('aria-pressed', String(name === tool));
  }

  // What is on the page survives a reload.
  remember() {
    try { sessionStorage.setItem('fivebar-studio', JSON.stringify({name: this.name, text: this.text})); } catch { /* full or forbidden */ }
  }

  rename(name) {
    const plain = name.trim().replace(/[^A-Za-z0-9 ._+/-]/g, '_').replace(/(\.ya?ml)?$/, '.yaml');
    this.name = plain === '.yaml' ? 'studio.yaml' : plain;
    $('name').value = this.name;
    this.request();
  }
  load(name, text) {
    this.setTool('select');
    this.savedAs = this.planSavedAs = null;
    this.name = name;
    $('name').value = name;
    this.setText(text);
    this.commit();
  }
  setText(text, stamp) {
    this.text = text;
    this.textPanel.set(text);
    this.request(stamp);
  }

  // Changes keys of the text; the handles follow at once, the rest when the server has answered.
  edit(edits, stamp) {
    if (!edits || !this.model) return;
    let text = this.text;
    for (const [section, key, value] of edits) {
      if (section === '') {
        this.model[key] = value;
        text = yamlSetTop(text, key, value);
      } else {
        this.model[section] = {...this.model[section], [key]: value};
        text = yamlSet(text, section, key, value, this.model[section]);
      }
    }
    this.setText(text, stamp);
    this.showHandles();
    this.settings.show(this.model);
  }
  change(edits) {
    if (!edits) return;
    this.edit(edits);
    this.commit();
  }
  replaceCurve(curve) {
    let text = yamlSetSection(this.text || this.start.curve, 'curve', curve);
    for (const section of ['placement', 'start']) text = yamlSetSection(text, section, undefined);
    this.setTool('select');
    this.setText(text);
    this.commit();
  }
  drawn(points) {
    this.setTool('select');
    this.replaceCurve(curveOf(atMost(points, 40, 6e-4), 'spline'));
  }
  convert(type) {
    if (this.model?.curve && type !== this.model.curve.type) this.replaceCurve(convertedCurve(type, this.model, this.board.curve, this.reachCenter));
  }

  // Undo knows texts, so that it goes back over everything, typed or dragged.
  commit() {
    if (this.saved === this.text) return;
    if (this.saved !== undefined) this.past.push(this.saved);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
    this.saved = this.text;
    this.showSteps();
    this.remember();
  }
  step(from, to) {
    this.commit();
    if (from.length === 0) return;
    to.push(this.text);
    this.saved = from.pop();
    this.setText(this.saved);
    this.showSteps();
  }
  showSteps() {
    $('undo').disabled = this.past.length === 0;
    $('redo').disabled = this.future.length === 0;
  }

  // One question per frame, two under way at most: the server drops what is outdated.
  request(stamp) {
    this.stamp ??= stamp;
    this.dirty = true;
    $('verdict').setAttribute('aria-busy', 'true');
    if (this.waiting || this.underway >= 2) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      this.send();
    });
  }
  async send() {
    const number = ++this.asked;
    const {stamp} = this;
    this.stamp = undefined;
    this.dirty = false;
    ++this.underway;
    const sent = performance.now();
    try {
      const answer = await ask('/api/plan', {text: this.text, name: this.name, client: this.client});
      if (!answer.superseded && number > this.shown) {
        this.shown = number;
        this.show(answer, number);
        if (stamp !== undefined) this.note(stamp, sent, answer);
      }
    } catch (error) {
      if (!(error instanceof NoConnection)) this.show(this.failure(error), number);
      else notice(error.message, true);
    } finally {
      --this.underway;
      if (this.dirty && connection.there) this.request(this.stamp);
      if (number === this.asked) $('verdict').removeAttribute('aria-busy');
    }
  }
  failure(error) {
    return {ok: false, state: 'error', sentence: error.message, hints: [], error: {message: error.message, line: error.line ?? 0},
      model: null, milliseconds: 0, command: ''};
  }
  // From the event to after the frame that shows its verdict.
  note(stamp, sent, answer) {
    requestAnimationFrame(() => setTimeout(() => {
      this.timings.push({total: performance.now() - stamp, wait: sent - stamp, server: answer.milliseconds});
    }));
  }
  async settled() {
    while (this.dirty || this.underway > 0) await new Promise((resolve) => { setTimeout(resolve, 10); });
  }

  show(answer, number) {
    const newest = number === this.asked;
    this.answer = answer;
    if (answer.model && newest) this.model = answer.model;
    verdictBox.show(answer, (fix) => this.change(moveEdits(this.model, fix.translate)), (line) => {
      this.textPanel.goTo(line);
      $('tab-yaml').click();
    });
    this.textPanel.setError(answer.error?.line);
    this.board.svg.classList.toggle('stale', !answer.model);
    if (answer.command) showCommand($('plan-command'), answer.command);
    if (answer.model) {
      this.board.setCurve(answer.curve);
      if (newest) {
        this.showHandles();
        this.settings.show(this.model);
      }
      const {type} = this.model.curve;
      $('curve-type').value = type;
      $('curve-type').querySelector('[value=samples]').hidden = type !== 'samples';
    }
    const full = answer.ok ? fullError(answer.series, answer.model.accuracy ?? 0.005) : null;
    if (answer.model) this.board.setPlan(answer.ok ? answer.series : null, full);
    showShades(full);
    $('plan-charts').classList.toggle('old', !answer.ok);
    this.board.svg.classList.toggle('no-plan', !answer.ok);
    if (answer.ok) {
      this.drawCharts();
      this.player.setRuns([]);
      this.player.setPlan(answer.series);
    }
    this.playPanel.outdated();
    this.robotPanel.disarm?.();
  }
  // After the frame that shows the verdict, so that this does not wait for them.
  drawCharts() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => setTimeout(() => setTimeout(() => {
      this.drawing = false;
      if (this.visible === 'plan-panel' && this.answer.ok) this.charts.show(this.answer);
    })));
  }
  showHandles() {
    if (!this.model?.curve || !this.board.curve) return;
    this.handles = handlesOf(this.model, this.board.curve);
    this.board.setHandles(this.handles);
  }

  planName() { return this.name.replace(/\.yaml$/, '.plan.csv'); }
  async save() {
    this.commit();
    await saveAsking('/api/save', {name: this.name, text: this.text, replace: this.name === this.savedAs});
    this.savedAs = this.name;
    notice(`Saved as ${this.name}.`);
  }
  // The curve and its plan, as commands need them; `quietly` if a command is about to be run.
  async savePlan(quietly) {
    await this.settled();
    if (!this.answer?.ok) throw new Refusal('There is no plan of this curve: see the verdict.');
    await this.save();
    const question = {name: this.name, text: this.text, replace: this.planSavedAs === this.name};
    const {name} = await saveAsking('/api/save-plan', question);
    this.planSavedAs = this.name;
    if (!quietly) notice(`Saved ${this.name} and its plan ${name}.`);
    return name;
  }
}

guarded(async () => {
  const start = await ask('/api/start');
  const studio = new Studio(start);
  window.fivebarStudio = studio;
  $('robot').textContent = start.robot.name;
  $('folder').textContent = `${start.folder}/`;
  $('version').textContent = `fivebar_control ${start.version}`;
  $('connection').textContent = 'connected';
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem('fivebar-studio')); } catch { /* nothing usable */ }
  studio.load(kept?.text ? kept.name : 'studio.yaml', kept?.text || start.curve);
})();
