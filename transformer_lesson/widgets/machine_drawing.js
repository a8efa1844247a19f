// The Transformer, drawn from a scene of machine_parts.py: boxes, the stream beside them, and lines.
// Parts are reached with the arrow keys in the order of the flow; the Tab key reaches the drawing once.

const CORNER = 5;
const LINE = 12; // pixels from one line of a label to the next

class MachineDrawing {
  // `kinds` says what parts are, `stateOf` gives "lit", "built" or "later" for one, `shown` hears of the part under the pointer
  // or the focus, and `open` gives the address that a part leads to, or null.
  constructor({ kinds, stateOf, shown, open = () => null, choose = () => {} }) {
    Object.assign(this, { kinds, stateOf, shown, open, choose });
    this.node = svgElement("svg", { class: "lesson-machine", role: "group" });
    this.node.setAttribute("aria-label", "The Transformer. Arrow keys go from part to part as the numbers flow.");
    this.node.addEventListener("keydown", (event) => this.press(event));
    for (const event of ["pointerleave", "focusout"]) this.node.addEventListener(event, () => this.shown(null));
  }

  // `view` is the part of the scene that is shown: left, top, width and height.
  show(scene, view = [0, 0, scene.width, scene.height]) {
    this.node.setAttribute("viewBox", view.join(" "));
    this.node.style.maxWidth = `${1.2 * view[2]}px`;
    const frames = scene.parts.filter(({ kind }) => ["encoder", "decoder"].includes(kind));
    this.parts = scene.parts.map((placed) => {
      const part = { ...placed, ...this.kinds[placed.kind] };
      return { ...part, node: this.buildPart(part, frames.includes(placed)) };
    });
    const kept = (part) => part.kept;
    this.reached = this.parts.filter(kept);
    // What is drawn later lies above; the focus goes by the order in the list.
    const below = this.parts.filter(({ kind }) => ["encoder", "decoder", "stream"].includes(kind));
    const above = this.parts.filter((part) => !below.includes(part));
    const lines = scene.flows.map((flow) => this.buildFlow(flow));
    this.node.replaceChildren(...below.map(({ node }) => node), ...lines, ...above.map(({ node }) => node));
    this.reached.forEach(({ node }, i) => (node.tabIndex = i ? -1 : 0));
  }

  // After `stateOf` has changed its mind.
  refresh() {
    for (const part of this.reached) {
      const lit = this.stateOf(part) === "lit";
      part.node.classList.toggle("lesson-lit", lit);
      part.node.classList.toggle("lesson-built", !lit);
    }
  }

  buildFlow({ points, ends, kept }) {
    const line = svgElement("g", { class: `lesson-flow${kept ? "" : " lesson-left-out"}` });
    line.append(svgElement("polyline", { points: points.join(" ") }));
    const [[x0, y0], [x, y]] = points.slice(-2);
    if (ends === "sum") {
      line.append(svgElement("circle", { cx: x, cy: y, r: 6 }));
      line.append(svgElement("path", { d: `M${x - 4} ${y}h8M${x} ${y - 4}v8` }));
    }
    if (ends === "arrow") {
      const turn = (Math.atan2(y - y0, x - x0) * 180) / Math.PI;
      line.append(svgElement("path", { class: "lesson-tip", d: "M0 0l-6 -3.5v7z", transform: `translate(${x} ${y}) rotate(${turn})` }));
    }
    return line;
  }

  buildPart(part, frame) {
    const { kind, label, box, kept } = part;
    const state = kept ? this.stateOf(part) : "left-out";
    const address = kept && this.open(part);
    const node = svgElement(address ? "a" : "g", { class: `lesson-part lesson-${kind.replaceAll(" ", "-")} lesson-${state}` });
    if (address) node.setAttribute("href", address);
    else if (kept) node.setAttribute("role", "button");
    const [x, y, width, height] = box;
    const inset = ["norm", "rms"].includes(kind) ? 3 : 0;
    const rect = { x, y: y + inset, width, height: height - 2 * inset, rx: CORNER };
    if (frame) node.append(...this.buildFrame(rect));
    else if (kind === "stream") node.append(...this.buildStream(box));
    else {
      // Heads are several: their box stands before others.
      const behind = ["heads", "grouped"].includes(kind) ? [4, 2] : [];
      node.append(...behind.map((by) => svgElement("rect", { ...rect, x: x + by, y: rect.y - by, width: width - 4 })));
      node.append(svgElement("rect", behind.length ? { ...rect, width: width - 4 } : rect));
    }
    if (inset) node.append(svgElement("rect", { class: "lesson-target", x, y, width, height }));
    if (kind !== "stream") node.append(this.buildLabel(label, x + width / 2 - (kind === "heads" ? 2 : 0), frame ? y + 12 : y + height / 2));
    if (!kept) {
      node.setAttribute("aria-hidden", "true");
      return node;
    }
    node.setAttribute("aria-label", `${part.half}: ${label.replaceAll("-\n", "-").replaceAll("\n", " ")}, ${this.said(part)}`);
    for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => this.shown(part));
    node.addEventListener("click", () => this.choose(part));
    return node;
  }

  said(part) {
    const { lesson } = part;
    const words = { lit: "this lesson", built: `built in lesson ${lesson}`, later: `comes in lesson ${lesson}` };
    return words[this.stateOf(part)] ?? `lesson ${lesson}`;
  }

  // Only the edge and the name of a frame answer to the pointer, not what it holds.
  buildFrame(rect) {
    const { x, y, width } = rect;
    return [svgElement("rect", rect), svgElement("rect", { class: "lesson-target", x, y, width, height: 24 })];
  }

  buildStream([x, y, width, height]) {
    const line = { x1: x + width / 2, x2: x + width / 2, y1: y, y2: y + height };
    return [svgElement("line", line), svgElement("rect", { class: "lesson-target", x, y, width, height })];
  }

  buildLabel(label, x, middle) {
    const lines = label.split("\n");
    const text = svgElement("text", { "aria-hidden": "true" });
    lines.forEach((line, i) => {
      const y = middle + (i - (lines.length - 1) / 2) * LINE;
      text.append(svgElement("tspan", { x, y, text: line }));
      if (i < lines.length - 1 && !line.endsWith("-")) text.append(" "); // for those who read the text alone
    });
    return text;
  }

  press(event) {
    const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    const at = this.reached.findIndex(({ node }) => node === document.activeElement);
    if (at < 0 || modified(event)) return;
    if (event.key === "Enter" || event.key === " ") this.choose(this.reached[at]);
    if (!by) return;
    event.preventDefault();
    const next = this.reached[clamp(at + by, this.reached.length)].node;
    this.reached[at].node.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
