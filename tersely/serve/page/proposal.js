// The cues of a sentence, or one line: what is over, the new text to accept or to edit, and whether it fits.
import { ApiError } from "./api.js";
import { debounce, make } from "./dom.js";

// Fills the list item of the cues, `cues.item`. They are accepted together: words may have moved from one to another.
export function showSentence(loaded, cues, onChange, signal) {
  const shown = cues.filter((cue) => cue.over.length || cue.changed);
  const accept = make("button", { type: "button", class: "accept" }, "Accept");
  const mark = () => {
    const accepted = shown.some((cue) => cue.accepted);
    accept.setAttribute("aria-pressed", accepted);
    accept.textContent = accepted ? "Accepted" : "Accept";
    accept.disabled = !shown.some((cue) => cue.changed);
    cues.item.classList.toggle("accepted", accepted);
  };
  const set = (accepted) => {
    for (const cue of shown) cue.accepted = accepted && cue.changed;
    mark();
    onChange();
  };
  accept.addEventListener("click", () => set(accept.getAttribute("aria-pressed") !== "true"));
  cues.item.replaceChildren(...shown.map((cue) => cueView(loaded, cue, () => set(true), signal)), accept);
  mark();
}

// An edit counts as accepted.
function cueView(loaded, cue, onEdit, signal) {
  const size = make("p", { class: "hint", role: "status" });
  const area = make("textarea", { rows: 2, "aria-label": `New text of ${cue.title}`, disabled: cue.pending });
  area.value = cue.text;
  const show = () => {
    const problems = cue.problems ?? [];
    size.className = problems.length ? "hint too-long" : "hint";
    size.textContent = cue.pending ? "Shortening …" : problems.length ? `Over: ${problems.join("; ")}` : cue.note || cue.size || "";
    area.setAttribute("aria-invalid", problems.length > 0);
  };
  const measureSoon = debounce(250, async () => {
    const { text } = cue;
    try {
      const found = await loaded.measure(cue, text, signal);
      if (text === cue.text) Object.assign(cue, found); // and was not edited again
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof ApiError)) throw error;
      cue.problems = [error.message];
    }
    show();
  });
  area.addEventListener("input", () => {
    Object.assign(cue, { text: loaded.clean(area.value), note: "" });
    cue.changed = cue.text !== cue.old;
    measureSoon();
    onEdit();
  });
  show();
  const old = (cue.parts ?? [[cue.old, false]]).map(([text, dropped]) => (dropped ? make("del", {}, text) : text));
  const over = cue.over.length ? [make("p", { class: "hint too-long" }, cue.over.join("; "))] : [];
  return make("div", { class: "cue" }, make("p", { class: "hint" }, cue.title), ...over, make("p", { class: "old" }, ...old), area, size);
}
