// orders.js: the page of every order: people choose what happens next, and go back. All that can
// happen has been explored; this follows edges from state to state, and looks for ways in the graph.
// It contains no rule of any election.
//
// A state is a number; orders.states[s] are its parts, orders.edges[s] its turns and targets in turn.
const say = (words, ...values) => words.replace(/\{(\d)\}/g, (_, i) => values[i]);
const words = orders.words;
const BITS = { end: 1, unexplored: 2, rivals: 4, first: 8 };  // orders.marks; then one for each property
const choices = state => orders.edges[state].length / 2;
const turnOf = (state, choice) => orders.turns[orders.edges[state][2 * choice]];
const targetOf = (state, choice) => orders.edges[state][2 * choice + 1];
const text = number => number < 0 ? '' : orders.texts[number];
const is = (state, bit) => (orders.marks[state] & bit) !== 0;
const brokenIn = state => orders.properties.filter((_, i) => is(state, BITS.first << i));

let way = [];        // of choices; those behind `at` have been undone
let at = 0;
let states = [0];    // before each of them, and after the last
let selected = null; // choices that a click left open
const tried = new Set();  // ways that were gone, each with its last choice

const here = () => states[at];

function set(newWay, newAt) {
  way = newWay;
  states = [0];
  way.forEach((choice, i) => states.push(targetOf(states[i], choice)));
  at = newAt;
  selected = null;
  render();
}

function take(choice) {
  const turn = turnOf(here(), choice);
  const before = here();
  const goesOn = way[at] === choice;
  const points = pointsOf(document.querySelector(`#picture [data-messages~="${turn.message}"]`));
  tried.add([...way.slice(0, at), choice].join('.'));
  set(goesOn ? way : [...way.slice(0, at), choice], at + 1);
  if (turn.message >= 0 && before !== here()) travel(points, turn.lane);
}
const undo = () => { if (at > 0) set(way, at - 1); };
const redo = () => { if (at < way.length) take(way[at]); };

// --- What is shown ---

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function button(label, act, attributes = {}) {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.onclick = act;
  return made;
}

function choiceButton(choice, number) {
  const turn = turnOf(here(), choice);
  const isTried = tried.has([...way.slice(0, at), choice].join('.'));
  const target = targetOf(here(), choice);
  const breaks = brokenIn(target).length > 0;
  const isBorder = is(target, BITS.unexplored);
  const made = button(text(turn.label) + (breaks ? '  ✗' : '') + (isBorder ? '  ?' : ''), () => take(choice), {
    'data-choice': choice,
    class: (isTried ? 'tried ' : '') + (selected && selected.includes(choice) ? 'selected' : ''),
    title: breaks ? words.breaks : isBorder ? words.border : isTried ? words.tried : null,
  });
  made.prepend(element('kbd', {}, number < 9 ? String(number + 1) : ''));
  return made;
}

// What happens by itself, and then faults: numbered through, for the keys.
function ordered() {
  const all = [...Array(choices(here())).keys()];
  const isFault = choice => turnOf(here(), choice).fault;
  return [all.filter(choice => !isFault(choice)), all.filter(isFault)];
}

function renderChoices() {
  const [free, faults] = ordered();
  byId('choices').replaceChildren(...free.map((choice, i) => choiceButton(choice, i)));
  byId('faults').replaceChildren(
    ...faults.map((choice, i) => choiceButton(choice, free.length + i)));
  byId('faults-heading').hidden = faults.length === 0;
  byId('nothing').hidden = free.length > 0;
  byId('nothing').textContent = is(here(), BITS.unexplored) ? words.unexplored : words.nothing;
}

// The sentence for the assumption that the step breaks; empty if it breaks none. A timeout names
// the messages in flight to its process.
function breach(i) {
  const turn = turnOf(states[i], way[i]);
  if (turn.why < 0) return '';
  const list = element('ul');
  list.innerHTML = orders.states[states[i]].map(number => orders.parts[number][2]).join('');
  const coming = turn.timer ? [...list.children].filter(one => one.matches(`.to-${turn.lane}`)) : [];
  const sentence = say(text(turn.why), i + 1);
  return coming.length === 0 ? sentence
    : `${sentence}; ${words.coming} ${coming.map(one => one.textContent).join('; ')}`;
}

// What the steps of the way break of this property's assumptions.
const excuses = property => states.slice(0, at).flatMap((state, i) =>
  turnOf(state, way[i]).breaks.some(one => property.assumes.includes(one)) ? [breach(i)] : []);

function renderBroken() {
  const items = brokenIn(here()).map(property => {
    const why = excuses(property);
    const note = why.length ? `${words.notPromised} ${why.join('; ')}` : '';
    return element('li', {}, element('b', { 'data-property': property.key }, `✗ ${property.words}`),
      note ? element('br') : '', note);
  });
  byId('broken').hidden = items.length === 0;
  byId('broken-list').replaceChildren(...items);
}

function renderWay() {
  const step = (i, label) => {
    const isBroken = brokenIn(states[i]).length > 0;
    const made = button(label + (isBroken ? '  ✗' : ''), () => set(way, i),
      { class: i > at ? 'undone' : '', title: isBroken ? words.breaks : null });
    return element('li', i === at ? { class: 'now', 'aria-current': 'step' } : {}, made);
  };
  byId('steps').replaceChildren(step(0, words.beginning),
    ...way.map((choice, i) => step(i + 1, text(turnOf(states[i], choice).label))));
  if (way.length < 8) return;  // all of it is in sight
  const now = document.querySelector('#steps .now');
  byId('steps').scrollTop = now.offsetTop - byId('steps').clientHeight / 2;
}

function renderCounts() {
  const counts = orders.types.map(() => 0);
  for (let i = 0; i < at; ++i) for (const type of turnOf(states[i], way[i]).sent) ++counts[type];
  const total = counts.reduce((a, b) => a + b, 0);
  const row = cells => element('tr', {}, ...cells.map(cell => element('td', {}, String(cell))));
  byId('counts').replaceChildren(
    ...orders.types.map((type, i) => row([type.name, counts[i], type.textbook])),
    row([words.all, total, orders.textbook]));
}

function render() {
  const list = document.activeElement.closest('.choices, #steps');
  show(orders.states[here()].map(number => orders.parts[number]));
  const done = at > 0 ? turnOf(states[at - 1], way[at - 1]) : null;
  byId('when').textContent = say(words.step, at);
  byId('what').textContent = done ? text(done.what) : words.beginningIs;
  byId('rule').textContent = done ? text(done.rule) || '–' : '–';
  if (done) mark(done);
  byId('undo').disabled = byId('start').disabled = at === 0;
  byId('redo').disabled = byId('last').disabled = at === way.length;
  byId('found').textContent = '';
  for (const part of [renderChoices, renderBroken, renderWay, renderCounts]) part();
  address(way.join('.') + (at < way.length ? `@${at}` : ''));
  if (list) focusIn(list.id);
  fit();
}

// A choice made by the keyboard leaves the focus in the list of choices.
function focusIn(list) {
  const found = document.querySelector(list === 'steps' ? '#steps .now button' : '.choices button');
  (found || byId('undo')).focus();
}

// Who has acted, and what it has sent.
function mark(turn) {
  if (turn.lane >= 0) {
    for (const one of document.querySelectorAll(`#picture .node.of-${turn.lane}, tr.of-${turn.lane}`)) {
      one.classList.add('current');
    }
  }
  for (const arrow of document.querySelectorAll('#picture .way')) {
    const isNew = turn.lane >= 0 && Number(arrow.dataset.from) === turn.lane &&
      arrow.dataset.messages.split(' ').some(number => turn.messages.includes(Number(number)));
    arrow.classList.toggle('new', isNew);
  }
}

// --- Ways through the graph ---

// From here breadth first, to the first state that is wanted; as choices. Null: there is none.
function shortestWay(from, isWanted) {
  const before = new Map([[from, null]]);
  const queue = [from];
  for (let next = 0; next < queue.length; ++next) {
    const state = queue[next];
    if (isWanted(state)) return wayTo(state, before);
    for (let choice = 0; choice < choices(state); ++choice) {
      const target = targetOf(state, choice);
      if (before.has(target)) continue;
      before.set(target, [state, choice]);
      queue.push(target);
    }
  }
  return null;
}

function wayTo(state, before) {
  const found = [];
  for (let step = before.get(state); step; step = before.get(step[0])) found.unshift(step[1]);
  return found;
}

// --- Ways that are asked for ---

const goals = [{ name: words.anEnd, test: state => is(state, BITS.end) },
  { name: words.rivals, test: state => is(state, BITS.rivals) }];
orders.properties.forEach((property, i) => {
  goals.push({ name: `✗ ${property.words}`, test: state => is(state, BITS.first << i) });
});
for (const [part, lane, name] of orders.stands) {
  const label = say(words.stands, orders.lanes[lane], name);
  const known = goals.find(goal => goal.name === label);
  if (known) known.parts.add(part);
  else {
    const parts = new Set([part]);
    goals.push({ name: label, parts, test: state => orders.states[state].some(one => parts.has(one)) });
  }
}
byId('goal').replaceChildren(...goals.map((goal, i) => element('option', { value: i }, goal.name)));

// The first step is taken at least: who is there already wants to go on.
function findWay() {
  const test = goals[Number(byId('goal').value)].test;
  const found = shortestWay(here(), state => state !== here() && test(state));
  if (found) {
    set([...way.slice(0, at), ...found], at);
    play(true);
    byId('play').focus();  // the space bar is its
  }
  byId('found').textContent = !found ? words.cannot
    : say(found.length === 1 ? words.foundOne : words.found, found.length);
}

// A shortest way is played, a step after the other; whatever people do instead stops it.
function next() {
  if (at < way.length) redo();
  return at < way.length;
}
byId('play').onclick = () => {
  if (!timer && at === way.length) set(way, 0);
  play(!timer);
};
for (const event of ['click', 'keydown']) {
  document.addEventListener(event, ({ target, key }) => {
    const isOfPlay = target.closest && target.closest('#play, #speed, #find');
    if (timer && !isOfPlay && key !== ' ' && key !== 'Tab') play(false);
  }, true);
}
byId('find').onclick = findWay;

// --- A script ---

function script() {
  const lines = states.slice(0, at).flatMap((state, i) => turnOf(state, way[i]).lines.map(text));
  return orders.beginning + lines.map(line => line + '\n').join('');
}
byId('save').onclick = () => {
  const link = element('a', {
    href: URL.createObjectURL(new Blob([script()], { type: 'text/plain' })), download: orders.file });
  link.click();
  URL.revokeObjectURL(link.href);
};

// --- Hands ---

// A message, a process or its timer was clicked: what it may do, if that is one thing; else all that
// it may do stands out in the list.
function choose(fits) {
  const found = [...Array(choices(here())).keys()].filter(choice => fits(turnOf(here(), choice)));
  if (found.length === 1) return take(found[0]);
  selected = found;
  renderChoices();
  const first = document.querySelector('button.selected');
  if (first) first.focus();
}
byId('picture').addEventListener('click', event => {
  const message = event.target.closest('[data-messages]');
  const lane = event.target.closest('[data-lane]');
  if (message) {
    const numbers = message.dataset.messages.split(' ').map(Number);
    choose(turn => numbers.includes(turn.message));
  } else if (lane) {
    const isTimer = event.target.closest('.timer') !== null;
    choose(turn => turn.lane === Number(lane.dataset.lane) &&
      (isTimer ? turn.timer : turn.message < 0));
  }
});
byId('processes').addEventListener('click', event => {
  const one = event.target.closest('button[data-lane]');
  if (one) choose(turn => turn.lane === Number(one.dataset.lane));
});
byId('way').addEventListener('click', event => {
  const one = event.target.closest('[data-message]');
  if (one) choose(turn => turn.message === Number(one.dataset.message));
});
byId('start').onclick = () => set(way, 0);
byId('undo').onclick = undo;
byId('redo').onclick = redo;
byId('last').onclick = () => set(way, way.length);
const keys = { ' ': () => byId('play').click(), ArrowLeft: undo, ArrowRight: redo, Home: () => set(way, 0), End: () => set(way, way.length) };
for (let digit = 1; digit <= 9; ++digit) {
  keys[digit] = () => { const choice = ordered().flat()[digit - 1]; if (choice !== undefined) take(choice); };
}
onKeys(keys);

// A link to a way: the choices, and how many of them are taken if not all. What does not fit the
// graph ends it.
function goToLink() {
  const [, asked = '', place] = /^#([\d.]*)(?:@(\d+))?$/.exec(location.hash) || [];
  const found = [];
  let state = 0;
  for (const choice of asked.split('.').filter(one => one !== '').map(Number)) {
    if (choice >= choices(state)) break;
    found.push(choice);
    state = targetOf(state, choice);
  }
  set(found, Math.min(place === undefined ? found.length : Number(place), found.length));
}
window.onhashchange = goToLink;
goToLink();
