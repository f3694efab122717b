// The page: one state, one answer that holds all lengths, and views that follow them.
import { ask, keepToken, Refused } from "./api.js";
import { showBest, showWaiting } from "./best.js";
import { drawChart } from "./chart.js";
import { showClimb, stopClimb } from "./climb.js";
import { find, make, patient } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { showFactors } from "./factors.js";
import { Lengths } from "./lengths.js";
import { focusWord, markSource, showSource } from "./source.js";
import { asked, length, readLink, size, state, writeLink } from "./state.js";

const UNIT_NAMES = { words: "words", chars: "characters", percent: "%" };
const N_BEST = 5;
let lengths = new Lengths();
let current; // the summary that is shown
let request; // to be abandoned when another one begins
let drawn; // the source that is drawn, and whether it has grammar
let moveMarker = () => {};

// Everything that waits for the service: errors are shown, an abandoned request is not one.
async function attempt(work) {
  try {
    find("error").hidden = true;
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Refused)) throw error;
    find("token-form").hidden = error.status !== 401;
    find("error").textContent = error.message;
    find("error").hidden = false;
    find("status").textContent = "";
  }
}

function reload() {
  writeLink();
  request?.abort();
  closePanels();
  if (!state.text.trim()) {
    find("result").hidden = true;
    find("error").hidden = true;
    return;
  }
  request = new AbortController();
  const { signal } = request;
  const loaded = new Lengths();
  find("status").textContent = "Shortening …";
  attempt(async () => {
    for await (lengths of loaded.load(signal)) showAll();
    find("status").textContent = "";
  });
}

function showAll() {
  const [first, last] = lengths.ends;
  state.sizes[state.unit] = Math.min(Math.max(size(), first), last);
  Object.assign(find("size"), { min: first, max: last, value: size() });
  find("result").hidden = false;
  if (drawn !== `${state.text} ${lengths.data.tree !== null}`) drawSource();
  find("chart").hidden = !lengths.complete;
  if (lengths.complete) moveMarker = drawChart(lengths.points, first, last, UNIT_NAMES[state.unit], moveTo);
  showSize();
}

function drawSource() {
  drawn = `${state.text} ${lengths.data.tree !== null}`;
  showSource(state.text, lengths.data, find("show-tree").getAttribute("aria-pressed") === "true", choose);
  find("show-tree").disabled = !lengths.data.tree;
}

function showSize() {
  const label = state.unit === "percent" ? `${size()} %` : `${size()} ${UNIT_NAMES[state.unit]}`;
  find("size-text").textContent = label;
  find("size").setAttribute("aria-valuetext", label);
  moveMarker(size());
  const summary = lengths.at(size());
  if (summary) show(summary);
  else find("measures").textContent = "just a moment …"; // all lengths are on their way
}

function show(summary) {
  current = summary;
  find("summary").textContent = summary.text;
  const count = summary.kept.length;
  find("measures").textContent = `${count} of ${lengths.data.tokens.length} words, ${summary.n_chars} characters`;
  markSource(summary.kept, state.keep, state.drop, lengths.data.wishes);
  const name = (position) => `“${lengths.data.tokens[position]}”`;
  summary.lostWords = summary.broken.map(([word, lost, kind]) => `${name(word)} without ${name(lost)} (${kind})`);
  showFactors(summary, lengths.data.weights);
}

function moveTo(value) {
  state.sizes[state.unit] = value;
  find("size").value = value;
  closePanels();
  showSize();
  writeLinkSoon();
}

function closePanels() {
  stopClimb();
  find("best").open = false;
  find("climb").open = false;
}

// A word is free, then pinned, then banned, then free again.
function choose(index) {
  const wish = lengths.data.wishes[index];
  const pinned = state.keep.includes(wish), banned = state.drop.includes(wish);
  state.keep = state.keep.filter((other) => other !== wish);
  state.drop = state.drop.filter((other) => other !== wish);
  if (pinned) state.drop.push(wish);
  else if (!banned) state.keep.push(wish);
  markSource(current?.kept ?? [], state.keep, state.drop, lengths.data.wishes);
  focusWord(index);
  reload();
}

async function copy(text, button, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // browsers allow it on safe addresses alone
    const area = document.body.appendChild(make("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  find("status").textContent = done;
  const name = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = name; }, 1500);
}

const writeLinkSoon = patient(300, writeLink);
const reloadSoon = patient(350, reload);

function setText(text) {
  state.text = text;
  state.keep = [];
  state.drop = [];
}

find("text").addEventListener("input", () => { setText(find("text").value); reloadSoon(); });
find("size").addEventListener("input", () => moveTo(find("size").valueAsNumber));
find("units").addEventListener("change", (event) => { state.unit = event.target.value; reload(); });
find("objective").addEventListener("change", (event) => { state.objective = event.target.value; reload(); });
find("copy").addEventListener("click", (event) => copy(current.text, event.target, "The summary is copied."));
find("copy-link").addEventListener("click", (event) => { writeLink(); copy(location.href, event.target, "The link is copied."); });
find("examples").append(...EXAMPLES.map(([name], index) => make("option", { value: index }, name)));
find("examples").addEventListener("change", (event) => {
  if (!event.target.value) return;
  setText(EXAMPLES[event.target.value][1]);
  find("text").value = state.text;
  event.target.value = "";
  reload();
});
find("show-tree").addEventListener("click", (event) => {
  event.target.setAttribute("aria-pressed", event.target.getAttribute("aria-pressed") !== "true");
  drawSource();
  show(current);
});
find("best").addEventListener("toggle", () => {
  if (!find("best").open) return;
  showWaiting("others", "Looking for others …");
  attempt(async () => {
    const answer = await ask("/v1/summarize", { ...asked(), ...length(), n_best: N_BEST, diverse: true }, request);
    const [best] = answer.summaries;
    showBest([best, ...best.others].map((one) => ({ ...one, n_chars: [...one.text].length })), current.text, show);
  });
});
find("climb").addEventListener("toggle", () => {
  stopClimb();
  if (!find("climb").open) return;
  showWaiting("climb-view", "Climbing …");
  attempt(async () => showClimb(await ask("/v1/climb", { ...asked(), ...length() }, request)));
});
find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(find("token").value);
  find("token-form").hidden = true;
  start();
});

function start() {
  attempt(async () => {
    const info = await ask("/v1/info");
    const names = Object.keys(info.objectives);
    find("objective").replaceChildren(...names.map((name) => make("option", { selected: name === (state.objective || info.default_objective) }, name)));
    if (state.text) reload();
  });
}

if (!readLink()) [, state.text] = EXAMPLES[0];
find("text").value = state.text;
find("units").querySelector(`[value=${state.unit}]`).checked = true;
start();
