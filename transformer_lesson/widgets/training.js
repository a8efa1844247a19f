// A training run: curves with a mark at one checkpoint, and the maps of all heads at that time.

const LARGEST_MAP = 120; // pixels
const MOST_POINTS = 600; // of a curve
const CURVE = { width: 300, height: 110, left: 50, right: 16 };

// A curve over the steps 1, 2, 3 …: if there are more than can be told apart, each point is the mean
// of a group of steps.
function thinned(values) {
  const each = Math.ceil(values.length / MOST_POINTS);
  const groups = range(Math.ceil(values.length / each)).map((i) => values.subarray(i * each, (i + 1) * each));
  return {
    each,
    values: groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length),
    // A group is drawn at its last step; the first group at its first, where the curve begins.
    places: groups.map((group, i) => (i ? i * each + group.length : 1)),
  };
}

// The lowest and the highest value of a chart: 0 and the largest, unless some are below 0.
function boundsOf(values) {
  const highest = Math.max(0, ...values);
  const lowest = Math.min(0, ...values);
  return [lowest, highest > lowest ? highest : lowest + 1];
}

class Training extends MapGrid {
  constructor(model, el) {
    super(model, el, "training-explorer");
    this.layers = model.get("num_layers");
    this.checkpoints = model.get("checkpoints");
    const taken = model.get("num_losses");
    const { buffer, byteOffset, byteLength } = model.get("data");
    const rest = [byteOffset + this.maps.bytes, byteLength - this.maps.bytes];
    const numbers = numbersOf(new DataView(buffer, ...rest), Float32Array);
    [this.losses, this.rates] = [numbers.subarray(0, taken), numbers.subarray(taken)];
    this.legend = new Legend("weight");
    this.legend.show(0, this.maps.largest || 1);
    const views = element("div", "views");
    views.append(this.buildMaps(), this.legend.node);
    el.append(this.buildControls(el), this.buildCurves(), this.status, this.heading, views, this.aloud);
    this.on(["checkpoint"], () => this.draw());
    this.on(["pinned"], () => this.list());
    this.draw();
  }

  step(checkpoint = this.model.get("checkpoint")) {
    return this.checkpoints[checkpoint];
  }

  buildControls(el) {
    const count = this.checkpoints.length;
    const say = (i) => `${Number(i) + 1} of ${count}: step ${grouped(this.step(i))}`;
    this.player = new Player(this, el, "checkpoint", count - 1, say);
    return this.player.buildControls("Space plays and pauses; on the maps [ and ] step");
  }

  remove() {
    this.player.pause();
    super.remove();
  }

  // -- Curves

  buildCurves() {
    const curve = (name, values) => ({ name, ...thinned(values), at: (step) => values[step - 1] });
    this.curves = [curve("training loss", this.losses)];
    if (this.rates.length) this.curves.push(curve("learning rate", this.rates));
    const evaluations = this.model.get("evaluations");
    for (const name of new Set(evaluations.flatMap(([, values]) => Object.keys(values)))) {
      const known = evaluations.filter(([, values]) => name in values);
      this.curves.push({
        name: `evaluation: ${name}`,
        each: 1,
        values: known.map(([, values]) => values[name]),
        places: known.map(([step]) => step),
        at: (step) => known.find(([at]) => at === step)?.[1][name],
      });
    }
    const node = element("div", "curves");
    for (const curve of this.curves) {
      curve.chart = new LineChart("step", CURVE);
      curve.title = element("p", "curve-title");
      curve.chart.node.addEventListener("click", (event) => this.choose(curve.chart.placeOf(event)));
      const part = element("div", "curve");
      part.append(curve.title, curve.chart.node);
      node.append(part);
    }
    return node;
  }

  choose(place) {
    const far = this.checkpoints.map((step) => Math.abs(step - place));
    this.player.go(far.indexOf(Math.min(...far)));
  }

  drawCurves() {
    const step = this.step();
    const last = this.losses.length;
    for (const { name, each, values, places, at, chart, title } of this.curves) {
      const value = at(step);
      const thin = each > 1 ? `, drawn as means of ${each} steps` : "";
      title.textContent = `${name}: ${value === undefined ? "none yet" : rounded(value)}${thin}`;
      const points = this.checkpoints.flatMap((one) => {
        const y = at(one);
        return y === undefined ? [] : [{ name: one === step ? "here" : "checkpoint", x: one, y }];
      });
      // All curves run from 0 to the last step.
      const frame = { name: "frame", values: [0, 0], places: [0, last] };
      const all = [...values, ...points.map(({ y }) => y)];
      chart.draw([frame, { name: "curve", values, places }], [{ name: "here", x: step }], ...boundsOf(all), points);
    }
  }

  // -- Maps

  buildMaps() {
    const { heads } = this.maps;
    const all = range(this.layers * heads);
    const names = all.map((i) => `layer ${Math.floor(i / heads)}, head ${i % heads}`);
    const lines = range(this.layers).flatMap((layer) => {
      const own = all.slice(layer * heads, (layer + 1) * heads);
      return range(Math.ceil(heads / MOST_COLUMNS)).map((i) => own.slice(i * MOST_COLUMNS, (i + 1) * MOST_COLUMNS));
    });
    return this.buildGrid(names, lines, LARGEST_MAP);
  }

  pressed(key) {
    const by = { "[": -1, "]": 1 }[key];
    if (by) this.player.go(this.model.get("checkpoint") + by);
    else if (key !== "Escape") return false;
    else if (this.player.timer) this.player.pause();
    else return this.unpin();
    return true;
  }

  where() {
    return `step ${this.step()}, `;
  }

  draw() {
    const { heads } = this.maps;
    const checkpoint = this.model.get("checkpoint");
    this.player.slider.show(checkpoint);
    this.drawCurves();
    const first = checkpoint * this.layers;
    this.paint(this.names.map((_, i) => this.maps.get(first + Math.floor(i / heads), i % heads)));
    this.target.setAttribute(
      "aria-label",
      `Attention weights of ${this.names.length} heads at step ${this.step()}: ${this.rows} queries by ` +
        `${this.columns} keys. Up and down choose a query in all maps, left and right a key, brackets ` +
        "change the checkpoint, Enter pins a row, Escape stops what plays or unpins.",
    );
    const said = this.curves.flatMap(({ name, at }) => {
      const value = at(this.step());
      return value === undefined ? [] : [`${name} ${rounded(value)}`];
    });
    const when = this.step() ? `After step ${grouped(this.step())}` : "Before the first step";
    this.status.textContent = `${when} of ${grouped(this.losses.length)}: ${said.join(", ") || "no loss yet"}.`;
    this.list();
  }
}

function render({ model, el }) {
  const view = new Training(model, el);
  return () => view.remove();
}

export default { render };
