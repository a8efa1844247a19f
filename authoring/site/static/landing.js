// The landing page: the button for light and dark, the machine, which begins by itself and lights the
// parts of a lesson, and the button that keeps all pages for reading without a network.
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

// A lesson under the pointer or the focus lights its parts in the machine; one that builds none is about all.
const said = document.querySelector(".steps .lights");
const invitation = "Point at a lesson, and see its parts.";
said.textContent = invitation;
for (const link of document.querySelectorAll("[data-lights]")) {
  const light = (on) => {
    const parts = [...document.querySelectorAll(".machine .lesson-part")];
    const kinds = link.dataset.lights.split("|").map((kind) => `lesson-${kind.replaceAll(" ", "-")}`);
    const own = parts.filter(({ classList }) => kinds.some((kind) => classList.contains(kind)));
    for (const part of parts) part.classList.toggle("of-lesson", on && (own.length ? own : parts).includes(part));
    said.textContent = on && link.title ? link.title : invitation;
  };
  for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => light(true));
  for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => light(false));
}

// All pages are kept in the browser when the reader asks for it; not where they were opened from a disk.
const keep = document.querySelector(".keep");
const [ask, kept] = keep.children;

function isActive(worker) {
  return new Promise((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("not every file arrived; try again"));
    });
  });
}

async function keepAll() {
  ask.disabled = true;
  kept.textContent = "Keeping it …";
  try {
    const { installing } = await navigator.serviceWorker.register("offline.js");
    if (installing) await isActive(installing);
    kept.textContent = "It is kept: all pages open without a network.";
  } catch (error) {
    kept.textContent = `It could not be kept: ${error.message}`;
    ask.disabled = false;
  }
}

if (location.protocol !== "file:" && "serviceWorker" in navigator) {
  keep.hidden = false;
  ask.addEventListener("click", keepAll);
  // Whoever has asked before gets what is new.
  navigator.serviceWorker.getRegistration().then((known) => known && keepAll());
}

// Nine megabytes: not for readers who save data; their model is loaded when they enter the field.
addEventListener("load", () => {
  if (navigator.connection?.saveData) return;
  const machine = document.querySelector(".machine");
  const begin = () => machine.querySelector("input[type=text]")?.dispatchEvent(new Event("focus"));
  // The view may stand there already, or its program is still being unpacked.
  const waiting = new MutationObserver(() => begin() && waiting.disconnect());
  if (!begin()) waiting.observe(machine, { childList: true, subtree: true });
});
