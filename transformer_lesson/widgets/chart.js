// Lines over whole numbers, as a drawing that is made anew when its numbers change.

const CHART = { width: 330, height: 130, left: 40, right: 10, top: 10, bottom: 30 };

class LineChart {
  constructor(xTitle) {
    this.xTitle = xTitle;
    const { width, height } = CHART;
    this.node = drawn("svg", { class: "lesson-chart", viewBox: `0 0 ${width} ${height}`, width, height });
    this.node.setAttribute("aria-hidden", "true"); // The text above it says what it shows.
  }

  // Each series is { name, values }, and is styled by its name; each mark is { name, x }.
  draw(series, marks, low, high) {
    const { width, height, left, right, top, bottom } = CHART;
    const last = series[0].values.length - 1;
    const x = (i) => left + (i / (last || 1)) * (width - left - right);
    const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
    const level = (value) =>
      drawn("line", { class: "lesson-grid", x1: left, x2: width - right, y1: y(value), y2: y(value) });
    const label = (value) =>
      drawn("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", text: rounded(value) });
    const levels = low < 0 && high > 0 ? [low, 0, high] : [low, high];
    const place = (i, anchor) =>
      drawn("text", { x: x(i), y: height - bottom + 14, "text-anchor": anchor, text: i });
    const title = drawn("text", {
      x: (left + width - right) / 2,
      y: height - bottom + 22,
      "text-anchor": "middle",
      text: this.xTitle,
    });
    const upright = marks.map(({ name, x: at }) =>
      drawn("line", { class: `lesson-mark lesson-${name}`, x1: x(at), x2: x(at), y1: y(low), y2: y(high) }),
    );
    const lines = series.map(({ name, values }) => {
      const points = [...values].map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`);
      return drawn("polyline", { class: `lesson-line lesson-${name}`, points: points.join(" ") });
    });
    this.node.replaceChildren(
      ...levels.flatMap((value) => [level(value), label(value)]),
      ...[place(0, "middle"), place(last, "middle"), title],
      ...[...upright, ...lines],
    );
  }
}

// A few digits, and none that say nothing.
function rounded(value) {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
