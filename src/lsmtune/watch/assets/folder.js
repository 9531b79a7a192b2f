"use strict";
// Keeps the list of studies up to date.
(() => {
  const body = document.getElementById("studies");
  const cell = (row, place, text) => { if (row.cells[place].textContent !== text) row.cells[place].textContent = text; };
  lsmtuneLive.follow("/events", {
    studies: (states) => {
      const rows = new Map([...body.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row]));
      if (states.length !== rows.size || states.some((state) => !rows.has(state.key))) {
        location.reload();
        return;
      }
      for (const state of states) {
        const row = rows.get(state.key);
        cell(row, 1, state.kind);
        cell(row, 2, lsmtuneLive.stateWord(state).toLowerCase());
        cell(row, 3, state.running ? state.stage : "");
        cell(row, 4, String(state.runs));
        cell(row, 5, state.left_s === null ? "" : `about ${lsmtuneLive.seconds(state.left_s)}`);
      }
      document.documentElement.dataset.ready = "yes";
    },
  });
})();
