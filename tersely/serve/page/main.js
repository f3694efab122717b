// The page: one state, one answer that holds all lengths, and views that follow them.
import { ask, keepToken, Refused } from "./api.js";
import { showBest } from "./best.js";
import { drawChart } from "./chart.js";
import { showClimb, stopClimb } from "./climb.js";
import { copy } from "./copy.js";
import { find, make, patient } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { showFactors } from "./factors.js";
import { Lengths, shortened } from "./lengths.js";
import { fillWhenOpened } from "./panels.js";
import { focusWord, markSource, showSource } from "./source.js";
import { asked, length, readLink, size, state, writeLink } from "./state.js";

const UNIT_NAMES = { words: "words", chars: "characters", percent: "%" };
const N_BEST = 5;
let lengths = new Lengths();
let current; // the summary that is shown
let request; // to be abandoned when another one begins
let loading = false; // whether more lengths are on their way
let fastObjectives = []; // that the service can do fast
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
    for (const place of ["result", "error", "hint"]) find(place).hidden = true;
    find("status").textContent = "";
    return;
  }
  request = new AbortController();
  const { signal } = request;
  const loaded = new Lengths();
  find("hint").hidden = !loaded.isLong;
  find("result").inert = lengths.text !== state.text; // it is about another text
  find("status").textContent = "Shortening …";
  loading = true;
  attempt(async () => {
    for await (lengths of loaded.load(signal)) showAll();
    find("status").textContent = "";
  }).then(() => {
    if (signal.aborted) return;
    loading = false;
    if (lengths.text !== state.text) find("result").hidden = true;
    else if (lengths.data && !lengths.at(size())) askOneSoon();
  });
}

// The slider rests on a length that did not come with the others.
const askOneSoon = patient(250, () => {
  if (loading || lengths.at(size())) return;
  const asking = lengths;
  attempt(async () => {
    await asking.loadOne(request.signal);
    if (asking === lengths) showSize();
  }).then(() => {
    if (!find("error").hidden) find("measures").textContent = "There is no summary of this length yet.";
  });
});

function showAll() {
  const [first, last] = lengths.ends;
  state.sizes[state.unit] = Math.min(Math.max(size(), first), last);
  Object.assign(find("size"), { min: first, max: last, value: size() });
  find("result").hidden = find("result").inert = false;
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
  else {
    find("measures").textContent = "just a moment …";
    askOneSoon();
  }
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
find("objective").addEventListener("change", (event) => { state.objective = event.target.value; offerFast(); reload(); });
find("fast").addEventListener("change", (event) => { state.fast = event.target.checked; reload(); });
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
fillWhenOpened("best", "others", "Looking for others …", async (options) => {
  const answer = await ask("/v1/summarize", { ...asked(), ...length(), n_best: N_BEST, diverse: true }, options);
  const [best] = answer.summaries;
  showBest([best, ...best.others].map(shortened), current.text, show);
});
fillWhenOpened("climb", "climb-view", "Climbing …", async (options) => {
  showClimb(await ask("/v1/climb", { ...asked(), ...length(), fast: undefined }, options));
});
find("climb").addEventListener("toggle", () => { if (!find("climb").open) stopClimb(); });
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
    fastObjectives = info.fast;
    offerFast();
    if (state.text) reload();
  });
}

// The choice is there where the service has learned the objective.
function offerFast() {
  const known = fastObjectives.includes(find("objective").value);
  state.fast &&= known;
  find("fast-choice").hidden = !known;
  find("fast").checked = state.fast;
}

function open() {
  if (!readLink()) [, state.text] = EXAMPLES[0];
  find("text").value = state.text;
  find("units").querySelector(`[value=${state.unit}]`).checked = true;
  start();
}

addEventListener("hashchange", open); // a link that is put into the address of an open page
open();
