root => [...root.querySelectorAll("*")].map(node => {
  const { stroke, display, flexWrap, fontWeight, gridArea, gridTemplateColumns, width } =
    getComputedStyle(node);
  const kind = node.tagName + " " + (node.getAttribute("class") ?? "");
  return [kind, stroke, display, flexWrap, fontWeight, gridArea, gridTemplateColumns, width];
})
