// The source with its kept words marked. A word is free, pinned or banned; choosing it goes from one to the next.
// One word at a time can be reached with the tab key, and the arrows move among them.
import { find, make } from "./dom.js";
import { drawArcs } from "./arcs.js";

const STATES = { pinned: "pinned", banned: "banned" };
let words = [];

export function showSource(text, data, withTree, onChoose) {
  const characters = Array.from(text); // the spans count code points, and a string counts halves of some of them
  const line = make("p", { class: "words", role: "group", "aria-labelledby": "source-title" });
  words = [];
  let place = 0;
  data.spans.forEach(([start, end], index) => {
    line.append(characters.slice(place, start).join(""));
    const word = make("button", { type: "button", class: "word", tabindex: index ? -1 : 0, onclick: () => onChoose(index) });
    word.append(characters.slice(start, end).join(""));
    words.push(word);
    line.append(word);
    place = end;
  });
  line.append(characters.slice(place).join(""));
  line.addEventListener("keydown", move);
  const holder = make("div", { class: withTree ? "with-tree" : "without-tree", tabindex: withTree ? 0 : undefined }, line);
  if (withTree) {
    holder.setAttribute("role", "region");
    holder.setAttribute("aria-label", "the source with its grammar, scrollable");
  }
  find("source").replaceChildren(holder);
  if (withTree && data.tree) line.before(drawArcs(line, words, data.tree));
}

export function markSource(kept, keep, drop, wishes) {
  const marked = new Set(kept);
  words.forEach((word, index) => {
    const pin = keep.includes(wishes[index]) ? STATES.pinned : drop.includes(wishes[index]) ? STATES.banned : "";
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
