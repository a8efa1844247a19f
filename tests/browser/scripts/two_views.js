(content) => {
  const model = new PageModel(JSON.parse(content));
  const set = model.set.bind(model);
  let asked = false;
  model.set = (name, value) => ((asked ||= model.get(name) !== value), set(name, value));
  const [first, second] = document.querySelectorAll("div");
  for (const el of [first, second]) render({ model, el });
  const begun = shown(first);

  // What a reader may do, until something reaches the model.
  const controls = (el) => [...el.querySelectorAll("select, input, [role=application], [role=option], button")];
  const gesture = controls(first).findIndex((control) => (use(control), asked));
  const after = [begun, shown(first), shown(second)];
  controls(second).slice(0, gesture + 1).forEach(use);
  return [...after, shown(second)];

  function use(control) {
    if (control.type === "range") control.value = control.value === control.max ? control.min : control.max;
    if (control.localName === "select") control.selectedIndex = control.options.length - 1;
    control.focus();
    for (const event of ["input", "change"]) control.dispatchEvent(new Event(event));
    const drawn = control.namespaceURI.endsWith("svg"); // what is dragged, and moved by its arrows
    if (control.type !== "text" && !drawn) control.click();
    control.dispatchEvent(new KeyboardEvent("keydown", { key: drawn ? "ArrowRight" : "Enter" }));
    control.blur();
  }

  function shown(el) {
    return [el.innerHTML.replace(/(id|activedescendant)="[^"]*"/g, ""), ...[...el.querySelectorAll("input")].map(({ value, checked }) => `${value} ${checked}`)].join();
  }
};
