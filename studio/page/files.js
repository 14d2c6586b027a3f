// SPDX-License-Identifier: Apache-2.0
// Files below the folder of the studio, what is brought in from elsewhere, and the commands that work on files.
'use strict';
const kindWords = {curve: 'curve', plan: 'plan', log: 'log of a run', plant: 'plant', page: 'report', picture: 'picture', other: 'file'};
const fileUrl = (name) => `/file${query ? `${query}&` : '?'}name=${encodeURIComponent(name)}`;

// Asks in a dialog; true if it was closed with its main button.
function confirmed(text, button = 'Replace') {
  return new Promise((resolve) => {
    $('confirm-text').textContent = text;
    $('confirm-yes').textContent = button;
    const box = $('confirm');
    box.returnValue = '';
    box.onclose = () => resolve(box.returnValue === 'yes');
    box.showModal();
  });
}

// Saves; a file that is there is replaced only after a question.
async function saveAsking(path, question) {
  const answer = await ask(path, question);
  if (!answer.exists) return answer;
  if (!await confirmed(`${answer.exists} is there already. Replace it?`)) throw new Refusal(`${answer.exists} was not replaced.`);
  return ask(path, {...question, replace: true});
}

class FilesPanel {
  constructor(studio, playPanel) {
    Object.assign(this, {studio, playPanel});
    $('open').addEventListener('click', guarded(() => this.choose()));
    $('files-filter').addEventListener('input', () => this.fill());
    $('import-file').addEventListener('change', guarded(() => this.importFile($('import-file').files[0])));
    $('import').addEventListener('click', () => { $('import-file').value = ''; $('import-file').click(); });
    $('place-form').addEventListener('input', () => this.preview());
    $('place-dialog').addEventListener('close', () => { if ($('place-dialog').returnValue === 'yes') guarded(() => this.insert())(); });
    $('text-open').addEventListener('click', () => this.writeText());
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', guarded(async (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) await this.importFile(event.dataTransfer.files[0]);
    }));
  }

  async choose() {
    const {files, folder} = await ask('/api/files');
    this.files = files;
    $('files-folder').textContent = `In ${folder}/`;
    this.fill();
    $('files').showModal();
  }
  fill() {
    const filter = $('files-filter').value.toLowerCase();
    const rows = this.files.filter(({name, kind}) => ['curve', 'plan', 'log', 'page', 'picture'].includes(kind) && name.toLowerCase().includes(filter))
      .map(({name, kind, bytes}) => {
        const open = make('button', {type: 'button', className: 'file'}, make('b', {textContent: name}),
          make('span', {textContent: `${kindWords[kind]}, ${bytes < 1e4 ? `${bytes} B` : bytes < 1e7 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`}`}));
        open.addEventListener('click', guarded(() => this.openFile(name, kind)));
        return make('li', {}, open);
      });
    $('files-list').replaceChildren(...rows);
    $('files-none').hidden = rows.length > 0;
  }
  async openFile(name, kind) {
    $('files').close();
    if (kind === 'page' || kind === 'picture') { open(fileUrl(name), '_blank', 'noopener'); return; }
    if (kind === 'log') { await this.showLog(name); return; }
    const {text} = await ask('/api/open', {name, kind});
    this.studio.load(kind === 'plan' ? name.replace(/(\.plan)?\.csv$/, '.yaml') : name, text);
    if (kind === 'curve') this.studio.savedAs = name;
    notice(kind === 'plan' ? `The curve that ${name} was made from.` : `${name} is open.`);
  }
  // A log belongs to the plan whose name it begins with, or to the plan of this curve.
  async showLog(log) {
    const plans = this.files.filter((file) => file.kind === 'plan').map((file) => file.name);
    const fits = plans.filter((plan) => log.startsWith(plan.replace(/(\.plan)?\.csv$/, '')))
      .sort((a, b) => b.length - a.length)[0] ?? this.studio.planName();
    const answer = await ask('/api/logs', {plan: fits, logs: [log]});
    const {text} = await ask('/api/open', {name: fits, kind: 'plan'});
    this.studio.load(fits.replace(/(\.plan)?\.csv$/, '.yaml'), text);
    await this.studio.settled();
    this.playPanel.shownText = this.studio.text;
    this.studio.showResults('play-panel');
    this.playPanel.show(answer, this.studio.answer?.series);
  }

  async importFile(file) {
    if (!file) return;
    if (file.size > longestFile) throw new Refusal(`${file.name} is larger than 3 MB.`);
    const text = await file.text();
    if (/\.ya?ml$/i.test(file.name)) {
      this.studio.load(file.name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/\.yml$/, '.yaml'), text);
    } else if (/\.svg$/i.test(file.name)) {
      const {points, outlines, unit} = svgPoints(text);
      const box = boxOf(points);
      this.askPlacing({points, flip: true, title: `${file.name}: ${outlines} ${outlines === 1 ? 'outline' : 'outlines'}, ${points.length} points`,
        width: (box.x1 - box.x0) * unit, kind: 'spline'});
    } else if (/\.(csv|txt)$/i.test(file.name)) {
      const {points, times} = csvPoints(text);
      const box = boxOf(points);
      const width = box.x1 - box.x0;
      this.askPlacing({points, times, title: `${file.name}: ${points.length} rows${times ? ' with times' : ''}`, width: width > 1 ? width / 1e3 : width, kind: 'spline',
        // Metres or millimetres where they are: no placing is needed.
        center: [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2].map((v) => width > 1 ? v / 1e3 : v)});
    } else {
      throw new Refusal(`${file.name}: expected a file ending in .yaml, .svg or .csv.`);
    }
  }
  writeText() {
    this.askPlacing({points: null, title: 'Text in a font of single strokes. The robot cannot lift its pen: the ways between strokes are drawn, too.',
      width: 0.06, kind: 'polyline'});
  }
  askPlacing(source) {
    this.source = source;
    $('place-title').textContent = source.title;
    $('place-text').hidden = source.points !== null;
    const natural = 1e3 * source.width;
    $('place-width').value = round(natural > 5 && natural < 160 ? natural : 60, 1);
    const center = source.center ?? this.studio.reachCenter;
    $('place-x').value = round(1e3 * center[0], 1);
    $('place-y').value = round(1e3 * center[1], 1);
    $('place-kind').value = source.kind;
    $('place-duration').value = '';
    this.preview();
    $('place-dialog').showModal();
  }
  points() {
    let {points} = this.source;
    if (points === null) {
      const text = textPoints($('place-words').value);
      if (text.unknown.length > 0) throw new Refusal(`The font has no ${text.unknown.join(' ')}`);
      points = text.points;
    }
    if (points.length < 2) throw new Refusal('There is nothing to draw yet.');
    const width = Number($('place-width').value) / 1e3;
    if (!(width > 0)) throw new Refusal('The width must be above zero.');
    return placed(points, width, [Number($('place-x').value) / 1e3, Number($('place-y').value) / 1e3], this.source.flip);
  }
  curve() {
    const points = this.points();
    const wish = Number($('place-duration').value);
    const kind = $('place-kind').value;
    const {times} = this.source;
    if (times && kind === 'spline' && points.length <= 200) {
      const end = onGrid(wish > 0 ? wish : times.at(-1));
      return {type: 'spline', points: rounded(points), times: times.map((t, i) => i === times.length - 1 ? round(end, 5) : round(t / times.at(-1) * end, 4)), ends: 'rest'};
    }
    return curveOf(points, kind, wish > 0 ? wish : times?.at(-1));
  }
  preview() {
    try {
      const curve = this.curve();
      const box = boxOf(this.points());
      $('place-word').textContent = `${curve.points.length} points, ${(1e3 * (box.x1 - box.x0)).toFixed(0)} × ${(1e3 * (box.y1 - box.y0)).toFixed(0)} mm`;
      $('place-yes').disabled = false;
    } catch (error) {
      $('place-word').textContent = error.message;
      $('place-yes').disabled = true;
    }
  }
  insert() { this.studio.replaceCurve(this.curve()); }
}

// The commands of the command line, as buttons. What they do is shown before and told while it is done.
class CommandsPanel {
  constructor(studio) {
    this.studio = studio;
    for (const button of document.querySelectorAll('[data-action]')) {
      button.addEventListener('click', guarded(() => this.run(button.dataset.action)));
      const show = guarded(async () => {
        const {command} = await ask('/api/action', {...this.question(button.dataset.action), only_show: true});
        showCommand($('job-command'), command);
      });
      button.addEventListener('pointerenter', () => { if (!this.running) show(); });
      button.addEventListener('focus', () => { if (!this.running) show(); });
    }
    $('job-stop').addEventListener('click', guarded(() => ask('/api/interrupt', {id: this.running})));
  }
  question(action) {
    const plan = this.studio.planName();
    const stem = plan.replace(/\.plan\.csv$/, '');
    const plant = $('plant').value;
    const mode = 'feedforward+pd';
    const logs = [`${stem}.${mode}.log.csv`];
    return {compare: {action, plan, plant}, robustness: {action: 'compare', plan, plant, robustness: true}, run: {action, plan, plant, mode},
      report: {action, plan, logs}, animate: {action, plan}, excite: {action, out: 'excite.plan.csv'},
      'run-excite': {action: 'run', plan: 'excite.plan.csv', plant, mode}, identify: {action, logs: ['excite.feedforward+pd.log.csv'], out: 'robot.identified.yaml'},
      learn: {action, plan, logs}, 'learning-runs': {action, plan, plant, updates: 3}}[action];
  }
  async run(action) {
    if (this.running) throw new Refusal('A command is running: wait for it, or stop it.');
    const question = this.question(action);
    if (question.plan && !['excite.plan.csv'].includes(question.plan)) await this.studio.savePlan(true);
    const {id, command, outputs} = await ask('/api/action', question);
    showCommand($('job-command'), command);
    await this.follow(id, outputs);
  }
  async follow(id, outputs) {
    this.running = id;
    $('job-stop').hidden = false;
    $('job-outputs').replaceChildren();
    const output = $('job-output');
    output.textContent = '';
    $('job-state').textContent = 'running …';
    try {
      for (let from = 0, view = {running: true}; view.running;) {
        view = await ask('/api/job', {id, from});
        from = view.size;
        output.append(view.text);
        output.scrollTop = output.scrollHeight;
        if (!view.running) $('job-state').textContent = view.code === 0 ? 'done' : `ended with exit code ${view.code}`;
        if (!view.running && view.code === 0) this.links(outputs);
      }
    } finally {
      this.running = 0;
      $('job-stop').hidden = true;
    }
  }
  links(outputs) {
    $('job-outputs').replaceChildren(...outputs.map((name) => /\.(html|svg)$/.test(name)
      ? make('a', {href: fileUrl(name), target: '_blank', rel: 'noopener', textContent: `Open ${name}`})
      : make('span', {textContent: name})));
  }
}
