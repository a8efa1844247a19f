// What all views share. Python joins the palette, this file and the files of a view into one module,
// so nothing is imported and there is no build step.
//
// A canvas holds one pixel per number and is enlarged by CSS, so it is sharp on every display and is
// redrawn only when the numbers change. A hover moves a frame and changes a text but draws nothing.
// Text is always set as textContent, so a token may hold any character.

const LINE_HEIGHT = 14; // pixels that a label needs
const LONGEST_LABEL = 14; // characters
const PAGE_STEP = 10;
const ORIGIN = { row: 0, column: 0 };
const BESIDE_MAP = 160; // pixels for the names of its rows, its legend and the margins of a phone

const MOVES = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }) => ({ row, column: Infinity }),
  PageUp: ({ row, column }) => ({ row: row - PAGE_STEP, column }),
  PageDown: ({ row, column }) => ({ row: row + PAGE_STEP, column }),
};

// The 256 colors of a scale through `stops`, as a canvas stores them: red in the lowest byte.
function rampOf(stops) {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (stops.length - 1);
    const index = Math.min(Math.floor(place), stops.length - 2);
    const channel = (at) => {
      const [low, high] = [0, 1].map((next) => parseInt(stops[index + next].slice(at, at + 2), 16));
      return Math.round(low + (place - index) * (high - low));
    };
    return ((255 << 24) | (channel(5) << 16) | (channel(3) << 8) | channel(1)) >>> 0;
  });
}

// The width of a map that may be `most` pixels wide, on this screen.
function roomFor(most) {
  return Math.min(most, Math.max(100, innerWidth - BESIDE_MAP));
}

function clamp(value, count) {
  return Math.max(0, Math.min(count - 1, value));
}

function range(count) {
  return [...Array(count).keys()];
}

// A number with a comma between its thousands. The browser's own way loads the rules of all languages.
function grouped(number) {
  return String(number).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ",");
}

function largestOf(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

// The numbers that Python sent, copied because a typed array must be aligned in its buffer.
function numbersOf(view, Type) {
  return new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// An HTML element. The class has a prefix because pages style names such as "tooltip" and "panel".
function element(tag, name = "", text = "") {
  const node = document.createElement(tag);
  if (name) node.className = `lesson-${name}`;
  node.textContent = text;
  return node;
}

// An SVG element; `text` is its content.
function svgElement(tag, { text = "", ...attributes }) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
}

// Text that screen readers announce when it changes.
function announcer(name) {
  const node = element("div", name);
  node.setAttribute("role", "status");
  return node;
}

// Puts new children in the place of old ones; the focus keeps its place in the list.
function renew(parent, children) {
  const at = [...parent.children].indexOf(document.activeElement);
  parent.replaceChildren(...children);
  if (at >= 0) children[clamp(at, children.length)].focus();
}

// Parts that belong together, under a name that screen readers say.
function buildGroup(name, label, role = "group") {
  const group = element("div", name);
  group.setAttribute("role", role);
  group.setAttribute("aria-label", label);
  return group;
}

// Buttons that are one stop of the Tab key; the arrow keys move between them.
function buildToolbar(name, label) {
  const group = buildGroup(name, label, "toolbar");
  group.addEventListener("focusin", ({ target }) => settle(group, target));
  group.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!by || modified(event)) return;
    event.preventDefault();
    const there = [...group.querySelectorAll("button:not(.lesson-coming)")];
    there[clamp(there.indexOf(document.activeElement) + by, there.length)].focus();
  });
  return group;
}

// After the buttons of a toolbar have changed: the Tab key stops at the one where it stopped before.
function settle(group, stop = group.querySelector("[tabindex='0']:not(.lesson-coming)") ?? group.querySelector("button")) {
  for (const button of group.querySelectorAll("button")) button.tabIndex = button === stop ? 0 : -1;
}

// Keys with modifiers belong to JupyterLab and the browser.
function modified({ ctrlKey, altKey, shiftKey, metaKey }) {
  return ctrlKey || altKey || shiftKey || metaKey;
}

// -- Controls

function buildButton(name, text, act) {
  const button = element("button", name, text);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

function buildSelect(name, choices, choose) {
  const select = element("select", name);
  select.setAttribute("aria-label", name);
  for (const [value, text] of choices) select.add(new Option(text, value));
  select.addEventListener("change", () => choose(Number(select.value)));
  return select;
}

function buildCheckbox(text, checked, choose) {
  const label = element("label", "choice");
  const box = element("input");
  Object.assign(box, { type: "checkbox", checked });
  box.addEventListener("change", () => choose(box.checked));
  label.append(box, text);
  return label;
}

// The range is [min, max]; `say` turns the position of the slider into the words beside it.
function buildSlider(name, [min, max], say, choose) {
  const node = element("label", "slider");
  const input = element("input");
  Object.assign(input, { type: "range", min, max, step: 1 });
  input.setAttribute("aria-label", name); // Without the number, which is announced as the value.
  const number = element("output", "number");
  const show = (value) => {
    input.value = value;
    number.textContent = say(value);
    input.setAttribute("aria-valuetext", say(value));
  };
  input.addEventListener("input", () => choose(Number(input.value)));
  node.append(element("span", "name", name), input, number);
  return { node, input, show };
}

// A slider over powers of ten counts in tenths of the exponent. The number is rounded to two digits,
// so that the one beside the slider is the one that is used.
function powerOfTen(tenths) {
  return Number((10 ** (tenths / 10)).toPrecision(2));
}

function tenthsOf(value) {
  return Math.round(10 * Math.log10(value));
}

// One line of a list of amounts: a name, a bar in proportion to `top`, and the number.
function buildBar(what, amount, top) {
  const item = element("div", "entry");
  item.setAttribute("role", "listitem");
  const track = element("span", "track");
  const bar = element("span", "amount");
  bar.style.width = `${Math.min(100, (100 * amount) / top)}%`;
  track.append(bar);
  item.append(element("span", "token", what), track, element("span", "number", amount.toFixed(4)));
  return item;
}

// A div rather than an ol, because pages style ol in ways that are hard to undo.
function buildList(items) {
  const list = element("div", "list");
  list.setAttribute("role", "list");
  list.append(...items);
  return list;
}

// -- Heatmaps

// The tokens along one side of a map; where cells are small, only some of them are visible.
function buildLabels(tokens, name, cell) {
  const every = Math.ceil(LINE_HEIGHT / cell);
  const labels = element("div", name);
  labels.append(
    ...tokens.map((token, i) => {
      const characters = [...token];
      const long = characters.length > LONGEST_LABEL;
      const text = long ? `${characters.slice(0, LONGEST_LABEL - 1).join("")}…` : token;
      const label = element("span", "label");
      label.append(element("span", i % every ? "left-out" : "", text));
      label.setAttribute("aria-hidden", "true"); // The status announces the tokens of a cell.
      return label;
    }),
  );
  return labels;
}

// Cells in rows and columns, with a frame around the cell under the cursor and bands around rows.
class Heatmap {
  constructor(rows, columns, [width, height], stops = VIRIDIS) {
    Object.assign(this, { rows, columns, width, height, ramp: rampOf(stops) });
    this.canvas = element("canvas", "map");
    Object.assign(this.canvas, { width: columns, height: rows });
    this.canvas.style.width = `${columns * width}px`;
    this.canvas.style.height = `${rows * height}px`;
    this.tooltip = element("div", "tooltip");
    this.frame = element("div", "frame");
    this.bands = element("div", "bands");
    this.node = element("div", "stack");
    this.node.append(this.canvas, this.bands, this.frame, this.tooltip);
    this.mark(null);
  }

  paint(values, low, high) {
    const scale = 255 / (high - low);
    const pixels = values.reduce((colors, value, i) => {
      colors[i] = this.ramp[clamp(Math.round((value - low) * scale), 256)];
      return colors;
    }, new Uint32Array(values.length));
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer), this.columns, this.rows);
    this.canvas.getContext("2d").putImageData(image, 0, 0);
  }

  at({ offsetX, offsetY }) {
    return {
      row: clamp(Math.floor(offsetY / this.height), this.rows),
      column: clamp(Math.floor(offsetX / this.width), this.columns),
    };
  }

  // Frames a cell, or none, and shows the words beside it.
  mark(cell, words = []) {
    this.frame.hidden = !cell;
    this.tooltip.hidden = !words.length;
    this.tooltip.textContent = words.join("\n");
    if (!cell) return;
    const [x, y] = [cell.column * this.width, cell.row * this.height];
    this.frame.style.transform = `translate(${x}px, ${y}px)`;
    // On the side towards the middle of the map, where there is room.
    const left = cell.column < this.columns / 2;
    const above = cell.row < this.rows / 2;
    const place = `translate(${left ? x + this.width + 8 : x - 8}px, ${above ? y + this.height + 8 : y - 8}px)`;
    this.tooltip.style.transform = `${place} translate(${left ? 0 : -100}%, ${above ? 0 : -100}%)`;
  }

  // Frames rows, of which some may be null; a row may have a name, which is written at its end.
  markRows(rows, names = []) {
    const missing = rows.slice(this.bands.children.length);
    this.bands.append(...missing.map(() => element("div", "band")));
    rows.forEach((row, i) => {
      const band = this.bands.children[i];
      band.hidden = row === null;
      band.textContent = names[i] ?? "";
      band.style.transform = `translateY(${row * this.height}px)`;
    });
  }
}

// A heatmap with the names of its rows and columns and a legend.
class Plot {
  constructor(heatmap, rowTokens, columnTokens, [rowTitle, columnTitle], legend) {
    this.heatmap = heatmap;
    const rows = buildLabels(rowTokens, "row-labels", heatmap.height);
    const columns = buildLabels(columnTokens, "column-labels", heatmap.width);
    [this.rows, this.columns] = [rows.children, columns.children];
    this.node = element("div", "plot");
    setCell(this.node, heatmap);
    this.node.append(element("div", "row-title", rowTitle), rows, heatmap.node);
    if (legend) this.node.append(legend.node);
    this.node.append(columns, element("div", "column-title", columnTitle));
  }

  mark(cell, words) {
    this.heatmap.mark(cell, words);
    for (const label of this.current ?? []) label.classList.remove("lesson-current");
    this.current = cell ? [this.rows[cell.row], this.columns[cell.column]] : [];
    for (const label of this.current) label.classList.add("lesson-current");
  }
}

function setCell(node, { width, height }) {
  node.style.setProperty("--cell-width", `${width}px`);
  node.style.setProperty("--cell-height", `${height}px`);
}

class Legend {
  constructor(title, stops = VIRIDIS) {
    this.node = element("div", "legend");
    const bar = element("div", "bar");
    bar.style.background = `linear-gradient(to top, ${stops.join(", ")})`;
    this.ticks = range(3).map(() => element("span"));
    const ticks = element("div", "ticks");
    ticks.append(...this.ticks);
    this.node.append(bar, ticks, element("div", "title", title));
  }

  show(low, high) {
    [high, (low + high) / 2, low].forEach((value, i) => {
      this.ticks[i].textContent = value.toFixed(2);
    });
  }
}

// -- Views

// The model as one view sees it, of several that may show it: the view follows Python and itself, and no
// other view. `shared` is what all have in common.
class OwnModel {
  static setting = false; // a view sets a value now
  #own = new Map();
  #listeners = [];
  #heard = [];

  constructor(shared) {
    this.shared = shared;
  }

  get(name) {
    if (!this.#own.has(name)) {
      this.#own.set(name, this.shared.get(name));
      const heard = () => OwnModel.setting || this.#put(name, this.shared.get(name));
      this.shared.on(`change:${name}`, heard);
      this.#heard.push([`change:${name}`, heard]);
    }
    return this.#own.get(name);
  }

  // Also what another view has set before, which is no change to the model.
  set(name, value) {
    this.get(name);
    OwnModel.setting = true;
    try {
      this.shared.set(name, value);
    } finally {
      OwnModel.setting = false;
    }
    this.#put(name, value);
  }

  #put(name, value) {
    if (this.#own.get(name) === value) return;
    this.#own.set(name, value);
    for (const [own, listener] of this.#listeners) if (own === name) listener();
  }

  on(name, listener) {
    this.get(name);
    this.#listeners.push([name, listener]);
  }

  remove() {
    for (const [event, heard] of this.#heard) this.shared.off(event, heard);
  }

  save_changes() {
    this.shared.save_changes();
  }
}

class View {
  constructor(model, el, kind) {
    this.model = new OwnModel(model);
    el.classList.add("lesson-view", kind);
    // Most keys are shortcuts in JupyterLab: they move to another cell or delete this one. Here they
    // belong to the view, except Escape and keys with modifiers.
    el.dataset.lmSuppressShortcuts = "true";
    el.addEventListener("keydown", (event) => {
      if (!modified(event) && event.key !== "Escape") event.stopPropagation();
    });
    this.status = announcer("status");
  }

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  on(names, listener) {
    for (const name of names) this.model.on(name, listener);
  }

  remove() {
    this.model.remove();
  }
}

// A view with a cursor that moves over rows and columns. A subclass implements `mark`, which shows
// the cursor; `pin`, for a click or Enter; and `pressed`, for other keys.
class MapView extends View {
  cursor = null;

  // Makes `node` take the keys. Screen readers pass them on because its role is an application.
  takeKeys(node) {
    this.target = node;
    node.tabIndex = 0;
    node.setAttribute("role", "application");
    node.addEventListener("focus", () => this.moveTo(this.cursor ?? ORIGIN));
    node.addEventListener("blur", () => this.leave());
    node.addEventListener("keydown", (event) => {
      if (!this.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  follow(heatmap) {
    const { canvas } = heatmap;
    canvas.addEventListener("pointermove", (event) => this.moveTo(heatmap.at(event), heatmap));
    canvas.addEventListener("click", (event) => {
      this.moveTo(heatmap.at(event), heatmap);
      this.pin();
    });
    canvas.addEventListener("pointerleave", () => {
      if (document.activeElement !== this.target) this.leave();
    });
  }

  // Returns whether the key is used.
  press({ key, ctrlKey, altKey, shiftKey, metaKey }) {
    // Some keyboards need a modifier for a bracket.
    const bracket = key === "[" || key === "]";
    if (metaKey || (ctrlKey && !altKey)) return false;
    if ((altKey || shiftKey) && !bracket) return false;
    if (key in MOVES) this.moveTo(MOVES[key](this.cursor ?? ORIGIN));
    else if (key === "Enter" || key === " ") this.pin();
    else return this.pressed(key);
    return true;
  }

  // `heatmap` is the one under the pointer, in views with several.
  moveTo({ row, column }, heatmap = this.under) {
    row = clamp(row, this.rows);
    column = clamp(column, this.columns);
    const same = this.cursor?.row === row && this.cursor.column === column;
    if (same && heatmap === this.under) return;
    this.cursor = { row, column };
    this.under = heatmap;
    this.mark();
  }

  leave() {
    this.cursor = null;
    this.mark();
  }

  pin() {}

  pressed() {
    return false;
  }
}
