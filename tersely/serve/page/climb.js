// The steps of hill climbing: the first figure of the paper. Each row is a candidate that the search moved to, dark where
// a word is kept; beside it is the score, which only rises. The rows appear one after the other.
import { draw, find, formatNumber, make } from "./dom.js";

const ROW = 12, LABELS = 86, PAUSE = 350; // pixels, and milliseconds between two rows
let timer;

export function stopClimb() {
  clearInterval(timer);
  timer = undefined;
}

export function showClimb(data) {
  stopClimb();
  const { trail } = data;
  if (!trail.length) {
    find("climb-view").replaceChildren(make("p", { class: "hint" }, "There are no steps: only one candidate has this length."));
    return;
  }
  const space = find("climb-view").clientWidth;
  const curve = space < 500 ? 60 : 90;
  const cell = Math.max(8, Math.min(20, Math.floor((space - curve) / data.tokens.length)));
  const picture = drawGrid(data, cell, curve);
  const rows = [...picture.querySelectorAll(".step")];
  const words = make("p", { class: "candidate" });
  const note = make("p", { class: "hint" });
  const slider = make("input", { type: "range", min: 1, max: trail.length, value: 1, "aria-label": "Step of the search", oninput: () => { pause(); show(); } });
  const button = make("button", { type: "button", onclick: () => (timer ? pause() : play()) });

  function show() {
    const index = slider.valueAsNumber - 1;
    const { step, kept, score } = trail[index];
    rows.forEach((row, other) => {
      row.classList.toggle("shown", other <= index);
      row.classList.toggle("current", other === index);
    });
    words.textContent = kept.map((position) => data.tokens[position]).join(" ");
    note.textContent = `Step ${step} of ${data.steps}, score ${formatNumber(score)}; the best of ${data.restarts} restarts.`;
    slider.setAttribute("aria-valuetext", `step ${step}, score ${formatNumber(score)}: ${words.textContent}`);
  }
  function pause() {
    stopClimb();
    button.textContent = "Play";
  }
  function play() {
    if (slider.valueAsNumber === trail.length) slider.value = 1;
    button.textContent = "Pause";
    timer = setInterval(() => {
      slider.value = slider.valueAsNumber + 1;
      show();
      if (slider.valueAsNumber === trail.length) pause();
    }, PAUSE);
    show();
  }

  const controls = make("div", { class: "row controls" }, button, slider);
  find("climb-view").replaceChildren(controls, words, note, make("div", { class: "grid", tabindex: 0, role: "region", "aria-label": "the steps of the search, scrollable" }, picture));
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    slider.value = trail.length;
    pause();
    show();
  } else play();
}

function drawGrid({ tokens, trail }, cell, curve) {
  const scores = trail.map((move) => move.score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const side = tokens.length * cell;
  const width = side + curve, height = LABELS + trail.length * ROW + 4;
  const x = (score) => side + 14 + ((score - low) / (high - low || 1)) * (curve - 20);
  const label = `A grid of ${trail.length} candidates over ${tokens.length} words; the score rises from ${formatNumber(scores[0])} to ${formatNumber(scores.at(-1))}.`;
  const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const angle = cell < 14 ? -90 : -60; // upright where they would overlap
  tokens.forEach((token, index) => {
    const transform = `translate(${(index + 0.5) * cell + 3} ${LABELS - 5}) rotate(${angle})`;
    picture.append(draw("text", { transform, class: cell < 11 ? "small" : "" }, token.length > 14 ? `${token.slice(0, 13)}…` : token));
  });
  picture.append(draw("text", { x: side + 10, y: LABELS - 5 }, "score"));
  trail.forEach(({ kept, score }, index) => {
    const y = LABELS + index * ROW;
    const squares = kept.map((position) => `M${position * cell + 1} ${y + 1}h${cell - 2}v${ROW - 2}h${2 - cell}z`).join("");
    const row = draw("g", { class: "step" }, draw("rect", { x: 0, y, width: side, height: ROW }), draw("path", { d: squares }));
    if (index) row.append(draw("line", { x1: x(scores[index - 1]), y1: y - ROW / 2, x2: x(score), y2: y + ROW / 2 }));
    row.append(draw("circle", { cx: x(score), cy: y + ROW / 2, r: 3 }));
    picture.append(row);
  });
  return picture;
}
