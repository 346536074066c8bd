// Examination questions: how many are right by type, who is better on the same questions, and every question.
const quiz = { set: 0, type: "", result: "all", who: "", words: "", isWanted: false };
const MOST_LISTED = 300, MOST_ANSWERERS = 8;
const questionRows = () => parts.get(`questions-${quiz.set}`) ?? [];
const ofQuizSet = (rows) => rows.filter((row) => row.set === core.questions.sets[quiz.set].id);
// without the set, which is chosen above
const quizName = (id) => id.slice(0, id.lastIndexOf("/"));
const answerers = () => core.questions.answered.filter((one) => one.question_set === core.questions.sets[quiz.set].id).map((one) => one.configuration_id);
const verdict = (question, answer) => (question.unscored ? "" : answer?.letter === question.key ? " ✓" : " ✗");

function startQuestions() {
  const all = core.questions;
  if (!all?.sets.length) return;
  byId("questions_section").hidden = false;
  byId("quiz_set").replaceChildren(...all.sets.map((set, i) => new Option(`${set.id} (${set.n_questions})`, i)));
  byId("quiz_form").addEventListener("change", (event) => chooseQuiz(event.target));
  byId("quiz_form").addEventListener("submit", (event) => event.preventDefault());
  byId("quiz_list").addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) openQuestion(Number(button.dataset.k));
  });
  if (!FOLDER) return drawQuestions();
  // of a large report the questions are read when somebody gets to them
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    seen.disconnect();
    quiz.isWanted = true;
    drawQuestions();
  });
  seen.observe(byId("questions_section"));
}

function chooseQuiz({ id, value }) {
  const name = id.replace("quiz_", "");
  quiz[name] = name === "set" ? Number(value) : value;
  if (name === "set") quiz.type = quiz.who = "";
  drawQuestions();
}

function drawQuestions() {
  if (!core.questions?.sets.length || (FOLDER && !quiz.isWanted)) return;
  return whenLoaded([`questions-${quiz.set}`], () => {
    const set = core.questions.sets[quiz.set], who = answerers(), types = unique(questionRows().map((one) => one.type)).sort();
    byId("quiz_type").replaceChildren(new Option("all", ""), ...types.map((type) => new Option(type.replaceAll("_", " "), type)));
    byId("quiz_who").replaceChildren(new Option("any configuration", ""), ...who.map((id) => new Option(quizName(id), id)));
    byId("quiz_type").value = quiz.type;
    byId("quiz_who").value = quiz.who;
    const left = [[set.n_image, "on images"], [set.n_voided, "voided"], [set.n_without_key, "without a key"], [set.n_two_keys, "with several keys"], [set.n_key_is_no_option, "whose key is no option"], [set.n_keys_contradict, "whose keys contradict each other"]].filter(([n]) => n).map(([n, what]) => `${n} ${what}`);
    byId("quiz_note").textContent = `${set.n_questions} questions, ${set.n_scored} scored${left.length ? `; left out: ${left.join(", ")}` : ""}. Share of questions whose chosen option is the key, with 95 % intervals (Wilson); the grey marks show chance, a random choice. Analysis: the key is at rank 1 of the analysis that precedes the choice. Same: repeats of a question that chose the same option every time. Questions not asked do not count; unreadable answers count as wrong.`;
    drawQuizChart();
    drawQuizTables();
    drawQuizList(who);
  });
}

// pixels for the configurations of a stratum; all strata fit on a sheet
const bandOfStratum = (n, nStrata) => Math.min(Math.max(26, 13 * n), isOnPaper() ? 560 / nStrata : Infinity);

function drawQuizChart() {
  const rows = ofQuizSet(core.questions.scores).filter((row) => row.right !== null);
  if (!rows.length) return unplotted("quiz_chart", `<p class="note">No question of this set is scored and has an answer.</p>`);
  const strata = ["all", ...unique(rows.map((row) => row.stratum).filter((name) => name !== "all")).sort()];
  const ids = unique(rows.filter((row) => row.kind === "all").map((row) => row.id)).slice(0, SHOWN.violin);
  const step = 0.8 / ids.length, at = (row) => strata.length - strata.indexOf(row.stratum) - 0.4 + (ids.indexOf(row.id) + 0.5) * step;
  const traces = ids.map((id, i) => {
    const own = rows.filter((row) => row.id === id);
    return {
      type: "scatter", mode: "markers", cliponaxis: false, name: quizName(id), x: own.map((row) => 100 * row.right), y: own.map(at), marker: { color: COLOURS[i % COLOURS.length], size: 9 },
      error_x: { type: "data", symmetric: false, array: own.map((row) => 100 * (row.high - row.right)), arrayminus: own.map((row) => 100 * (row.right - row.low)), color: COLOURS[i % COLOURS.length], thickness: 1.5, width: 0 },
      text: own.map((row) => `${escape(quizName(id))}, ${row.stratum.replaceAll("_", " ")}: ${number(100 * row.right, 1)} % of ${row.n} (${number(100 * row.low, 1)} to ${number(100 * row.high, 1)})`), hoverinfo: "text",
    };
  });
  const blind = strata.map((name) => rows.find((row) => row.stratum === name));
  traces.push({ type: "scatter", mode: "markers", name: "chance", x: blind.map((row) => 100 * row.chance), y: strata.map((_, i) => strata.length - i), marker: { symbol: "line-ns-open", size: 22, color: SOFT, line: { width: 2 } }, hoverinfo: "text", text: blind.map((row) => `chance: ${number(100 * row.chance, 1)} %`) });
  const { top, legend } = legendAbove("quiz_chart", traces.map((trace) => trace.name));
  plot("quiz_chart", traces, {
    height: 50 + top + strata.length * bandOfStratum(ids.length, strata.length), showlegend: true, legend, margin: { ...MARGIN, l: 110, t: top },
    xaxis: { range: [0, 100], title: { text: "right, %" } }, yaxis: { ticklabelstandoff: 8, tickvals: strata.map((_, i) => strata.length - i), ticktext: strata.map((name) => name.replaceAll("_", " ")), range: [0.4, strata.length + 0.6], zeroline: false },
  });
}

function drawQuizTables() {
  const share = (value) => (value === null ? "" : number(100 * value, 1));
  const columns = [["configuration", "text long"], ["asked"], ["right %"], ["95 % interval"], ["chance %"], ["analysis %"], ["failed"], ["same %"]];
  byId("quiz_table").innerHTML = table(columns, ofQuizSet(core.questions.scores).filter((row) => row.kind === "all").map((row) => tableRow(columns, [
    breakable(quizName(row.id)), row.n, share(row.right), row.right === null ? "" : `${share(row.low)} to ${share(row.high)}`, share(row.chance), share(row.analysis), row.failed, share(row.same)])));
  const pairs = ofQuizSet(core.questions.pairs), compared = [["pair", "text long"], ["of", "text"], ["difference, points"], ["95 % interval"], ["questions"], ["only the first"], ["only the second"], ["p"], ["p, Holm in the family"]];
  byId("quiz_pairs_title").hidden = !pairs.length;
  byId("quiz_pairs").innerHTML = pairs.length ? table(compared, pairs.map((row) => tableRow(compared, [
    `${breakable(quizName(row.a))} − ${breakable(quizName(row.b))}`, escape(row.family), share(row.difference), `${share(row.low)} to ${share(row.high)}`, row.n, row.n_a_better, row.n_b_better, row.p.toPrecision(2), row.p_family.toPrecision(2)]))) : "";
}

function drawQuizList(who) {
  const words = quiz.words.trim().toLowerCase(), wrong = (one, id) => !one.unscored && one.answers[id] && one.answers[id].letter !== one.key;
  const asked = (one) => who.filter((id) => one.answers[id]), chosen = quiz.who ? [quiz.who] : who;
  const kept = {
    all: () => true, wrong: (one) => chosen.some((id) => wrong(one, id)), right: (one) => chosen.some((id) => one.answers[id] && !one.unscored && !wrong(one, id)),
    differ: (one) => unique(asked(one).map((id) => one.answers[id].letter)).length > 1, unscored: (one) => one.unscored,
  }[quiz.result];
  const rows = questionRows().map((one, k) => ({ one, k })).filter(({ one }) => (!quiz.type || one.type === quiz.type) && kept(one) &&
    (!words || `${one.number} ${one.vignette ?? ""} ${one.stem ?? ""} ${(one.options ?? []).join(" ")} ${one.subject ?? ""}`.toLowerCase().includes(words)));
  const columns = [["question", "text"], ["asks", "text long"], ["type", "text"], ["key", "text"], ...chosen.slice(0, MOST_ANSWERERS).map((id) => [quizName(id), "text"])];
  byId("quiz_count").textContent = `${rows.length} questions${rows.length > MOST_LISTED ? `, the first ${MOST_LISTED} are listed` : ""}.${chosen.length > MOST_ANSWERERS ? ` Of ${chosen.length} configurations, the first ${MOST_ANSWERERS} have a column; one more can be chosen above.` : ""}`;
  byId("quiz_list").innerHTML = table(columns, rows.slice(0, MOST_LISTED).map(({ one, k }) => tableRow(columns, [
    `<button type="button" class="open" data-k="${k}">${one.number}</button>`, escape(clip(one.stem ?? one.vignette ?? "left out: personal health information", 110)), escape(one.type.replaceAll("_", " ")),
    escape(one.key ?? one.unscored?.replaceAll("_", " ") ?? ""), ...chosen.slice(0, MOST_ANSWERERS).map((id) => (one.answers[id] ? escape(one.answers[id].letter ?? one.answers[id].status.replaceAll("_", " ")) + verdict(one, one.answers[id]) : ""))])));
  joinStops(byId("quiz_list"));
}

function openQuestion(k) {
  const one = questionRows()[k], set = core.questions.sets[quiz.set];
  const facts = {
    "Question set": set.id, Type: `${one.type.replaceAll("_", " ")} (${one.typed_by === "none" ? "no rule and no model" : `by ${one.typed_by}${one.type_rule ? `: ${one.type_rule}` : ""}`})`,
    Key: one.key ?? "none", ...(one.unscored ? { "Not scored": one.unscored.replaceAll("_", " ") } : {}), ...(one.subject ? { Subject: one.subject } : {}),
  };
  const answers = Object.entries(one.answers).map(([id, answer]) => `<h3>${escape(quizName(id))}: ${escape(answer.letter ?? answer.status.replaceAll("_", " "))}${verdict(one, answer)}${answer.reason ? ` (${escape(answer.reason.replaceAll("_", " "))})` : ""}</h3>` +
    (answer.field ? `<p class="note">The key is in its analysis: ${escape(answer.field.replaceAll("_", " "))}${answer.rank ? `, rank ${answer.rank}` : ""}.</p>` : answer.analysis ? `<p class="note">The key is not in its analysis.</p>` : "") +
    folded("Analysis as it came", answer.analysis ?? undefined) + folded("Choice as it came", answer.choice ?? undefined));
  const panel = byId("detail");
  panel.innerHTML = `<button type="button" id="close">Close</button><h2 id="detail_title">Question ${one.number}</h2><dl>${Object.entries(facts).map(([name, text]) => `<dt>${name}</dt><dd>${escape(text)}</dd>`).join("")}</dl>` +
    (one.phi ? `<p class="note">Its text is left out: the set holds personal health information.</p>` :
      (one.vignette ? `<h3>Case</h3><pre>${escape(one.vignette)}</pre>` : "") + (one.stem ? `<h3>Question</h3><pre>${escape(one.stem)}</pre>` : "") +
      `<h3>Options</h3><ol type="A">${(one.options ?? []).map((text, i) => `<li>${escape(text)}${String.fromCharCode(65 + i) === one.key ? " ✓" : ""}</li>`).join("")}</ol>` + (one.rationale ? `<p class="note">${escape(one.rationale)}</p>` : "")) +
    (answers.join("") || `<p class="note">Nobody has answered it.</p>`);
  if (panel.hidden) focusBefore = document.activeElement;
  panel.hidden = false;
  panel.scrollTop = 0;
  byId("close").onclick = closeDetail;
  byId("close").focus();
}
