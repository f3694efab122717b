// The tab for subtitles: what is over a limit, a proposal for each, and a file with those that were accepted.
import { ApiError } from "./api.js";
import { debounce, find, make } from "./dom.js";
import { PlainLines } from "./lines.js";
import { showSentence } from "./proposal.js";
import { makeTabs } from "./tabs.js";
import { TimedCues } from "./timed.js";

const NUMBERS = ["cps", "line", "lines", "chars"];
let file; // the name and the text of a file; the text area has other line breaks
let loaded; // the cues or lines
let request; // aborted when the next one begins

const sourceText = () => file?.text ?? find("cues-text").value;

function readLimits() {
  const limits = Object.fromEntries(NUMBERS.map((name) => [name, find(name).valueAsNumber]));
  return { ...limits, fast: find("subtitles-fast").checked };
}

function makeLoaded(text) {
  const { chars, ...limits } = readLimits();
  const timed = text.includes("-->");
  find("reading").hidden = !timed && text.trim() !== "";
  find("plain").hidden = !find("reading").hidden;
  return timed ? new TimedCues(text, limits) : new PlainLines(text, { chars, fast: limits.fast });
}

async function reload() {
  request?.abort();
  const { signal } = (request = new AbortController());
  const made = makeLoaded(sourceText());
  find("subtitles-result").hidden = find("subtitles-error").hidden = true;
  find("status").textContent = "";
  if (!sourceText().trim()) return;
  find("status").textContent = "Shortening …";
  try {
    await made.load(signal);
    loaded = made;
    showAll(signal);
    for await (const cues of made.shorten(signal)) showPortion(cues, signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    showError(error);
    if (loaded === made) stopWaiting(signal);
  }
  find("status").textContent = "";
}

function showError(error) {
  if (!(error instanceof ApiError)) throw error;
  find("subtitles-error").textContent = error.message;
  find("subtitles-error").hidden = false;
}

// After an error no more proposals come.
function stopWaiting(signal) {
  const waiting = loaded.cues.filter((cue) => cue.pending);
  for (const cue of waiting) Object.assign(cue, { pending: false, note: "there is no proposal" });
  showPortion(waiting, signal);
}

const sentences = (cues) => [...new Set(cues.map((cue) => cue.sentence))].map((number) => loaded.sentences.get(number));

function showAll(signal) {
  loaded.sentences = Map.groupBy(loaded.cues, (cue) => cue.sentence);
  const over = sentences(loaded.cues.filter((cue) => cue.over.length));
  find("cues").replaceChildren(...over.map((cues) => (cues.item = make("li", { class: "card" }))));
  for (const cues of over) showSentence(loaded, cues, showCounts, signal);
  find("subtitles-result").hidden = false;
  showCounts();
}

function showPortion(shortened, signal) {
  for (const cues of sentences(shortened)) showSentence(loaded, cues, showCounts, signal);
  showCounts();
}

function showCounts() {
  const { cues, unit } = loaded;
  const count = (test) => cues.filter(test).length;
  const over = count((cue) => cue.over.length);
  find("counts").textContent = over ? `${over} of ${cues.length} ${unit} are over a limit, ${count((cue) => cue.accepted)} accepted` : `All ${cues.length} ${unit} are within the limits.`;
  find("accept-all").disabled = !cues.some((cue) => cue.changed && !cue.accepted);
}

function acceptAll() {
  for (const cue of loaded.cues) cue.accepted ||= cue.changed;
  showPortion(loaded.cues.filter((cue) => cue.changed), request.signal);
}

// What was not accepted is written as it was.
function result() {
  const written = (cue) => (cue.accepted ? loaded.written(cue, cue.text) : cue.source);
  return loaded.header + loaded.cues.map((cue) => cue.before + written(cue) + cue.after).join("");
}

function download() {
  const name = file ? file.name.replace(/(\.\w+)?$/, ".short$1") : loaded.name;
  const href = URL.createObjectURL(new Blob([result()], { type: "text/plain" }));
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

async function open(chosen) {
  if (!chosen) return;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
    find("cues-text").value = text;
    file = { name: chosen.name, text };
  } catch {
    showError(new ApiError(0, { message: `${chosen.name} is not UTF-8: save it as UTF-8, or use tersely srt --encoding.` }));
    return;
  }
  reload();
}

const reloadSoon = debounce(350, reload);

makeTabs(find("tabs"));
find("cues-text").addEventListener("input", () => { file = undefined; find("file").value = ""; reloadSoon(); });
find("file").addEventListener("change", (event) => open(event.target.files[0]));
for (const id of [...NUMBERS, "subtitles-fast"]) find(id).addEventListener("input", reloadSoon);
find("accept-all").addEventListener("click", acceptAll);
find("download").addEventListener("click", download);
for (const [type, inside] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  find("drop").addEventListener(type, (event) => {
    event.preventDefault();
    find("drop").classList.toggle("over", inside);
    if (type === "drop") open(event.dataTransfer.files[0]);
  });
}
