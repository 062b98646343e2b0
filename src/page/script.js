"use strict";
// The state of the page stands in the fragment of its address: TABLE.view, TABLE.sort, TABLE.filter and cell.
// Whatever comes from results reaches the page by textContent, never as markup.
(() => {
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const drawn = (name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const copyable = (pre) => {
    const button = make("button", { type: "button" }, "Copy");
    const text = pre.textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(pre.querySelector("code"));
        button.textContent = "Press Ctrl+C";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    pre.append(button);
    return pre;
  };
  document.querySelectorAll(".command").forEach(copyable);

  // The state.
  const anchor = () => location.hash.length > 1 && !location.hash.includes("=");
  const state = () => new URLSearchParams(anchor() ? "" : location.hash.slice(1));
  const change = (changes, replaces) => {
    const next = state();
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === "") next.delete(key); else next.set(key, value);
    }
    const address = location.pathname + location.search + (next.size ? "#" + next : "");
    history[replaces ? "replaceState" : "pushState"](null, "", address);
    show();
  };

  // The tables.
  const tables = [...document.querySelectorAll("article.table")].map((article) => {
    const id = article.dataset.table;
    const start = article.dataset.view;
    const body = article.querySelector("tbody");
    const rows = [...body.rows];
    const heads = [...article.querySelectorAll("thead th")];
    const views = {};
    const tools = make("div", { class: "tools" });
    if (article.hasAttribute("data-compared")) {
      const names = { both: "Side by side", ours: "Ours", paper: "Published", difference: "Difference" };
      const choice = make("fieldset", { "aria-label": "What cells show" });
      for (const [view, name] of Object.entries(names)) {
        views[view] = make("button", { type: "button", "data-view-of": view }, name);
        views[view].addEventListener("click", () => change({ [id + ".view"]: view === start ? null : view }));
        choice.append(views[view]);
      }
      tools.append(choice);
    }
    const filter = make("input", { type: "search", placeholder: "Filter rows", "aria-label": "Filter rows of " + id });
    filter.addEventListener("input", () => change({ [id + ".filter"]: filter.value }, true));
    tools.append(filter);
    article.querySelector(".scroll").before(tools);
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", title: "Sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const sorted = state().get(id + ".sort");
        const next = sorted === column + "up" ? column + "down" : sorted === column + "down" ? null : column + "up";
        change({ [id + ".sort"]: next });
      });
    });
    for (const cell of body.querySelectorAll("td[data-cell]")) {
      const place = id + "," + cell.dataset.cell;
      const button = make("button", { type: "button", class: "open", "aria-haspopup": "dialog" });
      button.append(...cell.childNodes);
      if (button.textContent.trim() === "") continue;
      cell.append(button);
      button.addEventListener("click", () => change({ cell: place }));
    }
    const value = (row, column, view) => {
      const cell = row.cells[column];
      if (column === 0) return cell.textContent.trim();
      const text = cell.dataset[view === "paper" ? "p" : view === "difference" ? "d" : "o"];
      return text === undefined ? null : Number(text);
    };
    const order = (column, down, view) => (one, other) => {
      const [a, b] = [value(one, column, view), value(other, column, view)];
      if (a === null || b === null) return (a === null) - (b === null);
      const rises = typeof a === "string" ? a.localeCompare(b) : a - b;
      return down ? -rises : rises;
    };
    return {
      id, article,
      show(now) {
        const view = views[now.get(id + ".view")] ? now.get(id + ".view") : start;
        article.dataset.view = view;
        for (const [name, button] of Object.entries(views)) button.setAttribute("aria-pressed", name === view);
        const sort = /^(\d+)(up|down)$/.exec(now.get(id + ".sort") ?? "");
        const column = sort && Number(sort[1]) < heads.length ? Number(sort[1]) : null;
        heads.forEach((head, at) => {
          if (at === column) head.setAttribute("aria-sort", sort[2] === "up" ? "ascending" : "descending");
          else head.removeAttribute("aria-sort");
        });
        body.append(...(column === null ? rows : [...rows].sort(order(column, sort[2] === "down", view))));
        const wanted = now.get(id + ".filter") ?? "";
        if (filter.value !== wanted) filter.value = wanted;
        for (const row of rows) {
          row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted.toLowerCase());
        }
      },
    };
  });

  // The trials behind a cell.
  let opened = null;
  const trials = () => {
    opened ??= (async () => {
      const packed = Uint8Array.from(atob(document.getElementById("trials").textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      const all = JSON.parse(await new Response(stream).text());
      all.from = [];
      all.counts.reduce((at, count, setup) => { all.from[setup] = at; return at + count; }, 0);
      return all;
    })();
    return opened;
  };
  const dialog = document.getElementById("cell");
  const close = () => change({ cell: null });
  if (dialog) {
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  }
  const table = (label, header, rows) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    make("table", { class: "plain" },
      make("thead", {}, make("tr", {}, ...header.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows)));
  const row = (cells, attributes = {}) => make("tr", attributes, ...cells.map((cell) => make("td", typeof cell === "string" && cell.length > 60 ? { class: "wraps" } : {}, cell ?? "")));
  const number = (value) => (value === null || value === undefined ? "" : String(value));

  const strip = (values, cell) => {
    const scaled = values.map((value) => value * cell.scale);
    const all = cell.published === null ? scaled : [...scaled, cell.published];
    let [low, high] = [Math.min(...all), Math.max(...all)];
    if (low === high) { low -= Math.abs(low) * .05 || 1; high += Math.abs(high) * .05 || 1; }
    const place = (value) => 10 + (460 * (value - low)) / (high - low);
    const svg = drawn("svg", { class: "strip", viewBox: "0 0 480 84", role: "img" });
    svg.append(drawn("title", {}, values.length + " values from " + Math.min(...scaled) + " to " + Math.max(...scaled)));
    svg.append(drawn("line", { x1: 10, x2: 470, y1: 56, y2: 56 }));
    scaled.forEach((value, at) => svg.append(drawn("circle", { cx: place(value), cy: 44 - ((at * 7) % 29), r: 4 })));
    const mark = (value, kind) => svg.append(drawn("line", { class: kind, x1: place(value), x2: place(value), y1: 8, y2: 60 }));
    if (cell.value !== null) mark(cell.value, "mean");
    if (cell.published !== null) mark(cell.published, "paper");
    svg.append(drawn("text", { x: 10, y: 76 }, Number(low.toPrecision(6))), drawn("text", { x: 470, y: 76, "text-anchor": "end" }, Number(high.toPrecision(6))));
    return svg;
  };

  const MOST = 200;
  const content = (all, cell, heading) => {
    const place = (name) => all.metrics.findIndex((one) => one.name === name);
    const measured = place(cell.metric);
    const metric = all.metrics[measured];
    const selecting = all.metrics[place(cell.select)];
    const setups = cell.setups.map((at) => all.setups[at]);
    const members = cell.setups.flatMap((setup) => Array.from({ length: all.counts[setup] }, (_, n) => ({ setup: all.setups[setup], at: all.from[setup] + n })));
    const parts = [];
    const say = (name, ...children) => parts.push(make("h3", {}, name), ...children);
    const facts = make("dl", { class: "three" });
    const fact = (name, value) => { if (value) facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value))); };
    const source = document.querySelector(`[data-table="${CSS.escape(heading.id)}"] td[data-cell="${CSS.escape(heading.cell)}"]`);
    const text = (kind) => source?.querySelector(kind)?.cloneNode(true);
    for (const [name, kind] of [["Ours", ".o"], ["Published", ".p"], ["Difference", ".d"]]) {
      const found = text(kind);
      found?.querySelectorAll(".hidden, sup").forEach((part) => part.remove());
      fact(name, found?.textContent);
    }
    fact("Against the paper", cell.agreement?.replaceAll("-", " "));
    parts.push(facts);
    if (cell.meaning) parts.push(make("p", {}, cell.meaning[0].toUpperCase() + cell.meaning.slice(1) + "."));
    if (cell.noise) parts.push(make("p", {}, "Half the 95% interval of ours over seeds, draws or divisions: " + Number(cell.noise.toPrecision(3)) + "."));
    if (cell.cause) parts.push(make("p", {}, "Why it differs: " + cell.cause + "."));
    parts.push(make("p", { class: "note" }, metric.label + (metric.unit ? " in " + metric.unit : "") + ": " + metric.meaning + "."));

    const selected = members.filter(({ at }) => all.selected[at]);
    const values = selected.map(({ at }) => all.values[measured][at]).filter((value) => value !== null);
    if (values.length > 0) {
      say("Its " + (values.length === 1 ? "value" : values.length + " values"));
      if (values.length === 1) parts.push(make("p", {}, number(values[0]) + ", to six digits."));
      else {
        parts.push(strip(values, cell));
        parts.push(make("p", { class: "note" }, "A dot a trial; the line is our cell" + (cell.published === null ? "." : ", the dashed one the published value.")));
      }
    }
    if (members.length > 0) {
      const grid = members.some(({ at }) => !all.selected[at]);
      const select = cell.select !== cell.metric && grid ? selecting : null;
      const clocks = members.some(({ at }) => all.seconds[at] !== null);
      const problems = members.some(({ setup }) => setup.problem);
      const messages = members.some(({ at }) => all.messages[all.message[at]]);
      const points = members.some(({ setup }) => setup.point);
      const datasets = new Set(setups.map((setup) => setup.id)).size > 1;
      if (grid) say("What selected it", make("p", {}, "Of the points of the grid, the one with the best " + (selecting?.label ?? "value") + " counts (" + (selecting?.meaning ?? "") + "); the others are shown without a tick."));
      const header = [grid && "Selected", datasets && "Data set", problems && "Problem", "Repeat", "Fold", points && "Point", metric.label, select?.label, clocks && "Seconds", "Status", messages && "Message", "Seed", "Trial"];
      const line = ({ setup, at }) => row([
        grid ? (all.selected[at] ? "✓" : "") : null, datasets ? setup.dataset : null, problems ? setup.problem : null,
        number(all.repeat[at]), number(all.fold[at]), points ? setup.point : null, number(all.values[measured][at]),
        select ? number(all.values[place(cell.select)][at]) : null, clocks ? number(all.seconds[at]) : null, all.status[at],
        messages ? all.messages[all.message[at]] : null, make("code", { title: all.seeds[all.seed[at]] }, all.seeds[all.seed[at]].slice(0, 12)), make("code", {}, all.key[at]),
      ].filter((_, place) => header[place]), all.selected[at] && grid ? { class: "chosen" } : {});
      members.sort((one, other) => all.selected[other.at] - all.selected[one.at]);
      say(members.length === 1 ? "Its trial" : "Its " + members.length + " trials",
        table("Trials", header.filter(Boolean), members.slice(0, MOST).map(line)),
        members.length > MOST ? make("p", { class: "note" }, "And " + (members.length - MOST) + " more in trials.csv.") : make("p", { class: "note" }, "All digits are in trials.csv, by the trial's key."));
    }
    const places = new Set(setups.map((s) => [s.id, s.method, s.part, s.sweep].join("\0")));
    const effects = all.effects.filter((effect) => effect.metric === metric.name && places.has([effect.dataset, effect.method, effect.part, effect.sweep].join("\0")));
    if (effects.length > 0) {
      say("What choices do to it", table("Options of choices", ["Choice", "Option", "Value", "Published"], effects.map((effect) =>
        row([effect.choice, effect.option + (effect.chosen ? " (chosen)" : ""), effect.value + (effect.sd ? " ± " + effect.sd : ""), effect.paper], effect.chosen ? { class: "chosen" } : {}))));
    }
    const kinds = new Map(setups.map((setup) => [setup.method, setup]));
    if (kinds.size > 0) {
      say("Method and data", ...[...kinds.values()].map((setup) => make("p", {}, make("code", {}, setup.kind), " revision " + setup.revision + " as " + setup.method + ": " + (setup.parameters || "no parameters") + ".")),
        ...[...new Map(setups.map((setup) => [setup.id, setup])).values()].map((setup) => make("p", { class: "note" }, setup.dataset + ", " + setup.split + ", SHA-256 ", make("code", {}, setup.data))));
    }
    if (cell.run) {
      say("Make only this again", copyable(make("pre", { class: "command" }, make("code", {}, cell.run))), copyable(make("pre", { class: "command" }, make("code", {}, cell.audit))));
    } else parts.push(make("p", {}, "No trial of ours is behind it: " + cell.status + "."));
    return parts;
  };

  let showing = null;
  const open = async (place) => {
    const [id, ...rest] = place.split(",");
    const article = tables.find((one) => one.id === id)?.article;
    const source = article && [...article.querySelectorAll("td[data-cell]")].find((cell) => cell.dataset.cell === rest.join(","));
    if (!source) return;
    showing = place;
    const column = article.querySelectorAll("thead th")[source.cellIndex].textContent;
    const title = source.parentElement.cells[0].textContent + " / " + column;
    const shut = make("button", { type: "button" }, "Close");
    shut.addEventListener("click", close);
    const head = make("header", {}, make("h2", { id: "cell-title" }, title), shut);
    dialog.replaceChildren(head, make("p", {}, "Opening the trials …"));
    if (!dialog.open) dialog.showModal();
    try {
      const all = await trials();
      const cell = all.tables[Number(article.dataset.place)][Number(rest[0])][Number(rest[1])];
      if (showing === place) dialog.replaceChildren(head, ...content(all, cell, { id, cell: rest.join(",") }));
    } catch (error) {
      dialog.replaceChildren(head, make("p", {}, "This browser can't open the trials: " + error.message + ". They are in trials.csv."));
    }
    shut.focus();
  };

  const show = () => {
    const now = state();
    for (const one of tables) one.show(now);
    const place = now.get("cell");
    if (place === null) {
      showing = null;
      if (dialog?.open) dialog.close();
    } else if (place !== showing) open(place);
  };
  addEventListener("hashchange", () => { if (!anchor()) show(); });
  addEventListener("popstate", () => { if (!anchor()) show(); });
  show();
  document.documentElement.dataset.ready = "";
})();
