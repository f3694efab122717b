// The source with its kept words marked. A click on a word pins it, a second click bans it, a third one frees it.
// The tab key reaches one word, and the arrow keys move to the others.
import { find, make } from "./dom.js";
import { drawArcs } from "./arcs.js";

const STATES = { pinned: "pinned", banned: "banned" };
let words = [];

export function showSource(text, data, withTree, onChoose) {
  const characters = Array.from(text); // spans count code points, strings count UTF-16 units
  const line = make("p", { class: "words", role: "group", "aria-labelledby": "source-title" });
  words = [];
  let end = 0;
  data.spans.forEach(([start, stop], index) => {
    line.append(characters.slice(end, start).join(""));
    const word = make("button", { type: "button", class: "word", tabindex: index ? -1 : 0, onclick: () => onChoose(index) });
    word.append(characters.slice(start, stop).join(""));
    words.push(word);
    line.append(word);
    end = stop;
  });
  line.append(characters.slice(end).join(""));
  line.addEventListener("keydown", move);
  const holder = make("div", { class: withTree ? "with-tree" : "without-tree", tabindex: withTree ? 0 : undefined }, line);
  if (withTree) {
    holder.setAttribute("role", "region");
    holder.setAttribute("aria-label", "the source with its dependency tree, scrollable");
  }
  find("source").replaceChildren(holder);
  if (withTree && data.tree) line.before(drawArcs(line, words, data.tree));
}

export function markSource(kept, keep, drop, patterns) {
  const marked = new Set(kept);
  words.forEach((word, index) => {
    const pin = keep.includes(patterns[index]) ? STATES.pinned : drop.includes(patterns[index]) ? STATES.banned : "";
    word.className = ["word", marked.has(index) ? "kept" : "dropped", pin].filter(Boolean).join(" ");
    word.setAttribute("aria-label", [word.textContent, marked.has(index) ? "kept" : "left out", pin].filter(Boolean).join(", "));
  });
  for (const arc of find("source").querySelectorAll("[data-arc]")) {
    const [from, to] = arc.dataset.arc.split(" ").map(Number);
    arc.classList.toggle("kept", marked.has(from) && (to < 0 || marked.has(to)));
  }
}

export function focusWord(index) {
  words.forEach((word, other) => { word.tabIndex = other === index ? 0 : -1; });
  words[index]?.focus();
}

function move(event) {
  const from = words.indexOf(document.activeElement);
  const to = { ArrowRight: from + 1, ArrowDown: from + 1, ArrowLeft: from - 1, ArrowUp: from - 1, Home: 0, End: words.length - 1 }[event.key];
  if (from < 0 || to === undefined) return;
  event.preventDefault();
  focusWord(Math.min(Math.max(to, 0), words.length - 1));
}
