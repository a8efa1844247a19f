// A typed text in pieces, after as many of the learned merges as the slider says.

// How GPT-2 cuts a text before any merge.
const CUTS = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

class Merges extends View {
  constructor(model, el) {
    super(model, el, "merge-explorer");
    this.ranks = new Map(model.get("merges").map((pair, rank) => [pair, rank]));
    this.stops = model.get("stops");
    this.field = element("input", "field");
    this.field.setAttribute("aria-label", "text");
    this.field.value = model.get("text");
    this.field.addEventListener("input", () => this.set("text", this.field.value));
    const say = (place) => this.stops[place].toLocaleString("en");
    const choose = (place) => this.set("merges_made", this.stops[place]);
    this.slider = buildSlider("merges made", [0, this.stops.length - 1], say, choose);
    const controls = element("div", "controls");
    controls.append(this.field, this.slider.node);
    this.row = element("div", "pieces");
    el.append(controls, this.row, this.status);
    this.on(["text", "merges_made"], () => this.draw());
    this.draw();
  }

  draw() {
    const [text, made] = [this.model.get("text"), this.model.get("merges_made")];
    if (this.field.value !== text) this.field.value = text;
    // Python may set a number between two stops.
    this.slider.show(this.stops.findLastIndex((stop) => stop <= made));
    const pieces = (text.match(CUTS) ?? []).flatMap((word) => this.cut(word, made));
    this.row.replaceChildren(...pieces.map((piece) => this.box(piece)));
    const bytes = new TextEncoder().encode(text).length;
    this.status.textContent = `${bytes} bytes, ${pieces.length} pieces`;
  }

  // The earliest merge first, wherever it fits, until none of those made is left.
  cut(word, made) {
    let pieces = [...new TextEncoder().encode(word)].map((byte) => SIGNS[byte]);
    for (;;) {
      const ranks = pieces.slice(1).map((right, i) => this.ranks.get(`${pieces[i]} ${right}`) ?? made);
      const first = Math.min(made, ...ranks);
      if (first === made) return pieces;
      pieces = pieces.reduce((merged, piece) => {
        const left = merged[merged.length - 1];
        if (merged.length && this.ranks.get(`${left} ${piece}`) === first) merged[merged.length - 1] += piece;
        else merged.push(piece);
        return merged;
      }, []);
    }
  }

  box(piece) {
    const node = element("span", piece.length > 1 ? "piece" : "byte");
    node.append(element("span", "", readable(piece)), element("span", "id", this.model.get("ids")[piece]));
    return node;
  }
}

// Text, with spaces that can be seen; part of a sign is a row of hexadecimal numbers.
function readable(piece) {
  const bytes = Uint8Array.from([...piece].map((sign) => SIGNS.indexOf(sign)));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll(" ", "␣");
  } catch {
    return [...bytes].map((byte) => byte.toString(16)).join(" ");
  }
}

function render({ model, el }) {
  const view = new Merges(model, el);
  return () => view.remove();
}

export default { render };
