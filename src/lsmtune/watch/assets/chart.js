"use strict";
// Draws a chart, as the report describes it, with uPlot: axes, zoom and cursor are its; marks are painted here, so that
// they have the shapes of the report and read without colour.
const lsmtuneChart = (() => {
  const { make, button, colours, fitted } = lsmtuneRuns;
  const NEAR = 24; // pixels within which a pointer means a point
  const SYMBOLS = { dot: "●", cross: "✕", reference: "◇", estimate: "■", star: "★", verified: "✚", line: "━", step: "━", dashed: "╍", dotted: "┄", dashdot: "┅", faint: "─" };
  const ROLE = { cross: "@bad", verified: "@bad", dashdot: "@bad", dot: "@accent", dotted: "@accent", bar: "@accent", "bar-thick": "@accent", dashed: "@muted", faint: "@line" };
  const DASHES = { dashed: [7, 5], dotted: [2, 4], dashdot: [8, 4, 2, 4] };
  const WIDTHS = { "bar-thin": 3, bar: 7, "bar-thick": 13, faint: 1 };
  const CELLS = { "cell-1": "@accent-45", "cell-2": "@ink-12", "cell-3": "@ink-30", "cell-4": "@bad-20", "cell-open": "" };
  const LINES = new Set(["line", "step", "dashed", "dotted", "dashdot", "faint", "bar-thin", "bar", "bar-thick"]);
  const charts = new Map(); // place -> what is drawn there

  // The ends of an axis: what is drawn, with some room around it.
  const ends = (chart, name) => {
    const axis = chart[name];
    if (axis.labels.length) return [-0.5, axis.labels.length - 0.5];
    if (axis.ends) return axis.ends;
    let [low, high] = [Infinity, -Infinity];
    const meet = (value) => { if (value !== null && (!axis.log || value > 0)) [low, high] = [Math.min(low, value), Math.max(high, value)]; };
    for (const series of chart.series) {
      series[name].forEach(meet);
      for (const span of series[`${name}Span`] ?? []) span.forEach(meet);
    }
    for (const level of chart.levels) if (level.axis === name) meet(level.at);
    if (low > high) return axis.log ? [1, 10] : [0, 1];
    if (axis.log) return [low / 1.15, high * 1.15];
    const room = low === high ? Math.abs(low) * 0.05 || 1 : (high - low) * 0.05;
    return [low - room, high + room];
  };
  const dummy = (chart) => {
    const [x, y] = [ends(chart, "x"), ends(chart, "y")];
    return [[x[0], x[1]], [y[0], y[1]]];
  };

  const short = (value) => {
    if (value === null) return "";
    if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return Number(value.toPrecision(3)).toExponential();
    return String(Number(value.toPrecision(4)));
  };

  // With as many places as the step between two ticks has.
  const stepped = (value, step) => {
    const places = (String(Number(step.toPrecision(6))).split(".")[1] ?? "").length;
    return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3) ? short(value) : value.toFixed(places);
  };

  const options = (state, width, height) => {
    const { chart, palette } = state;
    const font = "12px system-ui, sans-serif";
    const axis = (name, narrow) => {
      const told = chart[name];
      const names = told.labels.map((each) => (each.length > 24 ? `${each.slice(0, 23)}…` : each));
      const long = names.reduce((most, each) => Math.max(most, each.length), 0);
      const made = {
        stroke: palette["@ink"], font, labelFont: font, label: told.title ? fitted(told.title, narrow) : undefined,
        grid: { stroke: palette["@line"], width: 1 },
        labelSize: 20, labelGap: 0, size: 34, gap: 4, ticks: { stroke: palette["@line"], width: 1, size: 5 },
        values: (_, values, __, ___, step) => values.map((value) => (value === null ? "" : `${told.log ? short(value) : stepped(value, step)}${told.suffix}`)),
      };
      if (names.length) {
        made.splits = () => names.map((_, place) => place);
        made.values = (_, places) => places.map((place) => names[place] ?? "");
        made.grid = { show: false };
        if (name === "y") made.size = Math.min(190, 24 + 7 * long);
        else if (long * 8 * names.length > width) made.rotate = -40, made.size = Math.min(150, 40 + 5 * long);
      } else if (name === "y") {
        made.size = (u, values) => 22 + 7 * Math.max(3, ...(values ?? []).map((value) => (value ?? "").length));
      }
      return made;
    };
    const scale = (name) => ({
      time: false, distr: chart[name].log ? 3 : 1, dir: name === "y" && chart.y.labels.length ? -1 : 1,
      range: (_, low, high) => (low === null || low === high ? ends(chart, name) : [low, high]),
    });
    return {
      width, height, padding: [10, 14, 0, 0], legend: { show: false },
      scales: { x: scale("x"), y: scale("y") },
      axes: [axis("x", Math.floor(width / 8)), axis("y", Math.floor(height / 7))],
      series: [{}, { paths: () => null, points: { show: false } }],
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false }, focus: { prox: -1 } },
      hooks: { draw: [(u) => paint(u, state)] },
    };
  };

  // Painting

  const paint = (u, { chart, palette }) => {
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const at = (name, value) => u.valToPos(value, name, true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const level of chart.levels) paintLevel(ctx, bbox, level, at, palette, ratio);
    for (const series of chart.series) {
      if (series.mark in CELLS) paintCells(ctx, chart, series, at, palette, ratio);
      else if (LINES.has(series.mark)) paintLine(ctx, series, at, palette, ratio);
      else paintPoints(ctx, series, at, palette, ratio);
    }
    ctx.restore();
  };
  const paintLevel = (ctx, bbox, level, at, palette, ratio) => {
    const place = at(level.axis, level.at);
    ctx.strokeStyle = palette["@muted"];
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 4 * ratio]);
    ctx.beginPath();
    if (level.axis === "x") ctx.moveTo(place, bbox.top), ctx.lineTo(place, bbox.top + bbox.height);
    else ctx.moveTo(bbox.left, place), ctx.lineTo(bbox.left + bbox.width, place);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = palette["@muted"];
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = level.axis === "x" ? "left" : "right";
    ctx.textBaseline = level.axis === "x" ? "top" : "bottom";
    if (level.axis === "x") ctx.fillText(level.name, place + 3 * ratio, bbox.top + 2 * ratio);
    else ctx.fillText(level.name, bbox.left + bbox.width - 4 * ratio, place - 2 * ratio);
  };
  const paintLine = (ctx, series, at, palette, ratio) => {
    ctx.strokeStyle = palette[ROLE[series.mark] ?? "@ink"];
    ctx.lineWidth = (WIDTHS[series.mark] ?? 2) * ratio;
    ctx.setLineDash((DASHES[series.mark] ?? []).map((each) => each * ratio));
    ctx.beginPath();
    let before = null;
    series.x.forEach((value, place) => {
      if (value === null || series.y[place] === null) { before = null; return; }
      const [x, y] = [at("x", value), at("y", series.y[place])];
      if (before === null) ctx.moveTo(x, y);
      else {
        if (series.mark === "step") ctx.lineTo(x, before);
        ctx.lineTo(x, y);
      }
      before = y;
    });
    ctx.stroke();
    ctx.setLineDash([]);
  };
  const paintPoints = (ctx, series, at, palette, ratio) => {
    const colour = palette[ROLE[series.mark] ?? "@ink"];
    ctx.strokeStyle = ctx.fillStyle = colour;
    series.x.forEach((value, place) => {
      if (value === null || series.y[place] === null) return;
      const [x, y] = [at("x", value), at("y", series.y[place])];
      ctx.lineWidth = 1.5 * ratio;
      ctx.strokeStyle = palette["@ink"];
      paintSpan(ctx, series.xSpan?.[place], (end) => [at("x", end ?? value), y], [0, 4 * ratio]);
      paintSpan(ctx, series.ySpan?.[place], (end) => [x, at("y", end ?? series.y[place])], [4 * ratio, 0]);
      ctx.strokeStyle = colour;
      shape(ctx, series.mark, x, y, ratio);
    });
    ctx.globalAlpha = 1;
  };
  // An end that is not known, or that nothing bounds, is at the point.
  const paintSpan = (ctx, span, where, [dx, dy]) => {
    if (!span?.some((end) => end !== null)) return;
    const [low, high] = span.map(where);
    ctx.beginPath();
    ctx.moveTo(...low);
    ctx.lineTo(...high);
    for (const [x, y] of [low, high]) ctx.moveTo(x - dx, y - dy), ctx.lineTo(x + dx, y + dy);
    ctx.stroke();
  };
  const shape = (ctx, mark, x, y, ratio) => {
    const r = { dot: 3.5, cross: 3.5, reference: 5, estimate: 4.5, star: 8, verified: 5.5 }[mark] * ratio;
    ctx.lineWidth = (mark === "verified" ? 3 : 1.8) * ratio;
    ctx.globalAlpha = mark === "dot" ? 0.75 : 1;
    ctx.beginPath();
    if (mark === "dot") ctx.arc(x, y, r, 0, 2 * Math.PI), ctx.fill();
    else if (mark === "estimate") ctx.fillRect(x - r, y - r, 2 * r, 2 * r);
    else if (mark === "cross") ctx.moveTo(x - r, y - r), ctx.lineTo(x + r, y + r), ctx.moveTo(x - r, y + r), ctx.lineTo(x + r, y - r), ctx.stroke();
    else if (mark === "verified") ctx.moveTo(x - r, y), ctx.lineTo(x + r, y), ctx.moveTo(x, y - r), ctx.lineTo(x, y + r), ctx.stroke();
    else if (mark === "reference") ctx.moveTo(x, y - r), ctx.lineTo(x + r, y), ctx.lineTo(x, y + r), ctx.lineTo(x - r, y), ctx.closePath(), ctx.stroke();
    else if (mark === "star") {
      for (let point = 0; point < 10; point += 1) {
        const [angle, radius] = [(point * Math.PI) / 5 - Math.PI / 2, point % 2 ? r * 0.42 : r];
        ctx.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
      }
      ctx.closePath();
      ctx.fill();
    }
  };
  const paintCells = (ctx, chart, series, at, palette, ratio) => {
    const [width, height] = chart.cell;
    series.x.forEach((x, place) => {
      const y = series.y[place];
      const [left, right] = [at("x", x - width / 2), at("x", x + width / 2)];
      const [top, bottom] = [at("y", y - height / 2), at("y", y + height / 2)];
      const box = [Math.min(left, right), Math.min(top, bottom), Math.abs(right - left), Math.abs(bottom - top)];
      const colour = palette[CELLS[series.mark]];
      if (colour) ctx.fillStyle = colour, ctx.fillRect(...box);
      else ctx.strokeStyle = palette["@muted"], ctx.lineWidth = ratio, ctx.strokeRect(...box);
      const lines = (series.texts?.[place] ?? "").split("\n");
      ctx.fillStyle = palette["@ink"];
      ctx.font = `${12 * ratio}px system-ui, sans-serif`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      lines.forEach((line, row) => ctx.fillText(line, (left + right) / 2, (top + bottom) / 2 + (row - (lines.length - 1) / 2) * 14 * ratio, box[2] - 4));
    });
  };

  // What a pointer over a point says

  const nearest = (u, chart) => {
    const [left, top] = [u.cursor.left, u.cursor.top];
    let [best, words] = [NEAR ** 2, () => ""];
    if (left === null || left < 0) return "";
    for (const series of chart.series) {
      const noteOf = series.noteOf ?? (series.notes && ((at) => series.notes[at]));
      if (!noteOf) continue;
      for (let place = 0; place < series.x.length; place += 1) {
        if (series.x[place] === null || series.y[place] === null) continue;
        const far = (u.valToPos(series.x[place], "x") - left) ** 2 + (u.valToPos(series.y[place], "y") - top) ** 2;
        if (far < best) [best, words] = [far, () => noteOf(place)];
      }
    }
    return words();
  };
  const point = (u, state) => {
    const words = nearest(u, state.chart);
    state.tip.hidden = !words;
    if (!words) return;
    state.tip.textContent = words;
    const right = u.cursor.left > u.over.clientWidth / 2;
    state.tip.style.left = right ? "" : `${u.over.offsetLeft + u.cursor.left + 12}px`;
    state.tip.style.right = right ? `${u.root.clientWidth - u.over.offsetLeft - u.cursor.left + 12}px` : "";
    state.tip.style.top = `${Math.max(0, u.over.offsetTop + u.cursor.top - 30)}px`;
  };

  // A chart in its place

  const legend = (state) => {
    const shown = state.chart.legend && state.chart.series.length > 1 ? state.chart.series.filter((each) => !(each.mark in CELLS)) : [];
    state.names.replaceChildren(...shown.map((series) => {
      const sign = make("span", { "aria-hidden": "true" }, SYMBOLS[series.mark] ?? "▬");
      sign.style.color = state.palette[ROLE[series.mark] ?? "@ink"];
      return make("li", {}, sign, ` ${series.name}`);
    }));
  };
  const build = (place, state) => {
    state.palette = colours();
    state.plot?.destroy();
    const width = place.clientWidth;
    state.width = width;
    if (!width) { state.plot = null; return; }
    const made = options(state, width, state.chart.height || Number(place.dataset.height));
    made.hooks.setCursor = [(u) => point(u, state)];
    state.plot = new uPlot(made, dummy(state.chart), state.canvas);
    legend(state);
  };
  const sameAxes = (one, other) => ["x", "y"].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));

  const draw = (place, chart) => {
    let state = charts.get(place);
    if (!state) {
      state = { chart, tip: make("div", { class: "tip", hidden: "" }), names: make("ul", { class: "legend", "aria-hidden": "true" }), canvas: make("div") };
      place.replaceChildren(state.names, state.canvas, state.tip);
      const tools = place.parentElement.querySelector(".tools");
      tools?.replaceChildren(button("Whole range", () => state.plot?.setData(dummy(state.chart))), button("Save PNG", () => save(place)));
      charts.set(place, state);
      new ResizeObserver(() => place.clientWidth !== state.width && build(place, state)).observe(place);
      build(place, state);
      return;
    }
    const before = state.chart;
    state.chart = chart;
    if (!state.plot || !sameAxes(before, chart)) build(place, state);
    else {
      const zoomed = ["x", "y"].some((name) => { const [low, high] = ends(before, name); return state.plot.scales[name].min > low || state.plot.scales[name].max < high; });
      state.plot.setData(dummy(chart), !zoomed);
      if (zoomed) state.plot.redraw();
      legend(state);
    }
  };
  const save = (place) => {
    const { plot, chart, palette } = charts.get(place);
    const source = plot.ctx.canvas;
    const copy = make("canvas", { width: source.width, height: source.height });
    const ctx = copy.getContext("2d");
    ctx.fillStyle = palette["@paper"];
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(source, 0, 0);
    make("a", { href: copy.toDataURL("image/png"), download: `${chart.name}.png` }).click();
  };
  const forget = (place) => {
    charts.get(place)?.plot?.destroy();
    charts.delete(place);
  };
  addEventListener("theme", () => { for (const [place, state] of charts) build(place, state); });

  return { draw, forget };
})();
