// A walk over the tiles, and for each step its words and the state of every row.
([shape, numbers, scale, rules]) => {
  const walk = new TileWalk(givenOf(shape, numbers, scale), rules);
  return {
    tiles: walk.steps.map(({ rows, columns, partly }) => [rows, columns, partly]),
    skipped: walk.tiles.filter(({ skipped }) => skipped).map(({ rows, columns }) => [rows, columns]),
    steps: walk.steps.map((_, step) => ({
      read: Object.fromEntries(walk.moves[step].read),
      written: Object.fromEntries(walk.moves[step].written),
      held: Object.fromEntries(walk.held(step)),
      finished: walk.finishedRows(step).rows,
      largest: walk.finishedRows(step).error,
      rows: walk.scores.map((_, row) => walk.row(row, step)),
    })),
  };
}
