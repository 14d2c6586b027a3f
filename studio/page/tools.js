// SPDX-License-Identifier: Apache-2.0
// Small things that all parts of the page use, and the one way to ask the server.
'use strict';
const $ = (id) => document.getElementById(id);
const query = location.search;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const round = (value, digits) => Number(value.toFixed(digits));
const mm = (metres, digits = 2) => `${(1e3 * metres).toFixed(digits)} mm`;
const significant = (value, digits = 3) => Number(value.toPrecision(digits)).toString();

// An element with properties, attributes (in `attributes`), and children.
function make(tag, properties = {}, ...children) {
  const {attributes = {}, ...rest} = properties;
  const made = document.createElement(tag);
  Object.assign(made, rest);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function makeSvg(tag, attributes = {}, parent = null) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent?.append(made);
  return made;
}

// What the server refused, with the place in the text if there is one.
class Refusal extends Error {
  constructor(message, line = 0) {
    super(message);
    this.line = line;
  }
}
class NoConnection extends Error {}

const largestQuestion = 3.9e6;

async function ask(path, question = {}, word = 'studio') {
  const body = JSON.stringify(question);
  if (body.length > largestQuestion) throw new Refusal('This is too large for the studio (4 MB).');
  let response;
  try {
    response = await fetch(path + query, {method: 'POST', body,
      headers: {'X-Fivebar': word, 'Content-Type': 'application/json'}});
  } catch {
    connection.lost();
    throw new NoConnection('The studio does not answer: is the program still running? What you drew stays on this page.');
  }
  connection.found();
  const text = await response.text();
  let answer = {};
  try { answer = JSON.parse(text); } catch { /* a line of text: why not */ }
  if (!response.ok) throw new Refusal(answer.error?.message ?? (text.trim() || response.statusText), answer.error?.line);
  return answer;
}

// Whether the server answers. While it does not, it is tried again every two seconds.
const connection = {
  there: true,
  whenBack: [],
  lost() {
    if (!this.there) return;
    this.there = false;
    document.body.classList.add('lost');
    $('connection').textContent = 'no connection';
    const retry = setInterval(async () => {
      try {
        await fetch('/' + query, {method: 'GET', cache: 'no-store'});
        clearInterval(retry);
        this.found();
      } catch { /* not yet */ }
    }, 2000);
  },
  found() {
    if (this.there) return;
    this.there = true;
    document.body.classList.remove('lost');
    $('connection').textContent = 'connected';
    for (const call of this.whenBack) call();
  },
};

// A sentence at the lower edge; an error stays longer.
let noticeTimer = 0;
function notice(text, isError = false) {
  const box = $('notice');
  box.textContent = text;
  box.className = isError ? 'shown error' : 'shown';
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { box.className = ''; }, isError ? 9000 : 4000);
}

// For buttons: what goes wrong is told, never thrown into the console.
const guarded = (work) => async (...values) => {
  try {
    return await work(...values);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof NoConnection)) console.error(error);
    notice(error.message, true);
    return undefined;
  }
};

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], {type: 'text/plain'}));
  make('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A command line with a button that copies it.
function showCommand(box, command) {
  if (box.dataset.command === command) return;
  box.dataset.command = command;
  const copy = make('button', {type: 'button', textContent: 'Copy', className: 'small',
    attributes: {'aria-label': 'Copy the command line'}});
  copy.addEventListener('click', guarded(async () => {
    await navigator.clipboard.writeText(command);
    notice('Copied.');
  }));
  box.replaceChildren(make('code', {textContent: command}), copy);
}

// Tabs: buttons with data-tab in `bar`, panels with that id.
function useTabs(bar, onChange = () => {}) {
  const buttons = [...bar.querySelectorAll('[role=tab]')];
  const choose = (chosen) => {
    for (const button of buttons) {
      const on = button === chosen;
      button.setAttribute('aria-selected', String(on));
      button.tabIndex = on ? 0 : -1;
      $(button.dataset.tab).hidden = !on;
    }
    onChange(chosen.dataset.tab);
  };
  buttons.forEach((button, i) => {
    button.addEventListener('click', () => choose(button));
    button.addEventListener('keydown', (event) => {
      const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!step) return;
      const next = buttons.filter((b) => !b.hidden);
      const to = next[(next.indexOf(buttons[i]) + step + next.length) % next.length];
      choose(to);
      to.focus();
    });
  });
  return (id) => choose(buttons.find((button) => button.dataset.tab === id));
}
