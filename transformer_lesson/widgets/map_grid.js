// A grid of attention maps, with one row highlighted in all of them.

const MOST_COLUMNS = 4; // maps in a line
const LARGEST_CELL = 24; // pixels

class MapGrid extends AttentionView {
  // `names` has a name for each map, and `lines` the indices of the maps in each line. `largest` is
  // the longer side of a map in pixels.
  buildGrid(names, lines, largest) {
    this.names = names;
    const columns = Math.max(...lines.map((line) => line.length));
    const [queryTitle, keyTitle] = this.titles();
    const cell = Math.max(1, largest / Math.max(this.rows, this.columns));
    const size = Array(2).fill(Math.min(LARGEST_CELL, cell));
    this.heatmaps = names.map(() => new Heatmap(this.rows, this.columns, size));
    this.tops = names.map(() => element("div", "top"));
    this.rowLabels = [];
    const grid = element("div", "heads");
    grid.style.gridTemplateColumns = `repeat(${columns + 1}, auto)`;
    setCell(grid, this.heatmaps[0]);
    for (const line of lines) {
      const rest = range(columns - line.length).map(() => element("div"));
      const labels = buildLabels(this.queryTokens, "row-labels", size[1]);
      this.rowLabels.push(labels.children);
      grid.append(element("div", "row-name", queryTitle));
      grid.append(...line.map((i) => element("div", "name", names[i])), ...rest);
      grid.append(labels, ...line.map((i) => this.heatmaps[i].node), ...rest.map((n) => n.cloneNode()));
      grid.append(element("div", "row-name", "strongest key"), ...line.map((i) => this.tops[i]));
      grid.append(...rest.map((node) => node.cloneNode()));
    }
    const keys = () => buildLabels(this.keyTokens, "column-labels", size[0]);
    const shown = range(columns).map(keys);
    grid.append(element("div", "row-name", keyTitle), ...shown);
    this.columnLabels = shown.map((labels) => labels.children);
    this.takeKeys(grid);
    this.heatmaps.forEach((heatmap) => this.follow(heatmap));
    this.heading = element("p", "heading");
    this.aloud = announcer("aloud");
    return grid;
  }

  // Takes one map for each name; the colors go from 0 to the largest of all weights.
  paint(weights) {
    this.weights = weights;
    weights.forEach((map, i) => this.heatmaps[i].paint(map, 0, this.maps.largest || 1));
  }

  // The row marked in all maps: the pinned one, or else the one under the cursor.
  row() {
    return this.model.get("pinned") ?? this.cursor?.row ?? null;
  }

  // What tells these maps from others of the view, such as the layer.
  where() {
    return "";
  }

  mark() {
    const cell = this.cursor;
    this.heatmaps.forEach((heatmap, i) => {
      const weight = cell && this.weights[i][cell.row * this.columns + cell.column];
      const words = cell && heatmap === (this.under ?? this.heatmaps[0]);
      heatmap.mark(cell, words ? [this.names[i], ...this.describe(weight, cell)] : []);
    });
    for (const label of this.current ?? []) label.classList.remove("lesson-current");
    this.current = cell
      ? [
          ...this.rowLabels.map((labels) => labels[cell.row]),
          ...this.columnLabels.map((labels) => labels[cell.column]),
        ]
      : [];
    for (const label of this.current) label.classList.add("lesson-current");
    if (this.row() !== this.listed) this.list();
  }

  list() {
    const row = this.row();
    this.listed = row;
    const words = this.weights.map((map, i) => {
      this.heatmaps[i].markRows([row]);
      return row === null ? "" : this.strongest(map.subarray(row * this.columns).subarray(0, this.columns));
    });
    words.forEach((text, i) => {
      this.tops[i].textContent = text;
    });
    const pinned = this.model.get("pinned") === null ? "" : ", pinned";
    const hint = "Point at a row, or use the arrow keys; a click or Enter pins it.";
    this.heading.textContent = row === null ? hint : `query ${this.query(row)}${pinned}`;
    const said = words.map((text, i) => `${this.names[i]}: ${text}`);
    this.aloud.textContent =
      row === null ? "" : `${this.where()}${this.heading.textContent}. Strongest key of ${said.join("; ")}`;
  }

  strongest(row) {
    const weight = largestOf(row);
    return weight > 0 ? `${this.key(row.indexOf(weight))} ${weight.toFixed(4)}` : "nothing";
  }
}
