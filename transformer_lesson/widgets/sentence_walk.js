// Walks through the steps of an answer: back, play, on, and a slider.

const PACE_MS = 800;

class Walk {
  // `moved` hears of each new step.
  constructor(moved) {
    Object.assign(this, { moved, step: 0, last: 0 });
    const button = (name, words, act) => {
      const node = element("button", name, words);
      node.setAttribute("aria-label", name === "on" ? "step" : name);
      node.type = "button";
      node.addEventListener("click", act);
      return node;
    };
    this.node = element("div", "walk");
    this.back = button("back", "◀", () => this.go(this.step - 1));
    this.play = button("play", "play", () => (this.timer ? this.pause() : this.start()));
    this.on = button("on", "▶", () => this.go(this.step + 1));
    this.slider = buildSlider("step", [0, 0], (step) => `${Number(step) + 1} of ${this.last + 1}`, (step) => this.go(step));
    this.node.append(this.back, this.play, this.on, this.slider.node);
    this.pause();
  }

  // A new answer: it plays by itself, or, with reduced motion, stands at its end.
  begin(last, from = 0) {
    this.last = last;
    this.slider.input.max = last;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.go(still ? last : from);
    if (!still && from < last) this.start();
  }

  go(step) {
    this.pause();
    this.move(clamp(step, this.last + 1));
  }

  move(step) {
    this.step = step;
    this.slider.show(step);
    // Not disabled, which would take the focus away.
    this.back.ariaDisabled = step === 0;
    this.on.ariaDisabled = step === this.last;
    this.moved(step);
  }

  start() {
    if (this.step === this.last) this.move(0);
    this.timer = setInterval(() => this.advance(), PACE_MS);
    this.name("pause");
  }

  advance() {
    if (this.step < this.last) this.move(this.step + 1);
    if (this.step >= this.last) this.pause();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.name("play");
  }

  name(words) {
    this.play.textContent = words;
    this.play.setAttribute("aria-label", words);
  }
}
