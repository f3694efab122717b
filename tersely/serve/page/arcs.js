// The grammar as arcs above the words: from each head to the word that hangs on it, with the label of the relation.
import { draw } from "./dom.js";

const LEVEL = 20; // pixels for each word that an arc leaps over, until they get crowded
const HIGHEST = 190;

export function drawArcs(line, words, tree) {
  const left = line.getBoundingClientRect().left;
  const middles = words.map((word) => {
    const box = word.getBoundingClientRect();
    return box.left - left + box.width / 2;
  });
  const rise = (from, to) => Math.min(HIGHEST, 14 + LEVEL * Math.abs(from - to) ** 0.8);
  const top = Math.max(40, ...tree.map(([head], index) => (head < 0 ? 0 : rise(head, index)))) + 14;
  const width = line.scrollWidth;
  const picture = draw("svg", { class: "arcs", width, height: top, viewBox: `0 0 ${width} ${top}`, role: "img", "aria-label": describe(words, tree) });
  const names = draw("g"); // above all arcs
  const add = (index, head, path, x, y, label) => {
    const arc = `${index} ${head}`;
    picture.append(draw("path", { "data-arc": arc, d: path }));
    names.append(draw("text", { "data-arc": arc, x, y, "text-anchor": "middle" }, label));
  };
  tree.forEach(([head, label], index) => {
    const x = middles[index];
    if (head < 0) {
      add(index, -1, `M${x} 12V${top - 2}`, x, 10, label);
      return;
    }
    const height = rise(head, index);
    const begin = middles[head] + (index > head ? 3 : -3); // so that arcs of one head do not start in one point
    const path = `M${begin} ${top - 2}C${begin} ${top - height} ${x} ${top - height} ${x} ${top - 4}`;
    add(index, head, path, (begin + x) / 2, top - 0.75 * height - 3, label);
  });
  picture.append(names);
  return picture;
}

function describe(words, tree) {
  const name = (index) => words[index].textContent;
  return "Grammar: " + tree.map(([head, label], index) => (head < 0 ? `${name(index)} is a root` : `${name(index)} is ${label} of ${name(head)}`)).join("; ");
}
