// What a configuration made of each case, and two configurations side by side.
const MOST_NAMED = 40;
const versus = { a: "", b: "", solved: "5", isChosen: false };
// the depths of top-k
const DEPTHS = [1, 3, 5, 10];
// what of a case is counted as solved: how many ranks, and whether a broader name will do
const SOLVED = Object.fromEntries(DEPTHS.flatMap((depth) => [[depth, [depth, false]], [depth + "b", [depth, true]]]));

// the rank of the gold diagnosis in each list of a configuration by the chosen judge, 0 where it is in none
const goldRanks = (id, broad) => [...marks(id, broad ? "broad_rank" : "strict_rank")];

const solvedCases = (id, solved) => goldRanks(id, SOLVED[solved][1]).map((rank) => rank > 0 && rank <= SOLVED[solved][0]);
const firstName = (id, k) => nameAt(listsOf(id), firstRank(id, k));
const judgesRanks = () => core.n_cells > 0 && judgeNumber() >= 0;
// a judge may have a sample, and what was not asked has no score
const casesScored = (id) => [...marks(id, "is_scored")].map((is) => is === 1);
const opener = (id, k, text) => `<button type="button" class="open" data-id="${escape(id)}" data-k="${k}">${escape(text)}</button>`;

// a judge of whole lists labels no ranks, and gives no relations
const labelsLists = (row) => row.semantic_aggregate === null;

function showLabelledLists(rows) {
  const given = DEPTHS.filter((depth) => rows.some((row) => row[`top${depth}_strict`] !== null));
  const columns = [["configuration", "text"], ["cases"], ["no label"], ...given.map((depth) => [`top-${depth} %`])];
  const share = (row, name) => row[name] === null ? "–" : `${percent(row[name])} <small>${percent(row[name + "_low"])}…${percent(row[name + "_high"])}</small>`;
  byId("versus_note").textContent = `${state.judge} labels lists as a whole: whether the gold diagnosis is among the first ${given.join(", ")}. Which cases only one of the two solves is left out, because no rank has a label. Differences with interval and test: kernel29 compare ${rows[0].id} ${rows[1].id}`;
  byId("versus").innerHTML = table(columns, rows.map((row) => tableRow(columns, [escape(shortName(row)), row.n_cases, row.n_unlabelled, ...given.map((depth) => share(row, `top${depth}_strict`))])));
}

function drawVersus(asked) {
  const ids = asked.map((row) => row.id);
  if (!ids.includes(versus.a)) versus.a = ids[0] ?? "";
  // configurations of two test sets have no case in common
  const set = core.byId.get(versus.a)?.test_set, others = asked.filter((row) => row.test_set === set && row.id !== versus.a);
  if (!others.some((row) => row.id === versus.b)) versus.b = others[0]?.id ?? "";
  for (const [side, rows] of [["a", asked], ["b", others]]) {
    byId("versus_" + side).replaceChildren(...rows.map((row) => new Option(shortName(row), row.id)));
    byId("versus_" + side).value = versus[side];
  }
  // where one is alone in its test set, another may still have a partner
  byId("versus_section").hidden = asked.length === new Set(asked.map((row) => row.test_set)).size || !judgesRanks();
  if (!versus.b) { byId("versus_note").textContent = "No other configuration of this test set is chosen."; byId("versus").replaceChildren(); return; }
  if (byId("versus_section").hidden) return;
  const [a, b] = [versus.a, versus.b], solved = { a: solvedCases(a, versus.solved), b: solvedCases(b, versus.solved) };
  const rows = [a, b].map((id) => asked.find((row) => row.id === id));
  if (rows.every(labelsLists)) return showLabelledLists(rows);
  const scoredOfA = casesScored(a), scoredOfB = casesScored(b), cases = casesOf[set] || [];
  const common = cases.map((_, k) => k).filter((k) => scoredOfA[k] && scoredOfB[k]);
  const pick = (inA, inB) => common.filter((k) => solved.a[k] === inA && solved.b[k] === inB);
  const both = pick(true, true), onlyA = pick(true, false), onlyB = pick(false, true), neither = pick(false, false);
  const nameA = shortName(core.byId.get(a)), nameB = shortName(core.byId.get(b));
  const columns = [["cases", "text"], [`${nameB}: solved`], [`${nameB}: not`]];
  const points = common.length ? 100 * (onlyA.length - onlyB.length) / common.length : 0;
  byId("versus_note").textContent = `${common.length} common cases; solved: ${byId("versus_solved").selectedOptions[0].textContent}; failed answers count as not solved. A, ${nameA}, solves ${both.length + onlyA.length} and B, ${nameB}, ${both.length + onlyB.length} of them, ${number(Math.abs(points), 1)} percentage points ${points < 0 ? "fewer" : "more"}. Whether that may be chance, with its interval: kernel29 compare ${a} ${b}`;
  const named = (id, title, list) => `<h3>${escape(title)}: ${list.length}</h3><p>${list.slice(0, MOST_NAMED).map((k) => opener(id, k, `${ownName(cases[k])}: ${clip(cases[k].gold, 60)}`)).join(" ")}${list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : ""}</p>`;
  byId("versus").innerHTML = table(columns, [tableRow(columns, [`${escape(nameA)}: solved`, both.length, onlyA.length]), tableRow(columns, [`${escape(nameA)}: not`, onlyB.length, neither.length])]) +
    named(a, `Only ${nameA}`, onlyA) + named(b, `Only ${nameB}`, onlyB);
  joinStops(byId("versus"));
}
