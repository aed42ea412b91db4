// run.js: the page of a recorded run, forward and back through its frames; and of a lesson, which
// has chapters of them. A stop is a frame in a chapter: one that ends a chapter begins the next.
const stops = [];
run.chapters.forEach((chapter, i) => {
  const next = run.chapters[i + 1];
  for (let { frame } = chapter; frame <= (next ? next.frame : run.frames.length - 1); ++frame) {
    stops.push([frame, i]);
  }
});
if (!stops.length) run.frames.forEach((_, frame) => stops.push([frame, -1]));
const last = stops.length - 1;
const begins = run.joins.steps;  // the number of steps that are joins, before the election
let isOpen = false;        // they are shown one by one
let at = 0;                // the stop; in a run, how many steps have been taken
let read = -1;             // the chapter whose words are there: only new ones are read aloud
const hidden = new Set();  // lanes of processes

// Words in an element, with the code between backquotes.
function say(id, words) {
  byId(id).replaceChildren(...words.split('`').map((part, i) => {
    if (i % 2 === 0) return part;
    const code = document.createElement('code');
    code.textContent = part;
    return code;
  }));
}

function go(to) {
  const isNext = to === at + 1 && to <= last;
  const goesOn = to > at;
  at = Math.min(Math.max(to, 0), last);
  if (!isOpen && at > 0 && at < begins) at = goesOn ? begins : 0;
  const [frame, chapter] = stops[at];
  const told = !isOpen && at > 0 && at === begins ? run.joins : run.frames[frame];
  show(run.frames[frame].parts.map(number => run.parts[number]));
  markHidden();
  for (const id of ['when', 'what']) byId(id).textContent = told[id] || '–';
  say('rule', run.texts[told.rule] || '–');
  byId('sums').textContent = run.texts[run.frames[frame].counts] || '–';
  if (chapter >= 0) showChapter(frame, chapter);
  byId('slider').value = at;
  byId('joins').setAttribute('aria-expanded', isOpen);
  for (const id of ['first', 'back', 'chapter-back']) byId(id).disabled = at === 0;
  for (const id of ['last', 'forward', 'chapter']) byId(id).disabled = at === last;
  const hiding = hidden.size ? ',hide=' + [...hidden].map(i => run.lanes[i]).join(',') : '';
  address(`${at}${hiding}`);
  fit();
  const isMoved = isNext && stops[at - 1][0] < frame;
  const received = isMoved && document.querySelector('#picture .received');
  if (received) travel(pointsOf(received), received.dataset.to);
}

// The lesson's words, and the log of this chapter so far.
function showChapter(frame, chapter) {
  if (chapter !== read) for (const id of ['words', 'line']) say(id, run.chapters[chapter][id]);
  read = chapter;
  // Smaller, if they need more room than there is.
  const end = one => one.getBoundingClientRect().bottom;
  byId('words').classList.remove('long');
  const isLong = end(byId('what')) > end(document.querySelector('main section'));
  byId('words').classList.toggle('long', isLong);
  const log = run.frames.slice(run.chapters[chapter].frame + 1, frame + 1).map(({ what }) => {
    const line = document.createElement('li');
    line.textContent = what;
    return line;
  });
  byId('log').replaceChildren(...log);
  byId('logged').hidden = log.length === 0;
  byId('log').scrollTop = byId('log').scrollHeight;
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

// To the beginning of the next chapter, or of this one, or of the one before it.
function turn(forward) {
  const begin = chapter => stops.findIndex(stop => stop[1] === chapter);
  const chapter = stops[at][1];
  if (forward) return go(chapter + 1 < run.chapters.length ? begin(chapter + 1) : last);
  go(begin(chapter) < at ? begin(chapter) : Math.max(0, begin(chapter - 1)));
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
  play(!timer);
};
byId('joins').hidden = begins === 0;
byId('joins').onclick = () => {
  isOpen = !isOpen;
  go(isOpen ? 1 : begins);
};
for (const id of ['lesson', 'logged', 'chapter-keys', 'chapter', 'chapter-back']) byId(id).hidden = !run.chapters.length;
say('watch', byId('watch').textContent);
byId('watch').hidden = !byId('watch').textContent;
document.body.classList.toggle('lesson', run.chapters.length > 0);
byId('chapter-back').onclick = () => turn(false);
byId('chapter').onclick = () => turn(true);
byId('slider').max = last;
byId('slider').oninput = event => go(Number(event.target.value));
onKeys({
  'ArrowRight': () => go(at + 1),
  'ArrowLeft': () => go(at - 1),
  'Home': () => go(0),
  'End': () => go(last),
  ...(run.chapters.length && { 'PageUp': () => turn(false), 'PageDown': () => turn(true) }),
  ' ': () => byId('play').click(),
});

// A finger moves the page by steps, but not on the slider; two fingers zoom.
let touched = null;
document.addEventListener('touchstart', ({ target, touches }) => {
  touched = touches.length === 1 && !target.closest('nav') ? touches[0] : null;
});
document.addEventListener('touchend', ({ changedTouches: [end] }) => {
  const wide = touched ? end.clientX - touched.clientX : 0;
  const tall = touched ? Math.abs(end.clientY - touched.clientY) : 0;
  if (Math.abs(wide) > 60 && Math.abs(wide) > 2 * tall) go(at + (wide < 0 ? 1 : -1));
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
