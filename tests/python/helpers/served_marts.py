"""A served database with a few rows, its tables made from the contracts of the marts."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import duckdb
import yaml

from python_llm import paths

# What they hold is written as DuckDB's rows; a column that is not named is null.
ASKED = """
insert into dim_configuration by name
select model || '/' || prompt || '/' || test_set as configuration_id, model as model_alias,
    prompt as prompt_alias, 'p1' as prompt_version, test_set, 'here' as provider,
    model || '-2025' as api_model, model as family,
from (values ('alpha'), ('beta'), ('gamma')) as m (model)
cross join (values ('plain')) as p (prompt)
cross join (values ('one'), ('two')) as t (test_set)
union all select 'alpha/other/one', 'alpha', 'other', 'p2', 'one', 'here', 'alpha-2025', 'alpha';
insert into dim_llm_model by name
select distinct model_alias, provider, api_model, '{}' as parameters, false as is_retired
from dim_configuration;
insert into dim_prompt by name
select distinct prompt_alias, prompt_version, 'en' as language, 'numbered_list' as output_format,
    'A | prompt' as description from dim_configuration;
insert into dim_judge by name select * from (values
    ('terminology', 'terminology', null, 'Rules.', null, 1),
    ('judge_model', 'llm', 'alpha', 'Alpha reads.', 'q7', 3),
    ('lists', 'recorded', null, 'Labels of lists.', null, 1)
) as t (judge_id, kind, model_alias, description, semantic_prompt_version, n_votes);
insert into dim_test_set by name
select test_set, 'imported' as kind, 'A set' as description, 'v-' || test_set as version,
    20 as n_cases, 0 as n_leaking from (values ('one'), ('two'), ('unasked')) as t (test_set);
insert into dim_case by name
select test_set || '/' || number as case_id, test_set, 'Gout' as gold_name
from (values ('one'), ('two')) as t (test_set), range(1, 21) as n (number);
insert into bridge_test_set_case by name select test_set, case_id from dim_case;
insert into dim_icd10_code by name select * from (values
    ('X', 'chapter', 'X'), ('J09-J18', 'block', 'X'), ('J18', 'category', 'X'),
    ('IX', 'chapter', 'IX')
) as t (code, kind, chapter_code);
insert into rpt_test_set_composition by name select * from (values
    ('one', 'chapter', 'X', 'Respiratory <system>', 15, 75.0),
    ('one', 'chapter', 'IX', 'Circulatory', 5, 25.0),
    ('one', 'block', 'J09-J18', 'Influenza and pneumonia', 15, 75.0),
    ('one', 'category', 'J18', 'Pneumonia', 15, 75.0),
    ('one', 'severity', 'severe', null, 20, 100.0),
    ('two', 'chapter', 'X', 'Respiratory', 20, 100.0)
) as t (test_set, dimension, value, title, n_cases, percent);
insert into rpt_terminology_release by name
select 'hpo_term' as seed, 'hpo' as terminology, '2025-01-16' as release, 'hp.obo' as source_file;
insert into fct_case_score by name
select configuration_id, case_id, judge_id, test_set, 'p1' as prompt_version,
    (
        length(model_alias)
        * row_number() over (partition by configuration_id, judge_id order by case_id)
    ) % 17
        as semantic_score,
    10.0 as severity_score, semantic_score / 8 - 1 as semantic_rescaled, 0.25 as severity_rescaled,
    semantic_score > 8 as is_top5_strict, true as is_scored, true as is_asked
from dim_configuration inner join dim_case using (test_set)
cross join (select judge_id from dim_judge where judge_id != 'lists');
"""
SETTINGS = """
update fct_configuration_score set
    steepness = coalesce(steepness, case setting when 'easy' then 1 when 'hard' then 3 else 2 end),
    midpoint = coalesce(midpoint, if(setting = 'easy', 0.3, 0)),
    bootstrap_replicates = coalesce(bootstrap_replicates, 2000),
    bootstrap_seed = coalesce(bootstrap_seed, 29)
"""
SHARES = [f"top{depth}_{kind}" for depth in (1, 3, 5, 10) for kind in ("strict", "broad")]
GRADED = ("mean_semantic_score", "mean_severity_score", "semantic_aggregate", "severity_aggregate")


def _scores() -> str:
    """Rows of fct_configuration_score: a judge of lists gives shares only, and alpha is not judged
    by its own model."""
    shares = ", ".join(
        f"0.625 as {name}, 0.5 as {name}_low, 0.75 as {name}_high"
        for name in [*SHARES, "mrr_strict", "mrr_broad"]
    )
    graded = ", ".join(
        f"if(judge_id = 'lists', null, {value}) as {name}{end}"
        for name in GRADED
        for end, value in {"": -0.25, "_low": -0.5, "_high": 0.125}.items()
    )
    return (
        "insert into fct_configuration_score by name select configuration_id, judge_id, setting, "
        "model_alias, prompt_alias, prompt_version, test_set, 20 as n_cases, "
        "20 as n_test_set_cases, 20 as n_with_severity, 0 as n_not_requested, "
        "if(model_alias = 'beta', 3, 0) as n_failures, true as is_asked, "
        f"{shares}, {graded} from dim_configuration cross join (select judge_id from dim_judge) "
        "cross join (values ('easy'), ('medium'), ('hard')) as s (setting) "
        "where judge_id != 'judge_model' or model_alias != 'alpha'"
    )


@cache
def contracts() -> dict[str, list[tuple[str, str]]]:
    """(column, type) of every mart, by its name, from the yml files beside the marts."""
    files = (paths.project_root() / "models/marts").rglob("*.yml")
    read = (yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) for file in files)
    models = [model for declared in read for model in declared.get("models") or []]
    return {
        model["name"]: [(column["name"], column["data_type"]) for column in model["columns"]]
        for model in models
        if "columns" in model
    }


def make(database: Path, more: Sequence[str] = ()) -> Path:
    """A served database at `database`: every mart, with the rows above and those of `more`."""
    database.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(database)) as connection:
        connection.begin()
        for name, columns in contracts().items():
            typed = ", ".join(f"{column} {kind}" for column, kind in columns)
            connection.execute(f"create table {name} ({typed})")
        for statement in (ASKED, _scores(), *more, SETTINGS):
            connection.execute(statement)
        connection.commit()
    return database
