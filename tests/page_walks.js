// page_walks.js OUT KIND:PAGE…: drives pages in one headless Chromium, and writes to OUT what they
// showed, a line of JSON each. KIND is a number, of random ways through a page of `bully verify
// --format=html`, gone as a person would, by clicking what may happen: a line for each way, which
// orders_test.cc plays in the simulator. With `,hands` after it, keys, links, clicks on the
// picture, shortest ways and the saved file are tried first. Or it is `words`, a page in another
// language, whose words must have room. Or it is `run`, a page of `bully diagram --format=html`, in
// which html_selftest.js gives its verdict.
//
// It speaks to the browser through its debugging pipe. Ends with 1 if a page has an error in its
// console, asks the network for anything, is wider than a screen, hides a part of what people need,
// or a key or a click does not do what its button does.
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
    broken: [...document.querySelectorAll('#broken:not([hidden]) #broken-list b')].map(
      one => one.dataset.property),
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

// In the page: what is the same by the keyboard, by a link, by a click on the picture, by undo and
// redo. The name of each that is not.
async function hands() {
  const wrong = [];
  const check = (right, what) => { if (!right) wrong.push(what); };
  const shown = () => document.getElementById('processes').textContent +
    document.getElementById('way').textContent + location.hash.replace(/@.*/, '');
  const press = key => document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const click = one => one.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  set([], 0);
  const seen = [shown()];
  for (let i = 0; i < 6 && document.querySelector('.choices button'); ++i) {
    press('1');
    seen.push(shown());
  }
  const strip = one => one.replace(/#.*/, '');
  const end = seen.length - 1;
  check(end > 0 && at === end, '1 chooses');
  for (let i = end - 1; i >= 0; --i) {
    press('ArrowLeft');
    check(strip(shown()) === strip(seen[i]), `undo to ${i}`);
  }
  press('End');
  check(shown() === seen[end], 'End');
  const link = location.hash;
  press('Home');
  check(location.hash === `${link}@0`, 'a link tells what is undone');
  history.replaceState(null, '', link);
  goToLink();
  check(shown() === seen[end], 'a link');

  // Another branch takes the place of what was undone; a choice made by the keyboard keeps it there.
  const buttons = () => [...document.querySelectorAll('.choices button')];
  press('Home');
  buttons()[buttons().length - 1].focus();
  click(buttons()[buttons().length - 1]);
  check(at === 1 && (buttons().length === 1 || way.length === 1), 'a branch');
  check(document.activeElement.closest('.choices') || buttons().length === 0, 'the focus stays');

  // A message, a process and its clock: the one thing that they may do, or all that they may do.
  const clicks = selector => {
    const one = document.querySelector(selector);
    const before = at;
    if (!one || buttons().length === 0) return true;
    click(one);
    return at > before || selected !== null;
  };
  for (let i = 0; i < 8 && buttons().length > 0; ++i) {
    check(clicks('#picture .way path'), 'a click on a message');
    check(clicks('#picture .timer'), 'a click on a clock');
    check(clicks('#picture .node circle'), 'a click on a process');
    check(clicks('#processes button'), 'a click in the table');
    check(clicks('#way li'), 'a click in the list');
    if (buttons().length > 0) click(buttons()[i % buttons().length]);
  }

  // Each shortest way leads to what was asked for.
  const options = [...document.getElementById('goal').options];
  let found = 0;
  options.forEach((option, i) => {
    set([], 0);
    document.getElementById('goal').value = option.value;
    document.getElementById('find').focus();
    document.getElementById('find').click();
    const isPlaying = timer !== 0;
    check(isPlaying === (way.length > 0), `plays the way to ${option.textContent}`);
    if (isPlaying) {
      press(' ');
      check(timer === 0, 'the space bar pauses');
      press(' ');
      check(timer !== 0, 'the space bar plays');
      document.activeElement.click();  // what the space bar does to a button
      check(timer === 0, 'the space bar pauses where Find has left the focus');
      document.activeElement.click();
      check(timer !== 0, 'the space bar plays where Find has left the focus');
    }
    press('End');
    check(timer === 0, 'a key stops playing');
    found += at > 0;
    check(at === 0 || goals[i].test(here()), `the shortest way to ${option.textContent}`);
  });
  check(found > 0, 'some way is found');

  // The file that is saved is the script.
  let saved = null;
  URL.createObjectURL = blob => { saved = blob; return '#'; };
  HTMLAnchorElement.prototype.click = () => {};
  document.getElementById('save').click();
  check(await saved.text() === script(), 'the file that is saved');
  check(document.images.length === 0, 'text from outside is text');
  return wrong;
}

// In the page: how many messages are seen to travel when one is delivered; -1 if none can be.
function lettersOf() {
  set([], 0);
  for (let i = 0; i < 40; ++i) {
    const all = [...Array(choices(here())).keys()];
    if (all.length === 0) return -1;
    const delivery = all.find(choice => turnOf(here(), choice).message >= 0);
    take(delivery === undefined ? all[i % all.length] : delivery);
    if (delivery !== undefined) return document.querySelectorAll('#picture .letter').length;
  }
  return -1;
}

// In the page, on a slide of 1280 by 720: the picture, the choices, the rule and the counts are in
// sight, and no words of the picture are lower than 16 pixels. On a telephone the choices follow
// the picture. The name of each part of which that is not so.
function outOfSight(isSlide) {
  const box = one => document.querySelector(one).getBoundingClientRect();
  if (!isSlide) {
    const between = box('.may').top - Math.max(box('#ring').bottom, box('.stage').bottom);
    return between < -1 || between > 60 ? [`choices ${between} pixels below the picture`] : [];
  }
  const scale = document.querySelector('#ring').getScreenCTM().a;
  const low = [...document.querySelectorAll('#ring text:not(.id)')]
    .map(one => scale * parseFloat(getComputedStyle(one).fontSize)).filter(high => high < 15.9);
  return ['#ring', '.may', '#rule', '#counts'].filter(one => box(one).bottom > innerHeight)
    .concat(low.map(high => `words of ${high} pixels`));
}

// In the page of a run, at the beginning of each chapter and at the end: words that are hard to tell
// from their background (WCAG: less than 4.5 to 1), or that leave their room; on a slide also the
// parts for which people would have to scroll, and words that hide their arrow.
function hardToRead(isSlide) {
  const numbers = color => color.match(/[\d.]+/g).map(Number);
  const light = color => numbers(color).slice(0, 3).map(value => value / 255)
    .map(value => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0.05);
  const style = one => getComputedStyle(one);
  const isClear = color => numbers(color)[3] === 0;
  const behind = one => {
    while (isClear(style(one).backgroundColor)) one = one.parentElement;
    return style(one).backgroundColor;
  };
  const box = one => one.getBoundingClientRect();
  const found = new Set();
  const look = () => {
    const hasWords = one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    for (const one of document.querySelectorAll('body *')) {
      if (!hasWords(one) || !box(one).width || one.disabled || one.closest('title, script')) continue;
      const isDrawn = one.matches('svg text');
      const ink = isDrawn ? style(one).fill : style(one).color;
      const paper = one.matches('.id') ? style(one.parentElement.querySelector('circle')).fill
        : behind(isDrawn ? byId('ring') : one);
      const [high, low] = [light(ink), light(paper)].sort((a, b) => b - a);
      if (high / low < 4.5) found.add(`${one.textContent}: contrast ${(high / low).toFixed(1)}`);
      const { left, right } = box(one);
      const side = isDrawn && isSlide ? box(document.querySelector('main section')).left : innerWidth;
      if (left < -1 || right > side + 1) found.add(`${one.textContent}: from ${left} to ${right}`);
    }
    if (!isSlide) return;
    const room = box(document.querySelector('main section')).bottom;
    for (const id of ['ring', 'sums', 'words', 'line', 'what']) {
      const end = byId(id).closest('section') ? Math.min(room, innerHeight) : innerHeight;
      if (box(byId(id)).bottom > end + 1) found.add(`chapter ${stops[at][1]}: ${id} needs scrolling`);
    }
  };
  // The words on an arrow leave its head in sight, and 24 pixels of its line, unless so many processes
  // make the words small.
  const lookAtArrows = () => {
    if (byId('ring').style.getPropertyValue('--font') >= 2.2) return;
    for (const way of document.querySelectorAll('#picture .way')) {
      const [path, another] = way.querySelectorAll('path');
      if (another) continue;  // several messages: their words are on all of them
      const toScreen = path.getScreenCTM();
      const edge = 4 * toScreen.a;  // so much paper is around the words
      const words = [...way.querySelectorAll('text')].map(box);
      const isHidden = part => {
        const { x, y } = path.getPointAtLength(part * path.getTotalLength()).matrixTransform(toScreen);
        return words.some(({ left, right, top, bottom }) =>
          x > left - edge && x < right + edge && y > top && y < bottom);
      };
      const hidden = Array.from({ length: 21 }, (_, i) => i / 20).filter(isHidden);
      const inSight = (1 - hidden.length / 21) * path.getTotalLength() * toScreen.a;
      if (inSight >= 24 && !hidden.includes(1)) continue;
      found.add(`step ${at}: ${way.textContent} hides its arrow`);
    }
  };
  stops.forEach(([, chapter], i) => {
    go(i);
    if (isSlide) lookAtArrows();
    if (i === last || i === 0 || stops[i - 1][1] !== chapter) look();
  });
  go(0);
  return [...found];
}

async function drive(page, kind) {
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method, params) => ask(method, params, sessionId);
  await tell('Runtime.enable');
  await tell('Log.enable');
  await tell('Page.enable');
  await tell('Network.enable');
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
  const failures = [];
  const moves = motion => tell('Emulation.setEmulatedMedia',
    { features: [{ name: 'prefers-reduced-motion', value: motion }] });
  const [ways, hand] = kind.split(',');
  if (hand) {
    const wrong = await evaluate(`(${hands})()`).catch(error => [String(error)]);
    failures.push(...wrong.map(one => `${page}: ${one}`));
    const still = await evaluate(`(${lettersOf})()`);
    await moves('no-preference');
    const moving = await evaluate(`(${lettersOf})()`);
    await moves('reduce');
    if (still > 0) failures.push(`${page}: moves although that is not wanted`);
    if (moving === 0) failures.push(`${page}: no message travels`);
  }
  for (const width of [360, 820, 1920]) {
    await tell('Emulation.setDeviceMetricsOverride',
      { width, height: 900, deviceScaleFactor: 1, mobile: false });
    const wide = await evaluate('document.documentElement.scrollWidth');
    if (wide > width) failures.push(`${page}: ${wide} pixels wide on a screen of ${width}`);
  }
  for (const [width, height] of [[1280, 720], [390, 844]]) {
    await tell('Emulation.setDeviceMetricsOverride',
      { width, height, deviceScaleFactor: 1, mobile: false });
    const hidden = await evaluate(
      `typeof orders === 'undefined' ? [] : (fit(), (${outOfSight})(${width > height}))`);
    failures.push(...hidden.map(one => `${page}: at ${width} by ${height}: ${one}`));
    for (const value of width > height ? ['light', 'dark'] : ['light']) {
      await tell('Emulation.setEmulatedMedia', { features: [
        { name: 'prefers-reduced-motion', value: 'reduce' }, { name: 'prefers-color-scheme', value }] });
      const hard = await evaluate(
        `typeof run === 'undefined' ? [] : (${hardToRead})(${width > height})`);
      failures.push(...hard.map(one => `${page}: at ${width} by ${height}, ${value}: ${one}`));
    }
  }
  const write = shown =>
    fs.appendFileSync(out, JSON.stringify({ page: path.basename(page), ...shown }) + '\n');
  if (kind === 'run') {
    const test = fs.readFileSync(path.join(__dirname, 'html_selftest.js'), 'utf8');
    const verdict = await evaluate(test).then(
      () => evaluate(`document.getElementById('selftest').textContent`),
      error => `selftest failed: ${error.message.split('\n')[0]}`);
    write({ verdict });
  }
  // Many at a time: the browser draws only between them, and little of it.
  await tell('Emulation.setDeviceMetricsOverride',
    { width: 360, height: 100, deviceScaleFactor: 1, mobile: false });
  const seeds = Array.from({ length: Number(ways) || 0 }, (_, i) => i + 1);
  while (seeds.length) {
    const some = seeds.splice(0, 25);
    const ways = await evaluate(`${walkOnce}; ${JSON.stringify(some)}.map(walkOnce)`);
    ways.forEach(write);
  }
  const said = events.splice(0).filter(event => event.sessionId === sessionId &&
    ['Network.requestWillBeSent', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown',
      'Log.entryAdded'].includes(event.method));
  await ask('Target.closeTarget', { targetId });
  const isLocal = ({ params: { request } }) => request && /^(file|data|blob):/.test(request.url);
  return [...failures, ...said.filter(event => !isLocal(event)).map(
    event => `${page}: ${event.method} ${JSON.stringify(event.params)}`)];
}

async function main() {
  const failures = [];
  for (const one of pages) {
    const [, kind, page] = /^(\d+|\d+,hands|words|run):(.*)$/.exec(one);
    failures.push(...await drive(page, kind).catch(error => [`${page}: ${error.message.split('\n')[0]}`]));
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
