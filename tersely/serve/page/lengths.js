// The summaries of every length of one text, in one unit: the values of the slider. They come in one response of two
// lines: the summary of the current length, then those of all lengths. For a long text that would take too long: then
// only the shorter ones come this way, and a longer one is requested when the slider rests on it.
import { fetchJson, fetchLines } from "./api.js";
import { countBytes, countChars } from "./dom.js";
import { length, requestOptions, size, state } from "./state.js";

const MAX_WORK = 1600; // the words of a text times those of its longest summary; two or three seconds
const MIN_WORDS = 10; // that come in one response, however long the text is

export const withChars = (summary) => ({ ...summary, n_chars: countChars(summary.text) });

export class Lengths {
  constructor() {
    this.text = state.text;
    this.words = this.text.trim().split(/\s+/).length;
    this.maxWords = Math.max(MIN_WORDS, Math.round(MAX_WORK / this.words)); // of a summary in the one response
    this.data = null; // what was read: text, words, spans, tree, weights; after the first line
    this.complete = false; // whether `data` has all lengths up to `longest`
    this.longest = Infinity; // the longest length of the one response, unless it has all
    this.single = new Map(); // summaries that were requested one by one, by unit and size
  }

  get isLong() {
    return this.maxWords < this.words;
  }

  // Whether the unit counts rendered text, and not words.
  get ofText() {
    return state.unit === "chars" || state.unit === "bytes";
  }

  get key() {
    return `${state.unit} ${size()}`;
  }

  // Loads the lines; yields after each.
  async *load(signal) {
    const { key } = this;
    const body = { ...requestOptions(), ...this.limit(), first: length() };
    for await (const line of fetchLines("/v1/lengths", body, { signal })) {
      if (line.first) this.single.set(key, line.first);
      this.complete = line.summaries.length > 0;
      this.data = line;
      if (this.complete && !this.ofText) this.findLongest(line);
      yield this;
    }
  }

  // Where the searches of a text reach their bound, the longest summaries are left out and requested one by one.
  findLongest({ summaries, tokens, patterns }) {
    const longest = summaries.at(-1).kept.length;
    const dropped = patterns.filter((pattern) => state.drop.includes(pattern)).length;
    if (longest < tokens.length - dropped) this.longest = Math.min(this.longest, longest);
  }

  // Loads the summary of the current length alone.
  async loadOne(signal) {
    const { key } = this;
    const { summaries } = await fetchJson("/v1/summarize", { ...requestOptions(), ...length() }, { signal });
    this.single.set(key, withChars(summaries[0]));
  }

  // The longest length for the request.
  limit() {
    if (!this.isLong) return this.ofText ? { [state.unit]: 1000000 } : {};
    this.longest = this.ofText ? Math.round((this.maxWords * this.text.length) / this.words) : this.maxWords;
    return { [this.ofText ? state.unit : "words"]: this.longest };
  }

  measure(summary) {
    if (state.unit === "bytes") return countBytes(summary.text);
    return state.unit === "chars" ? summary.n_chars : summary.kept.length;
  }

  // The ends of the slider.
  get ends() {
    if (state.unit === "percent") return [1, 100];
    const all = this.data.summaries;
    const whole = this.ofText ? this.measure(this.data) : this.data.tokens.length;
    if (!all.length) return [1, Math.max(whole, this.ofText ? size() : 1)];
    return [this.measure(all[0]), this.longest === Infinity ? this.measure(all.at(-1)) : whole];
  }

  // The summary of a length of the slider; undefined if it has not been loaded.
  at(wanted) {
    const max = state.unit === "percent" ? this.data.shares[wanted - 1] : wanted;
    if (!this.complete || max > this.longest) return this.single.get(`${state.unit} ${wanted}`);
    return this.data.summaries.findLast((summary) => this.measure(summary) <= max) ?? this.data.summaries[0];
  }

  // The points of the chart: the score over the unit of the slider.
  get points() {
    const { shares, summaries } = this.data;
    if (state.unit !== "percent") return summaries.map((summary) => ({ size: this.measure(summary), score: summary.score }));
    return shares.flatMap((_, index) => (this.at(index + 1) ? [{ size: index + 1, score: this.at(index + 1).score }] : []));
  }
}
