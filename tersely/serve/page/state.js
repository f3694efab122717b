// The state of the page, and the link that holds it. It is after the #, which browsers do not send to servers.

export const FLAGS = ["lead", "split", "html"]; // options that are on or off; the page has those that the service has

export const state = { text: "", unit: "words", sizes: { words: 8, chars: 60, bytes: 60, percent: 30 }, objective: "", fast: false, flags: [], keep: [], drop: [] };

export const size = () => state.sizes[state.unit];

export function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.has("text")) return false;
  state.text = link.get("text");
  const unit = link.get("unit");
  if (Object.hasOwn(state.sizes, unit)) state.unit = unit;
  const linked = Number.parseInt(link.get("size"), 10);
  if (linked > 0) state.sizes[state.unit] = linked;
  state.objective = link.get("objective") ?? "";
  state.fast = link.has("fast");
  state.flags = FLAGS.filter((flag) => link.has(flag));
  state.keep = link.getAll("keep");
  state.drop = link.getAll("drop");
  return true;
}

export function writeLink() {
  const link = new URLSearchParams({ text: state.text, unit: state.unit, size: size() });
  if (state.objective) link.set("objective", state.objective);
  if (state.fast) link.set("fast", "");
  for (const flag of state.flags) link.set(flag, "");
  for (const pattern of state.keep) link.append("keep", pattern);
  for (const pattern of state.drop) link.append("drop", pattern);
  history.replaceState(null, "", state.text ? `#${link}` : location.pathname);
}

// The options of every request.
export const requestOptions = () => ({
  text: state.text,
  ...Object.fromEntries(state.flags.map((flag) => [flag, true])),
  keep: state.keep,
  drop: state.drop,
  ...(state.fast ? { fast: true } : state.objective && { objective: state.objective }),
});

// The length for a request.
export const length = () => (state.unit === "percent" ? { ratio: size() / 100 } : { [state.unit]: size() });
