// Walks through the steps of an answer: back, play, on, and a slider. In each step the parts that work
// in it light one after the other.

const SLOW_MS = 110; // a part, where it works for the first time
const FAST_MS = 40;

class Walk {
  // `moved` hears of each new step, `works` of the part that works now, or null; `partsOf(step)` are
  // those of a step.
  constructor({ moved, works, partsOf }) {
    Object.assign(this, { moved, works, partsOf, step: 0, last: -1, playing: false, seen: new Set() });
    const button = (name, words, act) => {
      const node = buildButton(name, words, act);
      node.setAttribute("aria-label", name === "on" ? "step" : name);
      return node;
    };
    this.node = element("div", "walk");
    this.back = button("back", "◀", () => this.go(this.step - 1));
    this.play = button("play", "play", () => (this.playing ? this.pause() : this.start()));
    this.on = button("on", "▶", () => this.go(this.step + 1));
    this.slider = buildSlider("step", [0, 0], (step) => (this.last < 0 ? "" : `${Number(step) + 1} of ${this.last + 1}`), (step) => this.go(step));
    this.node.append(this.back, this.play, this.on, this.slider.node);
    this.name("play");
  }

  // No answer: there is nothing to step through.
  rest() {
    this.pause();
    this.end(-1);
    this.slider.show(0);
    for (const button of [this.back, this.on]) button.ariaDisabled = true;
  }

  end(last) {
    this.last = last;
    Object.assign(this.slider.input, { max: Math.max(0, last), disabled: last < 0 });
    this.play.ariaDisabled = last < 0;
  }

  // A new answer: it plays by itself, or, with reduced motion, stands at its end.
  begin(last, from = 0) {
    this.end(last);
    this.seen.clear();
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.still || from >= last) return this.go(last);
    this.pause();
    this.move(from);
    this.start();
  }

  go(step) {
    this.pause();
    this.move(clamp(step, this.last + 1));
  }

  move(step) {
    if (this.last < 0) return;
    this.step = step;
    this.slider.show(step);
    // Not disabled, which would take the focus away.
    this.back.ariaDisabled = step === 0;
    this.on.ariaDisabled = step === this.last;
    this.moved(step);
  }

  start() {
    if (this.last < 0) return;
    if (this.step === this.last) this.move(0);
    this.playing = true;
    this.name("pause");
    this.light(this.partsOf(this.step), 0);
  }

  // Lights part `at` of a step, then the next; after the last of them the next step begins.
  light(parts, at) {
    if (at === parts.length) return this.advance();
    const part = parts[at];
    const pace = this.seen.has(part) ? FAST_MS : SLOW_MS;
    this.seen.add(part);
    this.works(part);
    this.timer = setTimeout(() => this.light(parts, at + 1), pace);
  }

  advance() {
    if (this.step === this.last) return this.pause();
    this.move(this.step + 1);
    this.light(this.partsOf(this.step), 0);
  }

  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.works(null);
    this.name("play");
  }

  name(words) {
    this.play.textContent = words;
    this.play.setAttribute("aria-label", words);
  }
}
