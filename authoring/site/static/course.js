// What the pages need beside their text, for readers who hear them or use the keyboard: headers of
// tables say which way they head, what unfolds in the contents has a name, and what scrolls can be
// reached.
const SCROLLING = ".text_html, [class$='-explorer-page'], div.math, .pst-scrollable-table-container";

function prepare() {
  for (const header of document.querySelectorAll("th:not([scope])")) {
    header.scope = header.closest("thead") ? "col" : "row";
  }
  for (const summary of document.querySelectorAll(".bd-sidenav summary")) {
    const lesson = summary.closest("li").querySelector("a").textContent.trim();
    summary.ariaLabel = `what belongs to ${lesson}`;
  }
  for (const box of document.querySelectorAll(SCROLLING)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

document.addEventListener("DOMContentLoaded", prepare);
// Formulas and views have their widths only now.
window.addEventListener("load", prepare);
