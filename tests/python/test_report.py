"""The page in a real browser: it draws without an error, opens a case, filters; small and whole."""

import gzip
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import duckdb
import jinja2
import pytest
from lacking import lacking

from python_llm import paths
from python_llm.report import data
from python_llm.report.data import METRICS, read_report
from python_llm.report.page import write_report
from python_llm.statistics.detectable import detectable_share_difference

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

# ruff: noqa: E501 - rows of a table are easier to read on one line
TABLES = """
create table dim_configuration as
select model || '/plain/' || test_set as configuration_id, model as model_alias,
    'plain' as prompt_alias, 'abc' as prompt_version, 'here' as provider, test_set,
    if(model = 'fails', 'gpt', 'other') as family,
from (values ('good', 'one'), ('fails', 'one'), ('unasked', 'one'), ('good', 'two'), ('good', 'none')) as t (model, test_set);
create table dim_case as
select test_set || '/' || number as case_id, test_set, if(number = 4, 'UKE-' || test_set, null) as record_id,
    'Wilson <b>disease</b> & ' || number as gold_written, 'Wilson' as gold_name,
    gold_written || ' also known as Enfermedad de Wilson' as gold_diagnosis, if(number = 2, null, 'OMIM:277900') as gold_concept_id,
    case when number = 1 then null else 'rare' end as gold_severity,
    if(number > 3, 'IV', null) as icd10_chapter_code, if(number > 3, 'Endocrine', null) as icd10_chapter_title,
    if(number = 3, 'VI', icd10_chapter_code) as organ_system,
    if(number = 3, 'Nerves', icd10_chapter_title) as organ_system_title,
    if(number > 3, 'E70-E88', null) as icd10_block_code, if(number > 3, 'Metabolic', null) as icd10_block_title,
    if(number > 3, 'E83', null) as icd10_category_code, if(number > 3, 'Minerals', null) as icd10_category_title,
    if(number > 3, 'E83.01', null) as icd10_code, 'female' as sex, 12 as age_years, if(number = 8, '66+', '1-15') as age_band, 'en' as language,
    false as is_holdout, test_set = 'two' as contains_phi,
    'NARRATIVE of ' || test_set || ' </script> ' || number as narrative,
from (values ('one'), ('two')) as sets (test_set), range(1, 9) as numbers (number);
create table bridge_test_set_case as select test_set, case_id from dim_case;
create table dim_judge as select * from (values ('rules', 'terminology', null), ('model', 'llm', 'judge')) as t (judge_id, kind, model_alias);
create table dim_llm_model as select 'judge' as model_alias, 'gpt' as family;
create table dim_test_set as
select test_set, 'A set' as description, count(*) as n_cases, 'v1' as version, bool_or(contains_phi) as contains_phi
from dim_case group by all union all select 'none', 'No cases', 0, 'v0', false;
create table rpt_detectable_difference as select test_set, 0.142 as detectable_share_difference, 0.9::double as assumed_discordant_share, 0.95::double as observed_discordant_share, 0.8::double as test_power from dim_test_set;
create table fct_answer as
select configuration_id, case_id,
    case model_alias when 'fails' then 'refused' when 'unasked' then 'not_requested' else 'ok' end as status,
    if(model_alias = 'good', configuration_id || case_id, null) as request_key,
    if(model_alias = 'unasked', null, 'ANSWER <u>to</u> ' || case_id) as answer_text,
    if(model_alias = 'good', 'ok', null) as parse_status, 'numbered_list' as read_as, 3 as n_diagnoses, 1 as n_dropped,
    if(model_alias = 'fails', 'HP:0001250 Seizure' || chr(10) || 'HP:0001945 Fever, absent', null) as findings,
from dim_configuration inner join dim_case using (test_set);
create table dim_llm_request as
select request_key, 'INSTRUCTIONS' as system_text, 'Case: ' || narrative || ' Diagnose.' as user_text
from fct_answer inner join dim_case using (case_id) where request_key is not null;
create table fct_llm_call as
select request_key, unnest([null, 0.00031]) as cost_usd, true as is_priced,
    unnest([false, true]) as is_final, unnest([90, 1240])::double as latency_ms,
from fct_answer where request_key is not null;
create table fct_case_score as
select configuration_id, case_id, test_set, judge_id,
    if(status = 'ok', (ascii(right(case_id, 1)) % 5) * 4, 0)::double as semantic_score,
    case when gold_severity is not null then if(status = 'ok', 10, 0) end::double as severity_score,
    -- outside the sample of its judge
    status != 'not_requested' and not (judge_id = 'rules' and case_id = 'one/8') as is_scored,
    coalesce(gold_severity, 'mild') as gold_severity,
    if(gold_severity is null, 'chapter_X', 'given') as gold_severity_rule,
from fct_answer inner join dim_case using (case_id) cross join dim_judge;
create table fct_judged_diagnosis as
select configuration_id, case_id, rank::integer as diagnosis_rank, judge_id,
    'Diagnosis <i>' || rank || '</i>' as diagnosis, if(rank = 2 and right(case_id, 1)::integer % 2 = 1, 'Exact Synonym', 'Broad Synonym') as semantic_relation, 2 as semantic_distance,
    true as has_semantic_label, 'severe' as severity, if(rank = 2 and right(case_id, 1)::integer % 2 = 1, 'synonym', 'broader_name') as semantic_rule,
    'because ' || case_id as semantic_reason, 'code' as severity_rule, null::varchar as severity_reason,
from fct_answer cross join range(1, 4) as ranks (rank) cross join dim_judge where status = 'ok';
create table dim_judgement_rule as select * from (values ('broader_name', 'An <i>unqualified</i> name'), ('code', 'A range'), ('unused', 'Not shown')) as t (rule, meaning);
create table fct_judge_vote as
select configuration_id, case_id, diagnosis_rank, judge_id, 'none' as probe, scale, vote::integer as vote,
    if(scale = 'semantic', semantic_relation, null) as label, if(scale = 'semantic', 'valid', 'invalid_label') as outcome,
    if(starts_with(case_id, 'two'), null, 'VOTE <i>' || vote || '</i> on ' || case_id) as reason,
    if(starts_with(case_id, 'two'), 'personal health information', null) as reason_withheld,
    sha256(case_id || scale || vote) as request_key,
from fct_judged_diagnosis cross join (values ('semantic'), ('severity')) as scales (scale) cross join range(1, 3) as votes (vote)
where judge_id = 'model';
create table fct_configuration_score as
select configuration_id, test_set, judge_id, setting, if(judge_id = 'rules' and test_set = 'one', 7, 8) as n_cases, if(contains(configuration_id, 'good'), 0, 8) as n_failures,
    0 as n_model_failures, 0 as n_delivery_failures, 0 as n_not_asked, if(test_set = 'two', 3, 0) as n_unlabelled, if(test_set = 'two', 2, 0) as n_without_gold_severity, 8 as n_test_set_cases,
    not contains(configuration_id, 'unasked') as is_asked, 1.5 as generation_usd, 0 as n_unpriced_calls, 900.0 as median_latency_ms,
    judge_id = 'model' as is_calibrated, {metrics}
from dim_configuration cross join dim_judge cross join (values ('medium'), ('hard')) as t (setting)
where test_set != 'none' and not (judge_id = 'model' and contains(configuration_id, 'fails'));
create table fct_configuration_rank as
select configuration_id, judge_id, setting, 'semantic_aggregate' as metric, 1 as score_rank, 2 as n_ranked, 1 as rank_low, 2 as rank_high
from fct_configuration_score where is_asked;
create table rpt_leaderboard as
select configuration_id, judge_id, contains(configuration_id, 'fails') as is_judge_constant,
    if(contains(configuration_id, 'unasked'), 'no key', 'asked') as state, 0 as n_unlabelled,
from fct_configuration_score where setting = 'medium';
insert into rpt_leaderboard by name
select 'fails/plain/one' as configuration_id, 'model' as judge_id, 'labelled in part' as state, 9 as n_unlabelled;
create table fct_judge_agreement as
select 'model' as judge_a, 'rules' as judge_b, 'one' as test_set, scale, 24 as n_ranks, 0.8 as agreement, 0.6 as kappa,
    0.7 as kappa_quadratic, 0.5 as kappa_quadratic_low, 0.9 as kappa_quadratic_high, 'all' as label,
    'all' as configuration_id
from (values ('semantic'), ('severity')) as t (scale);
create table rpt_judge_calibration as
select judge_id, 'clinic' as panel, 'one' as test_set, 'semantic' as scale, 2 as n_raters, 20 as n_ranks, 40 as n_pairs,
    0.7 as kappa_quadratic, 0.5 as kappa_quadratic_low, 0.9 as kappa_quadratic_high, 0.6 as lowest_rater,
    0.8 as highest_rater, false as is_rater, judge_id = 'model' as is_calibrated from dim_judge
union all
select 'rules', 'ward', 'two', 'top5_broad', 1, 8, 8, 0.42, 0.2, 0.6, null, null, false, null;
create table rpt_judge_bias as
select judge_id, 'reversed' as probe, 'semantic' as scale, 40 as n_lists, 0.25 as share_changed,
    -1.5 as shift, -2.0 as shift_low, -1.0 as shift_high from dim_judge;
create table rpt_rank_sensitivity as
select 'one' as test_set, 'semantic_aggregate' as reference, judge_id, judge_id as other_judge_id, ranked_by, swapped_pairs,
    null::varchar[] as kept_pairs, 3 as n_pairs, len(swapped_pairs) as n_swapped, 1 as n_kept, 1 as n_incomparable
from (values ('rules', 'k 0.5, x0 0.0', ['good/plain/one > fails/plain/one']), ('model', 'mrr_strict', ['fails/plain/one > good/plain/one']),
    ('rules', 'top1_strict', null), ('all', 'all', ['good/plain/one > fails/plain/one'])) as t (judge_id, ranked_by, swapped_pairs);
create table rpt_missed_diagnosis as
select 'Wilson disease' as gold_name, 'M. Wilson' as gold_written, 'one' as test_set, 'rules' as judge_id, 'Gout' as usual_first_diagnosis, 1 as n_failures,
    2 as n_answers, 1 as n_missed, 1 as n_cases, 0.5 as share_missed;
create table dim_question as
select question_set || '/' || number as question_id, question_set, number as question_number, 'treatment' as question_type, 'rule' as typed_by, 'a_rule' as type_rule,
    if(number = 3, 'image', null) as unscored_reason, null::varchar as subject, if(number = 3, null, 'B') as answer_letter, question_set = 'secret' as contains_phi,
    'VIGNETTE <i>of</i> ' || question_set as vignette, 'STEM </script> ' || number as question_stem, 'REASON' as rationale,
from (values ('exam'), ('secret')) as sets (question_set), range(1, 4) as numbers (number);
create table bridge_question_option as select question_id, letter, 'OPTION ' || letter as option_text from dim_question, (values ('A'), ('B'), ('C')) as t (letter);
create table dim_question_configuration as select model || '/direct/' || question_set as configuration_id, question_set
from (values ('able'), ('weak')) as t (model), (values ('exam'), ('secret')) as sets (question_set);
create table fct_question_answer as
select configuration_id, question_id, q.question_set, 'ok' as status, 'answered' as outcome_class, null::varchar as parse_reason, 'management_options' as match_field, 2 as match_rank,
    'ANALYSIS </script>' as analysis_text, 'CHOICE' as choice_text, if(configuration_id like 'able%', 'B', 'C') as chosen_letter
from dim_question as q inner join dim_question_configuration using (question_set);
create table rpt_question_set as select question_set, 3 as n_questions, 2 as n_scored, 1 as n_image, 0 as n_voided, 0 as n_without_key, 0 as n_two_keys, 0 as n_key_is_no_option, 0 as n_keys_contradict, 0 as n_untyped from dim_question group by all;
create table rpt_question_report as
select configuration_id, question_set, kind as stratum_kind, stratum, 2 as n_questions, 0 as n_not_asked, 0 as n_failures, if(configuration_id like 'able%', 1.0, 0.0) as choice_accuracy,
    0.2 as choice_accuracy_low, 0.9 as choice_accuracy_high, 0.5 as top1_accuracy, null::double as repeat_consistency, 0.33 as chance_level, true as is_asked
from dim_question_configuration, (values ('all', 'all'), ('question_type', 'treatment')) as t (kind, stratum);
create table fct_question_comparison as
select question_set, 'able/direct/' || question_set as configuration_a, 'weak/direct/' || question_set as configuration_b, 'models with direct' as family, 'all' as stratum_kind, 'choice_accuracy' as metric,
    2 as n_questions, 1.0 as difference, 0.1 as difference_low, 1.0 as difference_high, 2 as n_a_better, 0 as n_b_better, 0.04 as p_value, 0.041 as p_value_family, 1 as n_family_comparisons
from rpt_question_set;
"""

CROWD = """
create temp table many as
select 'a_language_model_' || number || '/analysis_first/exam' as configuration_id from range(1, 9) as numbers (number);
insert into dim_question_configuration select configuration_id, 'exam' from many;
insert into fct_question_answer
select many.configuration_id, answers.* exclude (configuration_id) from fct_question_answer as answers, many where answers.configuration_id = 'able/direct/exam';
insert into rpt_question_report
select many.configuration_id, 'exam', kind, stratum, 2, 0, 0, 0.5, 0.2, 0.9, 0.5, 1.0, 0.33, true
from many, (values ('all', 'all'), ('question_type', 'treatment'), ('question_type', 'pharmacology'), ('question_type', 'epidemiology'), ('question_type', 'anatomy'),
    ('question_type', 'ethics'), ('question_type', 'mechanism'), ('question_type', 'diagnostic'), ('question_type', 'lab_finding'), ('question_type', 'other')) as t (kind, stratum);
insert into fct_question_comparison
select 'exam', a.configuration_id, b.configuration_id, 'models with analysis_first', 'all', 'choice_accuracy', 2, 1.0, 0.1, 1.0, 2, 0, 0.04, 0.041, 28
from many as a inner join many as b on a.configuration_id < b.configuration_id;
delete from fct_question_answer where configuration_id in ('able/direct/exam', 'weak/direct/exam');
update rpt_missed_diagnosis set gold_name = 'Spastic paraplegia-intellectual disability-nystagmus-obesity syndrome', usual_first_diagnosis = repeat('Autosomal recessive ', 6);
update fct_answer set status = ['refused', 'timeout', 'parse_error', 'truncated', 'rate_limited', 'content_filtered', 'context_exceeded', 'quota_exhausted'][right(case_id, 1)::integer]
where configuration_id = 'good/plain/one';
"""

# how wide the page is in frames of several widths, and which tables can be scrolled but not reached
WIDTHS = """
<script>
window.addEventListener('load', async () => {
  if (location.hash) return;
  const frame = document.createElement('iframe'), wait = (ms) => new Promise((go) => setTimeout(go, ms)), seen = {};
  frame.style.cssText = 'border: 0; width: 1400px; height: 900px'; frame.src = location.href + '#inside';
  document.body.append(frame);
  await new Promise((go) => { frame.onload = go; });
  const inside = frame.contentDocument;
  while (!inside.body.dataset.ready) await wait(25);
  for (const width of [320, 390, 500, 601, 640, 700, 768, 820, 900, 1024, 1100, 1400]) {
    frame.style.width = width + 'px';
    await wait(400);
    const { clientWidth, scrollWidth } = inside.documentElement;
    seen[width] = { over: scrollWidth - clientWidth, unreached: [...inside.querySelectorAll('.box')].filter((one) => one.scrollWidth > one.clientWidth && one.tabIndex < 0).map((one) => one.id),
      scrolled: [...inside.querySelectorAll('div:has(> table)')].filter((one) => one.scrollWidth > one.clientWidth).length };
  }
  frame.style.width = '390px'; await wait(400);
  const shown = (one) => one.checkVisibility(), rankings = [...inside.querySelectorAll('#changes_key li')].filter(shown).map((one) => one.textContent);
  seen.phone = { rankings, legends: [...inside.querySelectorAll('.legendtext')].filter(shown).filter((one) => { const box = one.getBoundingClientRect(), clip = one.closest('.legend').querySelector('.bg').getBoundingClientRect(); return box.right > clip.right + 1; }).map((one) => one.textContent) };
  fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
});
</script>
"""

# what a person does, and what is then on the screen
ROBOT = """
<script>
{
const errors = [];
const complain = console.error;
console.error = (...words) => { errors.push(words.join(' ')); complain(...words); };
window.addEventListener('error', (event) => errors.push(event.message));
window.addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
const until = async (done) => { for (let i = 0; i < 400 && !done(); i++) await new Promise((go) => setTimeout(go, 25)); };
const seen = { errors };
const choose = (id, value) => {
  const select = document.getElementById(id);
  select.value = value;
  select.dispatchEvent(new Event('change', { bubbles: true }));
};
const hex = (one) => '#' + getComputedStyle(one).backgroundColor.match(/\\d+/g).map((part) => Number(part).toString(16).padStart(2, '0')).join('');
const names = () => [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[0].textContent);
const tell = () => fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
// the page again in a frame of a telephone's width: what is cut off or scrolls sideways there
const onTelephone = () => new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.width = 390; frame.height = 800; frame.src = location.href + '#telephone';
  window.addEventListener('message', (event) => { frame.remove(); done(event.data); }, { once: true });
  document.body.append(frame);
});
const onlyMeasure = async () => {
  await until(() => document.body.dataset.ready);
  document.getElementById('case').value = '3';
  document.getElementById('case').dispatchEvent(new Event('change', { bubbles: true }));
  await until(() => !document.getElementById('detail').hidden);
  document.querySelectorAll('#detail :is(h2, dd, p)').forEach((one) => one.append('unbreakable'.repeat(12)));
  const boxes = () => [...document.querySelectorAll('html, body, header, main, section, section > div, select, table, td, #detail')];
  // a select cuts its text off itself, which newer browsers count into its scrollWidth
  const overflows = (one) => one.scrollWidth > one.clientWidth + 1 && one.tagName !== 'SELECT' && getComputedStyle(one).display !== 'inline';
  const tooWide = () => boxes().filter((one) => overflows(one) || one.getBoundingClientRect().right > 390);
  const wide = tooWide();
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  await until(() => document.querySelector('#quiz_list button.open'));
  document.querySelector('#quiz_list button.open').click();
  await until(() => document.getElementById('detail').innerText.includes('Question 1'));
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  const question = document.getElementById('detail').innerText;
  wide.push(...tooWide());
  parent.postMessage({ errors, question, wide: wide.map((one) => `${one.tagName} ${one.id} ${one.scrollWidth} ${one.clientWidth}`), card: document.querySelector('#table tbody tr').innerText, heads: getComputedStyle(document.querySelector('thead')).display,
    labels: [...document.querySelectorAll('#table tr.choice')[0].cells].map((one) => getComputedStyle(one, '::before').content) }, '*');
};
const robot = async () => {
  await until(() => document.body.dataset.ready);
  seen.ready = Number(document.body.dataset.ready);
  seen.plain = Boolean(document.getElementById('plain'));
  seen.summary = document.getElementById('summary').textContent;
  seen.names = names();
  seen.leaderboardNote = document.getElementById('leaderboard_note').textContent;
  seen.rank = document.querySelector('#table tr[data-id="good/plain/one"]').cells[1].innerText;
  seen.judgedAll = document.getElementById('left_out').textContent;
  seen.telephone = await onTelephone();
  seen.plots = [...document.querySelectorAll('.plot')].map((one) => [one.id, one.querySelectorAll('.main-svg').length > 0]);
  const { data: [changed], layout: { yaxis: whose, xaxis: where, annotations: often } } = document.getElementById('changes');
  seen.changes = { note: document.getElementById('changes_note').textContent, z: changed.z, pairs: whose.ticktext, rankings: where.ticktext, often: often.map((one) => one.text) };
  seen.colours = {};
  const tint = (name, colour) => (seen.colours[name] ??= new Set()).add(colour);
  const ids = (data) => data.customdata.forEach((id, i) => tint(id, data.marker.color[i]));
  for (const id of ['plane', 'cost']) ids(document.getElementById(id).data[0]);
  for (const one of document.getElementById('violin_semantic').data) tint(one.customdata[0][0], one.marker.color);
  for (const row of document.querySelectorAll('#table tr.choice')) tint(row.dataset.id, hex(row.querySelector('i')));
  choose('configuration', 'good/plain/one');
  tint('good/plain/one', document.getElementById('cases').data[0].marker.color);
  for (const name in seen.colours) seen.colours[name] = [...seen.colours[name]];
  seen.outlined = document.getElementById('plane').data[0].marker.line.width;
  seen.scoreColours = document.getElementById('leaderboard').data.map((one) => one.marker.color);
  seen.ticks = document.getElementById('violin_semantic').layout.yaxis.tickvals;
  const { layout, data: [points_] } = document.getElementById('cases');
  seen.corners = layout.annotations.slice(0, 4).map((one) => Math.abs(one.y));
  seen.highest = Math.max(...points_.y.map(Math.abs));
  // as crowded as can be: twelve points in three heaps, with all texts of the chart around them
  const boxes = (id) => [...document.querySelectorAll(`#${id} .annotation-text-g`)].map((one) => one.getBoundingClientRect());
  const covered = (id) => boxes(id).flatMap((a, i, all) => all.slice(i + 1).filter((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
  const crossed = (id) => [...document.querySelectorAll(`#${id} :is(.xerror, .yerror), #${id} .points path`)].map((one) => one.getBoundingClientRect()).flatMap((line) => boxes(id).filter((b) => line.left < b.right && b.left < line.right && line.top < b.bottom && b.top < line.bottom)).length;
  const crowd = Array.from({ length: 12 }, (_, i) => ({ ...chosenRows()[0], id: 'crowd' + i, severity_aggregate: 0.9 + 0.01 * (i % 3) + 0.03 * Math.floor(i / 4), semantic_aggregate: -0.3 + 0.02 * (i % 4), generation_usd: i % 3 ? 0 : i }));
  await drawPlane(crowd); await drawCost(crowd);
  seen.crowd = ['plane', 'cost'].map((id) => [document.getElementById(id).layout.annotations.filter((one) => one.name === 'number').map((one) => one.text).join(', '), covered(id), document.querySelectorAll(`#${id}_key li`).length]);
  const close = crowd.map((row) => ({ ...row, severity_aggregate_low: row.severity_aggregate - 0.2, severity_aggregate_high: row.severity_aggregate + 0.1, semantic_aggregate_low: row.semantic_aggregate - 0.15, semantic_aggregate_high: row.semantic_aggregate + 0.15 }));
  await drawPlane(close); await drawCost(close);
  seen.crossed = ['plane', 'cost'].map((id) => [document.querySelectorAll(`#${id} .yerror`).length, crossed(id), covered(id)]);
  await drawCost(crowd.map((row) => ({ ...row, generation_usd: 0 })));
  seen.free = [document.getElementById('cost').closest('section').hidden, document.getElementById('not_shown').textContent];
  await drawCost(crowd.map((row, i) => ({ ...row, generation_usd: i })));
  await drawCost(crowd.map((row, i) => ({ ...row, generation_usd: i, n_unpriced_calls: i < 2 ? 2 : 0 })));
  seen.unknown = document.getElementById('cost_note').textContent;
  seen.apart = document.getElementById('cost').layout.annotations.map((one) => one.text);
  draw(false);
  document.querySelector('#plane_key button').click();
  seen.keyed = state.configuration;
  casesOf.one[0].holdout = true; fillCaseFilters(chosenRows());
  seen.titles = [[...document.querySelectorAll("#stratum optgroup")].map((one) => one.label), [...document.querySelectorAll("section > .note")].map((one) => one.textContent)];
  casesOf.one[0].holdout = false; fillCaseFilters(chosenRows());
  seen.missedNames = [...document.querySelectorAll('#missed tbody td:first-child')].map((one) => one.innerText);
  seen.dollars = [0, 0.0043, 0.005, 1.5, null].map(dollars);
  choose('configuration', 'good/plain/one');
  seen.codes = [document.getElementById('codes_note').textContent, document.getElementById('sunburst_words').innerText];
  casesOf.none = Array.from({ length: 80 }, (_, i) => ({ ...casesOf.one[i % 8] }));
  state.test_set = ['none'];
  await drawSunburst();
  seen.ring = document.getElementById('sunburst').data[0].labels;
  delete casesOf.none;
  state.test_set = ['one'];
  drawSunburst();
  seen.best = ['plane', 'cases'].map((id) => document.getElementById(id).data.slice(1).map((one) => [one.x[0], one.y[0], one.name, one.hovertemplate]));
  seen.legend = [...document.querySelectorAll('#plane .legendtext')].map((one) => one.textContent);
  seen.violins = document.querySelectorAll('#violin_semantic .violin').length;
  seen.planes = ['plane', 'cases'].map((id) => {
    const { shapes, annotations } = document.getElementById(id).layout;
    return [shapes[0].y0, annotations[4].text];
  });
  choose('configuration', 'good/plain/one');
  const points = document.getElementById('cases').data[0].customdata;
  seen.points = points.length; seen.detectable = detectable('one', [{ n_cases: 7 }, { n_cases: 8 }, { n_cases: 7 }]);
  const event = { points: [{ customdata: points[0] }] };
  document.getElementById('cases').emit('plotly_click', event);
  await until(() => !document.getElementById('detail').hidden);
  seen.formula = [...document.querySelectorAll('#detail p')].filter((one) => one.textContent.includes('How labels become scores')).map((one) => Boolean(one.closest('details')));
  seen.folded = [...document.querySelectorAll('#detail details')].map((one) => one.open);
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.detail = document.getElementById('detail').innerText;
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  seen.closed = document.getElementById('detail').hidden;
  choose('case', '1');  // what a keyboard can do
  await until(() => !document.getElementById('detail').hidden);
  seen.chosen = document.getElementById('detail').innerText;
  seen.focus = document.activeElement.id;
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  choose('judge', 'model');
  seen.leftOut = document.getElementById('left_out').textContent;
  seen.judgedInPart = document.getElementById('summary').textContent;
  const judged = core.configurations.map((one) => one.judged);
  const columns = parts.get(scoresName()), asked = columns.is_asked;
  columns.is_asked = asked.map(() => false);
  core.configurations.forEach((one) => { one.judged = [0]; });
  draw(false);
  seen.judgedNone = ['summary', 'leaderboard_words'].map((id) => document.getElementById(id).textContent);
  columns.is_asked = asked;
  core.configurations.forEach((one, i) => { one.judged = judged[i]; });
  draw(false);
  choose('case', '1');
  await until(() => !document.getElementById('detail').hidden);
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.voted = document.getElementById('detail').innerText;
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  choose('judge', 'rules');
  document.querySelector('#table button[data-sort="n_failures"]').click();
  seen.sorted = names();
  document.querySelector('#table button[data-sort="n_failures"]').click();
  seen.sorted_again = names();
  seen.bySort = ['id', 'score_rank', 'n_cases', 'n_failures'].map((key) => {
    const button = () => document.querySelector(`#table button[data-sort="${key}"]`);
    button().click();
    const told = [key, document.querySelector('#table th[aria-sort]').getAttribute('aria-sort'), names()[0]];
    button().click();
    return told;
  });
  const shares = () => [...document.querySelectorAll('#table tr.choice:first-of-type td')].map((cell) => cell.innerText).slice(4, 9);
  seen.strict = shares();
  document.querySelector('#table button[data-sort="top10_strict"]').click();
  choose('breadth', 'broad');
  seen.broad = shares();
  seen.sortedBy = document.querySelector('#table th[aria-sort] button').dataset.sort;
  document.querySelector('#table button[data-sort="top10_broad"]').click();
  choose('breadth', 'strict');
  const text = (id) => document.getElementById(id).innerText;
  seen.versus = [text('versus_note'), text('versus')];
  choose('configuration', 'good/plain/one');
  seen.listed = [text('case_count'), text('case_table')];
  const type = (words) => { const input = document.getElementById('search_words'); input.value = words; input.dispatchEvent(new Event('input')); };
  const firstCases = () => [...document.querySelectorAll('#case_table tbody tr')].map((row) => row.cells[0].innerText);
  seen.orders = {};
  for (const name of ['case', 'gold', 'rank', 'first', 'status', 'solved']) {
    const click = () => document.querySelector(`#case_table button[data-sort="${name}"]`).click();
    const up = (click(), firstCases()), down = (click(), firstCases());
    const said = document.querySelector('#case_table th[aria-sort]').getAttribute('aria-sort');
    seen.orders[name] = [up, down, said, (click(), firstCases()), document.activeElement.dataset.sort];
  }
  seen.ranks = [...document.querySelectorAll('#case_table tbody tr')].map((row) => [row.cells[0].innerText, row.cells[2].innerText]);
  // the quickest of three, because other work on the machine is not the page's
  seen.filterMilliseconds = Math.min(...[1, 2, 3].map(() => {
    const began = performance.now();
    type('one/3 WILSON');
    return performance.now() - began;
  }));
  seen.searched = text('case_count');
  type('');
  const chosenNow = () => [state.configuration, state.sort, versus.a, versus.b, versus.solved, search.order];
  choose('configuration', 'fails/plain/one');
  choose('versus_a', 'fails/plain/one'); choose('versus_solved', '3');
  document.querySelector('#table button[data-sort="n_failures"]').click();
  document.querySelector('#case_table button[data-sort="rank"]').click();
  seen.kept = [chosenNow()];
  Object.assign(state, { configuration: null, sort: '' }); Object.assign(versus, { a: '', b: '', solved: '5' }); search.order = '';
  readAddress(); seen.kept.push(chosenNow());
  state.sort = versus.a = search.order = ''; versus.solved = '5'; versus.isChosen = false;
  draw(false);
  choose('configuration', 'good/plain/one');
  const several = (id, wanted) => {
    for (const one of document.getElementById(id).options) one.selected = wanted.includes(one.value);
    document.getElementById(id).dispatchEvent(new Event('change', { bubbles: true }));
  };
  seen.filters = {};
  const note = (name) => { seen.filters[name] = text('case_count').split('.')[0]; };
  choose('agreed', 'differ'); note('disagree');
  seen.differAddress = location.hash;
  choose('agreed', 'nobody'); note('nobody'); choose('agreed', 'all');
  choose('status', 'ok'); note('ok');
  choose('rule', 'semantic_rules:synonym'); note('synonym');
  seen.points_ = document.getElementById('cases').data[0].customdata.length;
  several('stratum', ['ICD-10 chapter: no code', 'age band: 1-15', 'age band: 66+']); note('both kinds');
  several('stratum', ['age band: 66+']); note('one kind');
  seen.rules = [...document.getElementById('rule').options].map((one) => one.text);
  seen.strata = [...document.getElementById('stratum').options].map((one) => one.value);
  document.getElementById('no_filter').click(); note('none');
  document.querySelector('#versus button.open, #case_table button.open').click();
  await until(() => !document.getElementById('detail').hidden);
  seen.opened = text('detail');
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  type('nobody has this');
  empty('cost', 'No cost is known.');
  seen.notShown = text('not_shown');
  type('');
  draw(false);
  choose('configuration', 'fails/plain/one');
  choose('case', '1');
  await until(() => !document.getElementById('detail').hidden);
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.ranker = text('detail');
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  seen.outside = { points: document.getElementById('cases').data[0].customdata.map(([, k]) => k), note: text('cases_note'), violins: text('violin_semantic_more'),
    drawn: ['semantic', 'severity'].map((name) => document.getElementById(`violin_${name}`).data.find((one) => one.customdata[0][0].startsWith('fails')).y.length) };
  seen.failed = [...new Set(document.getElementById('cases').data[0].marker.symbol)];
  choose('model', 'good');
  seen.filtered = names();
  several('model', ['good', 'fails']);
  seen.several = names();
  seen.address = location.hash;
  several('test_set', ['one', 'two']);
  choose('configuration', 'good/plain/two');
  seen.together = { names: names(), summary: text('summary'), cases: text('case_count'), listed: text('case_table'), bars: document.getElementById('violin_semantic').data.length,
    b: [...document.getElementById('versus_b').options].map((one) => one.value), trust: text('calibration'), points: document.getElementById('plane').data[0].x.length, codes: text('codes_note'), address: location.hash };
  choose('test_set', 'two');
  seen.other = names();
  seen.lists = document.getElementById('summary').textContent;
  const there = document.getElementById('cases').data[0].customdata;
  document.getElementById('cases').emit('plotly_click', { points: [{ customdata: there[0] }] });
  await until(() => document.getElementById('detail').innerText.includes('two/'));
  seen.private = document.getElementById('detail').innerText;
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  seen.quiz = { list: text('quiz_list'), note: text('quiz_note'), pairs: text('quiz_pairs'), table: text('quiz_table'), traces: document.getElementById('quiz_chart').data.map((one) => one.name), standoff: document.getElementById('quiz_chart').layout.yaxis.ticklabelstandoff };
  choose('quiz_result', 'wrong'); seen.quiz.wrong = text('quiz_count');
  choose('quiz_who', 'able/direct/exam'); seen.quiz.wrongOfAble = text('quiz_count');
  choose('quiz_who', ''); choose('quiz_result', 'unscored'); seen.quiz.unscored = text('quiz_count');
  choose('quiz_result', 'all');
  document.querySelector('#quiz_list button.open').click();
  await until(() => text('detail').includes('Question 1'));
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.quiz.opened = text('detail');
  choose('quiz_set', '1');
  await until(() => text('quiz_list').includes('left out'));
  document.querySelector('#quiz_list button.open').click();
  seen.quiz.secret = text('quiz_list') + text('detail');
  choose('test_set', 'none');
  seen.empty = [document.getElementById('summary').textContent, names()];
};
if (location.hash) window.addEventListener('load', onlyMeasure);
else window.addEventListener('load', () => robot().catch((error) => errors.push(String(error.stack))).then(tell));
}
</script>
"""

# what a reader with a keyboard, a screen reader or weak eyes would miss, with a case open
ACCESS = """
<script>
{
const wait = async (done) => { for (let i = 0; i < 400 && !done(); i++) await new Promise((go) => setTimeout(go, 25)); };
const all = (query) => [...document.querySelectorAll(query)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
const told = (one) => one.outerHTML.slice(0, 120);
const nameOf = (one) => one.getAttribute('aria-label') || [...(one.labels ?? [])].map((label) => label.firstChild.textContent).join('').trim() || (one.matches('button, a, summary') ? one.textContent.trim() : '');
const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[0-9.]+/g).map(Number); return { rgb: [r, g, b], a }; };
const mix = (front, back) => front.rgb.map((c, i) => c * front.a + back[i] * (1 - front.a));
const light = (rgb) => { const [r, g, b] = rgb.map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
// what stands behind: the slice of a ring, or else the nearest background
const behind = (one) => {
  const slice = one.closest('.slice')?.querySelector('path');
  const fill = slice && parse(getComputedStyle(slice).fill);
  if (fill) fill.a *= Number(getComputedStyle(slice).fillOpacity);  // nothing behind the middle
  if (fill?.a) return mix(fill, behind(slice.closest('.plot')));
  for (let up = one; up; up = up.parentElement) {
    const colour = parse(getComputedStyle(up).backgroundColor);
    if (colour.a > 0) return mix(colour, [255, 255, 255]);
  }
  return [255, 255, 255];
};
const contrasts = () => {
  const weak = {};
  for (const one of all('body *')) {
    if (one.closest('[aria-hidden], noscript, script') || ![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(one), back = behind(one);
    const text = mix(parse(one instanceof SVGElement ? style.fill : style.color), back), value = ratio(text, back);
    if (value < 4.5) weak[`${text.map(Math.round)} on ${back.map(Math.round)}`] = [value.toFixed(2), told(one)];
  }
  return weak;
};
const look = () => ({
  unlabelled: all('input, select, textarea, button, a, summary').filter((one) => !nameOf(one)).map(told),
  headings: all('h1, h2, h3, h4').map((one) => Number(one.tagName[1])),
  landmarks: ['header', 'main', '[role=dialog][aria-labelledby]'].map((name) => document.querySelectorAll(name).length),
  outside: all('body > *').filter((one) => !one.matches('header, main, [role=dialog], .skip, script, style, #js-plotly-tester')).map(told),
  weak: contrasts(),
  tabindexes: all('[tabindex]').map((one) => one.tabIndex).filter((n) => n > 0),
  figures: all('.plot, img').filter((one) => !(one.getAttribute('role') === 'img' && one.getAttribute('aria-label')) && !one.classList.contains('unplotted')).map(told),
  headless: all('table').filter((one) => { const heads = [...one.querySelectorAll('th')]; return !heads.length || heads.some((th) => th.scope !== 'col' || !th.textContent.trim()); }).map(told),
  twice: [...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, i, ids) => ids.indexOf(id) !== i),
  unseen: all('input, select, button, a, summary, [tabindex="0"]').filter((one) => { one.focus(); const { outlineStyle, outlineWidth } = getComputedStyle(one); return document.activeElement === one && (outlineStyle === 'none' || parseFloat(outlineWidth) < 1); }).map(told),
  small: all('button, select, input, summary').filter((one) => { const { width, height } = one.getBoundingClientRect(); return width < 24 || height < 24; }).map(told),
  unpointed: all('[aria-labelledby], [aria-describedby]').filter((one) => [one.getAttribute('aria-labelledby'), one.getAttribute('aria-describedby')].join(' ').split(' ').filter(Boolean).some((id) => !document.getElementById(id))).map(told),
  drawings: [...document.querySelectorAll('svg')].filter((one) => one.checkVisibility() && !one.closest('[role=img][aria-label], [aria-hidden=true], #js-plotly-tester')).map(told),
  nested: all('a *, button *, summary *').filter((one) => one.matches('a, button, input, select, [tabindex]')).map(told),
  scrolls: all('div, pre').filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY) && (one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth) && one.tabIndex < 0 && one.id !== 'detail').map(told),
});
window.addEventListener('load', async () => {
  await wait(() => document.body.dataset.ready);
  const seen = { dark: matchMedia('(prefers-color-scheme: dark)').matches, language: document.documentElement.lang };
  casesOf.one.push(...Array.from({ length: 40 }, () => casesOf.one[7]));  // enough for a ring
  await drawSunburst();
  seen.sunburst = document.querySelectorAll('#sunburst .slice').length;
  casesOf.one.length = 8;
  seen.page = look();
  const paper = parse(getComputedStyle(document.querySelector('section')).backgroundColor).rgb, stroke = (one) => parse(getComputedStyle(one).stroke).rgb;
  const grid = document.querySelector('#agreement .xgrid'), bars = [...document.querySelectorAll('#agreement .point path')];
  const filled = (one) => { const { fill, fillOpacity } = getComputedStyle(one); return mix({ rgb: parse(fill).rgb, a: parse(fill).a * Number(fillOpacity) }, paper); };
  seen.grid = ratio(stroke(grid), paper);
  seen.bars = bars.map((one) => [ratio(filled(one), paper), ratio(stroke(one), paper)]);
  // by keyboard alone: a configuration is chosen, a case is opened and closed, and the focus is where it was
  const button = document.querySelector('#table tr[data-id="good/plain/one"] button');
  button.focus(); button.click();
  seen.pressed = document.activeElement.getAttribute('aria-pressed') + ' ' + state.configuration;
  const link = document.querySelector('#case_table button.open');
  link.focus(); link.click();
  await wait(() => !document.getElementById('detail').hidden);
  seen.inside = document.activeElement.id;
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.open = look();
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  seen.back = document.activeElement === link;
  const lists = all('#table tbody, .key, #versus p, #case_table tbody, #quiz_list tbody');
  seen.stops = lists.map((one) => [one.querySelectorAll('button').length, [...one.querySelectorAll('button')].filter((button) => button.tabIndex === 0).length]);
  const press = (key) => { document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); return Number(document.activeElement.dataset.k); };
  document.querySelector('#case_table button.open').focus();
  seen.arrows = ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowDown', 'Home'].map(press);
  seen.skipped = [...document.querySelectorAll('.skip')].map((one) => { one.click(); return document.activeElement.id; });
  fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
});
}
</script>
"""


# the page as it is printed; its rules for paper hold for the screen too
PRINTED = """
<script>
window.addEventListener('load', async () => {
  while (!document.body.dataset.ready) await new Promise((go) => setTimeout(go, 25));
  const seen = { dark: isDark };
  const colours = () => [...new Set([...document.querySelectorAll('.plot svg *, .key span')].flatMap((one) => { const { fill, stroke, color, backgroundColor } = getComputedStyle(one); return [fill, stroke, color, backgroundColor]; }))];
  const rgb = (name) => { document.body.style.color = name; const read = getComputedStyle(document.body).color; document.body.style.color = ''; return read; };
  const dark = [...DARK, INK, SOFT, PAPER].map(rgb);
  const size = (id) => document.querySelector(`#${id} .main-svg`).getBoundingClientRect().width;
  const before = [colours().filter((one) => dark.includes(one)).length, size('plane')];
  const button = document.querySelector('#table button.name');
  button.focus();
  dispatchEvent(new Event('beforeprint'));
  seen.darkOnPaper = colours().filter((one) => dark.includes(one));
  const plots = [...document.querySelectorAll('.plot')].filter((one) => one.checkVisibility() && !one.classList.contains('unplotted'));
  seen.shares = plots.map((one) => one.querySelector('.main-svg').getBoundingClientRect().width / one.closest('section').clientWidth);
  seen.apart = plots.filter((one) => one.classList.contains('square') && getComputedStyle(one.closest('section')).breakInside !== 'avoid').map((one) => one.id);
  seen.broken = [];
  const walker = document.createTreeWalker(document.getElementById('table'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) for (const { 0: word, index } of node.data.matchAll(/[^\\s-]+/g)) {
    const range = document.createRange();
    range.setStart(node, index); range.setEnd(node, index + word.length);
    if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1) seen.broken.push(word);
  }
  seen.words = document.querySelectorAll('#table td').length;
  const printed = (id) => (document.getElementById(id).checkVisibility() ? document.getElementById(id).textContent : '');
  seen.chosen = printed('printed'); seen.versus = printed('versus_note');
  seen.tables = [...document.querySelectorAll('section table')].filter((one) => one.checkVisibility()).map((one) => [one.parentElement.id, Math.round(one.getBoundingClientRect().right - one.closest('section').getBoundingClientRect().right)]);
  seen.legends = plots.filter((one) => one.querySelector('.legend') && one.querySelector('.nsewdrag')).map((one) => [one.id, Math.round(one.querySelector('.legend').getBoundingClientRect().bottom - one.querySelector('.nsewdrag').getBoundingClientRect().top)]);
  seen.tallest = Math.max(...plots.map((one) => one.clientHeight));
  dispatchEvent(new Event('afterprint'));
  seen.after = [before, [colours().filter((one) => dark.includes(one)).length, size('plane')]];
  seen.focused = document.activeElement.className;
  fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) });
});
</script>
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    metrics = ", ".join(
        f"case when not contains(configuration_id, 'unasked') then {value} end::double as {name}{end}"
        for name in METRICS
        for end, value in (("", 0.75 if "broad" in name else 0.5), ("_low", 0.25), ("_high", 0.75))
    )
    database = folder / "kernel29.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(TABLES.format(metrics=metrics))
    write_report(database, folder / "report.html", "Judge: rules <b>&</b> one")
    return folder / "report.html"


@pytest.fixture(scope="module")
def crowded(page: Path, tmp_path_factory) -> Path:
    """The page with eight configurations with long names that answered questions of nine types, and
    with a failure of every kind."""
    folder = tmp_path_factory.mktemp("crowded")
    shutil.copy(page.parent / "kernel29.duckdb", folder)
    with duckdb.connect(str(folder / "kernel29.duckdb")) as connection:
        connection.execute(CROWD)
    write_report(folder / "kernel29.duckdb", folder / "report.html")
    return folder / "report.html"


class Listener(BaseHTTPRequestHandler):
    """Hears what the page in the browser has seen."""

    heard: ClassVar[list[bytes]] = []

    def do_POST(self):
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


# a page whose data lie beside it, as a reader uses it; and one whose data are lost
BESIDE = """
<script>
{
const seen = { errors: [] };
window.addEventListener('error', (event) => seen.errors.push(event.message));
window.addEventListener('unhandledrejection', (event) => seen.errors.push(String(event.reason)));
const until = async (done) => { for (let i = 0; i < 200 && !done(); i++) await new Promise((go) => setTimeout(go, 25)); };
const text = (id) => document.getElementById(id).innerText;
const choose = (id, value) => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event('change', { bubbles: true }));
};
const use = async () => {
  await until(() => document.body.dataset.ready || text('summary').includes('missing'));
  seen.summary = text('summary');
  if (!document.body.dataset.ready) return;
  seen.first = [...parts.keys()].sort();
  choose('judge', 'model');
  await until(() => text('summary').includes('Judge model'));
  seen.names = [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[0].textContent);
  choose('judge', 'rules'); choose('setting', 'hard'); choose('configuration', 'good/plain/one');
  await until(() => parts.has('scores-0-0'));
  await new Promise((go) => setTimeout(go, 50));
  choose('case', '1');
  await until(() => !document.getElementById('detail').hidden);
  document.querySelectorAll('#detail details').forEach((one) => { one.open = true; });
  seen.detail = text('detail');
  document.getElementById('close').click();
  choose('test_set', 'two');
  await until(() => text('case_table').includes('two/1'));
  seen.other = text('case_table');
  await until(() => !pending.size);
  seen.plots = document.querySelectorAll('.js-plotly-plot').length;
};
window.addEventListener('load', () => use().catch((error) => seen.errors.push(String(error.stack))).then(() => fetch('%ADDRESS%', { method: 'POST', mode: 'no-cors', body: JSON.stringify(seen) })));
}
</script>
"""


def browse(page: Path, script: str, *flags: str) -> dict:
    """What a script in the page tells, in a browser window of 1400 by 3000 pixels."""
    if not CHROMIUM:
        lacking("Chromium", "apt-get install chromium")
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        server.timeout = 60
        text = page.read_text(encoding="utf-8")
        robot = page.with_name("robot.html")
        script = script.replace("%ADDRESS%", f"http://127.0.0.1:{server.server_port}/")
        robot.write_text(text.replace("</head>", script + "</head>", 1), encoding="utf-8")
        # without remote debugging a headless browser leaves as soon as the page is loaded
        browser = subprocess.Popen(
            [
                *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                *("--disable-background-networking", "--window-size=1400,3000"),
                *("--remote-debugging-port=0", f"--user-data-dir={page.parent / 'profile'}"),
                *flags,
                robot.as_uri(),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            server.handle_request()
        finally:
            browser.terminate()
            browser.wait(30)
    assert Listener.heard, "the page said nothing within a minute"
    return json.loads(Listener.heard.pop())


@pytest.fixture(scope="module")
def seen(page: Path) -> dict:
    return browse(page, ROBOT)


@pytest.fixture(scope="module", params=["light", "dark"])
def access(request, page: Path) -> dict:
    scheme = {"light": 1, "dark": 0}[request.param]
    heard = browse(page, ACCESS, f"--blink-settings=preferredColorScheme={scheme}")
    assert heard.pop("dark") == (request.param == "dark")
    return heard


def test_it_draws_everything_without_an_error(seen):
    assert seen["errors"] == []
    assert [panel for panel, drawn in seen["plots"] if not drawn] == ["sunburst"]
    assert len(seen["plots"]) == 11
    assert seen["violins"] == 2
    # of 16 a list of five gets 16/3 for a right first diagnosis alone: a third below the middle
    assert (
        seen["planes"] == [[pytest.approx(-1 / 3), "first diagnosis right,<br>four unrelated"]] * 2
    )
    assert "8 cases, 2 configurations asked, 1 not." in seen["summary"]


def test_what_can_be_detected_is_of_the_scored_cases(seen):
    difference = (
        "op-k difference of {} percentage points or more can be detected with {} cases scored"
    )
    (smaller, larger), (at_observed, _) = (
        [
            difference.format(
                math.ceil(100 * detectable_share_difference(n, discordant=share, power=0.8)), n
            )
            for n in (7, 8)
        ]
        for share in (0.9, 0.95)
    )
    assert (
        "Two configurations here disagree on 95 % of the cases (top-1, median of the pairs and "
        f"judges), so a t{at_observed} (power"
    ) in seen["summary"]
    assert f" If they disagreed on 90 %, a t{smaller}." in seen["summary"]
    assert f" If they disagreed on 90 %, a t{larger}, a t{smaller}." in seen["detectable"]


def test_a_sample_too_small_to_detect_anything_says_so(page, tmp_path):
    database = tmp_path / "kernel29.duckdb"
    shutil.copy(page.parent / "kernel29.duckdb", database)
    with duckdb.connect(str(database)) as connection:
        connection.execute("update rpt_detectable_difference set assumed_discordant_share = 0.2")
        connection.execute("update rpt_detectable_difference set observed_discordant_share = 0.44")
        connection.execute("update fct_configuration_score set n_cases = 200 where n_cases = 8")
    core = json.loads(gzip.decompress(read_report(database).core))
    detectable = core["detectable"]["one"]
    assert detectable["shares"] == [0.2, 0.44]
    assert detectable["differences"] == {
        "7": [None, None],
        "200": pytest.approx([0.0880727, 0.1306329], abs=1e-7),
    }


def test_less_than_half_a_cent_is_not_free(seen):
    assert seen["dollars"] == ["0.00", "&lt; 0.01", "0.01", "1.50", "–"]


def test_what_is_missed_is_called_as_it_was_written(seen):
    assert seen["missedNames"] == ["M. Wilson Wilson disease"]


def test_lines_and_strata_are_explained(seen):
    labels, notes = seen["titles"]
    assert any(label.startswith("held out: one case in five") for label in labels)
    (semantic, severity) = (text for text in notes if text.startswith("0 to 16"))
    assert "the dashed line is the mean of the points" in semantic
    assert "where it gives none, as the judge grades it. The dashed line is the mean." in severity


def test_what_was_not_asked_is_in_no_chart(seen):
    """One case of eight is outside the sample; the first has no gold severity."""
    outside = seen["outside"]
    assert outside["points"] == [1, 2, 3, 4, 5, 6]
    assert outside["drawn"] == [7, 6]
    assert " 1 case is outside its sample and not drawn." in outside["note"]
    assert outside["violins"] == " Cases outside a sample are not drawn."


def test_the_leaderboard_does_not_count_itself(seen):
    assert seen["leaderboardNote"].startswith(
        "The chart shows 95 % intervals of the aggregates. Rank"
    )


def test_it_is_printed_light_and_whole(page, tmp_path):
    on_screen = page.read_text(encoding="utf-8").replace("@media print", "@media all")
    (tmp_path / "report.html").write_text(on_screen, encoding="utf-8")
    printed = browse(tmp_path / "report.html", PRINTED, "--blink-settings=preferredColorScheme=0")
    assert printed["dark"]
    assert printed["darkOnPaper"] == []
    assert min(printed["shares"]) > 0.9
    assert printed["apart"] == []
    assert "Counts as found: the gold diagnosis." in printed["chosen"]
    assert "solved: among the first five" in printed["versus"]
    assert "A, " in printed["versus"]
    assert printed["words"] > 20
    assert printed["broken"] == []
    before, after = printed["after"]
    assert before[0] > 3
    assert before == after
    assert printed["focused"] == "name"


def test_many_configurations_fit_on_paper(crowded, tmp_path):
    on_screen = crowded.read_text(encoding="utf-8").replace("@media print", "@media all")
    (tmp_path / "report.html").write_text(on_screen, encoding="utf-8")
    printed = browse(tmp_path / "report.html", PRINTED, "--blink-settings=preferredColorScheme=0")
    tables = dict(printed["tables"])
    assert {"table", "missed", "quiz_table", "quiz_pairs", "quiz_list"} <= set(tables)
    assert {name: over for name, over in tables.items() if over > 0} == {}
    legends = dict(printed["legends"])
    assert {"failures", "agreement", "quiz_chart"} <= set(legends)
    assert {name: over for name, over in legends.items() if over > 1} == {}
    assert printed["tallest"] < 850


def test_only_tables_scroll_sideways_at_any_width(crowded):
    widths = browse(crowded, WIDTHS, "--allow-file-access-from-files")
    phone = widths.pop("phone")
    assert {width: one["over"] for width, one in widths.items() if one["over"] > 0} == {}
    assert {width: one["unreached"] for width, one in widths.items() if one["unreached"]} == {}
    assert widths["820"]["scrolled"] > 0
    assert phone["rankings"] == ["a k 0.5, x0 0.0 (rules)", "b mrr_strict (model)"]
    assert phone["legends"] == []


def test_the_first_of_two_judges_counts_as_one_of_them():
    """Between judges the first is never the other one."""
    with duckdb.connect() as connection:
        connection.execute(
            "create table rpt_rank_sensitivity as select 'one' as test_set, 'top5_broad' as "
            "reference, 1 as n_pairs, 0 as n_swapped, 1 as n_kept, 0 as n_incomparable, * from (values "
            "('a', 'b', 'top5_broad'), ('a', 'c', 'top5_broad'), ('b', 'c', 'top5_broad'), "
            "('all', 'all', 'all')) as t (judge_id, other_judge_id, ranked_by)"
        )
        rows = connection.execute(data.RECORDS["orders"]).fetchall()
    assert rows == [("one", "top5_broad", 1, 0, 1, 0, 3)]


def test_it_shows_which_orders_survive(seen):
    """Two judges have the pair in either order: it is one pair, turned by a ranking of each."""
    assert seen["changes"]["note"].startswith(
        "Pairs of configurations in one and the same order under every metric and sigmoid, by "
        "every judge who gives such scores: semantics 1 of 3 (2 judges; 1 not comparable across them, "
        "who saw different cases). A filled square"
    )
    assert seen["changes"]["pairs"] == ["fails/plain<br>– good/plain (semantics)"]
    assert seen["changes"]["rankings"] == ["k 0.5, x0 0.0 (rules)", "mrr_strict (model)"]
    assert (seen["changes"]["z"], seen["changes"]["often"]) == ([[1, 1]], ["2"])


def test_a_rank_says_among_how_many(seen):
    assert seen["rank"].split() == ["1", "of", "2", "1…2"]


def test_a_judge_says_what_it_left_out_as_its_own_family(seen):
    assert "of the judge's own model family (gpt): fails / plain." in seen["leftOut"]
    assert seen["judgedAll"] == ""


def test_what_was_asked_does_not_depend_on_the_judge(seen):
    asked = "2 configurations asked, 1 not."
    assert asked in seen["summary"]
    assert "Judge rules has judged all 2 configurations asked: " in seen["summary"]
    assert asked in seen["judgedInPart"]
    assert "Judge model has judged 1 of the 2 configurations asked: " in seen["judgedInPart"]
    summary, reason = seen["judgedNone"]
    assert asked in summary
    assert "Judge model has judged none of the 2 configurations asked: " in summary
    assert reason == ("Judge model has judged none of the 2 configurations asked here; rules has.")


def test_what_a_person_labelled_in_part_is_named(seen):
    told = "No score, because lists have no label by model (how many): fails / plain (9)."
    assert seen["leftOut"].endswith(told)


def test_it_fits_a_telephone(seen):
    telephone = seen["telephone"]
    assert telephone["errors"] == []
    assert telephone["wide"] == []
    # a question opened there too: split, options with the key, analysis and choice
    for part in ("VIGNETTE", "STEM", "OPTION B ✓", "ANALYSIS", "able/direct: B ✓"):
        assert part in telephone["question"], part
    assert telephone["heads"] == "none"
    assert telephone["labels"][1:4] == ['"rank"', '"cases"', '"failed"']


def test_a_configuration_has_one_colour(seen):
    assert {name: len(colours) for name, colours in seen["colours"].items()} == {
        "good/plain/one": 1,
        "fails/plain/one": 1,
    }
    both = [*seen["colours"]["good/plain/one"], *seen["colours"]["fails/plain/one"]]
    assert len({*both, *seen["scoreColours"]}) == 4
    assert sorted(seen["outlined"]) == [0, 2.5]


def test_axes_and_corners_leave_room(seen):
    assert seen["ticks"] == [0, 4, 8, 12, 16]
    assert min(seen["corners"]) > seen["highest"] + 0.2


def test_what_a_test_set_holds_are_its_coded_cases(seen):
    note, few = seen["codes"]
    assert note.startswith(
        "3 of the 8 cases have no ICD-10-CM code; in this chart they stand in the chapter"
    )
    assert "where that is known (1), in strata of ICD-10 under “no code”." in note
    assert few.split("\n")[1:] == [
        "unknown organ system\t2",
        "E83 Minerals",
        "E70-E88 Metabolic, IV Endocrine\t5",
        "VI Nerves",
        "no code of its own\t1",
    ]
    ring = [label for label in seen["ring"] if not label.startswith("Wilson")]
    assert ring == ["80 cases", "unknown", "VI", "no code", "IV", "E70-E88", "E83"]
    assert len(seen["ring"]) == 7 + 6  # and the diseases


def score_of(distances):
    """A list's rescaled score by the macros, rendered outside dbt: they use nothing of it."""
    code = (paths.project_root() / "macros/experiments/scores.sql").read_text()
    macros = jinja2.Environment().from_string(code).module
    values = ", ".join(f"({rank}, {d})" for rank, d in enumerate(distances, 1))
    rescaled = macros.rescale_score(macros.list_score("rank", "distance"))
    return duckdb.sql(f"select {rescaled} from (values {values}) as t (rank, distance)").fetchall()[
        0
    ][0]


def test_the_best_reachable_points_are_marked(seen):
    alone, first = seen["best"][0]
    assert seen["best"][1] == seen["best"][0]
    assert alone[:2] == [score_of([1]), score_of([1])]
    assert first[:2] == [score_of([1, 1, 1, 1, 1]), pytest.approx(score_of([1, 5, 5, 5, 5]))]
    assert "The best reachable point: a list of the right diagnosis" in alone[3]
    assert "then four unrelated ones, all of its severity" in first[3]
    assert seen["legend"] == [
        "best reachable: the right diagnosis alone",
        "right first, then four unrelated",
    ]


def test_no_number_of_a_chart_covers_another(seen):
    plane, cost = seen["crowd"]
    assert {int(n) for n in plane[0].split(", ")} == set(range(1, 13))
    assert {int(n) for n in cost[0].split(", ")} == set(range(1, 13))
    assert [plane[1:], cost[1:]] == [[0, 12], [0, 12]]
    assert seen["keyed"] == "fails/plain/one"


def test_no_number_of_a_chart_covers_an_interval(seen):
    assert seen["crossed"] == [[12, 0, 0], [12, 0, 0]]


def test_points_apart_have_a_number_each(seen):
    assert seen["apart"] == [str(number) for number in range(1, 13)]  # of a chart hidden before
    assert "nor are 4 attempts of unknown cost" in seen["unknown"]


def test_a_chart_of_costs_needs_a_cost(seen):
    is_hidden, line = seen["free"]
    assert is_hidden
    assert "Cost against quality: The chosen configurations cost nothing." in line


def test_it_says_what_the_chosen_judge_is_worth(seen):
    assert (
        "configurations asked: not calibrated against people here. It gave every rank"
        in seen["summary"]
    )
    assert "of fails / plain the same label, or none: these scores say nothing" in seen["summary"]


def test_a_judge_of_whole_lists_says_how_many_lack_a_label(seen):
    verdict = (
        "measured on whole lists, kappa 0.42 with ward on top-5 broad. 3 of its lists have no label"
    )
    assert verdict in seen["lists"]


def test_a_point_opens_its_case(seen):
    # neither the case without a gold severity nor the one outside the sample is in the plane
    assert seen["points"] == 6
    for text in (
        *("one/2", "Wilson <b>disease</b> & 2", "Diagnosis <i>1</i>", "Broad Synonym", "severe"),
        *("because one/2", "NARRATIVE of one </script> 2", "semantic 0.00 of 16 (-1.000)"),
        "severity 10.00 of 16 (0.250)",
    ):
        assert text in seen["detail"]
    assert seen["closed"]


def test_a_severity_that_nobody_gave_is_that_of_the_rules(page):
    with duckdb.connect(str(page.parent / "kernel29.duckdb"), read_only=True) as served:
        cases = served.execute(data.CASES, ["one"]).to_arrow_table().to_pylist()
    assert (cases[0]["severity"], cases[0]["graded"]) == (None, "mild (chapter_X)")
    assert (cases[1]["severity"], cases[1]["graded"]) == ("rare", None)


def test_a_case_shows_the_words_that_were_sent_and_came_back(seen):
    assert seen["folded"] == [False] * 4
    assert seen["formula"] == [False]  # where scores come from is not folded
    for text in (
        *("INSTRUCTIONS", "Case: NARRATIVE of one </script> 2 Diagnose.", "ANSWER <u>to</u> one/2"),
        *("ok, numbered_list, 3 diagnoses, 1 left out", "broader_name: because one/2 · code"),
        "$0.00031, 2 attempts, 1.2 s",
        *("What these rules mean", "broader_name", "An <i>unqualified</i> name"),
    ):
        assert text in seen["detail"]
    assert "Not shown" not in seen["detail"]


def test_a_ranker_shows_the_findings_it_was_asked_with(seen):
    assert "Findings given to the system" in seen["ranker"]
    assert "HP:0001250 Seizure\nHP:0001945 Fever, absent" in seen["ranker"]
    assert "The request is not on record" not in seen["ranker"]


def test_what_is_not_shown_repeats_the_filters(seen):
    assert "Not shown for test set one, judge rules, setting medium. Cost" in seen["free"][1]
    assert seen["notShown"].startswith("Not shown for test set one, judge rules, setting medium, ")
    assert ", cases with the words nobody has this. " in seen["notShown"]


def test_questions_and_answers_that_do_not_fit_are_left_out(page, monkeypatch):
    most = len(read_report(page.parent / "kernel29.duckdb").parts["words-0"]) * 2 // 3
    monkeypatch.setattr(data, "WORD_BYTES", most)
    report = read_report(page.parent / "kernel29.duckdb")
    assert len(report.parts["words-0"]) <= most
    words = json.loads(gzip.decompress(report.parts["words-0"]))
    core = json.loads(gzip.decompress(report.core))
    assert 0 < len(words["cells"]) == core["n_words"] < 16


def test_a_verdict_leads_to_its_votes_and_their_requests(seen):
    key = hashlib.sha256(b"one/2semantic1").hexdigest()[:12]
    for text in (
        f"semantic vote 1, request {key}: Broad Synonym: VOTE <i>1</i> on one/2",
        "severity vote 2, request ",
        ": invalid label: VOTE <i>2</i> on one/2",
        f"from dim_llm_request where starts_with(request_key, '{key}')",
    ):
        assert text in seen["voted"]
    assert "VOTE" not in seen["detail"]  # rules do not vote


def test_votes_that_do_not_fit_are_left_out(page, monkeypatch):
    most = len(read_report(page.parent / "kernel29.duckdb").parts["votes-0"]) * 2 // 3
    monkeypatch.setattr(data, "VOTE_BYTES", most)
    report = read_report(page.parent / "kernel29.duckdb")
    assert len(report.parts["votes-0"]) <= most
    core = json.loads(gzip.decompress(report.core))
    assert 0 < core["n_votes"] < 192


def test_a_case_opens_without_a_mouse(seen):
    assert "one/2" in seen["chosen"]
    assert seen["focus"] == "close"


def test_a_failed_configuration_is_in_every_picture(seen):
    assert seen["failed"] == ["x"]
    assert seen["names"] == ["fails / plain", "good / plain", "unasked / plain"]


def test_filters_narrow_every_picture(seen):
    assert seen["filtered"] == ["good / plain"]
    assert seen["other"] == ["good / plain"]


def test_broader_names_count_when_asked_for(seen):
    assert [value.split()[0] for value in seen["strict"]] == ["50.0"] * 4 + ["0.50"]
    assert [value.split()[0] for value in seen["broad"]] == ["75.0"] * 4 + ["0.75"]
    assert seen["sortedBy"] == "top10_broad"


def test_rows_are_sorted_by_any_number(seen):
    assert seen["sorted"] == ["good / plain", "fails / plain", "unasked / plain"]
    assert seen["sorted_again"] == seen["names"]
    assert seen["bySort"] == [
        ["id", "ascending", "fails / plain"],
        ["score_rank", "ascending", seen["names"][0]],
        ["n_cases", "descending", seen["names"][0]],
        ["n_failures", "ascending", "good / plain"],
    ]


def test_cases_are_sorted_by_any_column(seen):
    cases = [f"one/{n}" if n != 4 else "UKE-one (one/4)" for n in range(1, 9)]
    by_name = sorted(cases)
    for up, down, said, again, focus in seen["orders"].values():
        assert (sorted(up), sorted(down), said, again) == (by_name, by_name, "descending", cases)
        assert focus in seen["orders"]
    assert seen["orders"]["case"][:2] == [cases, cases[::-1]]
    ranks = {case: rank for case, rank in seen["ranks"]}
    up = [ranks[case] for case in seen["orders"]["rank"][0]]
    assert up == sorted(up, key=lambda rank: float("inf") if rank == "–" else int(rank))
    assert up != list(ranks.values())


def test_a_reload_keeps_what_was_chosen_and_sorted(seen):
    before, after = seen["kept"]
    pair = ["fails/plain/one", "good/plain/one"]
    assert before == after == ["fails/plain/one", "n_failures", *pair, "3", "rank"]


def test_several_models_are_chosen_and_the_address_keeps_them(seen):
    assert seen["several"] == ["fails / plain", "good / plain"]
    assert seen["address"].startswith("#test_set=one&judge=rules")
    assert seen["address"].endswith("&model=fails&model=good")


def test_two_configurations_are_compared_case_by_case(seen):
    note, text = seen["versus"]
    # eight were asked, and one of them is outside the sample of the judge
    assert "7 common cases; solved: among the first five; failed answers count as not" in note
    assert (
        "A, good / plain, solves 4 and B, fails / plain, 0 of them, 57.1 percentage points more. Whether that may be chance"
        in note
    )
    assert "kernel29 compare good/plain/one fails/plain/one" in note
    assert "Only fails / plain: 0" in text
    assert "Only good / plain: 4" in text
    assert "one/1: Wilson <b>disease</b> & 1" in text
    assert "one/2:" not in text


def test_cases_are_searched_and_filtered(seen):
    count, text = seen["listed"]
    assert count == (
        "8 of 8 cases. Rank, first diagnosis, status and rules are those of good/plain/one."
    )
    assert "1 of 2" in text
    assert "Diagnosis <i>1</i>" in text
    assert seen["searched"].startswith("1 of 8 cases.")
    assert seen["differAddress"].endswith("&agreed=differ")
    assert seen["filterMilliseconds"] < 150
    assert "one/1" in seen["opened"]


def test_cases_are_filtered_by_rule_stratum_and_status(seen):
    assert seen["filters"] == {
        "disagree": "4 of 8 cases",
        "nobody": "3 of 8 cases",  # one of the four is outside the sample
        "ok": "8 of 8 cases",
        "synonym": "4 of 8 cases",
        "both kinds": "2 of 8 cases",
        "one kind": "0 of 8 cases",
        "none": "8 of 8 cases",
    }
    assert seen["points_"] == 3  # one of the four has no gold severity
    assert seen["rules"] == ["all", "broader name", "synonym", "code"]
    assert seen["strata"][:2] == ["age band: 1-15", "age band: 66+"]


def test_several_test_sets_are_shown_together(seen):
    together = seen["together"]
    asked, unasked = together["names"][:3], together["names"][3:]
    assert [name.split(" / ")[2] for name in asked] == ["one", "one", "two"]
    assert unasked == ["unasked / plain / one"]
    assert "one, version v1" in together["summary"]
    assert "two, version v1" in together["summary"]
    assert together["cases"].startswith("16 of 16 cases")
    assert together["cases"].endswith("are those of good / plain / each set.")
    assert "one/1" in together["listed"]
    assert "two/1" in together["listed"]
    assert [together["bars"], together["points"]] == [3, 3]
    assert len(together["b"]) == 1  # of the same test set as A
    assert together["b"][0].endswith("/one")
    assert "clinic" in together["trust"]
    assert "ward" in together["trust"]
    assert together["codes"].startswith("6 of the 16 cases")
    assert "test_set=one&test_set=two&" in together["address"]


def test_it_can_be_read_without_good_eyes(access):
    assert access["language"] == "en"
    assert access["sunburst"] > 3
    for name in ("page", "open"):
        look = access[name]
        levels = look.pop("headings")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert look.pop("landmarks") == [1, 1, 1]
        assert {what: faults for what, faults in look.items() if faults} == {}


def test_bars_and_lines_stand_out_from_the_paper(request, access):
    """WCAG 1.4.11: 3 to 1 for what must be seen; lines of a grid are light on white paper."""
    assert access["grid"] >= (3 if "dark" in request.node.name else 1.6)
    assert len(access["bars"]) == 2
    assert min(fill for fill, _ in access["bars"]) >= 3
    assert min(outline for _, outline in access["bars"]) >= 4.5


def test_it_can_be_used_without_a_mouse(access):
    assert access["pressed"] == "true good/plain/one"
    assert access["inside"] == "close"
    assert access["back"]
    sections = ["versus_section", "case_section", "trust_section", "questions_section"]
    assert access["skipped"] == ["main", *sections]


def test_a_list_is_one_stop_and_arrows_move_in_it(access):
    assert [stops for n, stops in access["stops"] if n] == [1] * sum(
        n > 0 for n, _ in access["stops"]
    )
    assert max(n for n, _ in access["stops"]) == 8
    assert access["arrows"] == [1, 2, 1, 7, 7, 0]


def test_an_empty_test_set_is_named(seen):
    assert seen["empty"] == ["none is empty: no cases have been imported into it.", []]


def test_personal_health_information_stays_out(page, seen):
    assert "Left out" in seen["private"]
    assert "NARRATIVE" not in seen["private"]
    assert "ANSWER" not in seen["private"]
    assert "Wilson <b>" not in seen["private"]
    assert "Gold diagnosis\nWilson <b>disease</b> & 2\n" in seen["chosen"]
    report = read_report(page.parent / "kernel29.duckdb")
    sets = [row["id"] for row in json.loads(gzip.decompress(report.core))["sets"]]
    cases = [
        case
        for number in range(len(sets))
        for case in json.loads(gzip.decompress(report.parts[f"cases-{number}"]))
    ]
    narratives = gzip.decompress(report.parts[f"narratives-{sets.index('two')}-0"])
    assert json.loads(narratives) == [None] * 8
    own_ids = [case["own_id"] for case in cases if case["own_id"]]
    assert own_ids == ["UKE-one"]  # of patients it is not there
    golds = [(case["id"], case["gold"], case["known_as"]) for case in cases if "two/" in case["id"]]
    assert not [case for case in cases if 12 in case.values() or "age" in case]
    assert "Patient\nfemale, age band 1-15, en" in seen["chosen"]
    assert golds[:2] == [("two/1", "Wilson", None), ("two/2", "in no terminology", None)]
    own = next(case for case in cases if case["id"] == "one/1")
    assert own["gold"] == "Wilson <b>disease</b> & 1"
    assert own["known_as"] == "Wilson <b>disease</b> & 1 also known as Enfermedad de Wilson"
    assert "two/" not in gzip.decompress(report.parts["words-0"]).decode()
    votes = json.loads(gzip.decompress(report.parts["votes-0"]))
    assert "two/" not in str(votes)
    # the votes of such a set are there, and say why they have no reason
    assert len(votes["cells"]) == 2 * 8 * 3 * 2 * 2
    assert "personal health information" in votes["texts"]


def test_it_is_one_small_page_without_a_network(page):
    text = page.read_text(encoding="utf-8")
    assert len(text) < 3_000_000
    assert not re.search(
        r"""(src|href)=["'](?!data:|#)""", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    )
    assert "<script src" not in text


@pytest.fixture
def beside(page, tmp_path, monkeypatch) -> Path:
    """A page whose data lie in a folder beside it."""
    monkeypatch.setattr("python_llm.report.page.ONE_FILE_BYTES", 0)
    shutil.copy(page.parent / "kernel29.duckdb", tmp_path)
    write_report(tmp_path / "kernel29.duckdb", tmp_path / "report.html")
    return tmp_path / "report.html"


def test_a_large_report_reads_its_data_as_needed(beside):
    seen = browse(beside, BESIDE)
    assert seen["errors"] == []
    # of one test set, judge and setting, and the lists of one group of configurations
    assert seen["first"] == [
        *("cases-1", "core", "lists-0", "marks-1-0", "scores-0-1", "status-1"),
    ]
    assert seen["names"] == ["good / plain", "unasked / plain"]
    for text in ("NARRATIVE of one </script> 2", "ANSWER <u>to</u> one/2", "because one/2"):
        assert text in seen["detail"]
    assert "Diagnosis <i>1</i>" in seen["other"]
    assert seen["plots"] >= 6
    assert len(beside.read_text(encoding="utf-8")) < 125_000


def test_data_that_is_not_beside_the_page_is_named(beside):
    (folder,) = beside.parent.glob("report-data-*")
    (folder / "marks-1-0.js").unlink()
    message = f"{folder.name}/marks-1-0.js is missing. The page needs its folder {folder.name}"
    assert message in browse(beside, BESIDE)["summary"]


def test_page_and_data_change_as_one(beside, monkeypatch):
    database, first = beside.parent / "kernel29.duckdb", beside.read_text(encoding="utf-8")
    (folder,) = beside.parent.glob("report-data-*")
    other = beside.parent / "report-data-of-my-own"
    other.mkdir()
    write_report(database, beside)  # the same content is the same folder
    assert [*beside.parent.glob("report-data-*[0-9a-f]")] == [folder]
    with duckdb.connect(str(database)) as connection:
        connection.execute("update dim_case set narrative = 'changed'")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            write_report(database, beside)
    assert folder.is_dir()
    assert not [*beside.parent.glob(".report-*")]
    assert beside.read_text(encoding="utf-8") == first
    write_report(database, beside)
    (changed,) = beside.parent.glob("report-data-*[0-9a-f]")
    assert changed != folder
    assert f'data-folder="{changed.name}"' in beside.read_text(encoding="utf-8")
    monkeypatch.undo()
    write_report(database, beside)  # small again: one file, no folder but the reader's own
    assert [*beside.parent.glob("report-data-*")] == [other]


def test_a_page_and_its_data_are_as_private_as_other_files(beside):
    before = os.umask(0o027)
    try:
        beside.unlink()
        for folder in beside.parent.glob("report-data-*"):
            shutil.rmtree(folder)
        write_report(beside.parent / "kernel29.duckdb", beside)
    finally:
        os.umask(before)
    (folder,) = beside.parent.glob("report-data-*")
    made = (beside, folder, *folder.iterdir())
    assert {path.stat().st_mode & 0o777 for path in made} == {0o640, 0o750}


def test_without_its_script_it_shows_the_leaderboard(page, seen):
    before_the_parts = page.read_text(encoding="utf-8").partition("<main>")[0]
    assert "<noscript><p>Charts and cases need JavaScript" in before_the_parts
    assert "Judge: rules &lt;b&gt;&amp;&lt;/b&gt; one</pre>" in before_the_parts
    assert not seen["plain"]


def test_questions_are_listed_compared_and_opened(seen):
    quiz = seen["quiz"]
    assert quiz["traces"] == ["able/direct", "weak/direct", "chance"]
    assert quiz["standoff"] >= 8  # a point at 0 % leaves the words at the axis free
    assert "3 questions, 2 scored; left out: 1 on images" in quiz["note"]
    assert "able/direct" in quiz["table"]
    assert "models with direct" in quiz["pairs"]
    assert "0.041" in quiz["pairs"]
    assert "C ✗" in quiz["list"]
    assert quiz["wrong"] == "2 questions."
    assert quiz["wrongOfAble"] == "0 questions."
    assert quiz["unscored"] == "1 questions."
    for part in (
        "VIGNETTE <i>of</i> exam",
        "STEM </script> 1",
        "OPTION B ✓",
        "REASON",
        "able/direct: B ✓",
    ):
        assert part in quiz["opened"], part
    for part in ("ANALYSIS </script>", "CHOICE", "management options, rank 2", "by rule: a_rule"):
        assert part in quiz["opened"], part


def test_questions_about_patients_have_no_text(seen):
    for text in ("VIGNETTE", "STEM", "OPTION", "ANALYSIS", "CHOICE", "REASON"):
        assert text not in seen["quiz"]["secret"], text
    assert "personal health information" in seen["quiz"]["secret"]


def test_before_the_first_build_there_is_a_remedy(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `kernel29 build` first"):
        write_report(tmp_path / "kernel29.duckdb", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_judge_of_whole_lists_has_no_semantic_score(page, tmp_path):
    database = tmp_path / "kernel29.duckdb"
    shutil.copy(page.parent / "kernel29.duckdb", database)
    with duckdb.connect(str(database)) as connection:
        for statement in (
            "update fct_case_score set semantic_score = null where judge_id = 'rules'",
            "update fct_configuration_score set semantic_aggregate = null where judge_id = 'rules'",
            "update fct_configuration_rank set metric = 'top5_strict' where judge_id = 'rules'",
        ):
            connection.execute(statement)
    scores = json.loads(gzip.decompress(read_report(database).parts["scores-0-0"]))
    asked = [n for n, is_asked in enumerate(scores["is_asked"]) if is_asked]
    assert asked
    assert all(scores["score_rank"][n] == 1 for n in asked)
    assert set(scores["semantic_aggregate"]) == {None}
