// Unpacks the data, draws with plotly, and keeps every picture to what the filters choose.
const byId = (id) => document.getElementById(id);
const MAX_RANK = 10, NO_SCORE = 65535, STEPS = 4095, NOTHING = 255;
const SHOWN = { leaderboard: 30, violin: 10, failures: 30, changes: 30 };
// a browser takes seconds for more points, and for more lines of a list
const MOST_POINTS = { violin: 300, cases: 600 }, MOST_CHOICES = 500;
// A hue is a configuration, ink and grey are the two scores, and a pastel is a kind of something.
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
// at least 3 to 1 against the paper they are drawn on
const LIGHT = ["#1f5f99", "#b3541e", "#0b6e4f", "#7a3b8f", "#8a6d00", "#a3264a", "#2f7f86", "#3d4fb0", "#6b8e23"];
const DARK = ["#6fb1e8", "#e08a4f", "#3fc19a", "#c58be0", "#d1b13a", "#f0708f", "#5fc4cd", "#8f9ff0", "#a5c75a"];
// the colours of the page's style, which follow the reader's choice of light or dark; paper is always light
const tone = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const isOnPaper = () => document.documentElement.classList.contains("paper");
const SCORES = { severity: "#7d8b99" };
let COLOURS, INK, PAPER, SOFT, GRID, SCALES, colourOf;
const PASTELS = ["#bebada", "#8dd3c7", "#fccde5", "#ffed6f", "#80b1d3", "#b3de69", "#fb8072", "#d9d9d9", "#fdb462", "#bc80bd", "#ccebc5", "#ffffb3"];
// The plane leaves room for the names of its quadrants above and below its points, which are within -1 and 1.
const PLANE_X = [-1.2, 1.2], PLANE_Y = [-1.45, 1.45];
const QUADRANTS = [
  [1.18, 1.43, "right", "good semantics,<br>severity close"], [-1.18, 1.43, "left", "good semantics,<br>severity far off"],
  [1.18, -1.43, "right", "bad semantics,<br>severity close"], [-1.18, -1.43, "left", "bad semantics,<br>severity far off"],
];
// The best lists, as worked out in docs/specification.md#worked-lists: the right diagnosis alone, and one followed by
// four unrelated diagnoses of its severity, 16 / 3 of 16.
const BEST = [
  { x: 1, y: 1, symbol: "star-open", name: "best reachable: the right diagnosis alone", text: "The best reachable point: a list of the right diagnosis and nothing else." },
  { x: 1, y: 16 / 3 / 8 - 1, symbol: "diamond-open", name: "right first, then four unrelated", text: "The right diagnosis first, then four unrelated ones, all of its severity.<br>The best that a list of five with one related rank can reach." },
];
const FIRST_ALONE = { y: BEST[1].y, text: "first diagnosis right,<br>four unrelated" };
const FEW_CODED = 30;  // cases; a ring of fewer has no room for its labels
const state = { test_set: [], judge: null, setting: null, breadth: "strict", model: [], prompt: [], configuration: null, sort: "" };
// what the address after # may choose, as in #test_set=mine&model=a&model=b
const ADDRESSED = ["test_set", "judge", "setting", "breadth", "sort", "configuration", "model", "prompt"];
let focusBefore = null;  // what had the focus before a case was opened
let core;

function mixColours() {
  COLOURS = isDark && !isOnPaper() ? DARK : LIGHT;
  [INK, PAPER, SOFT, GRID] = ["ink", "paper", "soft", "grid"].map(tone);
  SCORES.semantic = INK;
  SCALES = { semantic: INK, severity: SCORES.severity, top1_broad: PASTELS[0], top3_broad: PASTELS[1], top5_broad: PASTELS[2], top10_broad: PASTELS[3] };
  const order = new Map(core.test_sets.map((one, i) => [one.id, i]));
  colourOf = new Map(core.configurations.filter((one) => one.asked).sort((a, b) => order.get(a.test_set) - order.get(b.test_set)).map(({ id }, i) => [id, COLOURS[i % COLOURS.length]]));
}

async function start() {
  await load("core");
  core = parts.get("core");
  core.byId = new Map(core.configurations.map((one) => [one.id, one]));
  mixColours();
  readAddress();
  fillFilters();
  byId("filters").addEventListener("change", (event) => {
    const { id, multiple, value, selectedOptions } = event.target;
    state[id] = multiple ? [...selectedOptions].map((one) => one.value) : value;
    if (id === "test_set") state.model = state.prompt = search.stratum = [];
    if (id === "breadth") state.sort = state.sort.replace(/_(strict|broad)$/, "_" + value);
    if (id !== "configuration") fillFilters();
    writeAddress();
    redraw(id === "configuration");
  });
  listenToCases();
  listenToKeys();
  // a browser that prints takes the page for light
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => { if (matches !== isDark && !isOnPaper()) location.reload(); });
  byId("case").addEventListener("change", (event) => { if (event.target.value) openCase(state.configuration, Number(event.target.value)); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeDetail(); });
  // without a change of the address, which keeps what is chosen
  for (const link of document.querySelectorAll(".skip")) link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(link.hash).focus();
  });
  listenToArrows();
  letScroll();
  phone.addEventListener("change", () => draw(false));
  addEventListener("beforeprint", () => fit(true));
  addEventListener("afterprint", () => fit(false));
  // the numbers first, in words: the plotting library takes longer than they do
  if (!FOLDER) await whenLoaded(insideParts(), () => {});
  await redraw(false);
  await startQuestions();
  byId("plain").remove();
  document.body.dataset.painted = Math.round(performance.now());
  await new Promise((done) => setTimeout(done));
  await load("library");
  const script = document.createElement("script");
  script.textContent = parts.get("library");
  parts.delete("library");
  document.head.append(script);
  draw(false);
  drawQuestions();
  document.body.dataset.ready = Math.round(performance.now());
}

// in a page that is one file, everything but what only an opened case needs
const insideParts = () => [...document.querySelectorAll('script[id^="part-"]')].map((one) => one.id.slice(5))
  .filter((name) => !/^(core|library|(reasons|words|votes|narratives|questions)-.*)$/.test(name));

// draws when what it needs is here; of several choices in a row only the last is drawn
let turn = 0;
function redraw(onlyConfiguration) {
  const mine = ++turn;
  return whenLoaded(neededParts(), () => {
    if (mine !== turn) return;
    takeCases();
    const asked = chosenRows().filter((row) => row.is_asked);
    options("configuration", asked.map((row) => row.id));
    const shown = state.test_set.map((set) => counterpart(set)).filter(Boolean);
    return whenLoaded(unique(shown.map(listsName)), () => { if (mine === turn) draw(onlyConfiguration); });
  });
}

function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const read = (chosen, id) => { if (address.has(id)) chosen[id] = Array.isArray(chosen[id]) ? address.getAll(id) : address.get(id); };
  for (const id of ADDRESSED) read(state, id);
  for (const id in ALL) read(search, id);
  for (const side of ["a", "b"]) versus[side] = address.get("versus_" + side) ?? "";
  versus.isChosen = address.has("versus_a");
  if (address.get("versus_solved") in SOLVED) versus.solved = byId("versus_solved").value = address.get("versus_solved");
}

function writeAddress() {
  const written = (chosen, ids, prefix = "") => ids.flatMap((id) => [chosen[id]].flat().filter(Boolean).map((value) => [prefix + id, value]));
  const compared = versus.isChosen ? written(versus, ["a", "b", "solved"], "versus_") : [];
  const address = new URLSearchParams([...written(state, ADDRESSED), ...written(search, Object.keys(ALL).filter((id) => search[id] !== ALL[id])), ...compared]);
  history.replaceState(null, "", "#" + address);
}

function options(id, values) {
  const select = byId(id);
  select.replaceChildren(...values.map((value) => new Option(value, value)));
  if (!values.includes(state[id])) state[id] = values[0] ?? "";
  select.value = state[id];
}

// a list of which several may be chosen, and none means all
function severalOptions(id, values) {
  state[id] = values.filter((value) => state[id].includes(value));
  byId(id).replaceChildren(...values.map((value) => new Option(value, value, false, state[id].includes(value))));
}

// a telephone; what depends on it is drawn again when the window is turned or resized
const phone = matchMedia("(max-width: 600px)");
const unique = (values) => [...new Set(values)];

function fillFilters() {
  const settings = core.settings;
  if (!state.setting && settings.includes("medium")) state.setting = "medium";
  const sets = core.test_sets.map((one) => one.id);
  severalOptions("test_set", sets);
  if (!state.test_set.length && sets.length) {
    state.test_set = [sets[0]];
    byId("test_set").value = sets[0];
  }
  options("judge", core.judges.map((one) => one.id));
  options("setting", settings);
  // not written by hand: only the two are known
  if (!["strict", "broad"].includes(state.breadth)) state.breadth = "strict";
  byId("breadth").value = state.breadth;
  const here = core.configurations.filter((one) => isHere(one.test_set));
  severalOptions("model", unique(here.map((one) => one.model)));
  severalOptions("prompt", unique(here.map((one) => one.prompt)));
}

// the chosen test sets, in their order
const chosenSets = () => core.test_sets.filter((one) => state.test_set.includes(one.id));
const isHere = (set) => state.test_set.includes(set), isSeveral = () => state.test_set.length > 1;
const isChosen = (id, value) => !state[id].length || state[id].includes(value);

// rows of the chosen test sets, judge, setting, model and prompt: set after set, best first, never asked last
function chosenRows() {
  const { columns, at } = scores(), rows = [];
  for (const one of core.configurations) {
    if (!isHere(one.test_set) || !isChosen("model", one.model) || !isChosen("prompt", one.prompt)) continue;
    const i = at.get(one.id);
    if (i === undefined) continue;
    const row = { ...one };
    for (const name in columns) row[name] = columns[name][i];
    rows.push(row);
  }
  return rows.sort((a, b) => (b.is_asked - a.is_asked) || state.test_set.indexOf(a.test_set) - state.test_set.indexOf(b.test_set) || (b.semantic_aggregate ?? -2) - (a.semantic_aggregate ?? -2) || (b.top5_strict ?? -1) - (a.top5_strict ?? -1) || (a.id < b.id ? -1 : 1));
}

// the first of each test set, n together
function firstOfSets(rows, n) {
  const sets = unique(rows.map((row) => row.test_set)), share = Math.max(1, Math.floor(n / (sets.length || 1)));
  return sets.flatMap((set) => rows.filter((row) => row.test_set === set).slice(0, share));
}

// model and prompt are enough of a name within one test set
const shortName = (one) => one.model + " / " + one.prompt + (isSeveral() ? " / " + one.test_set : "");
const clip = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
const wrap = (text, n) => String(text).replace(new RegExp(`(.{1,${n}})(\\s+|$)`, "g"), "$1<br>").replace(/<br>$/, "");
const escape = (text) => String(text ?? "").replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
// what rounds to nothing has no sign
// a case as whoever brought it knows it, with its id here behind
const ownName = (one) => (one.own_id ? `${one.own_id} (${one.id})` : one.id);
const number = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"));
// what is less than half a cent is not free
const dollars = (usd) => (usd > 0 && usd < 0.005 ? "&lt; 0.01" : number(usd, 2));
const percent = (value) => number(value === null ? null : value * 100, 1);

// a name that may be broken after its slashes and underscores, where a column is narrow
const breakable = (text) => escape(text).replace(/[/_]/g, "$&<wbr>");

// Rows become cards where a table does not fit. A column is its name and its type: nothing for a number, "text", or
// "long" for what fills a line of the card. Its third part is the number that a click on its name sorts by.
const tableRow = (columns, cells, attributes = "") =>
  `<tr ${attributes}>${cells.map((html, i) => `<td data-name="${escape(columns[i][0])}" class="${columns[i][1] ?? ""}">${html}</td>`).join("")}</tr>`;
const table = (columns, rows, caption = "", sort = state.sort, direction = "descending") => {
  const name = ([text, , key]) => (key ? `<button type="button" class="sort" data-sort="${key}">${text}</button>` : breakable(text));
  const head = (column) => `<th scope="col" class="${column[1] ?? ""}"${column[2] && sort === column[2] ? ` aria-sort="${direction}"` : ""}>${name(column)}</th>`;
  return `<table>${caption && `<caption>${escape(caption)}</caption>`}<thead><tr>${columns.map(head).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
};

// A list of buttons is one stop of the tab key; arrow keys move within it.
const LISTS = "#table tbody, .key, #versus p, #case_table tbody, #quiz_list tbody";
const ARROWS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
const buttonsOf = (list) => [...list.querySelectorAll("button")];
const stopAt = (buttons, stop) => buttons.forEach((button) => { button.tabIndex = button === stop ? 0 : -1; });
function joinStops(element) {
  for (const list of element.matches(LISTS) ? [element] : element.querySelectorAll(LISTS)) {
    const buttons = buttonsOf(list);
    stopAt(buttons, buttons.find((button) => button.ariaPressed === "true") ?? buttons[0]);
  }
}

function listenToArrows() {
  const listOf = ({ target }) => (target.matches?.("button") ? target.closest(LISTS) : null);
  document.addEventListener("focusin", (event) => { const list = listOf(event); if (list) stopAt(buttonsOf(list), event.target); });
  document.addEventListener("keydown", (event) => {
    const list = listOf(event), step = ARROWS[event.key];
    if (!list || !step) return;
    event.preventDefault();
    const buttons = buttonsOf(list), next = buttons.indexOf(event.target) + step;
    buttons[Math.max(0, Math.min(buttons.length - 1, next))].focus();
  });
}

// a table that is wider than its box can be scrolled by keyboard, too
function letScroll() {
  const sizes = new ResizeObserver((entries) => {
    for (const { target: inner } of entries) {
      const box = inner.closest(".box");
      if (!box) continue;
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  });
  const watch = (box) => { sizes.observe(box); for (const inner of box.querySelectorAll("table")) sizes.observe(inner); };
  for (const box of document.querySelectorAll(".box")) {
    watch(box);
    new MutationObserver(() => watch(box)).observe(box, { childList: true });
  }
}

// of a chart, in pixels: two of them fit on a sheet
const tall = (pixels) => (isOnPaper() ? 0.66 * pixels : pixels);
const MARGIN = { l: 60, r: 16, t: 8, b: 44 };

// A legend above a chart, and the room it takes: it may have several rows, of about 7 pixels a letter.
const ROW = 19, BESIDE_LEGEND = 200, SWATCH = 50;
function legendAbove(id, names) {
  showPanel(id, true);  // what is hidden has no width
  const long = SWATCH + 7 * Math.max(0, ...names.map((name) => name.length));
  const inRow = Math.max(1, Math.floor((byId(id).clientWidth - BESIDE_LEGEND) / long));
  return { top: 15 + ROW * Math.ceil(names.length / inRow), legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 } };
}

function plot(id, traces, layout, onClick) {
  const element = byId(id);
  showPanel(id, true);  // what is hidden has no width
  const base = {
    ...(isOnPaper() ? { width: element.clientWidth } : {}), margin: MARGIN, font: { size: 12, color: INK, family: "system-ui, DejaVu Sans, sans-serif" },
    template: { layout: { xaxis: { gridcolor: GRID }, yaxis: { gridcolor: GRID } } }, paper_bgcolor: PAPER, plot_bgcolor: PAPER, hoverlabel: { align: "left" }, showlegend: false, hovermode: "closest",
  };
  if (!window.Plotly) return;
  element.classList.remove("unplotted");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", describe(element));
  byId(id + "_words")?.remove();
  const react = () => Plotly.react(id, traces, { ...base, ...layout }, { responsive: true, displaylogo: false, displayModeBar: false }).then(() => {
    element.removeAllListeners("plotly_click");
    if (onClick) element.on("plotly_click", ({ points: [point] }) => { if (point.customdata !== undefined) onClick(point); });
  });
  if (!FOLDER) return react();
  pending.set(id, react);
  drawPending();
}

// A large report draws its charts one by one, those in view first: a choice is answered before they are there.
const pending = new Map();
let drawing = 0;
function drawPending() {
  clearTimeout(drawing);
  drawing = setTimeout(() => {
    const inView = (id) => { const { top, bottom } = byId(id).getBoundingClientRect(); return bottom > 0 && top < innerHeight; };
    const ids = [...pending.keys()], id = ids.find(inView) ?? ids[0];
    if (id === undefined) return;
    const react = pending.get(id);
    pending.delete(id);
    react();
    drawPending();
  });
}

// a chart in words: what it is about, and what its axes and its legend say
function describe(element) {
  const section = element.closest("section"), note = section.querySelector(".note")?.textContent ?? "";
  return `Chart: ${section.querySelector("h2").textContent}. ${note}`.trim();
}

// The page as wide as a sheet of paper and in light colours, or as the window and in the reader's. A picture does not
// shrink by itself when it is printed, and it must be there at once.
function fit(onPaper) {
  if (!window.Plotly || onPaper === isOnPaper()) return;
  const scrolls = [...document.querySelectorAll("#table, #case_table, #quiz_list")].map((one) => [one, one.scrollTop]);
  const buttons = () => [...document.querySelectorAll("button")], focused = buttons().indexOf(document.activeElement);
  document.documentElement.classList.toggle("paper", onPaper);
  mixColours();
  draw(false);
  drawQuestions();
  for (const react of pending.values()) react();
  pending.clear();
  if (!onPaper) for (const element of document.querySelectorAll(".js-plotly-plot")) Plotly.relayout(element, { width: null, autosize: true });
  for (const [one, top] of scrolls) one.scrollTop = top;
  buttons()[focused]?.focus({ preventScroll: true });
}

// words or a table where there is nothing to plot; the old picture is only hidden, since plotly may still be at it
function unplotted(id, html) {
  pending.delete(id);
  byId(id).classList.add("unplotted");
  byId(id + "_words")?.remove();
  byId(id).insertAdjacentHTML("afterend", `<div id="${id}_words">${html}</div>`);
}
// a panel without a picture is left out, and a line at the end says why
const leftOutPanels = new Map();
function empty(id, text) {
  unplotted(id, `<p class="note">${text}</p>`);
  leftOutPanels.set(id, text);
  showPanel(id, ["leaderboard", "cases"].includes(id));
}
function showPanel(id, isShown) {
  const section = byId(id).closest("section");
  section.hidden = !isShown;
  if (isShown) leftOutPanels.delete(id);
  const left = [...leftOutPanels].map(([name, text]) => `${byId(name).closest("section").querySelector("h2").textContent}: ${text}`);
  byId("not_shown").textContent = left.length ? `Not shown for ${filtersSet()}. ${left.join(" ")}` : "";
}

// beside the name of a configuration, the colour it has in every picture
const dot = (id) => (colourOf.has(id) ? `<span aria-hidden="true" style="color:${colourOf.get(id)}">●</span> ` : "");
// the chosen configuration is larger and has an outline
const configurationMarkers = (rows, opacity) => ({
  opacity, color: rows.map((row) => colourOf.get(row.id)), size: rows.map((row) => (row.id === state.configuration ? 13 : 8)),
  line: { color: INK, width: rows.map((row) => (row.id === state.configuration ? 2.5 : 0)) },
});

function draw(onlyConfiguration) {
  const rows = chosenRows(), asked = rows.filter((row) => row.is_asked);
  options("configuration", asked.map((row) => row.id));
  if (!onlyConfiguration) {
    drawSummary(rows);
    drawViolins(asked, "sem", "violin_semantic", "semantic score");
    drawViolins(asked, "sev", "violin_severity", "severity score");
    drawFailures(rows);
    drawSunburst();
    drawAgreement();
    drawTrust();
    drawChanges();
    drawMissed();
  }
  drawLeaderboard(rows, asked);
  fillCaseFilters(asked);
  drawPlane(asked);
  drawCost(asked);
  drawCases();
  drawVersus(asked);
  drawCaseTable(asked);
}

function choose(id) {
  state.configuration = id;
  byId("configuration").value = id;
  writeAddress();
  redraw(true);
}

function judgeVerdict(row) {
  if (core.judges.find((judge) => judge.id === state.judge)?.kind === "person") return "a person";
  const measured = core.calibration.filter((one) => one.judge_id === state.judge && one.test_set === row?.test_set && !one.is_rater);
  if (measured.length && measured.every((one) => !SCORES[one.scale]))
    return "measured on whole lists, " + measured.filter((one) => /^top.*broad$/.test(one.scale)).map((one) => `kappa ${number(one.kappa_quadratic, 2)} with ${one.panel} on ${one.scale.replace("top", "top-").replace("_", " ")}`).join(", ");
  return { true: "calibrated against people here", false: "not calibrated against people here" }[row?.is_calibrated] ?? "its agreement with people was not measured on this set";
}

function drawSummary(rows) {
  const of = (set) => rows.filter((row) => row.test_set === set.id);
  byId("summary").textContent = chosenSets().map((set) => summaryOf(set, of(set))).join(" ") || "Nothing has been scored yet.";
  // paper has no filters
  byId("printed").textContent = `Shown: ${filtersSet()}. Counts as found: ${byId("breadth").selectedOptions[0].textContent}.`;
}

// of a test set, whoever judges: the configurations the filters choose, and those of them that were asked
const chosenOf = (set) => core.configurations.filter((one) => one.test_set === set && isChosen("model", one.model) && isChosen("prompt", one.prompt));
const askedOf = (set) => chosenOf(set).filter((one) => one.asked);

// why there is nothing to draw: nothing was asked, or the chosen judge has judged nothing of it
function whyNothing() {
  const asked = state.test_set.flatMap(askedOf), others = unique(asked.flatMap((one) => one.judged)).map((n) => core.judges[n].id).filter((id) => id !== state.judge);
  if (!asked.length) return "No configuration was asked.";
  return `Judge ${escape(state.judge)} has judged none of the ${asked.length} configuration${asked.length === 1 ? "" : "s"} asked here${others.length ? `; ${escape(others.join(", "))} ${others.length === 1 ? "has" : "have"}` : ""}.`;
}

function summaryOf(set, rows) {
  if (!set.n_cases) return `${set.id} is empty: no cases have been imported into it.`;
  const asked = rows.filter((row) => row.is_asked), n = askedOf(set.id).length, others = chosenOf(set.id).length - n;
  const constant = asked.filter((row) => row.is_judge_constant).map(shortName);
  const lazy = constant.length ? ` It gave every rank of ${constant.join(", ")} the same label, or none: these scores say nothing.` : "";
  const unlabelled = asked.reduce((sum, row) => sum + row.n_unlabelled, 0);
  const open = unlabelled ? ` ${unlabelled} of its lists have no label and count as misses.` : "";
  const seen = detectable(set.id, asked);
  return `${set.id}, version ${set.version}: ${set.n_cases} cases, ${n} configuration${n === 1 ? "" : "s"} asked, ${others} not.${seen} Judge ${state.judge}${n ? ` has judged ${asked.length === n ? "all" : `${asked.length || "none"} of the`} ${n} configuration${n === 1 ? "" : "s"} asked` : ""}: ${judgeVerdict(rows[0])}.${open}${lazy}`;
}

// what the scored cases can show: of the most and, where some have a sample, of the fewest; by the share of cases on
// which two configurations are assumed to disagree, and by the share on which those asked do
function detectable(id, asked) {
  const { shares, differences } = core.detectable[id] ?? { shares: [], differences: {} };
  const sizes = unique(asked.map((row) => row.n_cases)).filter((n) => n in differences).sort((a, b) => b - a);
  const told = (by) => unique([sizes[0], sizes.at(-1)]).filter(Boolean).map((n) => {
    const difference = differences[n][by];
    return `${difference === null ? "no top-k difference" : `a top-k difference of ${pointsOf(difference)} percentage points or more`} can be detected with ${n} case${n === 1 ? "" : "s"} scored`;
  }).join(", ");
  const assumed = told(0), [share, observed] = shares, power = "(power 80 %, two-sided 5 %, one comparison)";
  if (!assumed) return "";
  if (observed == null) return ` If two configurations disagree on ${wholePercent(share)} % of the cases, ${assumed} ${power}.`;
  return ` Two configurations here disagree on ${wholePercent(observed)} % of the cases (top-1, median of the pairs and judges)${observed ? `, so ${told(1)} ${power}` : ""}. If they disagreed on ${wholePercent(share)} %, ${assumed}${observed ? "" : ` ${power}`}.`;
}
const wholePercent = (share) => Math.round(100 * share);
// rounded up, as in the paper: a smaller difference is not detected; noise of the machine's numbers is no more
const pointsOf = (share) => Math.ceil(Number((100 * share).toFixed(6)));

// which configurations the chosen judge did not judge because they are of its own model family, and which a person
// has labelled in part
function leftOut(hasScores) {
  const judge = core.judges.find((one) => one.id === state.judge);
  if (!judge) return "";
  const number = core.judges.indexOf(judge), some = (names) => `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
  const own = core.configurations.filter((one) => judge.family && isHere(one.test_set) && one.family === judge.family && one.asked && one.judged.length && !one.judged.includes(number)).map(shortName);
  const rest = state.test_set.flatMap(askedOf).filter((one) => !one.judged.includes(number) && !judge.labelled_in_part.some(({ id }) => id === one.id) && !(judge.family && one.family === judge.family)).map(shortName);
  const open = judge.labelled_in_part.map((one) => ({ ...core.byId.get(one.id), ...one })).filter((one) => isHere(one.test_set)).map((one) => `${shortName(one)} (${one.n_unlabelled})`);
  return [
    own.length ? `Not judged, because they are of the judge's own model family (${judge.family}): ${some(own)}.` : "",
    hasScores && rest.length ? `Asked, but not judged by ${judge.id}: ${some(rest)}.` : "",
    open.length ? `No score, because lists have no label by ${judge.id} (how many): ${some(open)}.` : "",
  ].filter(Boolean).join(" ");
}

const spread = (rows, metric, k = 1) => ({
  type: "data", symmetric: false, color: SOFT, thickness: 1.2, width: 0,
  array: rows.map((row) => Math.max(0, (row[metric + "_high"] ?? row[metric]) - row[metric]) * k),
  arrayminus: rows.map((row) => Math.max(0, row[metric] - (row[metric + "_low"] ?? row[metric])) * k),
});

function drawLeaderboard(rows, asked) {
  const best = firstOfSets(asked, SHOWN.leaderboard).reverse();
  byId("leaderboard_note").textContent = `The chart shows 95 % intervals of the aggregates` +
    (asked.length > best.length ? ` of the best ${best.length}; the table lists every configuration` : "") + `. Rank: by the semantic aggregate (by top-5 where the judge grades whole lists), among the configurations of its test set scored on equally many cases; beside it its 95 % interval. top-k: the gold diagnosis or a synonym is among the first k, with broader names if these are chosen above; failed cases count as wrong. An aggregate runs from -1 to 1 and counts the first five ranks; the semantic one stays below 0 where the right diagnosis is followed by four unrelated ones. Click a row to choose its configuration; arrow keys move between rows.`;
  if (best.length) {
    const trace = (metric, name, symbol, shift) => ({
      type: "scatter", mode: "markers", name, y: best.map((_, i) => i + shift), x: best.map((row) => row[metric]), customdata: best.map((row) => row.id),
      error_x: { ...spread(best, metric), color: SCORES[name] }, marker: { color: SCORES[name], size: 8, symbol },
      hovertemplate: "%{customdata}<br>" + name + " %{x:.3f}<extra></extra>",
    });
    const named = phone.matches ? (row) => clip(row.model, 20) + "<br>" + clip(row.prompt, 20) + (isSeveral() ? "<br>" + clip(row.test_set, 20) : "") : (row) => clip(shortName(row), 60);
    const tick = (row) => dot(row.id) + (row.id === state.configuration ? `<b>${named(row)}</b>` : named(row));
    plot("leaderboard", [trace("semantic_aggregate", "semantic", "circle", 0.13), trace("severity_aggregate", "severity", "diamond", -0.13)], {
      height: 110 + (phone.matches ? (isSeveral() ? 50 : 36) : 26) * best.length, showlegend: true, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 }, margin: { l: 60, r: 16, t: 34, b: 44 },
      yaxis: { automargin: true, ticklabelstandoff: 8, tickvals: best.map((_, i) => i), ticktext: best.map(tick), range: [-0.6, best.length - 0.4], zeroline: false },
      xaxis: { title: { text: `aggregate, setting ${state.setting}` }, range: [-1.05, 1.05], tickangle: 0, zerolinecolor: "#8fa3b5" },
    }, (point) => choose(point.customdata));
  } else empty("leaderboard", whyNothing());
  const shares = DEPTHS.map((depth) => `top${depth}_${state.breadth}`), mrr = "mrr_" + state.breadth;
  const columns = [["configuration", "text", "id"], ["rank", "", "score_rank"], ["cases", "", "n_cases"], ["failed", "", "n_failures"], ...DEPTHS.map((depth, i) => [`top-${depth} %`, "", shares[i]]), ["MRR", "", mrr],
    ["semantic", "long", "semantic_aggregate"], ["severity", "long", "severity_aggregate"], ["cost $", "", "generation_usd"]];
  const range = (row, metric, k, d) => row[metric] === null ? "–" : `${number(row[metric] * k, d)} <small>${row[metric + "_low"] === null ? "" : number(row[metric + "_low"] * k, k === 1 ? 2 : 0) + "…" + number(row[metric + "_high"] * k, k === 1 ? 2 : 0)}</small>`;
  // how many cases a severity score rests on, where it is not all of them
  const graded = (row) => (row.severity_aggregate === null || !row.n_without_gold_severity ? "" : ` <small>of ${row.n_cases - row.n_without_gold_severity} case${row.n_cases - row.n_without_gold_severity === 1 ? "" : "s"}</small>`);
  byId("table").innerHTML = !rows.length ? "" : table(columns, sorted(rows).map((row) => {
    const title = `title="${escape(row.id)}, prompt ${escape(row.prompt_version)}"`, spot = `<i style="background:${colourOf.get(row.id) ?? "none"}"></i>`;
    // a button, so that a keyboard can choose it
    const name = row.is_asked ? `<button type="button" class="name" ${title} aria-pressed="${row.id === state.configuration}">${spot}${escape(shortName(row))}</button>` : `<span ${title}>${spot}${escape(shortName(row))}</span>`;
    if (!row.is_asked) return tableRow(columns, [name, "", row.n_test_set_cases]).replace("</tr>", `<td colspan="${columns.length - 3}" class="text long" data-name="state">${escape(row.state)}</td></tr>`);
    const cases = row.n_cases < row.n_test_set_cases ? `${row.n_cases} of ${row.n_test_set_cases}` : row.n_cases;
    const rank = row.score_rank === null ? "–" : `${row.score_rank} of ${row.n_ranked} <small>${row.rank_low === null || row.n_ranked === 1 ? "" : `${row.rank_low}…${row.rank_high}`}</small>`;
    return tableRow(columns, [name, rank, cases, row.n_failures, ...shares.map((m) => range(row, m, 100, 1)),
      ...[mrr, "semantic_aggregate"].map((m) => range(row, m, 1, 2)), range(row, "severity_aggregate", 1, 2) + graded(row), dollars(row.generation_usd)],
    `class="choice${row.id === state.configuration ? " chosen" : ""}" data-id="${escape(row.id)}"`);
  }), "", state.sort, ASCENDING.includes(state.sort) ? "ascending" : "descending");
  joinStops(byId("table"));
  byId("left_out").textContent = leftOut(asked.length > 0);
  byId("table").onclick = (event) => {
    const sort = event.target.closest("button.sort");
    if (sort) { state.sort = state.sort === sort.dataset.sort ? "" : sort.dataset.sort; writeAddress(); draw(true); return document.querySelector(`#table button[data-sort="${sort.dataset.sort}"]`).focus({ preventScroll: true }); }
    const row = event.target.closest("tr[data-id]");
    if (!row) return;
    choose(row.dataset.id);
    // the table was written again: the focus stays on what was chosen
    document.querySelector(`#table tr[data-id="${CSS.escape(row.dataset.id)}"] button`)?.focus({ preventScroll: true });
  };
}

// the best first: of ranks, failures and dollars the lowest; what has no number comes last
const ASCENDING = ["id", "score_rank", "n_failures", "generation_usd"];
function sorted(rows) {
  if (!state.sort) return rows;
  const sign = ASCENDING.includes(state.sort) ? 1 : -1, last = (row) => !row.is_asked || row[state.sort] === null;
  const compare = state.sort === "id" ? (a, b) => collator.compare(shortName(a), shortName(b)) : (a, b) => a[state.sort] - b[state.sort];
  return [...rows].sort((a, b) => (last(a) - last(b)) || (last(a) ? 0 : sign * compare(a, b)));
}

// scores of a configuration by the chosen judge, null where there is none
function values(id, name) {
  return [...marks(id, name)].map((v) => (v === NO_SCORE ? null : v / STEPS));
}

function drawViolins(asked, name, id, title) {
  const shown = firstOfSets(asked, SHOWN.violin);
  const traces = shown.map((row, i) => {
    const cases = casesOf[row.test_set], scores = values(row.id, name), scored = scores.flatMap((v, k) => (v === null ? [] : [k]));
    const at = scored.length > MOST_POINTS.violin ? evenly(scored.sort((a, b) => scores[a] - scores[b]), MOST_POINTS.violin) : scored;
    // a density needs two different values; without them the points say it all
    const flat = new Set(at.map((k) => scores[k])).size < 2, colour = colourOf.get(row.id);
    return {
      type: "violin", x: at.map(() => i), y: at.map((k) => scores[k]), name: shortName(row), customdata: at.map((k) => [row.id, k]),
      text: at.map((k) => cases[k].id), points: "all", jitter: 0.5, pointpos: 0, spanmode: "hard", scalemode: "width", width: 0.85, hoveron: "points",
      line: { color: flat ? "rgba(0,0,0,0)" : colour, width: 1.2 }, fillcolor: flat ? "rgba(0,0,0,0)" : colour + "22",
      marker: { size: 3.5, color: colour, opacity: 0.55 }, meanline: { visible: !flat, color: INK, width: 1.6 },
      hovertemplate: "%{text}<br>%{y:.2f}<extra></extra>",
    };
  });
  // more names than fit below the chart stand in a key, with the numbers of the plane
  const hasKey = shown.length > 5 || (isSeveral() && shown.length > 2), numbered = shown.map((row) => ({ row, n: asked.indexOf(row) + 1 }));
  byId(id + "_key").replaceChildren();
  const sampled = shown.some((row) => row.n_cases < row.n_test_set_cases) ? " Cases outside a sample are not drawn." : "";
  byId(id + "_more").textContent = sampled + (shown.some((row) => casesOf[row.test_set].length > MOST_POINTS.violin) ? ` Of a larger test set, ${MOST_POINTS.violin} cases are drawn, spread evenly over the scores.` : "");
  if (!traces.some((trace) => trace.y.length)) return empty(id, shown.length ? "No gold diagnosis has a severity, given or graded." : whyNothing());
  if (hasKey) showKey(id, numbered, shown.length);
  return plot(id, traces, {
    height: tall(420), margin: { l: 50, r: 10, t: 8, b: hasKey ? 44 : shown.length > 3 ? 110 : 60 }, violingap: 0.1,
    xaxis: { tickvals: shown.map((_, i) => i), ticktext: hasKey ? numbered.map(({ n }) => n) : shown.map((row) => clip(row.model, 18) + "<br>" + clip(row.prompt, 18)), range: [-0.6, shown.length - 0.4], tickangle: hasKey || shown.length < 4 ? 0 : -40, zeroline: false,
      title: asked.length > shown.length ? { text: `the best ${shown.length} of ${asked.length}`, standoff: 12 } : undefined },
    yaxis: { title: { text: title }, range: [-0.7, 16.7], tickvals: [0, 4, 8, 12, 16], zeroline: false },
  }, (point) => openCase(point.customdata[0], point.customdata[1]));
}

function firstAlone() {
  return { x: -1.18, y: FIRST_ALONE.y, text: FIRST_ALONE.text, showarrow: false, xanchor: "left", align: "left", yanchor: "bottom", font: { size: 11, color: SOFT }, bgcolor: PAPER };
}
const firstAloneLine = () => ({ type: "line", layer: "below", x0: PLANE_X[0], x1: PLANE_X[1], y0: FIRST_ALONE.y, y1: FIRST_ALONE.y, line: { color: SOFT, width: 1, dash: "dot" } });

function quadrants() {
  return QUADRANTS.map(([x, y, anchor, text]) => ({ x, y, text, showarrow: false, xanchor: anchor, align: anchor, yanchor: y > 0 ? "top" : "bottom", font: { size: 11, color: SOFT }, bgcolor: PAPER }));
}
const planeAxis = (title, range) => ({ title: { text: title }, range, tickvals: [-1, -0.5, 0, 0.5, 1], zerolinecolor: INK, zerolinewidth: 1.2 });
const bestPoints = () => BEST.map(({ x, y, symbol, name, text }) => ({
  type: "scatter", mode: "markers", x: [x], y: [y], name, showlegend: true, cliponaxis: false, marker: { symbol, size: 13, color: INK, line: { width: 1.5 } },
  hovertemplate: text + "<br>severity %{x:.2f}, semantics %{y:.2f}<extra></extra>",
}));
const planeLayout = () => ({ height: tall(500), showlegend: true, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, itemclick: false, itemdoubleclick: false }, margin: { l: 60, r: 16, t: 52, b: 44 }, annotations: [...quadrants(), firstAlone()], shapes: [firstAloneLine()], xaxis: planeAxis("severity", PLANE_X), yaxis: planeAxis("semantics", PLANE_Y) });

function drawPlane(asked) {
  const rows = asked.filter((row) => row.severity_aggregate !== null);
  byId("plane_note").textContent = "";
  byId("plane_key").replaceChildren();
  if (!rows.length) return empty("plane", asked.length ? "No gold diagnosis has a severity, given or graded." : whyNothing());
  const few = rows.length <= MOST_NUMBERED, numbered = numberedRows(rows, asked);
  byId("plane_note").textContent = `Aggregated rescaled scores${few ? " with 95 % intervals" : ""}; the chosen configuration is outlined. Click a point to choose another. The key is below the chart.`;
  showKey("plane", numbered, rows.length);
  const layout = planeLayout(), place = new Map(numbered.map(({ row, n }) => [row.id, n]));
  const points = rows.map((row) => ({ x: row.severity_aggregate, y: row.semantic_aggregate, n: place.get(row.id) ?? null, r: row.id === state.configuration ? 9 : 6, lines: few ? linesOf(row, "severity_aggregate", "semantic_aggregate") : [] }));
  const best = BEST.map(({ x, y }) => ({ x, y, n: null }));
  layout.annotations.push(...numbers("plane", layout, [...points, ...best], layout.annotations));
  return plot("plane", [{
    type: "scatter", mode: "markers", x: points.map(({ x }) => x), y: points.map(({ y }) => y), showlegend: false,
    customdata: rows.map((row) => row.id), cliponaxis: false,
    error_x: few ? spread(rows, "severity_aggregate") : undefined, error_y: few ? spread(rows, "semantic_aggregate") : undefined,
    marker: configurationMarkers(rows, few ? 1 : 0.7),
    hovertemplate: "%{customdata}<br>severity %{x:.3f}, semantics %{y:.3f}<extra></extra>",
  }, ...bestPoints()], layout, (point) => choose(point.customdata));
}

function drawCases() {
  const id = state.configuration, one = core.byId.get(id);
  const shown = new Set(one ? filteredCases(chosenRows().filter((row) => row.is_asked)).filter((row) => row.one.test_set === one.test_set).map((row) => row.k) : []);
  const choices = (one ? casesOf[one.test_set] || [] : []).map((it, k) => [it, k]).filter(([, k]) => shown.has(k)).map(([it, k]) => new Option(clip(`${ownName(it)}: ${it.gold}`, 80), k));
  const rest = choices.splice(MOST_CHOICES).length;
  byId("case").replaceChildren(new Option("choose …", ""), ...choices);
  if (rest) { byId("case").append(new Option(`and ${rest} more: search below`, "")); byId("case").lastChild.disabled = true; }
  if (!one) { byId("cases_note").textContent = ""; return empty("cases", whyNothing()); }
  const cases = casesOf[one.test_set] || [], sem = values(id, "sem"), sev = values(id, "sev"), statuses = statusesOf(id);
  const scored = cases.map((_, k) => k).filter((k) => shown.has(k) && sem[k] !== null && sev[k] !== null), at = evenly(scored, MOST_POINTS.cases);
  const without = cases.filter((_, k) => shown.has(k) && sem[k] !== null && sev[k] === null).length;
  const isAsked = casesScored(id), outside = cases.filter((_, k) => shown.has(k) && !isAsked[k]).length;
  const few = shown.size < cases.length ? ` The filters below choose ${shown.size} of its ${cases.length} cases.` : "";
  byId("cases_note").textContent = `${shortName(one)}: click a point to open its case. Crosses are cases without an answer; they have the lowest scores. Semantics is good above 0, which is 8 of 16 points, and severity close. Points that coincide are fanned out.${at.length < scored.length ? ` Of ${scored.length} cases, ${at.length} are drawn; the search below finds every case.` : ""}${few}` + (outside ? ` ${outside} case${outside === 1 ? " is" : "s are"} outside its sample and not drawn.` : "") + (without ? ` ${without} case${without === 1 ? "" : "s"} whose gold diagnosis has no severity, given or graded, ${without === 1 ? "is" : "are"} not here; see the semantic scores above.` : "");
  if (!at.length) return empty("cases", !shown.size ? "No case fits the filters below." : without ? "No gold diagnosis has a severity, given or graded." : outside === shown.size ? "No case that is chosen is in its sample." : "This judge has not judged it.");
  // cases with the same two scores would hide each other: a sunflower around the spot
  const seen = new Map(), x = [], y = [];
  for (const k of at) {
    const spot = sem[k] + " " + sev[k], n = seen.get(spot) ?? 0, r = 0.012 * Math.sqrt(n), turn = n * 2.399963;
    seen.set(spot, n + 1);
    x.push(sev[k] / 8 - 1 + r * Math.cos(turn));
    y.push(sem[k] / 8 - 1 + r * Math.sin(turn));
  }
  const failed = at.map((k) => core.statuses[statuses[k]] !== "ok");
  plot("cases", [{
    type: "scatter", mode: "markers", x, y, showlegend: false, cliponaxis: false, customdata: at.map((k) => [id, k]),
    text: at.map((k) => `${escape(ownName(cases[k]))}<br>${wrap(escape(clip(cases[k].gold, 90)), 50)}<br>semantics ${number(sem[k] / 8 - 1, 2)}, severity ${number(sev[k] / 8 - 1, 2)}<br>${core.statuses[statuses[k]] ?? ""}`),
    marker: { size: 7, opacity: 0.75, color: colourOf.get(id), symbol: failed.map((f) => (f ? "x" : "circle")) },
    hovertemplate: "%{text}<extra></extra>",
  }, ...bestPoints()], planeLayout(), (point) => openCase(point.customdata[0], point.customdata[1]));
}

function drawCost(asked) {
  const known = asked.filter((row) => row.generation_usd !== null), leftOut = asked.length - known.length;
  const rows = known.filter((row) => row.semantic_aggregate !== null), most = Math.max(0, ...rows.map((row) => row.generation_usd));
  byId("cost_key").replaceChildren();
  if (!known.length) return empty("cost", asked.length ? "No cost is known." : whyNothing());
  if (!rows.length) return empty("cost", "This judge gives no semantic score.");
  if (!most) return empty("cost", "The chosen configurations cost nothing.");
  const unknown = known.reduce((sum, row) => sum + (row.n_unpriced_calls ?? 0), 0);
  byId("cost_note").textContent = "US dollars for all attempts at the answers; judges are not included" + (unknown ? `, nor ${unknown === 1 ? "is one attempt" : `are ${unknown} attempts`} of unknown cost` : "") + (leftOut ? `; ${leftOut} configuration${leftOut === 1 ? "" : "s"} without a known cost ${leftOut === 1 ? "is" : "are"} left out.` : ".");
  const few = rows.length <= MOST_NUMBERED, numbered = numberedRows(rows, asked);
  showKey("cost", numbered, rows.length);
  const layout = { height: tall(380), xaxis: { title: { text: "US dollars" }, range: [-0.08 * most, 1.08 * most], zeroline: false }, yaxis: { title: { text: "semantic aggregate" }, range: [-1.1, 1.1] } };
  const place = new Map(numbered.map(({ row, n }) => [row.id, n])), points = rows.map((row) => ({ x: row.generation_usd, y: row.semantic_aggregate, n: place.get(row.id) ?? null, r: row.id === state.configuration ? 9 : 6, lines: few ? linesOf(row, "generation_usd", "semantic_aggregate") : [] }));
  layout.annotations = numbers("cost", layout, points);
  return plot("cost", [{
    type: "scatter", mode: "markers", x: points.map(({ x }) => x), y: points.map(({ y }) => y), customdata: rows.map((row) => row.id),
    cliponaxis: false, marker: configurationMarkers(rows, few ? 1 : 0.7), error_y: few ? spread(rows, "semantic_aggregate") : undefined,
    hovertemplate: "%{customdata}<br>$%{x:.4~f}, semantics %{y:.3f}<extra></extra>",
  }], layout, (point) => choose(point.customdata));
}

// an answer is not a failure, nor is a case nobody asked about
const FINE = new Set(["ok", "not_requested"]);

function drawFailures(rows) {
  const counts = rows.map((row) => {
    const n = new Array(core.statuses.length).fill(0), statuses = statusesOf(row.id), length = statuses.length;
    for (const status of statuses) if (status !== NOTHING) n[status]++;
    const failed = n.reduce((sum, count, k) => sum + (FINE.has(core.statuses[k]) ? 0 : count), 0);
    return { row, n, failed, length };
  }).filter((one) => one.failed > 0).sort((a, b) => b.failed - a.failed);
  byId("failures_note").textContent = `Cases without a readable differential; all of them stay in the denominator. Cases that were not asked are outside it and not shown.` + (counts.length > SHOWN.failures ? ` The ${SHOWN.failures} of ${counts.length} configurations with the most failures.` : "");
  if (!counts.length) return empty("failures", rows.some((row) => row.is_asked) ? "Every case that was asked has an answer." : whyNothing());
  const shown = counts.slice(0, SHOWN.failures).reverse();
  const traces = core.statuses.map((status, k) => ({
    type: "bar", orientation: "h", name: status, y: shown.map((_, i) => i), x: shown.map((one) => one.n[k]), marker: { color: PASTELS[k % PASTELS.length], line: { color: SCORES.severity, width: 1 } },
    customdata: shown.map((one) => one.row.id), hovertemplate: "%{customdata}<br>" + status + ": %{x}<extra></extra>",
  })).filter((trace) => !FINE.has(trace.name) && trace.x.some((n) => n > 0));
  const { top, legend } = legendAbove("failures", traces.map((trace) => trace.name));
  return plot("failures", traces, {
    height: Math.max(200, 70 + 20 * shown.length) + top, barmode: "stack", showlegend: true, legend, margin: { ...MARGIN, t: top },
    yaxis: { automargin: true, ticklabelstandoff: 8, tickvals: shown.map((_, i) => i), ticktext: shown.map((one) => dot(one.row.id) + clip(shortName(one.row), 50)), zeroline: false }, xaxis: { title: { text: "cases" } },
  });
}

function tableOfCodes(coded, rest) {
  const columns = [["ICD-10-CM", "text"], ["cases"]], named = (code, title) => (code ? `${escape(code)} ${escape(title)}` : "");
  const names = coded.map((one) => {
    const levels = [named(one.category_code, one.category), named(one.block_code, one.block), named(one.system_code, one.system)].filter(Boolean);
    return `${levels[0]}<br><small>${levels.slice(1).join(", ") || "no code of its own"}</small>`;
  }).sort();
  const rows = unique(names).map((name) => tableRow(columns, [name, names.filter((other) => other === name).length]));
  return table(columns, [...(rest ? [tableRow(columns, ["unknown organ system", rest])] : []), ...rows]);
}

function drawSunburst() {
  const cases = state.test_set.flatMap((set) => casesOf[set] || []), coded = cases.filter((one) => one.system_code), rest = cases.length - coded.length;
  const codeless = cases.filter((one) => !one.chapter_code).length, one = codeless === 1;
  byId("codes_note").textContent = (codeless ? `${codeless} of the ${cases.length} cases ${one ? "has" : "have"} no ICD-10-CM code${rest === codeless ? ", and no organ system is known" : `; in this chart ${one ? "it stands" : "they stand"} in the chapter of the organ system${rest ? `, where that is known (${codeless - rest})` : ""}, in strata of ICD-10 under “no code”`}. ` : "") + "ICD-10-CM chapters, blocks and categories of the gold diagnoses, and the diseases in them.";
  if (!coded.length) return empty("sunburst", cases.length ? `None of the ${cases.length} cases has an ICD-10-CM code or a known organ system.` : "There are no cases.");
  showPanel("sunburst", true);
  if (coded.length <= FEW_CODED) return unplotted("sunburst", tableOfCodes(coded, rest));
  byId("codes_note").textContent += " Click a sector to enlarge it.";
  const nodes = new Map();
  const add = (id, parent, label, text) => { if (!nodes.has(id)) nodes.set(id, { parent, label, text, n: 0 }); nodes.get(id).n++; };
  // what has no code is a part of the ring too: without it the ring would look complete
  for (const one of cases) {
    add("all", "", `${cases.length} cases`, "");
    if (!one.system_code) { add("none", "all", "unknown", "no ICD-10-CM code, and no known organ system"); continue; }
    const c = "c" + one.system_code, leaf = (id) => add(id + "/" + one.gold, id, escape(clip(one.gold, 24)), one.gold);
    if (!one.chapter_code) { add(c, "all", one.system_code, one.system); add(c + "/none", c, "no code", "no ICD-10-CM code of their own"); leaf(c + "/none"); continue; }
    const b = c + "/" + one.block_code, k = b + "/" + one.category_code;
    add(c, "all", one.chapter_code, one.chapter);
    if (one.block_code) { add(b, c, one.block_code, one.block); if (one.category_code) { add(k, b, one.category_code, one.category); leaf(k); } }
  }
  const ids = [...nodes.keys()], all = [...nodes.values()];
  return plot("sunburst", [{
    type: "sunburst", ids, parents: all.map((n) => n.parent), labels: all.map((n) => n.label), values: all.map((n) => n.n), branchvalues: "total", insidetextorientation: "radial", leaf: { opacity: 1 },
    text: all.map((n) => wrap(escape(n.text ?? ""), 50)), textinfo: "label", hovertemplate: "%{label}: %{value} cases<br>%{text}<extra></extra>",
    marker: { line: { color: PAPER, width: 1 }, colors: ids.map((id) => (id === "none" ? tone("line") : "")) },
  }], { height: tall(480), margin: { l: 4, r: 4, t: 4, b: 4 }, colorway: PASTELS, extendsunburstcolors: true });
}

function drawAgreement() {
  const rows = core.agreement.filter((row) => isHere(row.test_set));
  const pairOf = (row) => row.judge_a + " – " + row.judge_b + (isSeveral() ? ", " + row.test_set : "");
  byId("agreement_note").textContent = !rows.length ? "" : "Cohen's kappa with quadratic weights, on the ranks or lists both judges labelled: 0 is chance, 1 is perfect agreement. top1 to top10: whether the gold diagnosis, or a broader or narrower name of it, is among the first 1, 3, 5 or 10.";
  if (!rows.length) return empty("agreement", "Only one judge has labelled this test set.");
  const scales = Object.keys(SCALES).filter((scale) => rows.some((row) => row.scale === scale));
  const pairs = unique(rows.map(pairOf));
  const lowest = Math.min(0, ...rows.map((row) => row.kappa_quadratic_low ?? row.kappa_quadratic ?? 0));
  const width = 0.8 / scales.length;  // of a bar, where a pair of judges is 1
  // the numbers have a column of their own: beside the bars the intervals would cross them
  const numbers = [];
  const traces = scales.map((scale, k) => {
    const of = pairs.map((pair) => rows.find((row) => row.scale === scale && pairOf(row) === pair));
    const y = pairs.map((_, i) => i + (k + 0.5) * width - 0.4), kappa = of.map((row) => row?.kappa_quadratic ?? null);
    kappa.forEach((value, i) => { if (value !== null) numbers.push({ text: number(value, 2), x: 1, xref: "paper", xanchor: "left", y: y[i], showarrow: false, font: { size: 11 } }); });
    return {
      type: "bar", orientation: "h", name: scale, y, x: kappa, width, // paler than the intervals on it
      marker: { color: SCALES[scale] + (scale === "semantic" ? "99" : ""), line: { color: SOFT, width: 1 } },
      error_x: { ...spread(of.map((row) => row ?? {}), "kappa_quadratic"), color: INK, thickness: 1 },
      customdata: of.map((row) => (row ? `${(row.agreement * 100).toFixed(0)} % the same label on ${row.n_ranks} ${scale.startsWith("top") ? "lists" : "ranks"}, plain kappa ${number(row.kappa, 2)}` : "")),
      hovertemplate: "%{customdata}<extra></extra>",
    };
  });
  const longest = phone.matches ? 15 : 26, { top, legend } = legendAbove("agreement", scales);
  return plot("agreement", traces, {
    height: 96 + top + (14 * scales.length + 20) * pairs.length, barmode: "overlay", annotations: numbers, margin: { ...MARGIN, r: 36, t: top },
    showlegend: true, legend,
    yaxis: { automargin: true, ticklabelstandoff: 8, tickvals: pairs.map((_, i) => i), ticktext: pairs.map((pair) => pair.split(" – ").map((j) => clip(j, longest)).join("<br>– ")), range: [-0.6, pairs.length - 0.4], zeroline: false },
    xaxis: { range: [lowest - 0.04, 1.04], tickvals: [-1, -0.5, 0, 0.5, 1], title: { text: "weighted kappa" } },
  });
}

const calibrated = (value) => (value === null ? "unknown" : value ? "calibrated" : "not calibrated");

function drawTrust() {
  const rows = core.calibration.filter((row) => isHere(row.test_set));
  byId("trust_note").textContent = "Each judge is compared with the raters of a panel exactly as each rater is with the other raters (kappa, quadratic weights). " +
    (rows.length ? "Calibrated: at least as good as the rater who agrees least with the others, beyond chance, with a label for nearly every rank. top1, top3, top5, top10: whether the gold diagnosis is among the first 1, 3, 5 or 10." : "Nobody has labelled these cases, so whether a judge is right here is unknown.");
  const interval = (row, name) => `${number(row[name], 2)} <small>${row[name + "_low"] === null ? "" : number(row[name + "_low"], 2) + "…" + number(row[name + "_high"], 2)}</small>`;
  const raters = [["judge or rater", "text"], ["test set", "text"], ["panel", "text"], ["scale", "text"], ["ranks or lists"], ["pairs"], ["kappa", "long"], ["raters"], ["verdict", "text"]];
  byId("calibration").innerHTML = rows.length ? table(raters, rows.map((row) => tableRow(raters, [escape(row.judge_id), escape(row.test_set), escape(row.panel), row.scale, row.n_ranks, row.n_pairs, interval(row, "kappa_quadratic"),
    `${number(row.lowest_rater, 2)}…${number(row.highest_rater, 2)}`, row.is_rater ? "rater" : calibrated(row.is_calibrated)]))) : "";
  const probes = [["judge", "text"], ["probe", "text"], ["scale", "text"], ["lists"], ["labels changed %"], ["shift", "long"]];
  byId("bias").innerHTML = core.bias.length ? `<p class="note">The same lists judged again after a change that should leave every label as it was (“gold absent”: the gold diagnosis is taken out, the others stay): labels that changed, and how far the score of the list moved (0 to 16).</p>` +
    table(probes, core.bias.map((row) => tableRow(probes, [escape(row.judge_id), escape(row.probe.replaceAll("_", " ")), row.scale, row.n_lists, percent(row.share_changed), interval(row, "shift")]))) : "";
}

const REFERENCES = { semantic_aggregate: "semantics", severity_aggregate: "severity", top5_broad: "top-5" };

// pairs of configurations that another sigmoid, metric or judge turns round, and which of them do
function drawChanges() {
  const orders = core.orders.filter((row) => isHere(row.test_set)), pairs = core.changes.filter((row) => isHere(row.test_set));
  const kindOf = (row) => REFERENCES[row.reference] + (isSeveral() ? `, ${row.test_set}` : "");
  byId("changes_key").replaceChildren();
  byId("changes_note").textContent = !orders.length ? "" : `Pairs of configurations in one and the same order under every metric and sigmoid, by every judge who gives such scores: ` +
    orders.map((row) => `${kindOf(row)} ${row.n_kept} of ${row.n_pairs} (${row.n_judges === 1 ? "one judge only, not checked against another" : `${row.n_judges} judges`}${row.n_incomparable ? `; ${row.n_incomparable} not comparable across them, who saw different cases` : ""})`).join("; ") + "." +
    (pairs.length ? " A filled square means that ranking by this column (its judge in brackets) reverses the pair. The number on the right counts the reversals." : "");
  if (!orders.length) return empty("changes", "Without two configurations on a test set there is no order.");
  if (!pairs.length) { showPanel("changes", true); return unplotted("changes", `<p class="note">No ranking reverses a pair.</p>`); }
  const kinds = (ranking) => [/^k /.test(ranking), !/^judge /.test(ranking), true].indexOf(true);
  const shown = pairs.slice(0, SHOWN.changes).reverse(), longest = phone.matches ? 14 : 40;
  const rankings = unique(shown.flatMap((row) => row.rankings)).sort((a, b) => kinds(a) - kinds(b) || (a < b ? -1 : 1));
  // names of columns that do not fit below them stand in a key
  const hasKey = phone.matches, letter = (i) => (rankings.length > 26 ? i + 1 : String.fromCharCode(97 + i));
  // a column of a phone is narrower than two digits
  const labelled = rankings.map((_, i) => i).filter((i) => !(hasKey && rankings.length > 6) || i % Math.ceil(rankings.length / 5) === 0);
  if (hasKey) byId("changes_key").innerHTML = rankings.map((ranking, i) => `<li>${letter(i)} ${breakable(ranking)}</li>`).join("");
  const name = (id, set) => clip(id.endsWith("/" + set) ? id.slice(0, -set.length - 1) : id, longest);
  return plot("changes", [{
    type: "heatmap", showscale: false, xgap: 2, ygap: 2, zmin: 0, zmax: 1, colorscale: [[0, "rgba(143,163,181,0.22)"], [1, COLOURS[1]]],
    x: rankings.map((_, i) => i), y: shown.map((_, i) => i), z: shown.map((row) => rankings.map((ranking) => Number(row.rankings.includes(ranking)))),
    text: shown.map((row) => rankings.map((ranking) => `${escape(kindOf(row))}: ${escape(row.one)} and ${escape(row.other)}<br>${escape(ranking)}: ${row.rankings.includes(ranking) ? "the other way round" : "as usual"}`)), hovertemplate: "%{text}<extra></extra>",
  }], {
    height: (hasKey ? 60 : 280) + 36 * shown.length, margin: { ...MARGIN, r: 36 },
    annotations: shown.map((row, i) => ({ text: String(row.rankings.length), x: 1, xref: "paper", xanchor: "left", y: i, showarrow: false, font: { size: 11 } })),
    yaxis: { automargin: true, ticklabelstandoff: 8, tickvals: shown.map((_, i) => i), ticktext: shown.map((row) => `${escape(name(row.one, row.test_set))}<br>– ${escape(name(row.other, row.test_set))} (${escape(kindOf(row))})`), zeroline: false, showgrid: false },
    xaxis: { automargin: true, tickangle: hasKey ? 0 : -60, tickvals: labelled, ticktext: labelled.map((i) => (hasKey ? letter(i) : escape(clip(rankings[i], 44)))), zeroline: false, showgrid: false },
  });
}

function drawMissed() {
  const rows = core.missed.filter((row) => isHere(row.test_set) && row.judge_id === state.judge);
  const columns = [["gold diagnosis", "text"], ["test set", "text"], ["missed"], ["of answers"], ["most often in first place instead", "text long"]];
  byId("missed").innerHTML = rows.length ? table(columns, rows.map((row) => tableRow(columns, [
    escape(clip(row.gold_written ?? row.gold_name, 80)) + (row.gold_written ? ` <small>${escape(row.gold_name)}</small>` : ""), escape(row.test_set), row.n_missed, row.n_answers, escape(row.usual_first_diagnosis ?? (row.n_failures < row.n_missed ? "none more often than others" : "no answer")),
  ]))) : `<p class="note">None.</p>`;
}

// the reason of each label by its place among all ranks
function reasonsByPlace(packed) {
  const reasons = new Map();
  let place = 0;
  packed.places.forEach((distance, i) => { place += distance; reasons.set(place, packed.texts[packed.numbers[i]]); });
  return reasons;
}

// what was sent for a cell, what came back and how it was read; \x01 stands for the narrative
function wordsByCell(packed) {
  const cells = new Map();
  let cell = 0;
  packed.cells.forEach((distance, i) => {
    cell += distance;
    const words = {};
    for (const part of ["system", "question", "findings", "answer", "reading", "cost"]) words[part] = packed.texts[packed[part][i]];
    cells.set(cell, words);
  });
  return cells;
}

// the votes of every judge on a cell
function votesByCell(packed) {
  const cells = new Map();
  let cell = 0;
  packed.cells.forEach((distance, i) => {
    cell += distance;
    const vote = { judge: packed.judge[i], rank: packed.rank[i], vote: packed.vote[i] };
    for (const part of ["scale", "request", "label", "reason"]) vote[part] = packed.texts[packed[part][i]];
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push(vote);
  });
  return cells;
}

// the votes behind a label, with the beginning of the key of the request each of them answers
const foldedVotes = (votes) => !votes.length ? "" : `<tr><td colspan="5" class="text"><details><summary>${votes.length} vote${votes.length === 1 ? "" : "s"}</summary>` +
  votes.map((vote) => `<p class="note">${escape(vote.scale)} vote ${vote.vote}, request <code>${escape(vote.request)}</code>: ${escape(vote.label)}${vote.reason ? `: ${escape(vote.reason)}` : ""}</p>`).join("") + "</details></td></tr>";

const folded = (title, text) => text === undefined ? "" : `<details><summary>${title} <small>${text.length.toLocaleString("en")} characters</small></summary><pre tabindex="0">${escape(text)}</pre></details>`;

// question and answer of a cell, behind a disclosure each
function shownWords(words, it) {
  if (it.narrative === null) return `<p class="note">Request and answer are left out: the test set holds personal health information.</p>`;
  if (!words) return `<p class="note">Request and answer, where there are any: kernel29 case ${escape(it.id)} --full</p>`;
  const question = words.question?.replaceAll("\x01", () => it.narrative);
  return folded("Instructions as sent", words.system) + (words.findings !== undefined ? folded("Findings given to the system", words.findings) : question === undefined ? `<p class="note">The request is not on record: the answer was imported, or no model was asked.</p>` : folded("Request as sent", question)) + folded("Answer as it came", words.answer);
}

// a score on its two scales, 0 to 16 and -1 to 1
const scaled = (steps) => (steps === NO_SCORE ? "–" : `${number(steps / STEPS, 2)} of 16 (${number(steps / STEPS / 8 - 1, 3)})`);

// what the rules that judged a list mean, and where the scores are defined
function ruleMeanings(id, k) {
  const names = Object.keys(SCALES_OF_RULES).flatMap((scale) => [...rulesOf(scale, id, k)].map((number) => core[scale][number]));
  const known = [...new Set(names)].filter((name) => core.meanings[name]);
  const scores = '<p class="note">How labels become scores: docs/specification.md#scores-of-a-diagnostic-list.</p>';
  if (!known.length) return scores;
  return `${scores}<details id="rules"><summary>What these rules mean</summary><dl>${known.map((name) => `<dt>${escape(name)}</dt><dd>${escape(core.meanings[name])}</dd>`).join("")}</dl>` +
    '<p class="note">All of them, with their sources: kernel29 query "from dim_judgement_rule".</p></details>';
}

const NARRATIVES = 1000;  // cases of a part
async function openCase(id, k) {
  const one = core.byId.get(id), narratives = `narratives-${setNumber(one.test_set)}-${Math.floor(k / NARRATIVES)}`;
  const texts = ["reasons-", "words-", "votes-"].map((kind) => kind + one.group);
  await whenLoaded([...texts, listsName(id), narratives], () => {});
  const [reasons, wordsOf, votesOf] = [reasonsByPlace, wordsByCell, votesByCell].map((index, i) => indexed(texts[i], index));
  const it = { ...casesOf[one.test_set][k], narrative: parts.get(narratives)[k % NARRATIVES] }, cell = one.cell + k;
  const judge = judgeNumber(), nRanks = core.n_cells * MAX_RANK, lists = listsOf(id);
  const sem = marks(id, "sem")[k], sev = marks(id, "sev")[k];
  const words = wordsOf.get(cell), votes = (votesOf.get(cell) ?? []).filter((vote) => vote.judge === judge);
  const columns = [["rank", "text"], ["diagnosis", "text long"], ["relation", "text"], ["severity", "text"], ["rule and reason", "text long"]], rows = [];
  let missing = false;
  for (let rank = 0; rank < MAX_RANK; rank++) {
    const place = cell * MAX_RANK + rank, name = nameAt(lists, firstRank(id, k) + rank);
    const label = lists.label[firstLabel(id, k) + rank];
    if (!name) continue;
    const reason = reasons.get(judge * nRanks + place);
    if (reason === undefined && label !== NOTHING) missing = true;
    rows.push(tableRow(columns, [rank + 1, escape(name), label === NOTHING ? "–" : escape(core.relations[label >> 4]), label === NOTHING ? "–" : escape(core.severities[label & 15]), escape(reason ?? "")]),
      foldedVotes(votes.filter((vote) => vote.rank === rank + 1)));
  }
  const facts = {
    "Gold diagnosis": it.gold, ...(it.known_as ? { "In terminologies": it.known_as } : {}), "Gold severity": it.severity ?? (it.graded ? `none given; the rules grade it ${it.graded}` : "none given"), "ICD-10-CM": it.code ? [it.chapter, it.block, it.category].filter(Boolean).join(" › ") + ` (${it.code})` : "no code",
    Patient: [it.sex, (it.age_band ?? "unknown") === "unknown" ? null : `age band ${it.age_band}`, it.language, it.holdout ? "held out" : null].filter(Boolean).join(", "),
    Configuration: id, Judge: state.judge, Status: core.statuses[statusesOf(id)[k]] ?? "unknown",
    ...(words?.reading ? { Reading: words.reading } : {}),
    ...(words?.cost ? { "Cost of the answer": words.cost } : {}),
    Scores: sem === NO_SCORE ? "not scored" : `semantic ${scaled(sem)}, severity ${scaled(sev)}`,
  };
  const panel = byId("detail");
  panel.innerHTML = `<button type="button" id="close">Close</button><h2 id="detail_title">${escape(ownName(it))}</h2><dl>${Object.entries(facts).map(([name, text]) => `<dt>${name}</dt><dd>${escape(text)}</dd>`).join("")}</dl>` + shownWords(words, it) +
    (rows.length ? table(columns, rows) + ruleMeanings(id, k) : `<p class="note">There is no list: ${id.includes("/no_prompt/") ? "the case has nothing that this system ranks by" : escape(facts.Status)}.</p>`) +
    (votes.length ? `<p class="note">What a vote was asked, by the key of its request: kernel29 query --json "from dim_llm_request where starts_with(request_key, '${escape(votes[0].request)}')"</p>` : "") +
    (core.judges[judge]?.kind === "llm" && rows.length && !votes.length ? `<p class="note">The votes, where there are any: kernel29 case ${escape(it.id)}</p>` : "") +
    (missing ? `<p class="note">Reasons that did not fit into this page: kernel29 case ${escape(it.id)}</p>` : "") +
    `<h3>Narrative</h3>` + (it.narrative ? `<pre>${escape(it.narrative)}</pre>` : `<p class="note">Left out: the test set holds personal health information.</p>`);
  if (panel.hidden) focusBefore = document.activeElement;
  panel.hidden = false;
  panel.scrollTop = 0;
  byId("close").onclick = closeDetail;
  byId("close").focus();
}

function closeDetail() {
  if (byId("detail").hidden) return;
  byId("detail").hidden = true;
  byId("case").value = "";
  (focusBefore?.isConnected && focusBefore !== document.body ? focusBefore : byId("case")).focus({ preventScroll: true });
}

addEventListener("unhandledrejection", ({ reason }) => {
  if (FOLDER && String(reason.message).startsWith(FOLDER)) byId("summary").textContent = `${reason.message}.`;
});

start().catch((error) => {
  byId("summary").textContent = "This page could not be read: " + error.message + ". It needs a browser of 2023 or later.";
  throw error;
});
