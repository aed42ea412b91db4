// frame.js: a frame in the page: processes, and messages on their way between them. The page of a
// recorded run (run.js) and that of every order (orders.js) show theirs by it. It knows no election,
// no words and no places: all of that comes with the frames. A part is its markup in the picture, in
// the table of processes and in the list of messages.
'use strict';
const byId = id => document.getElementById(id);

function show(parts) {
  const focused = document.activeElement.dataset.lane;
  ['picture', 'processes', 'way'].forEach((id, i) => {
    byId(id).innerHTML = parts.map(part => part[i]).join('');
  });
  const again = document.querySelector(`button[data-lane="${focused}"]`);
  if (again) again.focus();
  byId('none').hidden = byId('way').children.length > 0;
}

// The picture takes the room that it has, with its words beside the circles or, if that is narrow,
// above and below them. The words stay 16 pixels high where the picture becomes smaller, up to
// where they would hide it. Its measures (page.cc): its centre, how far processes reach from there
// to the sides, upwards and downwards, the lowest edge, and how large they and their words are.
function fit() {
  const ring = byId('ring');
  const [x, y, reach, rise, fall, lowest, circle, beside, lines] =
    ring.dataset.room.split(' ').map(Number);
  const { width: wide, height: tall } = ring.getBoundingClientRect();
  const fontAt = scale => Math.min(2.2, Math.max(1, 1 / scale));
  if (!wide || !tall) return;
  const hasLowest = rise - fall < 1;  // its words are below it, and no others are
  const placed = (outwards, hasWordsBelow) => {
    let scale = 1;
    let size;
    let top;
    for (let i = 0; i < 40; ++i) {
      const font = fontAt(scale);
      top = rise + circle + 10 + lines * font;
      const low = lowest + 10 + (hasWordsBelow ? lines * font : 0);
      size = [2 * (reach + outwards + beside * font + 4), top + low];
      scale = (scale + Math.min(wide / size[0], tall / size[1])) / 2;
    }
    return { scale, size, top };
  };
  const aside = placed(circle + 10, hasLowest);
  const above = placed(-circle - 10, true);
  // Above or below a process at the farthest left or right they would stand on its arrows.
  const isFree = reach < rise - 1 || aside.scale * fontAt(aside.scale) < 0.75;
  const isAbove = isFree && aside.scale < 1 && above.scale > aside.scale;
  const { scale, size: [width, height], top } = isAbove ? above : aside;
  ring.classList.toggle('above', isAbove);
  ring.style.setProperty('--font', fontAt(scale));
  ring.setAttribute('viewBox', `${x - width / 2} ${y - top} ${width} ${height}`);
}
window.addEventListener('resize', fit);

// Steps follow one another, with a pause after each, until next() finds none, or play(false).
let timer = 0;
function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => { if (!next()) play(false); }, Number(byId('speed').value)) : 0;
  byId('play').textContent = timer ? '❚❚' : '▶';
}
byId('speed').onchange = () => play(timer !== 0);

// Points along an arrow of the picture, to travel by; null if there is none, or if people want
// nothing to move.
function pointsOf(arrow) {
  const path = arrow && arrow.querySelector('path');
  if (!path || matchMedia('(prefers-reduced-motion: reduce)').matches) return null;
  const length = path.getTotalLength();
  return [0, 0.25, 0.5, 0.75, 1].map(part => path.getPointAtLength(part * length));
}

// A message goes along its arrow to the circle of its receiver. It is told by the list as well, and
// nobody has to see it.
function travel(points, to) {
  const circle = document.querySelector(`#picture .node.of-${to} circle`);
  if (!points || !circle) return;
  const letter = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  letter.setAttribute('class', 'letter');
  letter.setAttribute('r', 6);
  byId('picture').append(letter);
  const end = { x: circle.cx.baseVal.value, y: circle.cy.baseVal.value };
  const places = [...points, end];
  let far = 0;
  const gone = places.map(({ x, y }, i) => {
    if (i > 0) far += Math.hypot(x - places[i - 1].x, y - places[i - 1].y);
    return far;
  });
  const steps = places.map(({ x, y }, i) => (
    { transform: `translate(${x}px, ${y}px)`, offset: far > 0 ? gone[i] / far : i / 5 }));
  letter.animate(steps, { duration: 600, easing: 'ease-in-out' }).onfinish = () => letter.remove();
}

// A page within another has no address of its own, and browsers refuse one that changes too often;
// no event comes of it.
function address(hash) {
  try {
    history.replaceState(null, '', `#${hash}`);
  } catch {}
}

// Keys that buttons and the like need for themselves stay theirs.
function onKeys(keys) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    const needs = { ' ': 'button, select, a', default: 'select' };
    if (event.target.closest && event.target.closest(needs[event.key] || needs.default)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
