// The factors as bars: the share of each in the score, its weight times its logarithm. The shares add up to the score.
import { find, formatNumber, make } from "./dom.js";

export function showFactors(summary, weights) {
  const shares = Object.entries(summary.factors).map(([name, value]) => [name, value * (weights[name] ?? 1)]);
  const largest = Math.max(...shares.map(([, share]) => Math.abs(share)), 1e-9);
  const rows = shares.map(([name, share]) => {
    const bar = make("span", { class: share < 0 ? "bar minus" : "bar plus" });
    bar.style.width = `${(50 * Math.abs(share)) / largest}%`;
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "bars" }, bar), make("td", { class: "number" }, formatNumber(share)));
  });
  const total = make("tr", { class: "total" }, make("th", { scope: "row" }, "score"), make("td"), make("td", { class: "number" }, formatNumber(summary.score)));
  const table = make("table", { class: "factors" }, make("caption", {}, "The share of each factor in the score, log f"), make("tbody", {}, ...rows, total));
  find("factors").replaceChildren(table, ...lost(summary));
}

function lost(summary) {
  if (!summary.broken.length) return [];
  return [make("p", { class: "hint" }, `Broken grammar: ${summary.lostWords.join("; ")}.`)];
}
