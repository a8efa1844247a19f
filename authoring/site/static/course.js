// What the pages need beside their text. Headers of tables say which way they head, and what scrolls
// can be reached with the keyboard.
const SCROLLING = ".text_html, [class$='-explorer-page'], div.math, .pst-scrollable-table-container";

function prepare() {
  for (const header of document.querySelectorAll("th:not([scope])")) {
    header.scope = header.closest("thead") ? "col" : "row";
  }
  for (const box of document.querySelectorAll(SCROLLING)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

document.addEventListener("DOMContentLoaded", prepare);
// Formulas and views have their widths only now.
window.addEventListener("load", prepare);
