// Lines without times, each with the same limit of characters.
import { ApiError, fetchJson } from "./api.js";
import { countChars } from "./dom.js";

export class PlainLines {
  constructor(text, { chars, fast }) {
    Object.assign(this, { text, chars, fast, header: "", unit: "lines", name: "lines.txt" });
  }

  async load() {
    if (!(this.chars >= 1)) throw new ApiError(0, { message: "The limit must be at least 1 character." });
    const lines = this.text.match(/[^\r\n]*(\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
    this.cues = lines.map((line, index) => {
      const source = line.replace(/[\r\n]+$/, "");
      const over = this.#problems(source);
      const rest = { before: "", source, after: line.slice(source.length), old: source, text: source };
      return { ...rest, title: `line ${index + 1}`, sentence: index, over, pending: over.length > 0, changed: false };
    });
  }

  async *shorten(signal) {
    for (const cue of this.cues.filter((one) => one.pending)) {
      try {
        const { summaries: [summary] } = await fetchJson("/v1/summarize", { text: cue.source, chars: this.chars, fast: this.fast }, { signal });
        Object.assign(cue, { text: summary.text, changed: true, parts: parts(cue.source, summary.spans), size: this.#size(summary.text) });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "cannot_shorten") throw error;
        cue.note = error.message;
      }
      cue.pending = false;
      yield [cue];
    }
  }

  async measure(cue, text) {
    return { problems: this.#problems(text), size: this.#size(text) };
  }

  clean(text) {
    return text.replace(/\s*\n\s*/g, " ");
  }

  written(cue, text) {
    return text;
  }

  #size(text) {
    return `${countChars(text)} characters`;
  }

  #problems(text) {
    const size = countChars(text);
    return size > this.chars ? [`${size} characters, the limit is ${this.chars}`] : [];
  }
}

// The text in parts, each with whether words of it were dropped. Spans are those of the kept words, in code points.
function parts(text, spans) {
  const characters = Array.from(text), found = [];
  let end = 0;
  const push = (start, stop, kept) => {
    const part = characters.slice(start, stop).join("");
    found.push([part, !kept && /[\p{L}\p{N}]/u.test(part)]);
  };
  for (const [start, stop] of spans) {
    push(end, start, false);
    push(start, stop, true);
    end = stop;
  }
  push(end, undefined, false);
  return found;
}
