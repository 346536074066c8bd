// The table of cases and its filters, which the chart of single cases keeps to as well.
const MOST_ROWS = 100;
// order: a column of the table of cases, with - for the other way round
const ALL = { words: "", kind: "all", agreed: "all", status: "", rule: "", stratum: [], order: "" };
const search = { ...ALL };
// of the table of cases: among the first five
const isSolved = (rank) => rank > 0 && rank <= 5;

const KINDS = {
  all: ["all", () => true],
  first: ["solved at rank 1", (row) => row.rank === 1],
  five: ["solved in the first five", (row) => isSolved(row.rank)],
  missed: ["answered, but missed", (row) => !isSolved(row.rank) && row.status === "ok"],
  failed: ["failed", (row) => row.status !== "" && !FINE.has(row.status)],
};
// of the configurations that are chosen and were asked about a case
const AGREED = {
  all: ["all", () => true],
  differ: ["disagree", (row) => row.n_solved > 0 && row.n_solved < row.n_scored],
  everybody: ["all solve it", (row) => row.n_scored > 0 && row.n_solved === row.n_scored],
  nobody: ["none solves it", (row) => row.n_scored > 0 && row.n_solved === 0],
};
// The strata of a case, by the names that the tables of strata use; a missing value is a stratum too.
const STRATA = {
  "age band": (one) => one.age_band ?? "unknown",
  sex: (one) => one.sex ?? "unknown",
  language: (one) => one.language ?? "unknown",
  "gold severity": (one) => one.severity ?? "unknown",
  "held out": (one) => (one.holdout ? "held out" : "open"),
  "ICD-10 chapter": (one) => (one.chapter_code ? `${one.chapter_code} ${one.chapter}` : "no code"),
  "ICD-10 block": (one) => (one.block_code ? `${one.block_code} ${one.block}` : "no code"),
};
const STRATUM_TITLES = { "held out": "held out: one case in five, by a hash of its id, not to be seen when prompts are written" };
const stratumOf = (kind, one) => kind + ": " + STRATA[kind](one);
const SCALES_OF_RULES = { semantic_rules: "relation", severity_rules: "severity" };

// the chosen configuration, or the same model and prompt on another test set
function counterpart(set) {
  const { model, prompt } = core.byId.get(state.configuration) ?? {};
  return core.configurations.find((one) =>
    one.test_set === set && one.model === model && one.prompt === prompt && colourOf.has(one.id))?.id;
}

// what the table shows of each case, once per judge, test set, configuration and choice of models
let known = { key: null };
function knownCases(asked) {
  const ids = asked.map((row) => row.id);
  const key = JSON.stringify([state.test_set, state.judge, state.configuration, ids]);
  if (known.key !== key) known = { key, rows: state.test_set.flatMap((set) => casesOfSet(set, asked)) };
  return known.rows;
}

function casesOfSet(set, asked) {
  const cases = casesOf[set] || [], here = asked.filter((row) => row.test_set === set);
  const solved = new Uint16Array(cases.length), of = new Uint16Array(cases.length);
  for (const { id } of here) {
    const golden = goldRanks(id, false);
    casesScored(id).forEach((is, k) => { if (is) { of[k]++; solved[k] += isSolved(golden[k]); } });
  }
  const id = counterpart(set), ranks = id ? goldRanks(id, false) : [], statuses = id ? statusesOf(id) : [];
  return cases.map((one, k) => ({
    k, one, id, opens: id ?? here[0]?.id, rank: ranks[k] ?? 0, status: id ? (core.statuses[statuses[k]] ?? "not_requested") : "",
    n_solved: solved[k], n_scored: of[k],
    words: [one.id, one.own_id, one.gold, one.known_as, one.code, one.chapter].filter(Boolean).join(" ").toLowerCase(),
  }));
}

// the numbers of the rules that judged the ranks of a list
function rulesOf(scale, id, k) {
  const from = firstLabel(id, k);
  return listsOf(id)[scale].subarray(from, from + MAX_RANK);
}

// a chosen rule is its scale and its number: a name may be of both
function isByRule(row) {
  if (!search.rule) return true;
  const [scale, name] = search.rule.split(":"), number = core[scale]?.indexOf(name) ?? -1;
  return number >= 0 && row.id !== undefined && rulesOf(scale, row.id, row.k).includes(number);
}

// any stratum of a kind, and every kind that is chosen
function isInStrata(one) {
  const kinds = Object.keys(STRATA).filter((kind) => search.stratum.some((name) => name.startsWith(kind + ": ")));
  return kinds.every((kind) => search.stratum.includes(stratumOf(kind, one)));
}

function filteredCases(asked) {
  const wanted = search.words.toLowerCase().split(/\s+/).filter(Boolean);
  const [is, agree] = [KINDS[search.kind][1], AGREED[search.agreed][1]];
  return knownCases(asked).filter((row) =>
    is(row) && agree(row) && (!search.status || row.status === search.status) &&
    isInStrata(row.one) && wanted.every((word) => row.words.includes(word)) && isByRule(row));
}

// What a column of the table of cases is sorted by. A list without the gold diagnosis is worse than any rank.
const ORDERS = {
  case: ({ one }) => one.id, gold: ({ one }) => one.gold ?? "", rank: ({ rank }) => rank || Infinity,
  first: ({ k, id }) => (id ? firstName(id, k) : ""), status: ({ status }) => status,
  solved: ({ n_solved, n_scored }) => (n_scored ? n_solved / n_scored : -1),
};
const collator = new Intl.Collator(undefined, { numeric: true });

function inOrder(rows) {
  const value = ORDERS[search.order.replace("-", "")];
  if (!value) return rows;
  const sign = search.order.startsWith("-") ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a === b ? 0 : a - b);
  return rows.map((row) => [value(row), row]).sort(([a], [b]) => sign * compare(a, b)).map(([, row]) => row);
}

// a click on the name of a column: up, down, and as the cases were
function reorder(column) {
  search.order = search.order === column ? "-" + column : search.order === "-" + column ? "" : column;
  searchAgain();
  document.querySelector(`#case_table button[data-sort="${column}"]`).focus({ preventScroll: true });
}

// every choice that narrows the page, in words; a list of which nothing is chosen means all
function filtersSet() {
  const chosen = { "test set": state.test_set, judge: [state.judge], setting: [state.setting], model: state.model, prompt: state.prompt };
  const words = Object.entries(chosen).filter(([, values]) => values[0])
    .map(([name, values]) => `${name} ${values.join(" or ")}`);
  if (state.breadth === "broad") words.push("broader names counted");
  const ofCases = {
    "cases with the words": search.words, "cases that are": search.kind !== "all" && KINDS[search.kind][0],
    "cases where configurations": search.agreed !== "all" && AGREED[search.agreed][0],
    "status": search.status.replaceAll("_", " "), "rule": search.rule.split(":").pop().replaceAll("_", " "),
    "stratum": search.stratum.join(" or "),
  };
  for (const [name, value] of Object.entries(ofCases)) if (value) words.push(`${name} ${value}`);
  return words.join(", ");
}

const grouped = (title, pairs) => {
  const group = document.createElement("optgroup");
  group.label = title;
  group.append(...pairs.map(([text, value]) => new Option(text, value)));
  return group;
};

function fillCaseFilters(asked) {
  const rows = knownCases(asked), cases = rows.map((row) => row.one);
  const single = (id, nodes) => {
    byId(id).replaceChildren(new Option("all", ""), ...nodes);
    byId(id).value = search[id];
    if (byId(id).selectedIndex < 0) byId(id).value = search[id] = "";
  };
  const statuses = unique(rows.map((row) => row.status).filter(Boolean)).sort();
  single("status", statuses.map((name) => new Option(name.replaceAll("_", " "), name)));
  single("rule", Object.entries(SCALES_OF_RULES).map(([scale, title]) => {
    const used = new Set();
    for (const id of unique(rows.map((row) => row.id)).filter((id) => id !== undefined)) {
      const from = firstLabel(id, 0);
      for (const rule of listsOf(id)[scale].subarray(from, from + casesOf[core.byId.get(id).test_set].length * MAX_RANK)) used.add(rule);
    }
    const names = core[scale].filter((_, i) => used.has(i));
    return grouped(title, names.map((name) => [name.replaceAll("_", " "), scale + ":" + name]));
  }).filter((group) => group.children.length));
  byId("stratum").replaceChildren(...Object.keys(STRATA).map((kind) => {
    const names = unique(cases.map((one) => STRATA[kind](one))).sort();
    return grouped(STRATUM_TITLES[kind] ?? kind, names.map((name) => [clip(name, 60), kind + ": " + name]));
  }).filter((group) => group.children.length > 1));
  for (const option of byId("stratum").options) option.selected = search.stratum.includes(option.value);
  search.stratum = [...byId("stratum").selectedOptions].map((option) => option.value);
}

function drawCaseTable(asked) {
  byId("case_section").hidden = !asked.length;
  if (asked.length) showCases(asked);
}

function showCases(asked) {
  const rows = filteredCases(asked), n = knownCases(asked).length;
  const whose = isSeveral() ? shortName({ ...core.byId.get(state.configuration), test_set: "each set" }) : state.configuration;
  byId("case_count").textContent = `${rows.length} of ${n} cases` +
    (rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "") +
    `. Rank, first diagnosis, status and rules are those of ${whose}.`;
  const columns = [["case", "text", "case"], ["gold diagnosis", "text long", "gold"], ["its rank", "", "rank"], ["first diagnosis", "text long", "first"], ["status", "text", "status"], ["solved by", "", "solved"]];
  const [column, direction] = search.order.startsWith("-") ? [search.order.slice(1), "descending"] : [search.order, "ascending"];
  const line = ({ k, one, id, opens, rank, status, n_solved, n_scored }) => tableRow(columns, [
    opens ? opener(opens, k, ownName(one)) : escape(ownName(one)), escape(clip(one.gold, 90)), rank || "–",
    escape(id ? clip(firstName(id, k), 60) : "–"), escape(status.replaceAll("_", " ")), `${n_solved} of ${n_scored}`,
  ]);
  byId("case_table").innerHTML = rows.length ? table(columns, inOrder(rows).slice(0, MOST_ROWS).map(line), "", column, direction) : "";
  joinStops(byId("case_table"));
}

// one choice in a filter of cases; the chart of cases follows
function searchAgain() {
  const asked = chosenRows().filter((row) => row.is_asked);
  showCases(asked);
  drawCases();
  writeAddress();
}

function listenToCases() {
  for (const [id, choices] of [["kind", KINDS], ["agreed", AGREED]]) {
    byId(id).replaceChildren(...Object.entries(choices).map(([value, [text]]) => new Option(text, value)));
    if (!(search[id] in choices)) search[id] = "all";
    byId(id).value = search[id];
  }
  byId("search_words").value = search.words;
  byId("search_words").addEventListener("input", (event) => { search.words = event.target.value; searchAgain(); });
  for (const id of ["kind", "agreed", "status", "rule", "stratum"]) byId(id).addEventListener("change", ({ target }) => {
    search[id] = target.multiple ? [...target.selectedOptions].map((option) => option.value) : target.value;
    searchAgain();
  });
  byId("no_filter").addEventListener("click", () => {
    Object.assign(search, ALL);
    byId("search_words").value = "";
    byId("kind").value = byId("agreed").value = "all";
    fillCaseFilters(chosenRows().filter((row) => row.is_asked));
    searchAgain();
  });
  byId("versus_form").addEventListener("change", (event) => {
    versus[event.target.id.replace("versus_", "")] = event.target.value;
    versus.isChosen = true;
    drawVersus(chosenRows().filter((row) => row.is_asked));
    writeAddress();
  });
  byId("case_table").addEventListener("click", (event) => {
    const sort = event.target.closest("button.sort");
    if (sort) reorder(sort.dataset.sort);
  });
  for (const id of ["versus", "case_table"]) byId(id).addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) openCase(button.dataset.id, Number(button.dataset.k));
  });
  for (const id of ["search", "versus_form"]) byId(id).addEventListener("submit", (event) => event.preventDefault());
}
