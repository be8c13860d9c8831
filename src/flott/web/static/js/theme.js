// Light or dark: as the system says, or as the reader chose. Loaded before the page is drawn, so that nothing flashes.
"use strict";

(() => {
  const CHOICES = ["auto", "light", "dark"];
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    const choice = localStorage.getItem("flott-theme");
    return CHOICES.includes(choice) ? choice : "auto";
  };

  const apply = () => {
    const choice = stored();
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const button = document.getElementById("theme");
    if (button !== null) button.textContent = `Theme: ${choice}`;
  };

  apply();
  system.addEventListener("change", apply);
  addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").onclick = () => {
      localStorage.setItem("flott-theme", CHOICES[(CHOICES.indexOf(stored()) + 1) % CHOICES.length]);
      apply();
    };
  });
})();
