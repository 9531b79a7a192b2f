"use strict";
// Light or dark: as the system says, or as the reader has chosen on this machine.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
      button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
      dispatchEvent(new Event("theme"));
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* then it is for this page alone */ }
      show();
    });
    system.addEventListener("change", show);
    show();
  });
})();
