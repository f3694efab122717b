// The chart below the slider: the score of the best summary of each length.
import { draw, find, formatNumber } from "./dom.js";

const WIDTH = 600, HEIGHT = 70, MARGIN = 8;

// `points` are {size, score}; `first` and `last` are the ends of the slider.
export function drawChart(points, first, last, unit, onChoose) {
  const scores = points.map((point) => point.score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const x = (size) => MARGIN + ((size - first) / Math.max(last - first, 1)) * (WIDTH - 2 * MARGIN);
  const y = (score) => HEIGHT - MARGIN - ((score - low) / (high - low || 1)) * (HEIGHT - 2 * MARGIN);
  const best = points[scores.indexOf(high)];
  const label = `Score over length: the highest, ${formatNumber(high)}, at ${best.size} ${unit}; the lowest is ${formatNumber(low)}.`;
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  picture.append(
    draw("polyline", { class: "curve", points: points.map((point) => `${x(point.size)},${y(point.score)}`).join(" ") }),
    draw("line", { id: "here", y1: 0, y2: HEIGHT, x1: 0, x2: 0 }),
  );
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN);
    onChoose(Math.round(first + Math.min(Math.max(share, 0), 1) * (last - first)));
  });
  find("chart").replaceChildren(picture);
  return (size) => {
    for (const end of ["x1", "x2"]) find("here")?.setAttribute(end, x(size));
  };
}
