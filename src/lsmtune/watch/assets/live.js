"use strict";
// Follows a stream of events, and goes on where it was when the server comes back.
const lsmtuneLive = (() => {
  const AGAIN_MS = 1000;

  // `heard`: what to do by name of the event; `lost` is called with whether the page is cut off. A page that nobody sees
  // does not listen: browsers allow few streams at once, and the machine may be measuring.
  const follow = (address, heard, lost = () => {}) => {
    let [last, source, again] = ["", null, null];
    const open = () => {
      source?.close();
      clearTimeout(again);
      source = new EventSource(last ? `${address}?after=${encodeURIComponent(last)}` : address);
      source.addEventListener("open", () => lost(false));
      for (const [name, action] of Object.entries(heard)) {
        source.addEventListener(name, (event) => {
          last = event.lastEventId || last;
          action(JSON.parse(event.data));
        });
      }
      source.addEventListener("error", () => {
        lost(true);
        if (source.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS); // else the browser tries again
      });
    };
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) open();
      else source.close();
    });
    open();
  };

  const seconds = (value) => {
    if (value === null || value === undefined) return "?";
    const whole = Math.max(0, Math.round(value));
    if (whole < 60) return `${value < 10 ? Math.max(0, value).toFixed(1) : whole} s`;
    if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`;
    return `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")}m`;
  };
  const stateWord = (state) => (state.trouble ? "Cannot be read" : state.running ? "Running" : state.done ? "Finished" : state.heard_at !== null ? "Perhaps running" : "Not running");

  // Fills in what a study says first.
  const showHead = (place, head) => {
    place.hidden = false;
    place.dataset.state = head.state;
    for (const node of place.querySelectorAll("[data-of]")) node.textContent = head[node.dataset.of];
    place.querySelector(".gain").parentElement.hidden = !head.gain;
  };

  return { follow, seconds, stateWord, showHead };
})();
