"use strict";

// Sorts and filters the table of learners; without it the table is complete, in order of names.
// It stands inside the page, so it does without the two signs that tags are made of.
const body = document.querySelector("table.learners tbody");
const rows = Array.from(body.rows);
const heads = Array.from(document.querySelector("table.learners thead tr").cells);
const find = document.getElementById("find");
const show = document.getElementById("show");
const shown = document.getElementById("shown");
const byWord = new Intl.Collator(undefined, { numeric: true });

function value(row, column) {
  return row.cells[column].dataset.value ?? row.cells[column].textContent;
}

function compare(a, b) {
  return a === "" || b === "" || isNaN(a) || isNaN(b) ? byWord.compare(a, b) : a - b;
}

function sort(column) {
  const before = heads[column].ariaSort;
  // At first names go up and points down.
  const up = before ? before === "descending" : column === 0;
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].ariaSort = up ? "ascending" : "descending";
  rows.sort(function (a, b) {
    return (up ? 1 : -1) * compare(value(a, column), value(b, column));
  });
  body.append(...rows);
}

function filter() {
  const words = find.value.toLocaleLowerCase();
  for (const row of rows) {
    const named = row.cells[0].textContent.toLocaleLowerCase().includes(words);
    const meant = !show.value || row.dataset.show.split(" ").includes(show.value);
    row.hidden = !(named && meant);
  }
  const left = body.querySelectorAll("tr:not([hidden])").length;
  shown.textContent = `${left} of ${rows.length} shown`;
}

for (const [column, head] of heads.entries()) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.addEventListener("click", sort.bind(null, column));
  head.append(button);
}
find.addEventListener("input", filter);
show.addEventListener("change", filter);
document.getElementById("tools").hidden = false;
