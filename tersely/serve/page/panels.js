// Panels that ask the service when they are opened. What they wait for, and what went wrong, they say themselves.
import { Refused } from "./api.js";
import { find, make } from "./dom.js";

const note = (place, message) => find(place).replaceChildren(make("p", { class: "hint" }, message));

// `work` gets a signal, and fills `place`.
export function fillWhenOpened(panel, place, waiting, work) {
  let asking;
  find(panel).addEventListener("toggle", async () => {
    asking?.abort();
    if (!find(panel).open) return;
    const { signal } = (asking = new AbortController());
    note(place, waiting);
    try {
      await work({ signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refused)) throw error;
      note(place, error.message);
    }
  });
}
