// The n best summaries of one length, to choose from.
import { find, formatNumber, make } from "./dom.js";

export function showBest(summaries, chosen, onChoose) {
  const rows = summaries.map((summary) => {
    const radio = make("input", { type: "radio", name: "best", checked: summary.text === chosen, onchange: () => onChoose(summary) });
    return make("li", {}, make("label", {}, radio, make("span", { class: "text" }, summary.text), make("span", { class: "number" }, formatNumber(summary.score))));
  });
  find("others").replaceChildren(make("ol", { class: "best" }, ...rows));
}
