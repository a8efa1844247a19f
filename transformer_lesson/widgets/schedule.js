// The learning rate of every step: a warm-up, then one of the SCHEDULES, which Python names.

const WIDE = { width: 620, height: 220, left: 60, right: 20 };
const MOST_DRAWN = 500; // steps
const SHARE = 200; // positions of a slider, from no step to all steps
const STEPS = [3, 60]; // tenths of a power of ten
const RATES = [-50, 0]; // tenths of a power of ten
const WIDTHS = [3, 12]; // powers of two

// The same as transformer_lesson.training.learning_rate; steps count from 1.
function learningRate(step, { steps, peak, warmup, decay, schedule }) {
  if (step <= warmup) return (peak * step) / warmup;
  if (schedule === "paper") return peak * Math.sqrt(warmup / step);
  // A fall is one step longer than the run.
  if (schedule === "stable") return peak * Math.min((steps + 1 - step) / (decay + 1), 1);
  if (schedule === "cosine") {
    const passed = Math.min((step - warmup) / (steps + 1 - warmup), 1);
    return (peak * (1 + Math.cos(Math.PI * passed))) / 2;
  }
  return peak;
}

function digits(value) {
  return value >= 0.001 || value === 0 ? String(Number(value.toPrecision(4))) : value.toExponential(3);
}

function many(count) {
  return grouped(count);
}

class Schedules extends View {
  constructor(model, el) {
    super(model, el, "schedule-explorer");
    this.chart = new LineChart("step", WIDE);
    this.key = element("p", "key");
    const place = element("div", "place");
    place.append(this.chart.node);
    el.append(...this.buildControls(), this.status, place, this.key);
    const { node } = this.chart;
    node.addEventListener("pointermove", (event) => this.point(this.chart.placeOf(event)));
    node.addEventListener("pointerleave", () => this.point(null));
    node.addEventListener("click", (event) => this.set("step", Math.round(this.chart.placeOf(event))));
    this.on(["steps", "learning_rate", "warmup_steps", "decay_steps", "schedule", "d_model"], () => this.draw());
    this.on(["step"], () => this.mark());
    this.draw();
  }

  // -- Choices

  buildControls() {
    const get = (name) => this.model.get(name);
    this.select = buildSelect(
      "schedule",
      SCHEDULES.map((name, i) => [i, name]),
      (i) => this.change({ schedule: SCHEDULES[i] }),
    );
    const slider = (name, range, say, choose, placeOf) => {
      const built = buildSlider(name, range, say, choose);
      return { ...built, refresh: () => built.show(placeOf()) };
    };
    const share = (name, trait) =>
      slider(name, [0, SHARE], () => many(get(trait)), (v) =>
        this.change({ [trait]: Math.round((get("steps") * v) / SHARE) }), () =>
        Math.round((SHARE * get(trait)) / get("steps")),
      );
    this.sliders = {
      steps: slider("steps", STEPS, () => many(get("steps")), (v) => this.change({ steps: powerOfTen(v) }), () =>
        tenthsOf(get("steps")),
      ),
      warmup: share("warm-up", "warmup_steps"),
      decay: share("decay", "decay_steps"),
      peak: slider("highest rate", RATES, () => digits(this.peak()), (v) =>
        this.change({ learning_rate: powerOfTen(v) }), () => tenthsOf(this.peak()),
      ),
      width: slider("d_model", WIDTHS, () => get("d_model") ?? "", (v) => this.change({ d_model: 2 ** v }), () =>
        Math.round(Math.log2(get("d_model") ?? 512)),
      ),
      step: buildSlider("step", [1, 1], many, (step) => this.set("step", step)),
    };
    const { steps, warmup, decay, peak, width, step } = this.sliders;
    this.box = buildCheckbox("highest rate from d_model, as in the paper", false, (on) =>
      this.change({ d_model: on ? 2 ** Number(width.input.value) : null }),
    );
    const lines = [
      [this.select, steps.node, warmup.node, decay.node],
      [peak.node, this.box, width.node],
      [step.node],
    ];
    return lines.map((parts) => {
      const line = element("div", "controls");
      line.append(...parts);
      return line;
    });
  }

  // A value that a change makes impossible moves to the nearest possible one, as in Python.
  change(values) {
    const now = (name) => values[name] ?? this.model.get(name);
    const [schedule, steps] = [now("schedule"), now("steps")];
    const lowest = schedule === "paper" ? 1 : 0;
    const highest = ["cosine", "stable"].includes(schedule) ? steps - 1 : Infinity;
    const warmup = Math.max(lowest, Math.min(highest, now("warmup_steps")));
    const left = schedule === "stable" ? steps - warmup : Infinity;
    const fitting = {
      ...values,
      warmup_steps: warmup,
      decay_steps: Math.max(1, Math.min(left, now("decay_steps"))),
      step: Math.min(this.model.get("step"), steps),
    };
    for (const [name, value] of Object.entries(fitting)) this.model.set(name, value);
    this.model.save_changes();
  }

  fromWidth() {
    return this.model.get("schedule") === "paper" && this.model.get("d_model") !== null;
  }

  peak() {
    const [width, warmup] = [this.model.get("d_model"), this.model.get("warmup_steps")];
    return this.fromWidth() ? (width * warmup) ** -0.5 : this.model.get("learning_rate");
  }

  config(schedule = this.model.get("schedule")) {
    const [steps, warmup] = [this.model.get("steps"), this.model.get("warmup_steps")];
    const decay = Math.max(1, Math.min(this.model.get("decay_steps"), steps - warmup));
    return { steps, warmup, decay, schedule, peak: this.peak() };
  }

  // -- Drawing

  draw() {
    const { steps, warmup, decay, schedule } = this.config();
    this.select.value = SCHEDULES.indexOf(schedule);
    const { step, width, peak, decay: fall, ...others } = this.sliders;
    for (const slider of [peak, width, fall, ...Object.values(others)]) slider.refresh();
    step.input.max = steps;
    // The width determines the rate only in the paper's schedule.
    const box = this.box.querySelector("input");
    box.checked = this.model.get("d_model") !== null;
    box.disabled = schedule !== "paper";
    width.input.disabled = !this.fromWidth();
    peak.input.disabled = this.fromWidth();
    fall.input.disabled = schedule !== "stable";

    const every = Math.ceil(steps / MOST_DRAWN);
    const places = range(Math.floor((steps - 1) / every) + 1).map((i) => 1 + i * every);
    const corners = [warmup, steps - decay, steps].map((one) => Math.max(1, one));
    this.places = [...new Set([...places, ...corners])].filter((one) => one <= steps).sort((a, b) => a - b);
    // The chosen schedule is drawn last, above the others. The paper's needs a warm-up.
    const shown = SCHEDULES.filter((name) => name !== "paper" || warmup > 0).sort(
      (a, b) => (a === schedule) - (b === schedule),
    );
    this.series = shown.map((name) => {
      const values = this.places.map((place) => learningRate(place, this.config(name)));
      return { name: name === schedule ? `${name} lesson-chosen` : name, values, places: this.places };
    });
    this.key.replaceChildren(
      ...SCHEDULES.flatMap((name) => {
        const sample = svgElement("svg", { class: "lesson-sample", width: 34, height: 10, "aria-hidden": true });
        const chosen = name === schedule ? " lesson-chosen" : "";
        sample.append(svgElement("polyline", { class: `lesson-line lesson-${name}${chosen}`, points: "1,5 33,5" }));
        const why = shown.includes(name) ? "" : " (needs a warm-up)";
        return [sample, element("span", chosen ? "name" : "", `${name}${why}`)];
      }),
    );
    this.mark();
  }

  // Takes the place under the mouse, or null when it has left.
  point(place) {
    this.pointed = place === null ? null : Math.round(place);
    this.mark();
  }

  mark() {
    const config = this.config();
    const chosen = Math.min(this.model.get("step"), config.steps);
    const step = Math.min(this.pointed ?? chosen, config.steps);
    this.sliders.step.show(chosen);
    const rate = learningRate(step, config);
    this.chart.draw(this.series, [{ name: "here", x: step }], 0, config.peak, [{ name: "here", x: step, y: rate }]);
    const share = ((100 * rate) / config.peak).toFixed(1);
    this.status.textContent =
      `Step ${many(step)} of ${many(config.steps)}: learning rate ${digits(rate)}, ${share} % of the highest. ` +
      `The highest is ${digits(config.peak)}${this.fromWidth() ? ` = 1/√(${this.model.get("d_model")} · ${many(config.warmup)})` : ""}. ` +
      this.phase(step, config);
  }

  phase(step, { steps, warmup, decay, schedule }) {
    if (step < warmup) return `It warms up: ${many(step)} / ${many(warmup)} of the highest.`;
    if (step === warmup) return "The warm-up ends here.";
    if (schedule === "paper") return `It falls as 1/√step: √(${many(warmup)} / ${many(step)}) of the highest.`;
    const fallen = step - (steps - decay);
    if (schedule === "constant" || (schedule === "stable" && fallen <= 0)) return "It stays at the highest.";
    if (schedule === "stable") {
      const share = ((100 * fallen) / (decay + 1)).toFixed(1);
      return `It falls in a straight line: ${share} % of the way is behind it.`;
    }
    const passed = ((100 * (step - warmup)) / (steps + 1 - warmup)).toFixed(1);
    return `It follows the cosine down: ${passed} % of the way is behind it.`;
  }
}

function render({ model, el }) {
  const view = new Schedules(model, el);
  return () => view.remove();
}

export default { render };
