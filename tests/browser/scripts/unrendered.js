() => [...document.querySelectorAll(".math")].filter(formula =>
  !formula.querySelector("mjx-container") || formula.querySelector("[data-mml-node=merror]")
).map(formula => formula.textContent)
