// The smallest contrast between the letters of a view and what is behind it.
() => {
  const numbers = (element, property) =>
    getComputedStyle(element)[property].match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = color.map((v) => v / 255).map(
      (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = numbers(element, "backgroundColor");
    return color[3] === 0 ? behind(element.parentElement) : light(color);
  };
  return Math.min(21, ...[...document.querySelectorAll(".lesson-view")].map((view) => {
    const [letters, ground] = [light(numbers(view, "color")), behind(view)];
    return (Math.max(letters, ground) + 0.05) / (Math.min(letters, ground) + 0.05);
  }));
}
