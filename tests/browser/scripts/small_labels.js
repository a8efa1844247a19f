// Labels smaller than 11 px on the screen, however far the drawing shrinks.
root => [...root.querySelectorAll("svg text")]
  .filter(node => node.checkVisibility()).map(node => [node.textContent,
    parseFloat(getComputedStyle(node).fontSize) * node.ownerSVGElement.getScreenCTM().a])
  .filter(([, size]) => size < 11)
