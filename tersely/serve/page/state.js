// What the user has chosen, and the link that holds it. It stands after the #, which browsers do not send to servers.

export const state = { text: "", unit: "words", sizes: { words: 8, chars: 60, percent: 30 }, objective: "", fast: false, keep: [], drop: [] };

export const size = () => state.sizes[state.unit];

export function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.has("text")) return false;
  state.text = link.get("text");
  const unit = link.get("unit");
  if (Object.hasOwn(state.sizes, unit)) state.unit = unit;
  const asked = Number.parseInt(link.get("size"), 10);
  if (asked > 0) state.sizes[state.unit] = asked;
  state.objective = link.get("objective") ?? "";
  state.fast = link.has("fast");
  state.keep = link.getAll("keep");
  state.drop = link.getAll("drop");
  return true;
}

export function writeLink() {
  const link = new URLSearchParams({ text: state.text, unit: state.unit, size: size() });
  if (state.objective) link.set("objective", state.objective);
  if (state.fast) link.set("fast", "");
  for (const wish of state.keep) link.append("keep", wish);
  for (const wish of state.drop) link.append("drop", wish);
  history.replaceState(null, "", state.text ? `#${link}` : location.pathname);
}

// The options that every request has.
export const asked = () => ({
  text: state.text,
  keep: state.keep,
  drop: state.drop,
  ...(state.objective && { objective: state.objective }),
  ...(state.fast && { fast: true }),
});

// The length as the service takes it.
export const length = () => (state.unit === "percent" ? { ratio: size() / 100 } : { [state.unit]: size() });
