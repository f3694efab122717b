// The page of the judge. It shows one item at a time, sends every answer at once, and never learns which system is which.
import { fetchJson } from "/theme/api.js";
import { find, make } from "/theme/dom.js";

const CHOICES = { first: ["1", "First"], equal: ["0", "Equal"], second: ["2", "Second"] };
const KEYS = { 1: "first", 2: "second", 0: "equal" };
let annotator = null;
let view = null;
let sending = 0; // answers that are being sent
let last = Promise.resolve(); // they are sent one after the other

async function attempt(work) {
  try {
    await work();
    find("error").hidden = true;
  } catch (error) {
    find("error").textContent = error.code === "no_response" ? `${error.message} The last answer was not saved.` : error.message;
    find("error").hidden = false;
  }
}

async function load(position) {
  const query = position === undefined ? "" : `&position=${position}`;
  show(await fetchJson(`/api/view?annotator=${encodeURIComponent(annotator)}${query}`));
}

function show(state) {
  const moved = !view || view.position !== state.position;
  view = state;
  find("start").hidden = true;
  find("progress").hidden = false;
  find("bar").max = state.total;
  find("bar").value = state.done;
  find("count").textContent = `${state.done} of ${state.total} answered`;
  find("item").hidden = state.finished;
  find("finished").hidden = !state.finished;
  if (state.finished) { find("finished").focus(); return; }
  find("source").textContent = state.source;
  find("first").textContent = state.summaries[0];
  find("second").textContent = state.summaries[1];
  find("source-title").textContent = `Source ${state.position + 1} of ${state.total}`;
  if (moved) find("questions").replaceChildren(...Object.entries(state.questions).map(question));
  const current = currentQuestion();
  for (const fieldset of document.querySelectorAll("fieldset")) {
    const name = fieldset.dataset.question;
    fieldset.classList.toggle("current", name === current);
    for (const input of fieldset.querySelectorAll("input")) input.checked = state.answers[name] === input.value;
  }
  find("back").disabled = state.position === 0;
  if (moved) window.scrollTo(0, 0);
}

function question([name, text]) {
  const choices = Object.entries(CHOICES).map(([value, [key, label]]) => {
    const input = make("input", { type: "radio", name, value, onchange: () => answer(name, value) });
    return make("label", {}, input, label, make("kbd", {}, key));
  });
  const legend = make("legend", {}, text);
  return make("fieldset", { "data-question": name }, legend, make("div", { class: "choices" }, ...choices));
}

// The first question without an answer, for the keys; undefined when all are answered.
function currentQuestion() {
  return Object.keys(view.questions).find((name) => !(name in view.answers));
}

function answer(name, choice) {
  const { position } = view;
  sending += 1;
  last = last.then(() => attempt(async () => {
    const wasOpen = currentQuestion() !== undefined;
    show(await fetchJson("/api/answer", { annotator, position, question: name, choice }));
    if (wasOpen && currentQuestion() === undefined) await load();
  })).finally(() => { sending -= 1; });
}

function move(by) {
  if (!view) return;
  const position = view.position + by;
  if (position < 0 || view.finished && by > 0) return;
  attempt(() => load(position < view.total ? position : undefined));
}

find("start").addEventListener("submit", (event) => {
  event.preventDefault();
  annotator = find("name").value.trim();
  localStorage.setItem("annotator", annotator);
  attempt(() => load());
});
find("back").addEventListener("click", () => move(-1));
find("forward").addEventListener("click", () => move(1));
find("review").addEventListener("click", () => attempt(() => load(0)));
document.addEventListener("keydown", (event) => {
  if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
  const inChoice = event.target.matches?.("input[type=radio]");
  if (event.key in KEYS && !view.finished) {
    const name = currentQuestion() ?? (inChoice ? event.target.name : undefined);
    if (name) event.preventDefault();
    if (name && !sending) answer(name, KEYS[event.key]); // the next question is marked only after this one is saved
  } else if (!inChoice && event.key === "ArrowLeft") {
    move(-1);
  } else if (!inChoice && event.key === "ArrowRight") {
    move(1);
  }
});
find("name").value = localStorage.getItem("annotator") ?? "";
find("name").focus();
