"use strict";
// The page of a study: follows it, and shows what changed. Text of the study is set as text, never as markup; the
// sections come as HTML from the server, which escapes them.
(() => {
  const { make, button, words, plural, Parallel } = lsmtuneRuns;
  const { follow, seconds, stateWord, showHead } = lsmtuneLive;
  const verdict = document.querySelector(".verdict");
  const key = document.body.dataset.key;
  const base = `/study/${key}`;
  const byId = (id) => document.getElementById(id);
  const [ID, PURPOSE, ARM, STATUS, STARTED, ELAPSED, BLOCK, RUNG, VALUES] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const SEARCHED = new Set(["trial", "sample", "test"]);
  const REFERENCE = new Set(["baseline", "anchor"]); // and of other starting points, by their arms
  const DRAW_MS = 400;
  const TICK_MS = 500;
  const UNITS = { "B": 1 / 2 ** 20, "B/s": 1 / 2 ** 20, "ops/s": 1e-3, "s": 1, "share": 100 };
  const UNIT_WORDS = { "B": "MiB", "B/s": "MiB/s", "ops/s": "kops/s", "s": "s", "share": "%" };

  let state = null;
  let ahead = 0; // by how much the server's clock is ahead of this one, in s
  const rows = []; // by id less one
  const set = (id, text) => { const node = byId(id); if (node.textContent !== text) node.textContent = text; };
  const told = async (address, options) => {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    if (!answer.ok && answer.status !== 409) throw new Error(`${answer.status}`);
    return answer.json();
  };

  const now = () => Date.now() / 1000 + ahead;

  // Where it stands

  const left = () => {
    if (!state.running || state.left_s === null) return null;
    const since = state.left_at === null ? 0 : now() - state.left_at;
    return Math.max(0, state.left_s - Math.max(0, since));
  };
  const stage = () => {
    if (state.running) return state.stage ? `${state.stage}${state.purpose ? `: ${state.purpose}` : ""}` : "";
    if (state.done) return "";
    if (state.heard_at !== null) return `last heard ${seconds(now() - state.heard_at)} ago from ${state.holder}, which is not seen from here`;
    return "the same command goes on where it stopped";
  };
  const showState = () => {
    const word = stateWord(state);
    if (byId("state").textContent !== word) set("heard", `The study is ${word.toLowerCase()}`);
    set("state", word);
    document.title = `${word}: ${state.name} - lsmtune watch`;
    document.body.dataset.state = state.running ? "running" : state.done ? "finished" : "stopped";
    const counts = Object.entries(state.counts).map(([status, number]) => `${number} ${status}`).join(", ");
    set("counts", `${plural(state.runs, "run")}${counts ? `: ${counts}` : ""}; ${seconds(state.spent_s)} of running`);
    set("trouble", state.trouble);
    verdict.querySelector(".next").hidden = state.running; // it says what to do when the study stands still
    const stop = byId("stop");
    if (stop) stop.hidden = !(state.running && state.stoppable);
    tick();
  };
  const tick = () => {
    if (!state) return;
    set("stage", stage());
    const rest = left();
    byId("progress").hidden = rest === null;
    if (rest !== null) {
      byId("bar").value = state.spent_s / Math.max(1e-9, state.spent_s + rest * state.at_once);
      set("left", `about ${seconds(rest)} left`);
    }
    const since = state.started_at === null ? null : now() - state.started_at;
    const usual = state.typical_s === null ? "" : `, runs take about ${seconds(state.typical_s)}`;
    set("run", state.run === null ? "" : `Run ${state.run}${state.about ? `: ${state.about}` : ""}, for ${seconds(Math.max(0, since ?? 0))}${usual}`);
  };
  setInterval(tick, TICK_MS);

  // Value against time, and the front

  const choices = () => {
    const fill = (id, chosen) => {
      const select = byId(id);
      const before = select.value;
      select.replaceChildren(...state.indicators.map((each, place) => new Option(each.title, place)));
      select.value = before && before < state.indicators.length ? before : String(Math.min(chosen, state.indicators.length - 1));
    };
    if (byId("value-of").options.length === state.indicators.length) return;
    fill("value-of", 0);
    fill("front-x", 0);
    fill("front-y", 1);
  };
  const axis = (indicator) => ({
    title: `${indicator.title}${UNIT_WORDS[indicator.unit] ? ` [${UNIT_WORDS[indicator.unit]}]` : ""}`, labels: [], log: false, suffix: "", ends: null,
  });
  const scaled = (indicator, value) => (value === null ? null : value * (UNITS[indicator.unit] ?? 1));
  const note = (row) => `run ${row[ID]}, ${row[ARM]} (${row[PURPOSE]}), ${row[STATUS]}`;
  // The runs with all of the data that count: those that went well, and disturbed ones that are used, unless they were made
  // again.
  const counting = () => {
    const place = (row) => `${row[PURPOSE]} ${row[ARM]} ${row[BLOCK]}`;
    const whole = rows.filter((row) => row[RUNG] === "1");
    const last = new Map(whole.map((row) => [place(row), row[ID]]));
    return whole.filter((row) => row[STATUS] === "ok" || (row[STATUS] === "disturbed" && state.uses_disturbed && last.get(place(row)) === row[ID]));
  };
  const kind = (row) => (row[ARM] === state.reference ? "reference" : REFERENCE.has(row[PURPOSE]) ? "star" : SEARCHED.has(row[PURPOSE]) ? "dot" : "estimate");
  const names = () => ({ reference: "the reference", star: "another starting point", dot: state.kind === "tune" ? "run of the search" : "run of the design", estimate: "fresh run of a candidate" });

  const valueChart = () => {
    const place = Number(byId("value-of").value);
    const indicator = state.indicators[place];
    const overTime = byId("value-over").value === "time";
    const known = counting().filter((row) => row[VALUES + place] !== null && row[STARTED] !== null);
    const begin = rows.find((row) => row[STARTED] !== null)?.[STARTED] ?? 0;
    const at = (row) => (overTime ? (row[STARTED] + (row[ELAPSED] ?? 0) - begin) / 60 : row[ID]);
    const series = Object.entries(names()).map(([mark, name]) => {
      const mine = known.filter((row) => kind(row) === mark);
      const noteOf = (at) => `${note(mine[at])}: ${words({ names: [], group: "", unit: indicator.unit }, mine[at][VALUES + place])}`;
      return { name, mark, x: mine.map(at), y: mine.map((row) => scaled(indicator, row[VALUES + place])), noteOf };
    });
    const best = { name: "best of the search so far", mark: "step", x: [], y: [] };
    let most = null;
    for (const row of indicator.better && state.kind === "tune" ? known.filter((each) => kind(each) === "dot") : []) {
      const value = scaled(indicator, row[VALUES + place]);
      most = most === null ? value : indicator.better === "higher" ? Math.max(most, value) : Math.min(most, value);
      best.x.push(at(row));
      best.y.push(most);
    }
    const x = { title: overTime ? "time since the first run [min]" : "run", labels: [], log: false, suffix: "", ends: null };
    return { name: "value", title: "Value against time", height: 0, legend: true, cell: [1, 1], x, y: axis(indicator), series: [...series, best].filter((each) => each.x.length), levels: [] };
  };
  // The rows that no other row beats in both, of those equal in both all; in the order of the first.
  const paretoFront = (points) => {
    const front = [];
    let [least, last] = [Infinity, null];
    for (const point of points.slice().sort((a, b) => a.x - b.x || a.y - b.y || a.row[ID] - b.row[ID])) {
      if (point.y < least || (last && point.x === last.x && point.y === last.y)) {
        front.push(point.row);
        [least, last] = [Math.min(least, point.y), point];
      }
    }
    return front;
  };
  const frontChart = () => {
    const places = [Number(byId("front-x").value), Number(byId("front-y").value)];
    const [x, y] = places.map((place) => state.indicators[place]);
    const known = counting().filter((row) => places.every((place) => row[VALUES + place] !== null));
    const searched = known.filter((row) => kind(row) === "dot");
    const sign = (indicator) => (indicator.better === "higher" ? -1 : 1);
    const points = searched.map((row) => ({ row, x: sign(x) * row[VALUES + places[0]], y: sign(y) * row[VALUES + places[1]] }));
    const front = x.better && y.better ? paretoFront(points) : [];
    const part = (name, mark, some) => ({ name, mark, x: some.map((row) => scaled(x, row[VALUES + places[0]])), y: some.map((row) => scaled(y, row[VALUES + places[1]])), noteOf: (at) => note(some[at]) });
    const series = [part("run", "dot", searched), part("the reference", "reference", known.filter((row) => kind(row) === "reference")), part("another starting point", "star", known.filter((row) => kind(row) === "star")), part("on the front", "estimate", front)];
    const none = ["steps", "compare"].includes(state.kind) ? "Nothing is searched here: what the user named is compared." : "No run of the search yet.";
    set("front-told", !searched.length ? none : `${front.length} of ${plural(searched.length, "run")} of the ${state.kind === "tune" ? "search" : "design"} on the front: no other is better in both. Single runs; no claim.`);
    byId("front-runs").replaceChildren(...front.slice(0, 200).map((row) => make("li", {}, make("a", { href: `${base}/run/${row[ID]}` }, `run ${row[ID]}`), ` ${row[ARM]}: ${places.map((place) => words({ names: [], group: "", unit: state.indicators[place].unit }, row[VALUES + place])).join(", ")}`)));
    return { name: "front", title: "What is on the front", height: 0, legend: true, cell: [1, 1], x: axis(x), y: axis(y), series: series.filter((each) => each.x.length), levels: [] };
  };
  let drawing = null;
  const drawLive = () => {
    drawing = null;
    if (!state?.indicators.length) return;
    choices();
    lsmtuneChart.draw(document.querySelector("[data-live=value]"), valueChart());
    lsmtuneChart.draw(document.querySelector("[data-live=front]"), frontChart());
    document.documentElement.dataset.drawn = String(rows.length);
    performance.mark("drawn");
  };
  const drawSoon = (ready) => {
    if (document.documentElement.dataset.drawn) drawing ??= setTimeout(drawLive, rows.length > 2000 ? 2 * DRAW_MS : DRAW_MS);
    else if (ready) drawLive(); // for the first time, as soon as all runs are there
  };
  for (const id of ["value-of", "value-over", "front-x", "front-y"]) byId(id).addEventListener("change", drawLive);

  // What it says so far: the sections of the report

  let parallel = null;
  let parts = null;
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) drawPart(target);
  }, { rootMargin: "400px" });
  const drawPart = (place) => {
    if (!parts || !place.isConnected || place.dataset.version === String(parts.version)) return;
    const figure = place.closest("figure");
    const across = figure.dataset.explorer === "parallel";
    if (across && figure.contains(document.activeElement)) { // its controls are made anew: it waits until the focus has left
      figure.addEventListener("focusout", () => setTimeout(() => drawPart(place)), { once: true });
      return;
    }
    place.dataset.version = parts.version;
    if (across) drawParallel(place);
    else lsmtuneChart.draw(place, parts.charts[place.dataset.chart]);
  };
  const drawParallel = (place) => {
    const before = parallel;
    for (const name of [".controls", ".tools"]) place.closest("figure").querySelector(name).replaceChildren();
    place.closest("figure").querySelectorAll(":scope > .brushes, :scope > .fold, :scope > .scroll").forEach((node) => node.remove());
    parallel = new Parallel(place, parts.table);
    if (before) {
      parallel.axes = before.axes.filter((name) => parallel.byName.has(name));
      parallel.brushes = new Map([...before.brushes].filter(([name]) => parallel.axes.includes(name)));
      parallel.draw();
    }
  };
  // Sections that say the same stay as they are: what is open, chosen or has the focus in them too.
  const showSections = () => {
    const fresh = make("div");
    fresh.innerHTML = parts.html;
    const holder = byId("parts");
    const sections = [...fresh.children].map((section) => {
      const old = byId(section.id);
      const text = section.outerHTML;
      if (old && holder.contains(old) && (old.lsmtuneHtml === text || old.contains(document.activeElement))) return old;
      section.lsmtuneHtml = text;
      if (old) {
        const open = new Set([...old.querySelectorAll("details[open] > summary")].map((each) => each.textContent));
        for (const each of section.querySelectorAll("details > summary")) each.parentElement.open = open.has(each.textContent);
        old.querySelectorAll(".plot").forEach((place) => { seen.unobserve(place); lsmtuneChart.forget(place); });
      }
      return section;
    });
    // One that stays is not taken out and put in again, which would cost it the focus.
    for (const child of [...holder.children]) if (!sections.includes(child)) child.remove();
    sections.forEach((section, place) => {
      if (holder.children[place] !== section) holder.insertBefore(section, holder.children[place] ?? null);
    });
    for (const place of holder.querySelectorAll(".plot")) { seen.unobserve(place); seen.observe(place); }
    const ways = sections.map((section) => make("li", {}, make("a", { href: `#${section.id}`, "data-part": "" }, section.querySelector("h2").textContent)));
    byId("ways").querySelectorAll("[data-part]").forEach((way) => way.parentElement.remove());
    byId("ways").children[0].after(...ways);
  };
  const showParts = (found) => {
    parts = found;
    showHead(verdict, parts.head);
    showSections();
    showAge();
    document.documentElement.dataset.parts = String(parts.runs);
  };
  const showAge = () => {
    const behind = state && parts ? state.runs - parts.runs : 0;
    const others = parts?.left_out ? parts.left_out + parts.table.runs.length - parts.best : 0;
    const few = others ? ` Lines across options show ${parts.table.runs.length} runs: ${parts.best ? `the best ${parts.best}, and an even share of the other ${others}` : `an even share of all ${others}`}.` : "";
    const waits = state?.running ? "The verdict so far is not put together beside the run that is under way: that would take processor time from it." : "";
    const text = !parts ? waits : behind > 0 ? `The verdict and the sections are as of run ${parts.runs}; ${behind} more since.${few}` : few;
    const node = byId("as-of");
    if (node.dataset.text === text) return;
    node.dataset.text = text;
    node.replaceChildren(text, ...(text && (behind > 0 || !parts) ? [" ", button("Bring up to date", () => fetchParts(true))] : []));
  };
  let fetching = false;
  let missed = false; // there was news while the last was still on its way
  const fetchParts = async (now = false) => {
    missed = fetching;
    if (fetching) return;
    fetching = true;
    try {
      const found = (await told(`${base}/parts${now ? "?now=yes" : ""}`)).parts;
      if (found && found.version !== parts?.version) showParts(found);
      else showAge();
    } catch { /* the events say when it is worth another try */ }
    fetching = false;
    if (missed) fetchParts();
  };

  // Runs, a page at a time

  let page = 1;
  let chosen = [];
  const showRuns = async () => {
    const found = await told(`${base}/runs?page=${page}&only=${encodeURIComponent(byId("only").value)}`);
    page = found.page;
    const list = byId("run-list");
    if (list.lsmtuneHtml !== found.html) {
      list.lsmtuneHtml = found.html;
      const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
      list.innerHTML = found.html;
      for (const box of list.querySelectorAll("[name=pair]")) {
        box.checked = chosen.includes(box.value);
        if (focused && box.getAttribute("aria-label") === focused) box.focus();
      }
    }
    set("page", `page ${found.page} of ${found.pages}, ${plural(found.runs, "run")}`);
    byId("newer").disabled = found.page <= 1;
    byId("older").disabled = found.page >= found.pages;
  };
  const turn = (by) => { page += by; showRuns(); };
  byId("newer").addEventListener("click", () => turn(-1));
  byId("older").addEventListener("click", () => turn(1));
  byId("only").addEventListener("change", () => { page = 1; showRuns(); });
  byId("run-list").addEventListener("change", ({ target }) => {
    chosen = chosen.filter((each) => each !== target.value);
    if (target.checked) chosen.push(target.value);
    while (chosen.length > 2) {
      const dropped = chosen.shift();
      const box = byId("run-list").querySelector(`[name=pair][value="${dropped}"]`);
      if (box) box.checked = false;
    }
    byId("compare").disabled = chosen.length !== 2;
  });
  byId("compare").addEventListener("click", () => { location.href = `${base}/pair?a=${chosen[0]}&b=${chosen[1]}`; });
  let listing = null;
  const showRunsSoon = () => { listing ??= setTimeout(() => { listing = null; showRuns().catch(() => {}); }, DRAW_MS); };

  // Stopping

  if (byId("stop")) {
    byId("stop").addEventListener("click", () => byId("sure").showModal());
    byId("stop-no").addEventListener("click", () => byId("sure").close());
    byId("stop-yes").addEventListener("click", async () => {
      byId("sure").close();
      set("said", (await told(`${base}/stop`, { method: "POST" })).said);
    });
  }

  // Following

  let mark = "";
  follow(`${base}/events`, {
    reset: (found) => {
      rows.length = 0;
      if (mark && mark !== found.mark) { // another study has taken the place of this one
        parts = null;
        byId("parts").replaceChildren();
        fetchParts();
      }
      mark = found.mark;
    },
    state: (found) => {
      const before = state;
      state = found;
      ahead = found.now - Date.now() / 1000;
      showState();
      choices();
      showAge();
      if (before && (before.running !== state.running || before.done !== state.done)) fetchParts();
    },
    runs: (found) => {
      for (const row of found.rows) rows[row[ID] - 1] = row;
      drawSoon(found.ready);
      if (found.ready || found.rows.length) showRunsSoon();
    },
    parts: () => fetchParts(),
  }, (lost) => {
    document.body.dataset.lost = lost ? "yes" : "no";
    if (lost) set("state", "Cut off: the server is not there; this page goes on when it is back");
    else if (state) showState();
  });
  // The sections take the server a moment, and what can be shown at once comes first.
  showRuns().catch(() => {}).then(() => setTimeout(fetchParts, rows.length ? 0 : DRAW_MS));
  document.documentElement.dataset.ready = "yes";
})();
