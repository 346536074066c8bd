// Cases of the chosen test set: search, filters, and two configurations side by side.
const EXACT = "Exact Synonym", BROAD = "Broad Synonym", MOST_ROWS = 100, MOST_NAMED = 40;
const search = { words: "", kind: "all", chapter: "" };
const versus = { a: "", b: "", solved: "5" };
// the depths of top-k
const DEPTHS = [1, 3, 5, 10];
// what of a case is counted as solved: how many ranks, and whether a broader name will do
const SOLVED = Object.fromEntries(DEPTHS.flatMap((depth) => [[depth, [depth, false]], [depth + "b", [depth, true]]]));
// of the table of cases: among the first five
const isSolved = (rank) => rank > 0 && rank <= 5;

// the rank of the gold diagnosis in each list of a configuration by the chosen judge, 0 where it is in none
function goldRanks(id, broad) {
  const judge = core.judges.findIndex((one) => one.id === state.judge), from = judge * core.n_cells * MAX_RANK + firstCell.get(id) * MAX_RANK;
  const counts = new Set([EXACT, ...(broad ? [BROAD] : [])].map((name) => core.relations.indexOf(name)));
  return (casesOf[core.byId.get(id).test_set] || []).map((_, k) => {
    for (let rank = 0; rank < MAX_RANK; rank++) {
      const label = arrays.labels[from + k * MAX_RANK + rank];
      if (label !== NOTHING && counts.has(label >> 4)) return rank + 1;
    }
    return 0;
  });
}

const solvedCases = (id, solved) => goldRanks(id, SOLVED[solved][1]).map((rank) => rank > 0 && rank <= SOLVED[solved][0]);
const statusOf = (id, k) => core.statuses[arrays.status[firstCell.get(id) + k]] ?? "not_requested";
const firstName = (id, k) => {
  const at = (firstCell.get(id) + k) * MAX_RANK, name = arrays.diagnosis0[at] | (arrays.diagnosis1[at] << 8) | (arrays.diagnosis2[at] << 16);
  return name ? core.names[name - 1] : "";
};
// a judge of whole lists says nothing of ranks
const judgesRanks = () => arrays.labels.length > 0 && core.judges.some((one) => one.id === state.judge);
const casesAsked = (id) => (casesOf[core.byId.get(id).test_set] || []).map((_, k) => statusOf(id, k) !== "not_requested");
const opener = (id, k, text) => `<button type="button" class="open" data-id="${escape(id)}" data-k="${k}">${escape(text)}</button>`;

function drawVersus(asked) {
  const ids = asked.map((row) => row.id);
  if (!ids.includes(versus.a)) versus.a = ids[0] ?? "";
  if (!ids.includes(versus.b) || versus.b === versus.a) versus.b = ids.find((id) => id !== versus.a) ?? "";
  for (const side of ["a", "b"]) {
    byId("versus_" + side).replaceChildren(...asked.map((row) => new Option(shortName(row), row.id)));
    byId("versus_" + side).value = versus[side];
  }
  byId("versus_section").hidden = ids.length < 2 || !judgesRanks();
  if (byId("versus_section").hidden) return;
  const [a, b] = [versus.a, versus.b], solved = { a: solvedCases(a, versus.solved), b: solvedCases(b, versus.solved) };
  const askedOfA = casesAsked(a), askedOfB = casesAsked(b), cases = casesOf[state.test_set] || [];
  const common = cases.map((_, k) => k).filter((k) => askedOfA[k] && askedOfB[k]);
  const pick = (inA, inB) => common.filter((k) => solved.a[k] === inA && solved.b[k] === inB);
  const both = pick(true, true), onlyA = pick(true, false), onlyB = pick(false, true), neither = pick(false, false);
  const nameA = shortName(core.byId.get(a)), nameB = shortName(core.byId.get(b));
  const columns = [["", "text"], [`${nameB}: solved`], [`${nameB}: not`]];
  const points = common.length ? 100 * (onlyA.length - onlyB.length) / common.length : 0;
  byId("versus_note").textContent = `${common.length} common cases; failed answers count as not solved. A solves ${points < 0 ? "fewer" : "more"} of them than B, by ${number(Math.abs(points), 1)} percentage points. A test of the difference: kernel29 compare ${a} ${b}`;
  const named = (id, title, list) => `<h3>${escape(title)}: ${list.length}</h3><p>${list.slice(0, MOST_NAMED).map((k) => opener(id, k, `${cases[k].id}: ${clip(cases[k].gold, 60)}`)).join(" ")}${list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : ""}</p>`;
  byId("versus").innerHTML = table(columns, [tableRow(columns, [`${escape(nameA)}: solved`, both.length, onlyA.length]), tableRow(columns, [`${escape(nameA)}: not`, onlyB.length, neither.length])]) +
    named(a, `Only ${nameA}`, onlyA) + named(b, `Only ${nameB}`, onlyB);
}

const KINDS = {
  all: ["all", () => true], first: ["solved at rank 1", (one) => one.rank === 1], five: ["solved in the first five", (one) => isSolved(one.rank)],
  missed: ["answered, but missed", (one) => !isSolved(one.rank) && one.status === "ok"], failed: ["failed", (one) => !FINE.has(one.status)],
  differ: ["configurations disagree", (one) => one.n_solved > 0 && one.n_solved < one.n_asked], nobody: ["solved by nobody", (one) => one.n_asked > 0 && one.n_solved === 0],
};

// what the table of cases shows of each, once per judge, test set, configuration and choice of models
let known = { key: null };
function knownCases(asked) {
  const key = JSON.stringify([state.test_set, state.judge, state.configuration, asked.map((row) => row.id)]);
  if (known.key === key) return known.rows;
  const cases = casesOf[state.test_set] || [], n = new Uint16Array(cases.length), of = new Uint16Array(cases.length);
  for (const { id } of asked) {
    goldRanks(id, false).forEach((rank, k) => { if (isSolved(rank)) n[k]++; });
    casesAsked(id).forEach((is, k) => { if (is) of[k]++; });
  }
  const chosen = core.byId.has(state.configuration) ? goldRanks(state.configuration, false) : [];
  known = { key, rows: cases.map((one, k) => ({
    k, one, rank: chosen[k] ?? 0, status: state.configuration ? statusOf(state.configuration, k) : "", n_solved: n[k], n_asked: of[k],
    words: [one.id, one.gold, one.written, one.code, one.chapter].filter(Boolean).join(" ").toLowerCase(),
  })) };
  return known.rows;
}

function drawCaseTable(asked) {
  const chapters = unique((casesOf[state.test_set] || []).map((one) => one.chapter).filter(Boolean)).sort();
  byId("chapter").replaceChildren(new Option("all", ""), ...chapters.map((name) => new Option(clip(name, 60), name)));
  if (!chapters.includes(search.chapter)) search.chapter = "";
  byId("chapter").value = search.chapter;
  byId("case_section").hidden = !asked.length;
  if (asked.length) showCases(asked);
}

function showCases(asked) {
  const wanted = search.words.toLowerCase().split(/\s+/).filter(Boolean), is = KINDS[search.kind][1];
  const rows = knownCases(asked).filter((row) => is(row) && (!search.chapter || row.one.chapter === search.chapter) && wanted.every((word) => row.words.includes(word)));
  byId("case_count").textContent = `${rows.length} of ${(casesOf[state.test_set] || []).length} cases` + (rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "") + `. Rank and first diagnosis are those of ${state.configuration}.`;
  const columns = [["case", "text"], ["gold diagnosis", "text long"], ["its rank"], ["first diagnosis", "text long"], ["status", "text"], ["solved by"]];
  byId("case_table").innerHTML = rows.length ? table(columns, rows.slice(0, MOST_ROWS).map((row) => tableRow(columns, [
    opener(state.configuration, row.k, row.one.id), escape(clip(row.one.gold, 90)), row.rank || "–", escape(clip(firstName(state.configuration, row.k), 60)), escape(row.status), `${row.n_solved} of ${row.n_asked}`,
  ]))) : "";
}

function listenToCases() {
  const again = () => showCases(chosenRows().filter((row) => row.is_asked));
  byId("kind").replaceChildren(...Object.entries(KINDS).map(([value, [text]]) => new Option(text, value)));
  byId("search_words").addEventListener("input", (event) => { search.words = event.target.value; again(); });
  for (const id of ["kind", "chapter"]) byId(id).addEventListener("change", (event) => { search[id] = event.target.value; again(); });
  byId("versus_form").addEventListener("change", (event) => {
    versus[event.target.id.replace("versus_", "")] = event.target.value;
    drawVersus(chosenRows().filter((row) => row.is_asked));
  });
  for (const id of ["versus", "case_table"]) byId(id).addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) openCase(button.dataset.id, Number(button.dataset.k));
  });
  for (const id of ["search", "versus_form"]) byId(id).addEventListener("submit", (event) => event.preventDefault());
}
