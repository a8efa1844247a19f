// The list of claims, to search and to filter. Without this script it is the whole list.
{
  const form = document.querySelector(".claims-filter");
  const claims = [...document.querySelectorAll(".claim")].map((node) => ({
    node,
    words: node.textContent.toLowerCase(),
  }));

  function show() {
    const chosen = new FormData(form);
    const verdicts = chosen.getAll("verdict");
    const words = chosen.get("text").toLowerCase().split(/\s+/);
    const lesson = chosen.get("lesson");
    let count = 0;
    for (const { node, words: text } of claims) {
      const fits =
        (!lesson || node.dataset.lesson === lesson) &&
        (!verdicts.length || verdicts.includes(node.dataset.verdict)) &&
        words.every((word) => text.includes(word));
      node.hidden = !fits;
      count += fits;
    }
    const all = count === claims.length ? "all" : `${count} of`;
    form.querySelector(".claims-count").textContent = `${all} ${claims.length} claims`;
  }

  // An address may ask: README.html?verdict=false&lesson=05.
  for (const [name, value] of new URLSearchParams(location.search)) {
    for (const field of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (field.type === "checkbox") field.checked ||= field.value === value;
      else field.value = value;
    }
  }
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  // A link to a claim shows it, whatever was chosen before.
  addEventListener("hashchange", () => {
    if (document.querySelector(":target")?.hidden) form.reset();
    show();
  });
  show();
}
