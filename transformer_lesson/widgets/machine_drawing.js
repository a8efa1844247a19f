// The Transformer, drawn from a scene of machine_parts.py: boxes, the stream beside them, and lines.
// Parts are reached with the arrow keys in the order of the flow; the Tab key reaches the drawing once.

const CORNER = 5;
const LINE = 12; // pixels from one line of a label to the next

const nameOf = ({ label }) => label.replaceAll("-\n", "-").replaceAll("\n", " ");

// Makes `link` lead to a lesson, and to a heading in it: on a site and among exported pages to a page,
// whose headings the two name differently; in JupyterLab, which a link would leave, by its command to
// the notebook in a tab. `folder` is where the lessons lie, as seen from the one that shows the view.
function leadTo(link, model, folder, stem, section = "") {
  const jupyter = document.getElementById("jupyter-config-data");
  const site = "content_root" in document.documentElement.dataset;
  const dashed = section.replaceAll(" ", "-");
  const slug = section.toLowerCase().replace(/[^\x00-\x7f]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^[-0-9]+|-+$/g, "");
  const anchor = section && `#${site ? slug : dashed}`;
  link.setAttribute("href", `${folder}${stem}.${jupyter ? "ipynb" : "html"}${anchor}`);
  if (!jupyter) return;
  const shown = model.widget_manager?.context?.path ?? decodeURIComponent(location.pathname).match(/\/(?:tree|notebooks)\/(.*)/)?.[1] ?? "";
  const path = decodeURIComponent(new URL(`${folder}${stem}.ipynb`, `${location.origin}/${shown}`).pathname.slice(1));
  link.setAttribute("target", "_blank");
  link.dataset.commandlinkerCommand = "rendermime:handle-local-link";
  link.dataset.commandlinkerArgs = JSON.stringify({ path, id: anchor });
}

class MachineDrawing {
  // `kinds` says what parts are, `stateOf` gives "lit", "built" or "later" for one, `shown` hears of the part under the pointer
  // or the focus; a part is a link where `lead(link, part)` makes it one, else a button of which `choose` hears.
  constructor({ kinds, stateOf, shown, lead = null, choose = () => {} }) {
    Object.assign(this, { kinds, stateOf, shown, lead, choose });
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
      part.node = this.buildPart(part, frames.includes(placed));
      return part;
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

  // After `stateOf` has changed its mind; `opened` is the part that is open beside the drawing, and
  // `isOff` says of which parts nothing comes.
  refresh(opened, isOff) {
    for (const part of this.reached) {
      const lit = this.stateOf(part) === "lit";
      const { node } = part;
      node.classList.toggle("lesson-lit", lit);
      node.classList.toggle("lesson-built", !lit);
      node.classList.toggle("lesson-off", isOff(part));
      node.setAttribute("aria-pressed", part === opened);
    }
  }

  // Writes other words into a part.
  write(kind, words) {
    const tspan = this.reached.find((part) => part.kind === kind)?.node.querySelector("tspan");
    if (tspan) tspan.textContent = words;
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
    const link = kept && this.lead;
    const node = svgElement(link ? "a" : "g", { class: `lesson-part lesson-${kind.replaceAll(" ", "-")} lesson-${state}` });
    if (link) link(node, part);
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
    node.setAttribute("aria-label", `${part.half}: ${nameOf(part)}, ${this.said(part)}`);
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
    if (!this.lead && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault(); // a space scrolls
      this.choose(this.reached[at]);
    }
    if (!by) return;
    event.preventDefault();
    const next = this.reached[clamp(at + by, this.reached.length)].node;
    this.reached[at].node.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
