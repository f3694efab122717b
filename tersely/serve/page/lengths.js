// The summaries of every length of one text, in one unit: what the slider moves over. They come in one answer, in two
// lines: the summary that is wanted now, then all of them.
import { askLines } from "./api.js";
import { asked, length, size, state } from "./state.js";

export class Lengths {
  constructor() {
    this.data = null; // words, spans, tree, weights; as soon as the first line is there
    this.complete = false;
    this.exact = new Map(); // summaries that were searched for by themselves, by length
  }

  get byChars() {
    return state.unit === "chars";
  }

  // The lines, each kept here; yields after each.
  async *load(signal) {
    const key = `${state.unit} ${size()}`;
    const unit = state.unit === "chars" ? { chars: 100000 } : {};
    for await (const line of askLines("/v1/lengths", { ...asked(), ...unit, first: length() }, { signal })) {
      if (line.first) this.exact.set(key, line.first);
      this.complete = line.summaries.length > 0;
      this.data = line;
      yield this;
    }
  }

  measure(summary) {
    return this.byChars ? summary.n_chars : summary.kept.length;
  }

  // The ends of the slider.
  get ends() {
    if (state.unit === "percent") return [1, 100];
    const all = this.data.summaries;
    if (!all.length) return [1, this.byChars ? Math.max(size(), this.data.n_chars) : this.data.tokens.length];
    return [this.measure(all[0]), this.measure(all.at(-1))];
  }

  // The best summary that is no longer than the slider says; undefined while it is not there yet.
  at(wanted) {
    const exact = this.exact.get(`${state.unit} ${wanted}`);
    if (exact) return exact;
    const most = state.unit === "percent" ? this.data.shares[wanted - 1] : wanted;
    return this.data.summaries.findLast((summary) => this.measure(summary) <= most) ?? this.data.summaries[0];
  }

  // What the chart shows: the score over the unit of the slider.
  get points() {
    const { shares, summaries, tokens } = this.data;
    if (state.unit !== "percent") return summaries.map((summary) => ({ size: this.measure(summary), score: summary.score }));
    return shares.flatMap((words, index) => (words <= tokens.length ? [{ size: index + 1, score: this.at(index + 1).score }] : []));
  }
}
