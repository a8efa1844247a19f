
// From here on: the model of a page without a kernel, in place of the widget's model.

class PageModel {
  #state;
  #listeners = [];

  constructor({ data = "", ...state }) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    this.#state = { ...state, data: new DataView(bytes.buffer) };
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    if (this.#state[name] === value) return;
    this.#state[name] = value;
    for (const [event, listener] of this.#listeners) {
      if (event === `change:${name}`) listener();
    }
  }

  on(event, listener) {
    this.#listeners.push([event, listener]);
  }

  off(event, listener) {
    this.#listeners = this.#listeners.filter(([e, l]) => e !== event || l !== listener);
  }

  save_changes() {}
}

// A module cannot find its own script element, so each starts all views of its kind that have not
// been started.
function startPages(kind, style) {
  for (const page of document.querySelectorAll(`.${kind}-page`)) {
    if (page.lessonViewStarted) continue;
    page.lessonViewStarted = true;
    // For MathJax 3 and 2: dollar signs in a token are no mathematics.
    page.classList.add("mathjax_ignore", "tex2jax_ignore");
    const content = page.querySelector("script[type='application/json']").textContent;
    const el = document.createElement("div");
    render({ model: new PageModel(JSON.parse(content)), el });
    page.querySelector(`.${kind}-view`).replaceChildren(element("style", "", style), el);
  }
}
