// A chart of lines over whole numbers, redrawn when its numbers change.

const CHART = { width: 330, height: 130, left: 40, right: 10, top: 10, bottom: 30 };

class LineChart {
  constructor(xTitle, size = {}) {
    this.xTitle = xTitle;
    this.size = { ...CHART, ...size };
    const { width, height } = this.size;
    this.node = svgElement("svg", { class: "lesson-chart", viewBox: `0 0 ${width} ${height}`, width, height });
    this.node.setAttribute("aria-hidden", "true"); // The text above it describes it.
  }

  // Each series is { name, values, places }, where places default to 0, 1, 2 …; each mark is
  // { name, x }, and each point { name, x, y }. The name is a CSS class.
  draw(series, marks, low, high, points = []) {
    const { width, height, left, right, top, bottom } = this.size;
    const [{ values: longest, places }] = series;
    this.ends = [places?.[0] ?? 0, places?.[longest.length - 1] ?? longest.length - 1];
    const [first, last] = this.ends;
    const x = (place) => left + ((place - first) / (last - first || 1)) * (width - left - right);
    const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
    const level = (value) =>
      svgElement("line", { class: "lesson-grid", x1: left, x2: width - right, y1: y(value), y2: y(value) });
    const label = (value) =>
      svgElement("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", text: rounded(value) });
    const levels = low < 0 && high > 0 ? [low, 0, high] : [low, high];
    const end = (place, anchor) =>
      svgElement("text", {
        x: x(place),
        y: height - bottom + 14,
        "text-anchor": anchor,
        text: grouped(place),
      });
    const title = svgElement("text", {
      x: (left + width - right) / 2,
      y: height - bottom + 22,
      "text-anchor": "middle",
      text: this.xTitle,
    });
    const upright = marks.map(({ name, x: at }) =>
      svgElement("line", { class: `lesson-mark lesson-${name}`, x1: x(at), x2: x(at), y1: y(low), y2: y(high) }),
    );
    const lines = series.map(({ name, values, places: own }) => {
      const corners = [...values].map((value, i) => `${x(own?.[i] ?? i).toFixed(1)},${y(value).toFixed(1)}`);
      return svgElement("polyline", { class: `lesson-line lesson-${name}`, points: corners.join(" ") });
    });
    const dots = points.map(({ name, x: at, y: value }) =>
      svgElement("circle", { class: `lesson-point lesson-${name}`, cx: x(at), cy: y(value), r: 4 }),
    );
    this.node.replaceChildren(
      ...levels.flatMap((value) => [level(value), label(value)]),
      ...[end(first, "middle"), end(last, "middle"), title],
      ...[...upright, ...lines, ...dots],
    );
  }

  // The place under the pointer, between the first and the last, at any size of the drawing.
  placeOf({ clientX }) {
    const { left: edge, width: shown } = this.node.getBoundingClientRect();
    const { width, left, right } = this.size;
    const share = (((clientX - edge) / shown) * width - left) / (width - left - right);
    const [first, last] = this.ends;
    return first + Math.max(0, Math.min(1, share)) * (last - first);
  }
}

// Three significant digits without trailing zeros.
function rounded(value) {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
