// The summaries of every length of one text, in one unit: what the slider moves over. They come in one answer, in two
// lines: the summary that is wanted now, then all of them. All lengths of a long text would take too long: of those only
// the shorter ones come so, and the others one by one, where the slider comes to rest.
import { ask, askLines } from "./api.js";
import { countChars } from "./dom.js";
import { asked, length, size, state } from "./state.js";

const MOST_WORK = 3000; // the words of a text times those of its longest summary; a few seconds
const LEAST_WORDS = 10; // that come at once, however long the text is

export const shortened = (summary) => ({ ...summary, n_chars: countChars(summary.text) });

export class Lengths {
  constructor() {
    this.text = state.text;
    this.words = this.text.trim().split(/\s+/).length;
    this.most = Math.max(LEAST_WORDS, Math.round(MOST_WORK / this.words)); // words of a summary that comes at once
    this.data = null; // words, spans, tree, weights; as soon as the first line is there
    this.complete = false;
    this.reach = Infinity; // the longest that came with the others, unless all did
    this.exact = new Map(); // summaries that were searched for by themselves, by length
  }

  get isLong() {
    return this.most < this.words;
  }

  get byChars() {
    return state.unit === "chars";
  }

  get key() {
    return `${state.unit} ${size()}`;
  }

  // The lines, each kept here; yields after each.
  async *load(signal) {
    const { key } = this;
    for await (const line of askLines("/v1/lengths", { ...asked(), ...this.longest(), first: length() }, { signal })) {
      if (line.first) this.exact.set(key, line.first);
      this.complete = line.summaries.length > 0;
      this.data = line;
      yield this;
    }
  }

  // The summary of the length that is wanted now, by itself.
  async loadOne(signal) {
    const { key } = this;
    const { summaries } = await ask("/v1/summarize", { ...asked(), ...length() }, { signal });
    this.exact.set(key, shortened(summaries[0]));
  }

  // The longest that all lengths go up to.
  longest() {
    if (!this.isLong) return this.byChars ? { chars: 100000 } : {};
    this.reach = this.byChars ? Math.round((this.most * this.text.length) / this.words) : this.most;
    return { [this.byChars ? "chars" : "words"]: this.reach };
  }

  measure(summary) {
    return this.byChars ? summary.n_chars : summary.kept.length;
  }

  // The ends of the slider.
  get ends() {
    if (state.unit === "percent") return [1, 100];
    const all = this.data.summaries;
    const whole = this.byChars ? this.data.n_chars : this.data.tokens.length;
    if (!all.length) return [1, Math.max(whole, this.byChars ? size() : 1)];
    return [this.measure(all[0]), this.reach === Infinity ? this.measure(all.at(-1)) : whole];
  }

  // The best summary that is no longer than the slider says; undefined while it is not there yet.
  at(wanted) {
    const exact = this.exact.get(`${state.unit} ${wanted}`);
    if (exact) return exact;
    const most = state.unit === "percent" ? this.data.shares[wanted - 1] : wanted;
    if (most > this.reach) return undefined;
    return this.data.summaries.findLast((summary) => this.measure(summary) <= most) ?? this.data.summaries[0];
  }

  // What the chart shows: the score over the unit of the slider.
  get points() {
    const { shares, summaries } = this.data;
    if (state.unit !== "percent") return summaries.map((summary) => ({ size: this.measure(summary), score: summary.score }));
    return shares.flatMap((_, index) => (this.at(index + 1) ? [{ size: index + 1, score: this.at(index + 1).score }] : []));
  }
}
