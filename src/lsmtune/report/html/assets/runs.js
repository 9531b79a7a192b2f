"use strict";
// What the report and the live page share: values in words, colours, parallel coordinates over all runs.
// Text of the study is set as text, never as markup.
const lsmtuneRuns = (() => {
  const root = document.documentElement;
  const ROLES = ["paper", "ink", "muted", "line", "accent", "bad"];
  const SHADES = [12, 20, 30, 45]; // opacity of cells in %: "@ink-12"

  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const button = (text, action) => {
    const node = make("button", { type: "button" }, text);
    node.addEventListener("click", action);
    return node;
  };
  // A name in lines of at most so many characters, where it can be broken, and at most three of them
  const folded = (name, most) => {
    const lines = [""];
    for (const part of name.split(/(?<=[_ ])/)) {
      if (lines.at(-1) && lines.at(-1).length + part.length > most) lines.push("");
      lines[lines.length - 1] += part;
    }
    return lines.length > 3 ? [...lines.slice(0, 2), `${lines[2].slice(0, most - 1)}…`] : lines;
  };
  // A title of an axis in one line of at most so many characters, with its unit
  const fitted = (title, most) => {
    if (title.length <= most) return title;
    const unit = title.match(/ \[[^\]]*\]$/)?.[0] ?? "";
    return `${title.slice(0, Math.max(1, most - unit.length - 1))}…${unit}`;
  };

  // Colours

  const colours = () => {
    const style = getComputedStyle(root);
    return Object.fromEntries(ROLES.flatMap((role) => {
      const colour = style.getPropertyValue(`--${role}`).trim();
      const shades = SHADES.map((share) => [`@${role}-${share}`, colour + Math.round(2.55 * share).toString(16).padStart(2, "0")]);
      return [[`@${role}`, colour], ...shades];
    }));
  };

  // Values in words

  const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const rounded = (number) => String(Number(number.toPrecision(4)));
  const stepped = (value, sizes, words, unit) => {
    let step = 0;
    while (step < words.length - 1 && Math.abs(value) >= sizes ** (step + 1)) step += 1;
    return `${rounded(value / sizes ** step)} ${words[step]}${unit}`;
  };
  const words = (column, value) => {
    if (value === null || value === undefined) return "?";
    if (column.names.length) return column.names[Math.round(value)];
    if (column.group === "gain") return `${value.toFixed(2)}x`;
    if (value < 0) return rounded(value);
    if (column.unit === "B" || column.unit.startsWith("B/")) return stepped(value, 1024, ["", "Ki", "Mi", "Gi", "Ti"], column.unit);
    if (column.unit === "ops/s") return stepped(value, 1000, ["", "k", "M"], column.unit);
    if (column.unit === "s") return value >= 1 ? `${rounded(value)} s` : value >= 1e-3 ? `${rounded(value * 1e3)} ms` : `${rounded(value * 1e6)} us`;
    if (column.unit === "share") return `${rounded(value * 100)} %`;
    if (column.unit === "level") return `level ${rounded(value)}`;
    if (["ratio", "count", "number", ""].includes(column.unit)) return rounded(value);
    return `${rounded(value)} ${value === 1 ? column.unit.replace(/s$/, "") : column.unit}`;
  };

  // Parallel coordinates

  class Parallel {
    static NS = "http://www.w3.org/2000/svg";
    static TOP = 62;
    static SIDE = 68;
    static BOTTOM = 26;
    static STEPS = 1000;
    static MOST_ROWS = 40;

    // `table`: all runs as columns; `place`: an element with a height, in a figure with controls and tools.
    constructor(place, table) {
      this.place = place;
      this.table = table;
      this.byName = new Map(this.table.columns.map((column) => [column.name, column]));
      this.axes = this.table.axes.filter((name) => this.byName.has(name));
      this.brushes = new Map();
      this.places = new Map(this.table.columns.map((column) => [column.name, this.positions(column)]));
      const figure = place.parentElement;
      place.classList.add("wide");
      place.setAttribute("tabindex", "0");
      place.setAttribute("role", "group");
      this.status = make("span", { role: "status", id: "selected" });
      this.sliders = make("div", { class: "brushes" });
      this.list = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Selected runs" });
      figure.querySelector(".controls").append(
        button("Best 10 %", () => this.best()), button("Clear", () => this.clear()), this.status, this.chooser(),
      );
      figure.querySelector(".tools").append(button("Save SVG", () => this.save("svg")), button("Save PNG", () => this.save("png")));
      const fold = make("details", { class: "fold", open: "" }, make("summary", {}, "Brushes, also for the keyboard"), this.sliders);
      figure.append(fold, this.list);
      new ResizeObserver(() => this.place.clientWidth !== this.width && this.draw()).observe(place);
      this.draw();
    }

    // Places from 0 to 1 along an axis, null where a value is not known.
    positions(column) {
      const [low, high] = this.ends(column);
      if (low === high) return column.values.map((value) => (value === null ? null : 0.5));
      const at = column.log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
      return column.values.map((value) => (value === null ? null : at(value)));
    }
    ends(column) {
      if (column.names.length) return [0, column.names.length - 1];
      let [low, high] = [Infinity, -Infinity];
      for (const value of column.values) if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
      return [low, high];
    }
    valueAt(column, share) {
      const [low, high] = this.ends(column);
      const value = column.log ? low * (high / low) ** share : low + share * (high - low);
      return column.names.length || column.values.every((each) => each === null || Number.isInteger(each)) ? Math.round(value) : value;
    }

    chooser() {
      const choices = make("div", { class: "choices", role: "group", "aria-label": "Axes" });
      for (const column of this.table.columns) {
        const box = make("input", { type: "checkbox" });
        box.checked = this.axes.includes(column.name);
        box.addEventListener("change", () => {
          this.axes = this.table.columns.map((each) => each.name).filter((name) => (name === column.name ? box.checked : this.axes.includes(name)));
          if (!box.checked) this.brushes.delete(column.name);
          this.draw();
        });
        choices.append(make("label", {}, box, ` ${column.title}`));
      }
      return make("details", {}, make("summary", {}, `Axes (of ${this.table.columns.length})`), choices);
    }

    chosen() {
      const brushes = [...this.brushes].map(([name, ends]) => [this.places.get(name), ends]);
      const within = (row) => brushes.every(([places, [low, high]]) => places[row] !== null && places[row] >= low - 1e-6 && places[row] <= high + 1e-6);
      return this.table.runs.map((_, row) => within(row));
    }
    brush(name, low, high) {
      if (low <= 0 && high >= 1) this.brushes.delete(name);
      else this.brushes.set(name, [low, high]);
      this.select();
    }
    clear() {
      this.brushes.clear();
      this.draw();
    }
    best() {
      const name = this.byName.has("gain") ? "gain" : this.axes.at(-1);
      const column = this.byName.get(name);
      const places = this.places.get(name).filter((place) => place !== null).sort((a, b) => a - b);
      if (!places.length) return;
      const count = Math.max(1, Math.round(places.length / 10));
      if (!this.axes.includes(name)) this.axes.push(name);
      this.brushes.set(name, column.better === "lower" ? [0, places[count - 1]] : [places[places.length - count], 1]);
      this.draw();
    }

    node(tag, attributes, parent) {
      const node = document.createElementNS(Parallel.NS, tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      parent.append(node);
      return node;
    }
    y(share) {
      return Parallel.TOP + (1 - share) * (this.height - Parallel.TOP - Parallel.BOTTOM);
    }
    draw() {
      this.width = this.place.clientWidth;
      this.height = Number(this.place.dataset.height);
      const width = Math.max(this.width, this.axes.length * 96);
      const gap = (width - 2 * Parallel.SIDE) / Math.max(1, this.axes.length - 1);
      this.x = new Map(this.axes.map((name, place) => [name, Parallel.SIDE + place * gap]));
      const svg = document.createElementNS(Parallel.NS, "svg");
      for (const [name, value] of Object.entries({ width, height: this.height, viewBox: `0 0 ${width} ${this.height}`, "aria-hidden": "true" })) svg.setAttribute(name, value);
      this.lines = this.table.runs.map((_, row) => this.node("path", { d: this.path(row) }, svg));
      this.marks = new Map();
      for (const name of this.axes) this.drawAxis(svg, this.byName.get(name), gap);
      this.place.replaceChildren(svg);
      this.svg = svg;
      this.drawSliders();
      this.select();
    }
    path(row) {
      let [text, gap] = ["", true];
      for (const name of this.axes) {
        const share = this.places.get(name)[row];
        if (share !== null) text += `${gap ? "M" : "L"}${this.x.get(name).toFixed(1)} ${this.y(share).toFixed(1)}`;
        gap = share === null;
      }
      return text;
    }
    drawAxis(svg, column, gap) {
      const x = this.x.get(column.name);
      const text = (words, y, look) => { this.node("text", { x, y, "text-anchor": "middle", class: look }, svg).textContent = words; };
      this.node("line", { x1: x, x2: x, y1: this.y(0), y2: this.y(1), class: "axis" }, svg);
      folded(column.title, Math.max(9, Math.floor(gap / 7.5))).forEach((line, place, all) => text(line, 12 + 13 * (place + 3 - all.length), "name"));
      if (column.names.length) column.names.forEach((name, place) => text(name, this.y(column.names.length > 1 ? place / (column.names.length - 1) : 0.5) + (place ? -5 : 14), ""));
      else [0, 1].forEach((share) => text(words(column, this.valueAt(column, share)), this.y(share) + (share ? -5 : 16), ""));
      this.marks.set(column.name, this.node("rect", { x: x - 9, width: 18, class: "brush", visibility: "hidden" }, svg));
      const grip = this.node("rect", { x: x - 16, width: 32, y: this.y(1), height: this.y(0) - this.y(1), class: "grip", "data-axis": column.name }, svg);
      grip.addEventListener("pointerdown", (event) => this.drag(event, grip, column.name));
    }
    drag(event, grip, name) {
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      const share = (at) => Math.min(1, Math.max(0, (this.y(0) - (at.clientY - this.svg.getBoundingClientRect().top)) / (this.y(0) - this.y(1))));
      const start = share(event);
      const move = (at) => this.brush(name, Math.min(start, share(at)), Math.max(start, share(at)));
      const end = (at) => {
        grip.removeEventListener("pointermove", move);
        grip.removeEventListener("pointerup", end);
        if (Math.abs(share(at) - start) < 0.01) this.brush(name, 0, 1); // a click takes the brush away
      };
      grip.addEventListener("pointermove", move);
      grip.addEventListener("pointerup", end);
    }

    drawSliders() {
      this.sliders.replaceChildren(...this.axes.map((name) => {
        const column = this.byName.get(name);
        const slider = (what) => make("input", { type: "range", min: 0, max: Parallel.STEPS, "data-brush": name, "aria-label": `${what} ${column.title}` });
        const [low, high, told] = [slider("least"), slider("largest"), make("output")];
        const changed = (moved) => {
          if (Number(low.value) > Number(high.value)) (moved === low ? high : low).value = moved.value;
          this.brush(name, Number(low.value) / Parallel.STEPS, Number(high.value) / Parallel.STEPS);
        };
        low.addEventListener("input", () => changed(low));
        high.addEventListener("input", () => changed(high));
        return make("fieldset", { "data-of": name }, make("legend", {}, column.title), low, high, told);
      }));
    }
    select() {
      const chosen = this.chosen();
      const any = this.brushes.size > 0;
      this.lines.forEach((line, row) => line.setAttribute("class", any ? (chosen[row] ? "run on" : "run off") : "run"));
      if (any) this.lines.forEach((line, row) => chosen[row] && this.svg.insertBefore(line, this.svg.querySelector("line")));
      for (const name of this.axes) this.showBrush(name);
      const rows = this.table.runs.map((_, row) => row).filter((row) => chosen[row]);
      this.status.textContent = any ? `${rows.length} of ${plural(this.table.runs.length, "run")} selected` : `${plural(this.table.runs.length, "run")}; drag along an axis to select`;
      this.showRows(rows);
    }
    showBrush(name) {
      const ends = this.brushes.get(name);
      const [low, high] = ends ?? [0, 1];
      const mark = this.marks.get(name);
      mark.setAttribute("visibility", ends ? "visible" : "hidden");
      mark.setAttribute("y", this.y(high) - 2);
      mark.setAttribute("height", Math.max(this.y(low) - this.y(high), 0) + 4);
      const fieldset = [...this.sliders.children].find((each) => each.dataset.of === name);
      const [least, most] = fieldset.querySelectorAll("input");
      [least.value, most.value] = [Math.round(low * Parallel.STEPS), Math.round(high * Parallel.STEPS)];
      const column = this.byName.get(name);
      const told = [low, high].map((share) => words(column, this.valueAt(column, share)));
      least.setAttribute("aria-valuetext", told[0]);
      most.setAttribute("aria-valuetext", told[1]);
      fieldset.querySelector("output").textContent = ends ? `${told[0]} to ${told[1]}` : "all";
    }
    showRows(rows) {
      const gain = this.byName.get("gain");
      const best = gain ? rows.slice().sort((a, b) => (gain.values[b] ?? -1) - (gain.values[a] ?? -1)) : rows;
      const columns = this.axes.map((name) => this.byName.get(name));
      const body = best.slice(0, Parallel.MOST_ROWS).map((row) =>
        make("tr", {}, ...[String(this.table.runs[row][0]), this.table.runs[row][1], this.table.runs[row][2], ...columns.map((column) => words(column, column.values[row]))].map((text) => make("td", { class: text.length < 26 ? "short" : "" }, text))));
      const head = make("tr", {}, ...["run", "what", "status", ...columns.map((column) => column.title)].map((text) => make("th", { scope: "col" }, text)));
      const caption = rows.length > body.length ? `The first ${body.length} of ${plural(rows.length, "selected run")}` : plural(rows.length, "selected run");
      const shown = this.brushes.size ? make("table", { id: "selected-runs" }, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body)) : "";
      this.list.replaceChildren(shown);
      this.list.hidden = !this.brushes.size;
    }

    // A picture of its own: the colours of the theme are written into it.
    picture() {
      const palette = colours();
      const copy = this.svg.cloneNode(true);
      const rules = [...document.styleSheets[0].cssRules].filter((rule) => rule.selectorText?.startsWith(".wide "));
      const text = rules.map((rule) => rule.cssText.replaceAll(".wide ", "")).join("\n").replace(/var\(--(\w+)\)/g, (_, role) => palette[`@${role}`]);
      copy.setAttribute("xmlns", Parallel.NS);
      copy.setAttribute("font-family", "sans-serif");
      const style = document.createElementNS(Parallel.NS, "style");
      style.textContent = text;
      copy.prepend(style);
      return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
    }
    save(format) {
      const address = URL.createObjectURL(this.picture());
      const keep = (href) => make("a", { href, download: `parallel.${format}` }).click();
      if (format === "svg") {
        keep(address);
        return;
      }
      const image = new Image();
      image.addEventListener("load", () => {
        const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
        const context = canvas.getContext("2d");
        context.fillStyle = colours()["@paper"];
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        keep(canvas.toDataURL("image/png"));
      });
      image.src = address;
    }
  }

  return { make, button, folded, fitted, colours, words, plural, Parallel };
})();
