// Rows of numbers as bands of color: blue below 0, orange above. The pointer and the arrow keys tell
// each number.

const BAND = 13; // pixels, the height of a row
const NAMES = 86; // pixels beside it for its name

class Bands extends MapView {
  // `rows` are {name, numbers, more, share}: `more` are words behind the band, the last of them with a
  // bar as long as `share`, and a row without numbers is hidden from the one that asks. `room` is the
  // width of all in pixels.
  constructor(title, rows, room, columns = []) {
    const node = element("div", "bands-of");
    super(null, node, "sentence-bands");
    this.node = node;
    const width = rows.find(({ numbers }) => numbers).numbers.length;
    const cell = Math.max(1, Math.floor((room - NAMES - 52 * columns.length) / width));
    Object.assign(this, { title, given: rows, rows: rows.length, columns: width });
    this.heatmap = new Heatmap(this.rows, width, [cell, BAND], BLUE_ORANGE);
    this.heatmap.canvas.style.maxWidth = "100%";
    // Near 0 the ground shows, so that a band is no white slab in the dark.
    const seen = (i) => Math.round(255 * Math.sqrt(Math.abs(i / 127.5 - 1)));
    this.heatmap.ramp = this.heatmap.ramp.map((color, i) => (color & 0xffffff) | (seen(i) << 24));
    const all = rows.flatMap(({ numbers }) => (numbers ? [...numbers] : Array(width).fill(0)));
    const most = largestOf(all.map(Math.abs)) || 1;
    this.heatmap.paint(all, -most, most);
    const table = element("div", "band-rows");
    table.style.gridTemplateColumns = `${NAMES}px auto ${columns.map(() => "48px").join(" ")}`;
    table.style.gridAutoRows = `${BAND}px`;
    setCell(table, this.heatmap);
    if (columns.length) table.append(element("span"), element("span"), ...columns.map((words) => element("span", "column", words)));
    const first = columns.length ? 2 : 1;
    this.heatmap.node.style.gridArea = `${first} / 2 / span ${rows.length}`;
    rows.forEach(({ name, numbers, more = [], share = 0, marked }, i) => {
      const label = element("span", numbers ? "band-name" : "band-name lesson-coming", name);
      if (marked) label.classList.add("lesson-marked");
      label.title = name;
      label.style.gridRow = first + i;
      const behind = more.map((words, at) => this.buildMore(words, first + i, at));
      behind.at(-1)?.style.setProperty("--share", `${100 * share}%`);
      table.append(label, ...behind);
    });
    table.append(this.heatmap.node);
    this.aloud = announcer("aloud");
    const caption = element("p", "caption", title);
    const scale = element("span", "scale");
    scale.style.backgroundImage = `linear-gradient(to right, ${BLUE_ORANGE.with(BLUE_ORANGE.length >> 1, "transparent").join(", ")})`;
    caption.append(scale);
    node.append(caption, table, this.aloud);
    this.takeKeys(table);
    this.follow(this.heatmap);
    table.setAttribute("aria-label", `${title}: ${rows.map(({ name, more = [] }) => [name, ...more].join(" ")).join(", ")}. Arrow keys tell each number.`);
  }

  buildMore(words, row, at) {
    const node = element("span", "more", words);
    node.style.gridArea = `${row} / ${3 + at}`;
    return node;
  }

  mark() {
    const cell = this.cursor;
    if (!cell) return this.heatmap.mark(null);
    const { name, numbers } = this.given[cell.row];
    const words = [name, numbers ? `number ${cell.column}: ${numbers[cell.column].toFixed(4)}` : "hidden by the mask"];
    this.heatmap.mark(cell, words);
    this.aloud.textContent = words.join(", ");
  }
}
