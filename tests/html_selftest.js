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

function selftest() {
  const failures = [];
  const processes = run.before.slice();
  const check = (right, what) => { if (!right) failures.push(what); };
  go(0);
  const forward = [shown()];
  check(forward[0] === expected(run.before), 'the beginning');
  for (let i = 0; i < run.steps.length; ++i) {
    i % 2 ? byId('forward').click() : press('ArrowRight');
    check(at === i + 1, `one step forward from ${i}`);
    processes[run.steps[i].lane] = run.steps[i].after;
    check(shown() === expected(processes), `step ${i + 1}`);
    forward.push(shown());
  }
  press('ArrowRight');
  check(at === run.steps.length && byId('forward').disabled, 'nothing after the end');
  for (let i = run.steps.length - 1; i >= 0; --i) {
    i % 2 ? byId('back').click() : press('ArrowLeft');
    check(shown() === forward[i], `back at ${i}`);
  }
  press('End');
  check(shown() === expected(processes), 'End');
  press('Home');
  check(shown() === expected(run.before), 'Home');
  const verdict = document.createElement('pre');
  verdict.id = 'selftest';
  verdict.textContent = failures.length ? `selftest failed: ${failures.join('; ')}`
    : `selftest passed: ${run.steps.length} steps`;
  document.body.append(verdict);
}

selftest();
