// The page: one state, one response with all lengths, and the views that show them.
import { ApiError, fetchJson, saveToken } from "./api.js";
import { showBest } from "./best.js";
import { drawChart } from "./chart.js";
import { showClimb, stopClimb } from "./climb.js";
import { copy } from "./copy.js";
import { countBytes, debounce, find, make } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { showFactors } from "./factors.js";
import { Lengths, withChars } from "./lengths.js";
import { fillWhenOpened } from "./panels.js";
import { focusWord, markSource, showSource } from "./source.js";
import { FLAGS, length, readLink, requestOptions, size, state, writeLink } from "./state.js";

const UNIT_NAMES = { words: "words", chars: "characters", bytes: "bytes", percent: "%" };
const N_BEST = 5;
let lengths = new Lengths();
let current; // the summary that is shown
let request; // aborted when the next one begins
let loading = false; // whether more lengths are to come
let drawn; // the source that is drawn, and its tree
let moveMarker = () => {};

// Does work that calls the service, and shows its errors; an aborted request is none.
async function attempt(work) {
  try {
    find("error").hidden = true;
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ApiError)) throw error;
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
  for (const id of ["scores", "best", "climb"]) find(id).hidden = state.flags.includes("split"); // they show one sentence
  if (!state.text.trim()) {
    for (const id of ["result", "error", "hint"]) find(id).hidden = true;
    find("status").textContent = "";
    return;
  }
  request = new AbortController();
  const { signal } = request;
  const loaded = new Lengths();
  find("hint").hidden = !loaded.isLong;
  find("result").inert = lengths.text !== state.text; // it shows another text
  find("status").textContent = "Shortening …";
  loading = true;
  attempt(async () => {
    for await (lengths of loaded.load(signal)) showAll();
    find("status").textContent = "";
  }).then(() => {
    if (signal.aborted) return;
    loading = false;
    if (lengths.text !== state.text) find("result").hidden = true;
    else if (lengths.data && !lengths.at(size())) loadOneSoon();
  });
}

// Loads the length that the slider rests on, if it did not come with the others.
const loadOneSoon = debounce(250, () => {
  if (loading || lengths.at(size())) return;
  const loaded = lengths;
  attempt(async () => {
    await loaded.loadOne(request.signal);
    if (loaded === lengths) showSize();
  }).then(() => {
    if (!find("error").hidden) find("measures").textContent = "There is no summary of this length yet.";
  });
});

function showAll() {
  const [first, last] = lengths.ends;
  state.sizes[state.unit] = Math.min(Math.max(size(), first), last);
  Object.assign(find("size"), { min: first, max: last, value: size() });
  find("result").hidden = find("result").inert = false;
  if (drawn !== sourceKey()) drawSource();
  find("chart").hidden = !lengths.complete;
  if (lengths.complete) moveMarker = drawChart(lengths.points, first, last, UNIT_NAMES[state.unit], moveTo);
  showSize();
}

const sourceKey = () => JSON.stringify([lengths.data.text, lengths.data.tree]);

function drawSource() {
  drawn = sourceKey();
  showSource(lengths.data.text, lengths.data, find("show-tree").getAttribute("aria-pressed") === "true", choose);
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
    find("measures").textContent = "Shortening …";
    loadOneSoon();
  }
}

function show(summary) {
  current = summary;
  find("summary").textContent = summary.text;
  const count = summary.kept.length;
  const bytes = state.unit === "bytes" ? `, ${countBytes(summary.text)} bytes` : "";
  find("measures").textContent = `${count} of ${lengths.data.tokens.length} words, ${summary.n_chars} characters${bytes}`;
  find("warnings").textContent = summary.warnings.map((line) => `Warning: ${line}.`).join(" ");
  find("warnings").hidden = !summary.warnings.length;
  markSource(summary.kept, state.keep, state.drop, lengths.data.patterns);
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
  const pattern = lengths.data.patterns[index];
  const pinned = state.keep.includes(pattern), banned = state.drop.includes(pattern);
  state.keep = state.keep.filter((other) => other !== pattern);
  state.drop = state.drop.filter((other) => other !== pattern);
  if (pinned) state.drop.push(pattern);
  else if (!banned) state.keep.push(pattern);
  markSource(current?.kept ?? [], state.keep, state.drop, lengths.data.patterns);
  focusWord(index);
  reload();
}

const writeLinkSoon = debounce(300, writeLink);
const reloadSoon = debounce(350, reload);

function setText(text) {
  state.text = text;
  state.keep = [];
  state.drop = [];
}

find("text").addEventListener("input", () => { setText(find("text").value); reloadSoon(); });
find("size").addEventListener("input", () => moveTo(find("size").valueAsNumber));
find("units").addEventListener("change", (event) => { state.unit = event.target.value; reload(); });
find("objective").addEventListener("change", (event) => { state.objective = event.target.value; reload(); });
find("fast").addEventListener("change", (event) => { setFast(event.target.checked); reload(); });
find("copy").addEventListener("click", (event) => copy(current.text, event.target, "Summary copied"));
find("copy-link").addEventListener("click", (event) => { writeLink(); copy(location.href, event.target, "Link copied"); });
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
fillWhenOpened("best", "others", "Searching …", async (options) => {
  const { summaries } = await fetchJson("/v1/summarize", { ...requestOptions(), ...length(), n_best: N_BEST, diverse: true }, options);
  const [best] = summaries;
  showBest([best, ...best.others].map(withChars), current.text, show);
});
fillWhenOpened("climb", "climb-view", "Searching …", async (options) => {
  showClimb(await fetchJson("/v1/climb", { ...requestOptions(), ...length(), fast: undefined }, options));
});
find("climb").addEventListener("toggle", () => { if (!find("climb").open) stopClimb(); });
find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  saveToken(find("token").value);
  find("token-form").hidden = true;
  start();
});

function start() {
  attempt(async () => {
    const info = await fetchJson("/v1/info");
    const names = Object.keys(info.objectives);
    find("objective").replaceChildren(...names.map((name) => make("option", { selected: name === (state.objective || info.default_objective) }, name)));
    find("fast-choice").hidden = !info.fast;
    find("subtitles-fast-choice").hidden = !info.fast;
    setFast(state.fast && info.fast);
    showFlags(info.flags);
    if (state.text) reload();
  });
}

// A choice for each option that the service has: `flags` are their descriptions, by name.
function showFlags(flags) {
  state.flags = state.flags.filter((name) => name in flags);
  const choices = FLAGS.filter((name) => name in flags).map((name) => {
    const change = (event) => {
      state.flags = state.flags.filter((other) => other !== name);
      if (event.target.checked) state.flags.push(name);
      reload();
    };
    const box = make("input", { type: "checkbox", id: name, checked: state.flags.includes(name), onchange: change });
    return make("label", { class: "choice" }, box, ` ${name}: ${flags[name]}`);
  });
  find("flags").replaceChildren(...choices);
}

// `fast` takes the place of the objective.
function setFast(fast) {
  state.fast = find("fast").checked = find("objective").disabled = fast;
}

function open() {
  if (!readLink()) [, state.text] = EXAMPLES[0];
  find("text").value = state.text;
  find("units").querySelector(`[value=${state.unit}]`).checked = true;
  start();
}

addEventListener("hashchange", open); // a link that is opened in an open page
open();
