// The dependency tree as arcs above the words: from each head to its dependents, with the label of the relation.
import { draw } from "./dom.js";

const LEVEL = 20; // pixels of height for each word below an arc
const MAX_HEIGHT = 190;

export function drawArcs(line, words, tree) {
  const left = line.getBoundingClientRect().left;
  const middles = words.map((word) => {
    const box = word.getBoundingClientRect();
    return box.left - left + box.width / 2;
  });
  const rise = (from, to) => Math.min(MAX_HEIGHT, 14 + LEVEL * Math.abs(from - to) ** 0.8);
  const top = Math.max(40, ...tree.map(([head], index) => (head < 0 ? 0 : rise(head, index)))) + 14;
  const width = line.scrollWidth;
  const picture = draw("svg", { class: "arcs", width, height: top, viewBox: `0 0 ${width} ${top}`, role: "img", "aria-label": describe(words, tree) });
  const labels = draw("g"); // drawn over all arcs
  const add = (index, head, path, x, y, label) => {
    const arc = `${index} ${head}`;
    picture.append(draw("path", { "data-arc": arc, d: path }));
    labels.append(draw("text", { "data-arc": arc, x, y, "text-anchor": "middle" }, label));
  };
  tree.forEach(([head, label], index) => {
    const x = middles[index];
    if (head < 0) {
      add(index, -1, `M${x} 12V${top - 2}`, x, 10, label);
      return;
    }
    const height = rise(head, index);
    const begin = middles[head] + (index > head ? 3 : -3); // arcs to both sides of a head start apart
    const path = `M${begin} ${top - 2}C${begin} ${top - height} ${x} ${top - height} ${x} ${top - 4}`;
    add(index, head, path, (begin + x) / 2, top - 0.75 * height - 3, label);
  });
  picture.append(labels);
  return picture;
}

function describe(words, tree) {
  const name = (index) => words[index].textContent;
  return "Grammar: " + tree.map(([head, label], index) => (head < 0 ? `${name(index)} is a root` : `${name(index)} is ${label} of ${name(head)}`)).join("; ");
}
