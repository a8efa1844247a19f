// What the pages need beside their text, for readers who hear them or use the keyboard: headers of
// tables say which way they head, or are none where they are empty; the column of contents and what
// unfolds in it have names, the button for searching has the one that it shows, and what scrolls can be
// reached.
const SCROLLING = ".text_html, [class*='-explorer-page'], div.math, .pst-scrollable-table-container, .claim-figure";

function prepare() {
  for (const header of document.querySelectorAll("th")) {
    if (header.textContent.trim()) continue;
    const cell = document.createElement("td");
    cell.className = header.className;
    header.replaceWith(cell);
  }
  for (const header of document.querySelectorAll("th:not([scope])")) {
    header.scope = header.closest("thead") ? "col" : "row";
  }
  const contents = document.querySelector("#pst-primary-sidebar");
  if (contents) Object.assign(contents, { role: "region", ariaLabel: "contents of the site" });
  document.querySelector(".search-button-field")?.removeAttribute("aria-label");
  for (const summary of document.querySelectorAll(".bd-sidenav summary")) {
    const lesson = summary.closest("li").querySelector("a").textContent.trim();
    summary.ariaLabel = `what belongs to ${lesson}`;
  }
  for (const box of document.querySelectorAll(SCROLLING)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

document.addEventListener("DOMContentLoaded", prepare);
window.addEventListener("load", prepare); // formulas and views have their widths only now
document.addEventListener("toggle", prepare, true); // and so has what unfolds
