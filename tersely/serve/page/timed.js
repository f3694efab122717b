// The cues of an SRT or WebVTT file. The service reads them, says what is over a limit, and shortens it in portions.
import { fetchJson } from "./api.js";

const PATH = "/v1/subtitles";
const PORTION = 8; // cues over a limit in a request: few, so that the first ones come soon

const rate = (cps) => (cps === null ? "shown for no time" : `${cps.toFixed(1)} characters a second`);

export class TimedCues {
  constructor(text, options) {
    const type = /^\uFEFF?WEBVTT/.test(text) ? "vtt" : "srt";
    Object.assign(this, { text, options, unit: "cues", name: `subtitles.${type}` });
  }

  // Cues with the same `sentence` are accepted together.
  async load(signal) {
    const { header, cues } = await this.#ask(this.text, signal, true);
    this.header = header;
    this.cues = cues.map((cue) => {
      const times = cue.before.trim().split("\n").at(-1);
      return { ...cue, title: `${cue.number}: ${times}`, old: cue.text, pending: cue.over.length > 0 };
    });
  }

  // Shortens what is over a limit, and gives the cues of each portion.
  async *shorten(signal) {
    const sentences = Object.values(Object.groupBy(this.cues, (cue) => cue.sentence)).filter((cues) => cues.some((cue) => cue.pending));
    while (sentences.length) {
      const portion = [...sentences.shift()];
      const size = () => portion.concat(sentences[0]).filter((cue) => cue.pending).length;
      while (sentences.length && size() <= PORTION) portion.push(...sentences.shift());
      const { cues } = await this.#ask(this.header + portion.map((cue) => cue.before + cue.source + cue.after).join(""), signal);
      portion.forEach((cue, index) => {
        const { text, changed, dropped, status, cps_after: cps } = cues[index];
        const found = changed ? { size: rate(cps), parts: parts(cue.shown, dropped) } : { note: status };
        Object.assign(cue, { text, changed, pending: false, ...found });
      });
      yield portion;
    }
  }

  // What is wrong with a text in the place of a cue's own, and its measure. The service knows what counts.
  async measure(cue, text, signal) {
    const { cues: [found] } = await this.#ask(this.header + cue.before + this.written(cue, text) + cue.after, signal, true);
    return { problems: found.over, size: rate(found.cps_before) };
  }

  // A text that ends neither the cue, by a blank line, nor begins another one, by an arrow.
  clean(text) {
    return text.split("\n").filter((line) => line.trim()).join("\n").replaceAll("-->", "->");
  }

  written(cue, text) {
    return text === cue.old ? cue.source : text.replaceAll("\n", cue.before.includes("\r\n") ? "\r\n" : "\n");
  }

  #ask(text, signal, check = false) {
    return fetchJson(PATH, { ...this.options, text, check }, { signal });
  }
}

// The words as they are read, each with whether it was dropped.
function parts(shown, dropped) {
  return shown.split(" ").map((word, index) => [`${word} `, dropped.includes(index)]);
}
