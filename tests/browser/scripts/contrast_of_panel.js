// The smallest contrast between the text of the panel and the background of the notebook.
() => {
  const panel = document.querySelector('.jp-OutputArea [role=status]');
  const light = (element, property) => {
    const numbers = getComputedStyle(element)[property].match(/[\d.]+/g).map(Number);
    const [r, g, b] = numbers.map(v => v / 255).map(
      v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = light(document.querySelector('.jp-NotebookPanel-notebook'), 'backgroundColor');
  const ratios = [...panel.querySelectorAll('strong, td, th, summary')].map(element => {
    const letters = light(element, 'color');
    return (Math.max(letters, behind) + 0.05) / (Math.min(letters, behind) + 0.05);
  });
  return Math.min(...ratios);
}
