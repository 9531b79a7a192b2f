"use strict";
// Draws the figures of a report and answers to pointer and keys. Text of the study is set as text, never as markup.
(() => {
  const { figures, table } = JSON.parse(document.getElementById("data").textContent);
  const { make, button, folded, colours, words, plural, Parallel } = lsmtuneRuns;
  const root = document.documentElement;
  const OPTIONS = { displayModeBar: false, responsive: true, doubleClick: "reset" };
  const PRINT_WIDTH = 660;
  const drawn = new Map(); // place of a figure -> its data and layout, with roles for colours

  // plotly reads a few HTML tags in names and notes
  const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  // Colours

  const filled = (value, palette) => {
    if (typeof value === "string") return palette[value] ?? value;
    if (Array.isArray(value)) return value.map((each) => filled(each, palette));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, palette)]));
  };

  // Figures

  const layoutFor = (figure, place) => {
    const layout = filled(figure.layout, colours());
    if (place.clientWidth < 520) {
      layout.margin = { ...layout.margin, l: 40, r: 8 };
      layout.xaxis.title.text = folded(layout.xaxis.title.text, 32).join("<br>");
      const names = layout.yaxis.ticktext;
      if (names) layout.yaxis.ticktext = names.map((name) => (name.length > 20 ? `${name.slice(0, 19)}…` : name));
    }
    return layout;
  };
  const draw = (place, figure = figures[place.dataset.chart]) => {
    drawn.set(place, figure);
    return Plotly.react(place, filled(figure.data, colours()), layoutFor(figure, place), OPTIONS);
  };
  const redraw = (extra = {}) => {
    for (const [place, figure] of drawn) {
      Plotly.react(place, filled(figure.data, colours()), { ...layoutFor(figure, place), ...extra }, OPTIONS);
    }
    parallel?.draw();
  };
  const saveFigure = (place, format) =>
    Plotly.downloadImage(place, { format, filename: place.dataset.chart, width: 900, height: Number(place.dataset.height) || 400, scale: format === "png" ? 2 : 1 });

  const prepare = (place) => {
    place.style.minHeight = `${place.dataset.height}px`;
    place.parentElement.querySelector(".tools").append(
      button("Save SVG", () => saveFigure(place, "svg")),
      button("Save PNG", () => saveFigure(place, "png")),
      button("Whole range", () => draw(place, drawn.get(place))),
    );
  };

  // Two indicators against each other

  const tradeoff = (place) => {
    const figure = figures[place.dataset.chart];
    const status = make("span", { role: "status" });
    const choose = (text, at) => {
      const select = make("select");
      for (const column of table.judged) select.append(new Option(table.columns[column].title, column));
      select.value = String(at);
      select.addEventListener("change", update);
      return [make("label", {}, text, select), select];
    };
    const titled = (text) => table.judged.find((at) => plain(table.columns[at].axis) === text) ?? table.judged[0];
    const [xLabel, xSelect] = choose("across", titled(figure.layout.xaxis.title.text));
    const [yLabel, ySelect] = choose("up", titled(figure.layout.yaxis.title.text));
    place.parentElement.querySelector(".controls").append(xLabel, yLabel, status);

    function update() {
      const [xAt, yAt] = [Number(xSelect.value), Number(ySelect.value)];
      const [x, y] = [table.columns[xAt], table.columns[yAt]];
      const front = new Set(table.fronts[`${Math.min(xAt, yAt)},${Math.max(xAt, yAt)}`] ?? []);
      const rows = table.runs.map((_, row) => row).filter((row) => table.usable[row] && x.values[row] !== null && y.values[row] !== null);
      const onFront = rows.filter((row) => front.has(row));
      const points = (look, part) => ({
        ...look,
        x: part.map((row) => x.values[row] / x.factor),
        y: part.map((row) => y.values[row] / y.factor),
        text: part.map((row) => plain(`run ${table.runs[row][0]}, ${table.runs[row][1]}`)),
      });
      const [run, best, reference, verified] = ["run", "on the front", "reference", "verified"].map((name) => figure.data.find((trace) => trace.name === name));
      const bars = (column, values) =>
        column.noise === null ? undefined : {
          type: "data", symmetric: false, color: "@ink", thickness: 1.5, width: 4,
          array: values.map((value) => value * Math.expm1(column.noise)),
          arrayminus: values.map((value) => -value * Math.expm1(-column.noise)),
        };
      const data = [points(run, rows)];
      if (best && onFront.length) {
        const trace = points(best, onFront);
        data.push({ ...trace, error_x: bars(x, trace.x), error_y: bars(y, trace.y) });
      }
      if (reference && x.reference !== null && y.reference !== null) {
        data.push({ ...reference, x: [x.reference / x.factor], y: [y.reference / y.factor] });
      }
      const fresh = table.verified.filter((each) => x.name in each.at && y.name in each.at);
      if (verified && fresh.length) {
        const spans = (column) => ({
          type: "data", symmetric: false, color: "@ink", thickness: 1.5, width: 4,
          array: fresh.map(({ at }) => (at[column.name][2] - at[column.name][0]) / column.factor),
          arrayminus: fresh.map(({ at }) => (at[column.name][0] - at[column.name][1]) / column.factor),
        });
        const along = (column) => fresh.map(({ at }) => at[column.name][0] / column.factor);
        data.push({ ...verified, x: along(x), y: along(y), error_x: spans(x), error_y: spans(y), text: fresh.map(({ name }) => plain(name)) });
      }
      const axis = (old, column) => ({ ...old, title: { ...old.title, text: plain(column.axis) } });
      const layout = { ...figure.layout, xaxis: axis(figure.layout.xaxis, x), yaxis: axis(figure.layout.yaxis, y) };
      status.textContent = `${onFront.length} of ${plural(rows.length, "run")} on the front; better: ${x.better} ${x.title}, ${y.better} ${y.title}`;
      place.setAttribute("aria-label", `${x.title} against ${y.title}: ${status.textContent}`);
      place.parentElement.querySelector("figcaption strong").textContent = `${x.title} against ${y.title}.`;
      place.parentElement.querySelector("figcaption .alt").textContent = (onFront.length && (x.noise ?? y.noise) !== null ? "Bars on the front: one standard deviation of repeated runs. " : "")
        + "Single runs; no claim." + (verified && fresh.length ? " Crosses: verified finalists with their intervals." : "");
      draw(place, { data, layout });
    }
  };

  // The page

  const explorer = (place) => place.closest("figure").dataset.explorer;
  const places = [...document.querySelectorAll(".plot")];
  const plots = places.filter((place) => explorer(place) !== "parallel");
  const crossed = places.find((place) => explorer(place) === "parallel");
  plots.forEach(prepare);
  plots.filter((place) => explorer(place) === "tradeoff").forEach(tradeoff);
  const parallel = crossed ? new Parallel(crossed, table) : null;

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !drawn.has(target)) draw(target);
    }
  }, { rootMargin: "400px" });
  plots.forEach((place) => seen.observe(place));

  const theme = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const showTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    theme.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
    redraw();
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  showTheme();

  let before = null;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme ?? "";
    root.dataset.theme = "light";
    plots.filter((place) => place.offsetParent !== null && !drawn.has(place)).forEach((place) => draw(place));
    redraw({ width: PRINT_WIDTH });
  });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    showTheme();
  });
  root.dataset.ready = "yes";
})();
