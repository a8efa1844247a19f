// The landing page: the button for light and dark, and the machine, which begins by itself.
const look = document.querySelector(".look");

function name() {
  look.textContent = ROOT.dataset.theme === "dark" ? "light" : "dark";
}

look.hidden = false;
name();
look.addEventListener("click", () => {
  turn(look.textContent);
  name();
});
PREFERS_DARK.addEventListener("change", () => {
  turn(ROOT.dataset.mode);
  name();
});

// Nine megabytes: not for readers who save data; their model is loaded when they enter the field.
addEventListener("load", () => {
  if (navigator.connection?.saveData) return;
  const machine = document.querySelector(".machine");
  const begin = () => machine.querySelector("input[type=text]")?.dispatchEvent(new Event("focus"));
  // The view may stand there already, or its program is still being unpacked.
  const waiting = new MutationObserver(() => begin() && waiting.disconnect());
  if (!begin()) waiting.observe(machine, { childList: true, subtree: true });
});
