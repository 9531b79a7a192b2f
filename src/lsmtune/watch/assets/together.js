"use strict";
// Two studies side by side: of each what it says first, and the sections that can be held against each other.
(() => {
  const SHOWN = new Set(["winners", "comparison", "changes", "phases", "tails", "search", "trust", "warnings"]);
  const columns = [...document.querySelectorAll(".column")];

  // Both columns have the same sections: their names become different.
  const rename = (node, prefix) => {
    for (const name of ["id", "aria-labelledby"]) {
      if (node.hasAttribute(name)) node.setAttribute(name, `${prefix}-${node.getAttribute(name)}`);
    }
  };
  const show = async (column, place) => {
    const trouble = column.querySelector("[data-trouble]");
    const answer = await fetch(`/study/${column.dataset.key}/parts?now=yes`, { credentials: "same-origin" });
    const { parts } = answer.ok ? await answer.json() : { parts: null };
    trouble.hidden = parts !== null;
    if (parts === null) {
      trouble.textContent = "This study cannot be read; its own page says why.";
      return;
    }
    lsmtuneLive.showHead(column.querySelector(".verdict"), parts.head);
    const sections = column.querySelector(".sections");
    sections.innerHTML = parts.html;
    for (const section of [...sections.children]) if (!SHOWN.has(section.id.replace(/^part-/, ""))) section.remove();
    sections.querySelectorAll("[id]").forEach((node) => rename(node, `study-${place}`));
    const plots = [...sections.querySelectorAll(".plot")];
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) lsmtuneChart.draw(target, parts.charts[target.dataset.chart]);
    }, { rootMargin: "400px" });
    plots.forEach((plot) => seen.observe(plot));
  };
  Promise.all(columns.map(show)).then(() => { document.documentElement.dataset.ready = "yes"; });
})();
