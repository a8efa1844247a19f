// Steps through a view with a button that plays, a slider, and the space bar.

const STEP_MS = 1200;

class Player {
  // `name` is the trait that holds the step, from 0 to `last`; `say` turns a step into words.
  constructor(view, el, name, last, say = (step) => `${Number(step) + 1} of ${last + 1}`) {
    Object.assign(this, { view, name, last });
    this.button = buildButton("play", "", () => this.toggle());
    this.slider = buildSlider(name, [0, last], say, (step) => this.go(step));
    el.addEventListener("keydown", (event) => this.press(event));
    this.pause();
  }

  // The button, the slider and a hint in one line.
  buildControls(hint) {
    const controls = element("div", "controls");
    controls.append(this.button, this.slider.node, element("span", "hint", hint));
    return controls;
  }

  get step() {
    return this.view.model.get(this.name);
  }

  // Moving the slider stops the playing.
  go(step) {
    this.pause();
    this.view.set(this.name, clamp(step, this.last + 1));
  }

  press(event) {
    const { key, target } = event;
    // Buttons, checkboxes and selects have their own use for the space bar.
    const own = target.closest("button, select, input[type=checkbox]");
    if (key !== " " || modified(event) || own) return;
    event.preventDefault();
    this.toggle();
  }

  toggle() {
    if (this.timer) return this.pause();
    // With reduced motion the reader steps by hand.
    if (this.still()) return this.go(this.step < this.last ? this.step + 1 : 0);
    if (this.step === this.last) this.view.set(this.name, 0);
    if (!this.last) return;
    this.timer = setInterval(() => this.advance(), STEP_MS);
    this.button.textContent = "pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.button.textContent = this.still() ? "next" : "play";
  }

  still() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  advance() {
    if (this.step < this.last) this.view.set(this.name, this.step + 1);
    if (this.step >= this.last) this.pause();
  }
}
