// page_walks.js OUT WALKS:PAGE…: goes so many random ways through each page of `bully verify
// --format=html` in a headless Chromium, as a person would, by clicking what may happen, and writes to OUT what each page
// showed: a line of JSON for each way. orders_page_test.cc plays the same ways in the simulator.
//
// It speaks to the browser through its debugging pipe. Ends with 1 if a page has an error in its
// console, is wider than a small screen, or a key does not do what its button does.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [out, ...pages] = process.argv.slice(2);
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'page-walks-'));
const browser = spawn(process.env.CHROMIUM || 'chromium',
  ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
    '--disable-ipc-flooding-protection',
    `--user-data-dir=${profile}`, '--remote-debugging-pipe'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

let last = 0;
const answers = new Map();
const events = [];
let buffer = '';
browser.stdio[4].on('data', bytes => {
  const parts = (buffer + bytes).split('\0');
  buffer = parts.pop();
  for (const message of parts.map(part => JSON.parse(part))) {
    if (!message.id) {
      events.push(message);
      continue;
    }
    const { resolve, reject } = answers.get(message.id);
    message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }
});
function ask(method, params = {}, sessionId) {
  const id = ++last;
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
  return new Promise((resolve, reject) => answers.set(id, { resolve, reject }));
}

// In the page. The same seed gives the same way.
function walkOnce(seed) {
  let state = seed;
  const random = below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const texts = selector => [...document.querySelectorAll(selector)].map(one => one.textContent);
  set([], 0);
  const steps = [];
  const note = () => steps.push({
    lines: script().split('\n').length,
    rows: [...document.querySelectorAll('#processes tr')].map(
      row => [...row.cells].map(cell => cell.textContent)),
    messages: texts('#way li'),
    broken: texts('#broken:not([hidden]) #broken-list b'),
    drawn: document.querySelectorAll('#picture .node').length,
  });
  const length = 1 + random(11);
  for (let i = 0; i < length; ++i) {
    const buttons = [...document.querySelectorAll('#choices button, #faults button')];
    if (buttons.length === 0) break;
    buttons[random(buttons.length)].click();
    note();
  }
  return { script: script(), steps };
}

// In the page: what is the same by the keyboard, by a link, by undo and redo.
function hands() {
  const wrong = [];
  const shown = () => document.getElementById('processes').textContent +
    document.getElementById('way').textContent + location.hash.replace(/@.*/, '');
  const press = key => document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  set([], 0);
  const seen = [shown()];
  for (let i = 0; i < 6 && document.querySelector('.choices button'); ++i) {
    press('1');
    seen.push(shown());
  }
  const strip = one => one.replace(/#.*/, '');
  const end = seen.length - 1;
  if (end < 1 || at !== end) wrong.push('1 chooses');
  for (let i = end - 1; i >= 0; --i) {
    press('ArrowLeft');
    if (strip(shown()) !== strip(seen[i])) wrong.push(`undo to ${i}`);
  }
  press('End');
  if (shown() !== seen[end]) wrong.push('End');
  const link = location.hash;
  press('Home');
  history.replaceState(null, '', link);
  goToLink();
  if (shown() !== seen[end]) wrong.push('a link');
  set([], 0);
  document.getElementById('find').click();
  press('End');
  if (at > 0 && !is(here(), BITS.end)) wrong.push('the shortest way to an end');
  return wrong;
}

async function drive(page, walks) {
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method, params) => ask(method, params, sessionId);
  await tell('Runtime.enable');
  await tell('Log.enable');
  await tell('Page.enable');
  await tell('Emulation.setEmulatedMedia',
    { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] });
  await tell('Page.navigate', { url: `file://${path.resolve(page)}` });
  const evaluate = async expression => {
    const { result, exceptionDetails } = await tell('Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    return result.value;
  };
  await evaluate(`new Promise(done => document.readyState === 'complete' ? done()
    : window.addEventListener('load', done))`);
  const failures = (await evaluate(`(${hands})()`)).map(one => `${page}: ${one}`);
  for (const width of [360, 820, 1920]) {
    await tell('Emulation.setDeviceMetricsOverride',
      { width, height: 900, deviceScaleFactor: 1, mobile: false });
    const wide = await evaluate('document.documentElement.scrollWidth');
    if (wide > width) failures.push(`${page}: ${wide} pixels wide on a screen of ${width}`);
  }
  // Many at a time: the browser draws only between them.
  const seeds = Array.from({ length: walks }, (_, i) => i + 1);
  while (seeds.length) {
    const some = seeds.splice(0, 25);
    const ways = await evaluate(`${walkOnce}; ${JSON.stringify(some)}.map(walkOnce)`);
    for (const gone of ways) {
      fs.appendFileSync(out, JSON.stringify({ page: path.basename(page), ...gone }) + '\n');
    }
  }
  const said = events.splice(0).filter(event => event.sessionId === sessionId &&
    ['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'].includes(event.method));
  await ask('Target.closeTarget', { targetId });
  return [...failures, ...said.map(event => `${page}: ${JSON.stringify(event.params)}`)];
}

async function main() {
  const failures = [];
  for (const one of pages) {
    const [, walks, page] = /^(\d+):(.*)$/.exec(one);
    failures.push(...await drive(page, Number(walks)));
  }
  failures.forEach(failure => console.log(failure));
  return failures.length ? 1 : 0;
}

main().catch(error => { console.log(String(error)); return 1; }).then(status => {
  browser.on('exit', () => {
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
    process.exit(status);
  });
  ask('Browser.close').catch(() => {});
});
