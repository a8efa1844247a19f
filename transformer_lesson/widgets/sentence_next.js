// The most probable next pieces, at a temperature; each can be taken instead of the one that was.

// Probabilities of `logits` divided by a temperature, in float32 as the worker computes them.
function tempered(logits, temperature) {
  const highest = largestOf(logits);
  const powers = logits.map((logit) => Math.exp((logit - highest) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

class NextPieces {
  // `take` hears of the id that the reader chose, `free` that the model shall write by itself again.
  constructor(take, free) {
    Object.assign(this, { take, temperature: 1 });
    this.node = buildGroup("next", "next piece");
    this.heading = element("p", "heading");
    this.slider = buildSlider("temperature", [1, 20], (tenths) => (tenths / 10).toFixed(1), (tenths) => {
      this.temperature = tenths / 10;
      this.slider.show(tenths);
      this.draw();
    });
    this.slider.show(10);
    this.list = buildToolbar("candidates", "the most probable pieces");
    const draw = buildButton("act", "draw one", () => this.take(this.drawn()));
    this.freely = buildButton("act", "write freely again", () => {
      draw.focus(); // the button goes when there is nothing to free
      free();
    });
    const row = element("div", "acts");
    row.append(this.slider.node, draw, this.freely);
    this.node.append(this.heading, this.list, row);
  }

  // `best` are the most probable pieces, at any temperature; they are drawn when they are looked at.
  show(words, { logits, best }, taken, given) {
    Object.assign(this, { logits, best, taken });
    this.heading.textContent = words;
    this.freely.hidden = !given;
  }

  draw() {
    const probabilities = tempered(this.logits, this.temperature);
    const rows = this.best.map(({ id, piece }) => {
      const row = buildButton("candidate", "", () => this.take(id));
      Object.assign(row, { title: "take this piece", ariaPressed: id === this.taken });
      const track = element("span", "track");
      track.append(element("span", "amount"));
      track.firstChild.style.width = `${100 * probabilities[id]}%`;
      row.append(element("span", "token", piece), track, element("span", "number", probabilities[id].toFixed(4)));
      return row;
    });
    renew(this.list, rows);
    settle(this.list);
  }

  // A piece drawn by its probability.
  drawn() {
    let left = Math.random();
    const probabilities = tempered(this.logits, this.temperature);
    const found = probabilities.findIndex((probability) => (left -= probability) < 0);
    return found < 0 ? this.taken : found;
  }
}
