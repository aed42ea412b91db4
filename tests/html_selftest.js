// html_selftest.js: drives a page of `bully diagram --format=html` or of a lesson, forward to the end and back to the
// beginning, and says in the page whether it showed at each step what the run's data say.
'use strict';

// What the page shows, read back from it: a line for each process.
const words = rows => [...rows].map(
  row => [...row.cells].map(cell => cell.textContent).join(' ')).join('\n');
const shown = () => words(byId('processes').rows);
// And what the data say of a frame's picture, table and list.
const parts = (frame, i) => run.frames[frame].parts.map(number => run.parts[number][i]).join('');
function expected(frame) {
  const table = document.createElement('table');
  table.innerHTML = parts(frame, 1);
  return words(table.rows);
}
const plain = words => words.replaceAll('`', '');  // code has its own letters instead
const frameAt = stop => stops[stop][0];
const count = (markup, part) => markup.split(part).length - 1;
const press = (key, on = document) =>
  on.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true, bubbles: true }));

// A process hides, with its messages, by its button, by its circle and by a link; so it comes back.
function selftestHiding(check) {
  const button = lane => document.querySelector(`#processes button[data-lane="${lane}"]`);
  const isHidden = lane => button(lane).getAttribute('aria-pressed') === 'true' &&
    node(lane).classList.contains('hidden');
  const node = lane => document.querySelector(`#ring .node.of-${lane}`);
  const withMessages = stops.findIndex(([frame]) => parts(frame, 2));
  if (withMessages < 0) return;  // a long lesson has pictures of few moments
  go(withMessages);
  const lane = Number(document.querySelector('#way li').classList[1].slice('of-'.length));
  const visible = one => getComputedStyle(one).display !== 'none';
  const drawn = () => [...document.querySelectorAll('#ring .way')].filter(visible).length;
  const listed = () => [...document.querySelectorAll('#way li')].filter(visible).length;
  const all = drawn();
  check(listed() > 0 && !visible(byId('none')), 'lists what is under way');
  button(lane).focus();
  button(lane).click();
  check(isHidden(lane) && drawn() < all, 'hides by its button');
  check(document.activeElement === button(lane), 'the button keeps the focus');
  check(location.hash === `#${at},hide=${run.lanes[lane]}`, 'the link names it');
  press('Home');
  check(isHidden(lane), 'stays hidden at another step');
  node(lane).querySelector('circle').dispatchEvent(new MouseEvent('click', { bubbles: true }));
  check(!isHidden(lane) && location.hash === '#0', 'comes back by its circle');
  history.replaceState(null, '', `#2,hide=${run.lanes.join(',')}`);
  goToLink();
  check(at === 2 && drawn() + listed() === 0 && visible(byId('none')) &&
    run.lanes.every((_, i) => isHidden(i)), 'hides by a link');
  history.replaceState(null, '', '#2');
  goToLink();
  check(drawn() === document.querySelectorAll('#ring .way').length, 'comes back by a link');
  check(!run.lanes.some((_, i) => isHidden(i)), 'all come back by a link');
}

// Joins before the election are one step, until they are asked for one by one.
function selftestJoins(check) {
  const toggle = byId('joins');
  check(toggle.hidden === (begins === 0), 'offers joins if there are some');
  if (begins === 0) return;
  const isShown = () => toggle.getAttribute('aria-expanded') === 'true';
  go(0);
  press('ArrowRight');
  check(at === begins && byId('what').textContent === run.joins.what, 'joins are one step');
  press('ArrowLeft');
  check(at === 0 && !isShown(), 'back over the joins');
  toggle.click();
  check(at === 1 && isShown() && byId('what').textContent === run.frames[1].what, 'joins open');
  toggle.click();
  check(at === begins && !isShown(), 'joins close');
  history.replaceState(null, '', '#');
  goToLink();
  check(at === begins, 'begins with the election');
  history.replaceState(null, '', '#1');
  goToLink();
  check(at === 1 && isShown(), 'a link into the joins opens them');
}

// A lesson's words stand beside its frames, and keys and buttons turn its chapters: each comes in
// their order, and a question before its answer.
function selftestChapters(check) {
  const { chapters } = run;
  check(byId('lesson').hidden === (chapters.length === 0), 'a lesson if there is one');
  if (chapters.length === 0) return;
  const isShown = i => ['words', 'line'].every(id => byId(id).textContent === plain(chapters[i][id]));
  const logged = i => run.frames.slice(chapters[i].frame + 1, frameAt(at) + 1);
  for (let i = 0; i < chapters.length; ++i) {
    check(isShown(i) && frameAt(at) === chapters[i].frame, `chapter ${i}`);
    while (stops[at + 1] && stops[at + 1][1] === i) press('ArrowRight');
    check(byId('log').textContent === logged(i).map(({ what }) => what).join(''), `its log`);
    i % 2 ? byId('chapter').click() : press('PageDown');
  }
  check(at === last, 'the last chapter has an end');
  for (let i = chapters.length - 1; i >= 0; --i) {
    const begin = stops.findIndex(stop => stop[1] === i);
    if (at !== begin) i % 2 ? byId('chapter-back').click() : press('PageUp');
    check(isShown(i) && at === begin, `back to chapter ${i}`);
  }
  const answered = chapters.filter(({ line }) => /^\?.*[✓✗]/.test(line)).length;
  const asked = chapters.filter(({ line }) => /^\?/.test(line)).length;
  check(asked === 2 * answered, 'each question is answered');
  go(0);
}

// It plays to the end, at the speed that was asked for.
function selftestPlay(check) {
  if (last === 0) return;
  let ticks = null;
  window.setInterval = (tick, ms) => { ticks = { tick, ms }; return 1; };
  window.clearInterval = () => { ticks = null; };
  go(last);
  byId('play').click();
  check(at === 0 && ticks.ms === 1500, 'plays from the beginning');
  ticks.tick();
  check(at === 1, 'a step by itself');
  byId('speed').value = '500';
  byId('speed').onchange();
  check(ticks.ms === 500, 'another speed');
  byId('play').click();
  check(ticks === null && at === 1, 'pauses');
  byId('speed').onchange();
  check(ticks === null, 'another speed does not play');
  press(' ', byId('slider'));
  check(ticks !== null, 'the space bar plays, also where the slider was used');
  // A browser refuses addresses that change often.
  history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); };
  for (let i = 0; ticks && i <= last; ++i) ticks.tick();
  delete history.replaceState;
  check(ticks === null && at === last, 'ends by itself');
}

function selftest() {
  const failures = [];
  const check = (right, what) => { if (!right) failures.push(what); };
  selftestJoins(check);
  isOpen = true;
  go(0);
  const forward = [shown()];
  check(forward[0] === expected(frameAt(0)), 'the beginning');
  for (let i = 0; i < last; ++i) {
    i % 2 ? byId('forward').click() : press('ArrowRight');
    check(at === i + 1, `one step forward from ${i}`);
    check(shown() === expected(frameAt(at)), `step ${at}`);
    const frame = run.frames[frameAt(at)];
    for (const id of ['when', 'what']) check(byId(id).textContent === (frame[id] || '–'), id);
    for (const [id, number] of [['rule', frame.rule], ['sums', frame.counts]]) {
      check(byId(id).textContent === plain(run.texts[number] || '–'), id);
    }
    const arrows = document.querySelectorAll('#ring .way').length;
    check(arrows === count(parts(frameAt(at), 0), 'class="way '), `the arrows at ${at}`);
    check(byId('way').children.length === count(parts(frameAt(at), 2), '<li '), `the list at ${at}`);
    forward.push(shown());
  }
  press('ArrowRight');
  check(at === last && byId('forward').disabled, 'nothing after the end');
  for (let i = last - 1; i >= 0; --i) {
    i % 2 ? byId('back').click() : press('ArrowLeft');
    check(shown() === forward[i], `back at ${i}`);
  }
  press('End');
  check(shown() === expected(frameAt(last)), 'End');
  press('Home');
  check(shown() === expected(frameAt(0)), 'Home');
  selftestChapters(check);
  selftestHiding(check);
  selftestPlay(check);
  // To a pixel, since letters have whole ones where a picture is small.
  const widthOf = one => one.getBoundingClientRect().width;
  const wide = [...document.querySelectorAll('#ring .id')].filter(id =>
    widthOf(id) > widthOf(id.parentNode.querySelector('circle')) + 1);
  check(wide.length === 0, 'an id is wider than its circle');
  const verdict = document.createElement('pre');
  verdict.id = 'selftest';
  verdict.textContent = failures.length ? `selftest failed: ${failures.join('; ')}`
    : `selftest passed: ${last} steps`;
  document.body.append(verdict);
}

selftest();
