// html_selftest.js: drives a page of `bully diagram --format=html`, forward to the end and back to the
// beginning, and says in the page whether it showed at each step what the run's data say.
'use strict';

// What the page shows, read back from it: a line for each process.
const shown = () => [...byId('processes').rows].map(
  row => [...row.cells].map(cell => cell.textContent).join(' ')).join('\n');
const expected = all => all.map(
  (one, i) => [run.lanes[i], one.words, ...(run.groups.length ? [one.group || '–'] : []),
    followWords(one)].join(' ')).join('\n');
const press = key => document.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));

// A process hides, with its messages, by its button, by its circle and by a link; so it comes back.
function selftestHiding(check) {
  const button = lane => document.querySelector(`#processes button[data-lane="${lane}"]`);
  const isHidden = lane => button(lane).getAttribute('aria-pressed') === 'true' &&
    document.querySelectorAll('#ring .node')[lane].classList.contains('hidden');
  const lane = run.messages[0].to;
  go(run.messages[0].sent + 1);
  const drawn = () => document.querySelectorAll('#ring .message.head').length;
  const all = drawn();
  button(lane).focus();
  button(lane).click();
  check(isHidden(lane) && drawn() < all, 'hides by its button');
  check(document.activeElement === button(lane), 'the button keeps the focus');
  check(location.hash === `#${at},hide=${run.lanes[lane]}`, 'the link names it');
  press('Home');
  check(isHidden(lane), 'stays hidden at another step');
  document.querySelectorAll('#ring .node')[lane].dispatchEvent(new MouseEvent('click'));
  check(!isHidden(lane) && location.hash === '#0', 'comes back by its circle');
  history.replaceState(null, '', `#2,hide=${run.lanes.join(',')}`);
  goToLink();
  check(at === 2 && drawn() === 0 && run.lanes.every((_, i) => isHidden(i)), 'hides by a link');
  history.replaceState(null, '', '#2');
  goToLink();
  check(drawn() > 0 || !underWay().length, 'comes back by a link');
  check(!run.lanes.some((_, i) => isHidden(i)), 'all come back by a link');
}

// It plays to the end, at the speed that was asked for.
function selftestPlay(check) {
  let ticks = null;
  window.setInterval = (tick, ms) => { ticks = { tick, ms }; return 1; };
  window.clearInterval = () => { ticks = null; };
  go(run.steps.length);
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
  byId('play').click();
  for (let i = 0; ticks && i <= run.steps.length; ++i) ticks.tick();
  check(ticks === null && at === run.steps.length, 'ends by itself');
}

function selftest() {
  const failures = [];
  const processes = run.before.slice();
  const marked = steps => processes.map((one, i) => run.steps[steps - 1].stopped.includes(i)
    ? { ...one, words: one.words + run.words.stopped } : one);
  const check = (right, what) => { if (!right) failures.push(what); };
  go(0);
  const forward = [shown()];
  check(forward[0] === expected(run.before), 'the beginning');
  for (let i = 0; i < run.steps.length; ++i) {
    i % 2 ? byId('forward').click() : press('ArrowRight');
    check(at === i + 1, `one step forward from ${i}`);
    processes[run.steps[i].lane] = run.steps[i].after;
    check(shown() === expected(marked(i + 1)), `step ${i + 1}`);
    forward.push(shown());
  }
  press('ArrowRight');
  check(at === run.steps.length && byId('forward').disabled, 'nothing after the end');
  for (let i = run.steps.length - 1; i >= 0; --i) {
    i % 2 ? byId('back').click() : press('ArrowLeft');
    check(shown() === forward[i], `back at ${i}`);
  }
  press('End');
  check(shown() === expected(marked(run.steps.length)), 'End');
  press('Home');
  check(shown() === expected(run.before), 'Home');
  selftestHiding(check);
  selftestPlay(check);
  const wide = [...document.querySelectorAll('#ring .id')].filter(id => id.getBBox().width > 2 * size);
  check(wide.length === 0, 'an id is wider than its circle');
  const verdict = document.createElement('pre');
  verdict.id = 'selftest';
  verdict.textContent = failures.length ? `selftest failed: ${failures.join('; ')}`
    : `selftest passed: ${run.steps.length} steps`;
  document.body.append(verdict);
}

selftest();
