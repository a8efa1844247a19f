root => [...root.querySelectorAll("button, select, input, summary")]
  .filter(node => node.checkVisibility())
  .map(node => [node.getBoundingClientRect(), node.className])
  .filter(([box]) => box.width < 24 || box.height < 24).map(([, name]) => name)
