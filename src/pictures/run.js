// run.js: the page of a recorded run, forward and back through its frames.
const last = run.frames.length - 1;
const begins = run.joins.steps;  // so many steps are joins, before the election
let isOpen = false;        // they are shown one by one
let at = 0;                // how many steps have been taken
const hidden = new Set();  // lanes of processes

function go(to) {
  const isNext = to === at + 1 && to <= last;
  const goesOn = to > at;
  at = Math.min(Math.max(to, 0), last);
  if (!isOpen && at > 0 && at < begins) at = goesOn ? begins : 0;
  const told = !isOpen && at > 0 && at === begins ? run.joins : run.frames[at];
  show(run.frames[at].parts.map(number => run.parts[number]));
  markHidden();
  for (const id of ['when', 'what', 'rule']) byId(id).textContent = told[id] || '–';
  byId('slider').value = at;
  byId('joins').setAttribute('aria-expanded', isOpen);
  byId('first').disabled = byId('back').disabled = at === 0;
  byId('last').disabled = byId('forward').disabled = at === last;
  const hiding = hidden.size ? ',hide=' + [...hidden].map(i => run.lanes[i]).join(',') : '';
  address(`${at}${hiding}`);
  fit();
  const received = isNext && document.querySelector('#picture .received');
  if (received) travel(pointsOf(received), received.dataset.to);
}

function markHidden() {
  for (const lane of hidden) {
    for (const one of document.querySelectorAll(`.of-${lane}`)) one.classList.add('hidden');
  }
  for (const button of document.querySelectorAll('button[data-lane]')) {
    button.setAttribute('aria-pressed', hidden.has(Number(button.dataset.lane)));
  }
  byId('none').hidden = document.querySelector('#way li:not(.hidden)') !== null;
}

// Hides a process and its messages, or shows them again.
function hide(lane) {
  if (!hidden.delete(lane)) hidden.add(lane);
  go(at);
}

document.onclick = event => {
  const one = event.target.closest('[data-lane]');
  if (one) hide(Number(one.dataset.lane));
};
byId('first').onclick = () => go(0);
byId('back').onclick = () => go(at - 1);
byId('forward').onclick = () => go(at + 1);
byId('last').onclick = () => go(last);
function next() {
  if (at === last) return false;
  go(at + 1);
  return true;
}
byId('play').onclick = () => {
  if (!timer && at === last) go(isOpen ? 0 : begins);
  play(!timer, next);
};
byId('speed').onchange = () => play(timer !== 0, next);
byId('joins').hidden = begins === 0;
byId('joins').onclick = () => {
  isOpen = !isOpen;
  go(isOpen ? 1 : begins);
};
byId('slider').max = last;
byId('slider').oninput = event => go(Number(event.target.value));
onKeys({
  'ArrowRight': () => go(at + 1),
  'ArrowLeft': () => go(at - 1),
  'Home': () => go(0),
  'End': () => go(last),
  ' ': () => byId('play').click(),
});

// A link to a step: the page's address with its number, and with the ids of those that are hidden.
function goToLink() {
  const asked = /^#(\d+)(?:,hide=([\d,]+))?$/.exec(location.hash);
  const ids = asked && asked[2] ? asked[2].split(',') : [];
  hidden.clear();
  run.lanes.forEach((id, i) => { if (ids.includes(String(id))) hidden.add(i); });
  const step = asked ? Number(asked[1]) : begins;
  if (step > 0 && step < begins) isOpen = true;
  go(step);
}
window.onhashchange = goToLink;
goToLink();
