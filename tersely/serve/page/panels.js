// Panels that call the service when they are opened. Each shows its own progress and errors.
import { ApiError } from "./api.js";
import { find, make } from "./dom.js";

const note = (id, message) => find(id).replaceChildren(make("p", { class: "hint" }, message));

// `work` gets a signal, and fills the element `id`.
export function fillWhenOpened(panel, id, waiting, work) {
  let request;
  find(panel).addEventListener("toggle", async () => {
    request?.abort();
    if (!find(panel).open) return;
    const { signal } = (request = new AbortController());
    note(id, waiting);
    try {
      await work({ signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof ApiError)) throw error;
      note(id, error.message);
    }
  });
}
