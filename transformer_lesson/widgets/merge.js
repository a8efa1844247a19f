// A typed text in pieces, after as many of the learned merges as the slider says.

// How GPT-2 cuts a text before any merge.
const CUTS = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

class Merges extends View {
  constructor(model, el) {
    super(model, el, "merge-explorer");
    const numbers = numbersOf(model.get("data"), Uint32Array);
    this.idOf = numbers.subarray(0, 256);
    this.bytesOf = new Map([...this.idOf].map((id, byte) => [id, [byte]]));
    this.merges = new Map();
    for (let at = 256; at < numbers.length; at += 3) {
      const [left, right, id] = numbers.subarray(at, at + 3);
      this.bytesOf.set(id, [...this.bytesOf.get(left), ...this.bytesOf.get(right)]);
      this.merges.set(`${left} ${right}`, { rank: (at - 256) / 3, id });
    }
    this.stops = model.get("stops");
    this.field = element("input", "field");
    this.field.setAttribute("aria-label", "text");
    this.field.value = model.get("text");
    this.field.addEventListener("input", () => this.set("text", this.field.value));
    const say = (place) => grouped(this.stops[place]);
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
    let pieces = [...new TextEncoder().encode(word)].map((byte) => this.idOf[byte]);
    for (;;) {
      const merges = pieces.slice(1).map((right, i) => this.merges.get(`${pieces[i]} ${right}`));
      const rank = Math.min(...merges.map((merge) => merge?.rank ?? made));
      if (!(rank < made)) return pieces;
      pieces = pieces.reduce((merged, piece) => {
        const merge = this.merges.get(`${merged[merged.length - 1]} ${piece}`);
        if (merge?.rank === rank) merged[merged.length - 1] = merge.id;
        else merged.push(piece);
        return merged;
      }, []);
    }
  }

  box(id) {
    const bytes = this.bytesOf.get(id);
    const node = element("span", bytes.length > 1 ? "piece" : "byte");
    node.append(element("span", "", readable(bytes)), element("span", "id", id));
    return node;
  }
}

// Text, with spaces that can be seen; part of a sign is a row of hexadecimal numbers.
function readable(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
    return text.replaceAll(" ", "␣");
  } catch {
    return bytes.map((byte) => byte.toString(16)).join(" ");
  }
}

function render({ model, el }) {
  const view = new Merges(model, el);
  return () => view.remove();
}

export default { render };
