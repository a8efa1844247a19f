// The machine at the head of a lesson: what is built, what is new here, what is still to come.

class Still extends View {
  constructor(model, el) {
    super(model, el, "machine-explorer");
    this.lessons = model.get("lessons");
    this.drawing = new MachineDrawing({
      kinds: model.get("kinds"),
      stateOf: ({ kind }) => model.get("states")[kind],
      shown: (part) => this.tell(part),
      lead: (link, { lesson }) => leadTo(link, model, model.get("folder"), this.lessons[lesson][0]),
    });
    const side = element("div", "side");
    this.told = announcer("told");
    side.append(this.buildVariants(), this.told, this.buildKey());
    el.append(this.drawing.node, side);
    this.on(["variant"], () => this.draw());
    this.draw();
  }

  buildVariants() {
    const names = this.model.get("variants").map(([name]) => name);
    this.buttons = names.map((name, i) => buildButton("variant", name, () => this.set("variant", i)));
    const group = buildGroup("variants", "forms of the machine");
    group.hidden = names.length < 2;
    group.append(...this.buttons);
    return group;
  }

  buildKey() {
    const key = element("div", "key");
    for (const [state, words] of [["lit", "this lesson"], ["built", "built"], ["later", "to come"]]) {
      const entry = element("span", "state");
      entry.append(element("span", `swatch lesson-${state}`), words);
      key.append(entry);
    }
    return key;
  }

  draw() {
    const at = this.model.get("variant");
    this.drawing.show(this.model.get("variants")[at][2]);
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === at));
    this.tell(null);
  }

  // About one part, or, without one, about the lesson.
  tell(part) {
    const lesson = this.model.get("lesson");
    const heading = element("p", "heading", part ? nameOf(part) : `Lesson ${lesson}: ${this.lessons[lesson][1]}`);
    const says = this.model.get("variants")[this.model.get("variant")][1];
    const lines = [element("p", "says", part ? part.says : says)];
    if (part) {
      const [, title] = this.lessons[part.lesson];
      lines.push(element("p", "shape", part.shape));
      lines.push(element("p", "from", `${part.lesson === lesson ? "this lesson" : `lesson ${part.lesson}`}: ${title}`));
    } else lines.push(element("p", "from", "Point at a part; a click opens the lesson that builds it."));
    this.told.replaceChildren(heading, ...lines);
  }
}

function render({ model, el }) {
  const view = new Still(model, el);
  return () => view.remove();
}

export default { render };
