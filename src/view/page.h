// page.h: how the page of a run looks, and its script, which works out from the steps what each
// process is.
//
// It knows no algorithm, and no word that people read: both come with the run's data. Read next:
// diagram_html.cc for those; tests/html_selftest.js drives the page.
#pragma once

#include <string_view>

namespace bully {

inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1a1a; --dim: #666; --line: #c9c9c9;
  --panel: #f5f5f2; --accent: #0b5fa5; --lost: #b00020; --gold: #ffe08a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #ececec; --dim: #a5a5a5; --line: #4a4d52; --panel: #22252a;
    --accent: #74b9f5; --lost: #ff7b8a; --gold: #6b5510; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.45 "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; }
header { padding: 12px 24px 0; }
h1 { font-size: 1.2rem; margin: 0; }
h2 { font-size: 0.9rem; margin: 16px 0 4px; color: var(--dim); font-weight: normal; }
nav { display: flex; gap: 8px; align-items: center; padding: 10px 24px; flex-wrap: wrap; }
nav input { flex: 1; min-width: 160px; accent-color: var(--accent); }
button { font: inherit; padding: 6px 16px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--panel); color: var(--ink); cursor: pointer; }
button:disabled { opacity: 0.4; cursor: default; }
button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(330px, 2fr); gap: 24px;
  padding: 0 24px 16px; }
@media (max-width: 820px) { main { grid-template-columns: 1fr; } }
#ring { width: 100%; max-height: 78vh; display: block; }
#what { font-weight: bold; min-height: 3em; margin: 0; }
#rule { background: var(--panel); border-left: 5px solid var(--accent); margin: 0; padding: 10px 14px;
  min-height: 6.2em; }
#when { margin: 0 0 4px; color: var(--dim); font-size: 0.9rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 2px 12px 2px 6px; border-bottom: 1px solid var(--line); }
th { font-weight: normal; color: var(--dim); }
tr.hidden td { color: var(--dim); text-decoration: line-through; }
td button { padding: 0 10px; }
tr.current td { background: var(--panel); font-weight: bold; }
ul { margin: 0; padding-left: 1.2em; font-size: 0.9rem; max-height: 9em; overflow: auto; }
footer { padding: 0 24px 16px; color: var(--dim); font-size: 0.85rem; }
svg text { fill: var(--ink); text-anchor: middle; font-size: 15px; }
svg .halo { stroke: var(--paper); stroke-width: 8px; paint-order: stroke; }
svg .id { font-size: 20px; font-weight: bold; }
svg .small { font-size: 13px; fill: var(--dim); }
svg .node circle { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
svg .candidate circle { fill: var(--line); }
svg .waiting circle { stroke-dasharray: 6 4; }
svg .relay circle { fill: var(--ink); }
svg .relay .id { fill: var(--paper); }
svg .coordinator circle { fill: var(--gold); stroke-width: 5; }
svg .absent circle { stroke-dasharray: 1 6; stroke: var(--dim); }
svg .absent text { fill: var(--dim); }
svg .node { cursor: pointer; }
svg .stopped circle { stroke: var(--lost); stroke-dasharray: 10 5; }
svg .hidden { opacity: 0.25; }
svg .node circle.current { fill: none; stroke: var(--accent); stroke-width: 3; stroke-dasharray: none; }
svg .node circle.member { fill: none; stroke-width: 6; stroke-dasharray: none; }
svg .message { fill: none; stroke-width: 3; }
svg .faint { opacity: 0.35; stroke-width: 2; }
svg .cross { stroke: var(--lost); stroke-width: 4; fill: none; }
)css";

inline constexpr std::string_view page_script = R"js(
'use strict';
const byId = id => document.getElementById(id);
const fill = (words, ...values) => words.replace(/\{(\d)\}/g, (_, i) => values[i]);
const count = run.lanes.length;
const reach = Math.max(190, 17 * count);  // the ring's radius
const size = 32;                          // a process's
// The longest id fits into its circle.
const idFont = Math.min(20, 54 / (0.62 * Math.max(1, ...run.lanes.map(id => String(id).length))));
let at = 0;                               // how many steps have been taken
const hidden = new Set();                 // processes

const places = run.lanes.map((_, i) => {
  // Clockwise; the last one, by id the highest, at the top.
  const angle = -Math.PI / 2 + 2 * Math.PI * (run.clockwise.indexOf(i) + 1) / count;
  return { x: reach * Math.cos(angle), y: reach * Math.sin(angle) };
});

function shape(name, attributes, words) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (words !== undefined) made.textContent = words;
  return made;
}

// How each process stands after so many steps: worked out from the beginning, for going back is
// then no different from going forward.
function standing(steps) {
  const now = run.before.slice();
  for (let i = 0; i < steps; ++i) now[run.steps[i].lane] = run.steps[i].after;
  for (const i of steps ? run.steps[steps - 1].stopped : []) {
    now[i] = { ...now[i], words: now[i].words + run.words.stopped, look: now[i].look + ' stopped' };
  }
  return now;
}
const followWords = one => one.coordinator === null ? '–' : String(one.coordinator);

// A message's line, moved a little to its right so that one the other way has room.
function drawMessage(ring, message, part, classes, name, crossed) {
  const from = places[message.from], to = places[message.to];
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const ux = (to.x - from.x) / length, uy = (to.y - from.y) / length, aside = 8;
  const start = size + 6, end = start + (length - 2 * start) * part;
  const x = d => from.x + ux * d - uy * aside, y = d => from.y + uy * d + ux * aside;
  classes = `${message.kind} ${classes}`;
  ring.append(shape('path', { class: `message ${classes}`,
    d: `M${x(start)} ${y(start)}L${x(end - 8)} ${y(end - 8)}` }));
  if (crossed) {
    ring.append(shape('path', { class: 'cross', d: `M${x(end) - 9} ${y(end) - 9}l18 18m0 -18l-18 18` }));
  } else {
    const wing = side => `${x(end - 15) - uy * side} ${y(end - 15) + ux * side}`;
    ring.append(shape('path', { class: `message head ${classes}`,
      d: `M${x(end)} ${y(end)}L${wing(7)}L${wing(-7)}z` }));
  }
  if (!name) return;
  const middle = start + (end - start) * 0.5;
  ring.append(shape('text', { class: 'halo', x: x(middle), y: y(middle) + 5 }, name));
}

function drawNode(ring, i, one, active) {
  const { x, y } = places[i];
  const group = shape('g', { class: `node ${one.look}${hidden.has(i) ? ' hidden' : ''}` });
  group.onclick = () => hide(i);
  group.append(shape('circle', { cx: x, cy: y, r: size }));
  // Members of one group are ringed in one colour, and have its name below.
  if (one.group) group.append(shape('circle', { class: 'member', cx: x, cy: y, r: size + 5,
    style: `stroke: hsl(${210 + 137 * run.groups.indexOf(one.group)} 60% 55%)` }));
  if (active) group.append(shape('circle', { class: 'current', cx: x, cy: y,
    r: size + (one.group ? 12 : 7) }));
  group.append(shape('text', { class: 'id', x, y: y + 7, style: `font-size: ${idFont}px` }, run.lanes[i]));
  ring.append(group);
  if (hidden.has(i)) return;
  const star = one.look.startsWith('coordinator') ? '★ ' : '';
  // Beside the ring, where no arrow runs.
  const out = size + 16, side = Math.abs(x) < 1 ? 0 : Math.sign(x);
  const anchor = ['end', 'middle', 'start'][side + 1];
  const tx = x + side * out * Math.abs(x / reach), ty = y + (out + 6) * (y / reach) + 5;
  const put = (classes, down, words) => group.append(
    shape('text', { class: `halo ${classes}`, x: tx, y: ty + down, style: `text-anchor: ${anchor}` }, words));
  const follows = one.coordinator !== null && one.coordinator !== run.lanes[i];
  const below = [];
  if (one.variables) below.push(one.variables);
  if (one.group) below.push(fill(run.words.group, one.group));
  if (follows) below.push('→ ' + one.coordinator);
  put('', below.length ? -8 : 0, star + one.words);
  below.forEach((words, line) => put('small', 9 + 16 * line, words));
}

function drawRing(now, step) {
  const ring = byId('ring');
  ring.replaceChildren();
  const wide = reach + 150;
  ring.setAttribute('viewBox', `${-wide} ${-reach - 75} ${2 * wide} ${2 * reach + 150}`);
  // One name for all that is on its way from one process to another: the first to arrive first.
  const names = new Map(), last = new Map();
  const way = message => `${message.from}-${message.to}`;
  for (const message of underWay()) {
    names.set(way(message), [...(names.get(way(message)) || []), message.name]);
    last.set(way(message), message);
  }
  for (const message of underWay()) {
    const fresh = message.sent === at - 1, named = fresh && last.get(way(message)) === message;
    drawMessage(ring, message, 0.62, fresh ? '' : 'faint',
      named ? names.get(way(message)).join('; ') : '', false);
  }
  for (const [ended, part] of [[step && step.received, 1], [step && step.lost, 0.85]]) {
    if (ended === null) continue;
    const message = run.messages[ended];
    if (isShown(message)) drawMessage(ring, message, part, '', message.name, part < 1);
  }
  run.lanes.forEach((_, i) => drawNode(ring, i, now[i], step && step.lane === i));
}

const ended = message => message.received !== null ? message.received : message.lost;
const isShown = message => !hidden.has(message.from) && !hidden.has(message.to);
function underWay() {
  return run.messages.filter(isShown).filter(message => {
    const sent = message.sent !== null && message.sent < at;
    return sent && (ended(message) === null || ended(message) >= at);
  });
}

function drawTables(now, step) {
  const rows = byId('processes');
  const focused = document.activeElement.dataset.lane;
  rows.replaceChildren();
  run.lanes.forEach((id, i) => {
    const row = rows.insertRow();
    row.className = (step && step.lane === i ? 'current ' : '') + (hidden.has(i) ? 'hidden' : '');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = id;
    button.title = fill(run.words.hide, id);
    button.setAttribute('aria-pressed', hidden.has(i));
    button.dataset.lane = i;
    button.onclick = () => hide(i);
    row.insertCell().append(button);
    if (focused === String(i)) button.focus();
    const group = run.groups.length ? [now[i].group || '–'] : [];
    for (const words of [now[i].words, ...group, followWords(now[i])]) {
      row.insertCell().textContent = words;
    }
  });
  const items = underWay().map(message => message.words);
  byId('way').replaceChildren(...(items.length ? items : [run.words.none]).map(words => {
    const item = document.createElement('li');
    item.textContent = words;
    return item;
  }));
}

function go(to) {
  at = Math.min(Math.max(to, 0), run.steps.length);
  const step = at > 0 ? run.steps[at - 1] : null;
  const now = standing(at);
  drawRing(now, step);
  drawTables(now, step);
  byId('when').textContent = fill(run.words.step, at, run.steps.length) +
    (step ? ` · ${step.time} ms` : '');
  byId('what').textContent = step ? step.what : run.words.beginning;
  byId('rule').textContent = step ? step.rule : '–';
  byId('slider').value = at;
  byId('first').disabled = byId('back').disabled = at === 0;
  byId('last').disabled = byId('forward').disabled = at === run.steps.length;
  const hiding = hidden.size ? ',hide=' + [...hidden].map(i => run.lanes[i]).join(',') : '';
  history.replaceState(null, '', `#${at}${hiding}`);  // no event comes of it
}

// Hides a process and its messages, or shows them again.
function hide(lane) {
  if (!hidden.delete(lane)) hidden.add(lane);
  go(at);
}

byId('first').onclick = () => go(0);
byId('back').onclick = () => go(at - 1);
byId('forward').onclick = () => go(at + 1);
byId('last').onclick = () => go(run.steps.length);
let timer = 0;
function play(on) {
  clearInterval(timer);
  const next = () => at < run.steps.length ? go(at + 1) : play(false);
  timer = on ? setInterval(next, Number(byId('speed').value)) : 0;
  byId('play').textContent = timer ? '❚❚' : '▷';
}
byId('play').onclick = () => {
  if (!timer && at === run.steps.length) go(0);
  play(!timer);
};
byId('speed').onchange = () => play(timer !== 0);
byId('slider').max = run.steps.length;
byId('slider').oninput = event => go(Number(event.target.value));
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: run.steps.length };
  if (!(event.key in moves)) return;
  event.preventDefault();
  go(moves[event.key]);
});

// A link to a step: the page's address with its number, and with the ids of those that are hidden.
function goToLink() {
  const asked = /^#(\d+)(?:,hide=([\d,]+))?$/.exec(location.hash);
  const ids = asked && asked[2] ? asked[2].split(',') : [];
  hidden.clear();
  run.lanes.forEach((id, i) => { if (ids.includes(String(id))) hidden.add(i); });
  go(asked ? Number(asked[1]) : 0);
}
window.onhashchange = goToLink;
goToLink();
)js";

}  // namespace bully
