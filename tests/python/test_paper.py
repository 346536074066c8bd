"""The folder of a paper: what it says, what it draws, and that it is there whole or not at all."""

import csv
import re
import xml.etree.ElementTree as ET
from importlib import metadata
from pathlib import Path

import duckdb
import pytest
import served_marts
from click.testing import CliRunner
from statsmodels.stats.multitest import multipletests

from python_llm import paths
from python_llm.console import terminal
from python_llm.console.cli import main
from python_llm.errors import UserError
from python_llm.job.serving import deidentified
from python_llm.report.paper import figures, methods, tables
from python_llm.report.paper.choice import Choice
from python_llm.report.paper.page import as_csv
from python_llm.report.paper.svg import COLOURS, GREY, INK, Drawing, Scale
from python_llm.report.paper.tables import estimate, markdown
from python_llm.report.paper.words import ranking
from python_llm.report.paper.writing import write_paper

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return served_marts.make(tmp_path_factory.mktemp("serve") / "kernel29.duckdb")


@pytest.fixture(scope="module")
def paper(database, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "paper"
    write_paper(database, folder, Choice())
    return folder


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def words(file: Path) -> list[str]:
    return [text.text or "" for text in ET.parse(file).iter(f"{SVG}text")]


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_methods_name_every_version(paper):
    text = (paper / "paper.md").read_text(encoding="utf-8")
    for fact in (
        "7 configurations",
        "each a system with its prompt on a test set: 140 answers were requested; 6 failed",
        "one (20 cases, version v-one; A set)",
        "alpha (here: alpha-2025)",
        "plain (p1)",
        "other (p2)",
        "terminology (rules)",
        "Human Phenotype Ontology 2025-01-16",
        f"Kernel29 {metadata.version('kernel29')}",
        "not medical advice",
    ):
        assert fact in text, fact


def test_methods_say_whom_the_judge_was_compared_with(database, paper, tmp_path):
    text = (paper / "paper.md").read_text(encoding="utf-8")
    assert "On these test sets the judge has not been compared with people." in text
    assert (
        "none of the severities of the gold diagnoses is the judge's own; acuity rests on" in text
    )
    measured = """
        insert into rpt_judge_calibration by name
        select 'terminology' as judge_id, 'ward' as panel, 'one' as test_set, 'semantic' as scale,
            2 as n_raters, 20 as n_cases, 0.9 as kappa_quadratic, 0.8 as lowest_rater,
            true as is_calibrated, 0.95 as agreement
        union all
        select 'terminology', 'ward', 'one', 'severity', 2, 20, 0, 0, false, 1
    """
    compared = served_marts.make(tmp_path / "kernel29.duckdb", [measured])
    write_paper(compared, tmp_path / "paper", Choice())
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert (
        "Compared with the people of ward (2 raters; one, 20 cases), its kappa (with quadratic "
        "weights for labels of ranks) is 0.90 for relation of each rank (lowest among the raters: "
        "0.80) and 0.00 for severity of each rank (both gave one and the same label throughout, "
        "for which kappa is 0 by convention)"
    ) in text
    (row, _) = rows(next((tmp_path / "paper").glob("*_agreement.csv")))
    assert (row["panel"], row["kappa_quadratic"]) == ("ward", "0.9")


CALIBRATED = """
insert into rpt_judge_calibration by name
select 'terminology' as judge_id, 'ward' as panel, 'one' as test_set, scale, 2 as n_raters,
    20 as n_cases, 20 as n_ranks, 0.9 as kappa, 0.8 as lowest_rater, 0.95 as agreement,
    {is_calibrated} as is_calibrated
from (values ('top1_strict'), ('top1_broad'), ('top5_strict'), ('top5_broad'), ('top10_strict'),
    ('top10_broad')) as t (scale)
"""


@pytest.mark.parametrize(
    ("is_calibrated", "verdict"),
    [
        ("true", "which meets the criteria of calibration throughout."),
        ("scale not like 'top10%'", "meets the criteria of calibration for top-1 and top-5 only."),
        ("scale like 'top10%'", "meets the criteria of calibration for top-10 only."),
    ],
)
def test_calibration_is_said_of_each_depth(tmp_path, is_calibrated, verdict):
    measured = CALIBRATED.format(is_calibrated=is_calibrated)
    compared = served_marts.make(tmp_path / "kernel29.duckdb", [measured])
    assert verdict in page(compared, tmp_path / "paper", test_sets=["one"])


def test_a_model_that_judges_is_named_with_prompt_and_votes(database, tmp_path):
    write_paper(database, tmp_path / "paper", Choice(judge="judge_model"))
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "alpha-2025 of here, with 3 votes on each rank" in text
    assert "q7 for semantics" in text
    results = rows(tmp_path / "paper" / "table_5_results.csv")
    assert {row["model_alias"] for row in results} == {"beta", "gamma"}  # none of its own
    models = rows(tmp_path / "paper" / "table_1_models.csv")
    assert [row["model_alias"] for row in models] == ["beta", "gamma"]


def test_tables_carry_intervals_and_n(paper):
    result = rows(paper / "table_5_results.csv")[0]
    assert (result["top1_strict"], result["top1_strict_low"], result["n_cases"]) == (
        "0.625",
        "0.5",
        "20",
    )
    text = (paper / "paper.md").read_text(encoding="utf-8")
    assert "62.5 (50.0 to 75.0)" in text
    assert "−0.25 (−0.50 to 0.12)" in text
    assert len(rows(paper / "table_6_aggregates.csv")) == 7 * 3


def test_tables_in_files_alone_say_what_they_do_not_show(ordered, tmp_path):
    text = page(ordered, tmp_path / "paper")
    strata, comparisons = (
        text.partition(f"**Table {number}. ")[2].partition("**Table")[0] for number in (7, 8)
    )
    assert "that of the rules (`n_graded_severity` cases)" in strata
    assert "corrected for all pairs of the test set, also those that are not in this paper" in (
        comparisons
    )
    assert "interval of Bonett and Price approximate" in comparisons
    assert "not the mean that is printed, whose interval is Student's" in comparisons
    for column in ("p_value_fdr", "family", "p_value_family", "p_value_family_fdr"):
        assert f"`{column}`" in comparisons
    assert "on the bootstrap standard error of their difference, which also gives its" in text


DIFFICULTIES = """
insert into fct_case_difficulty by name
select 'one/' || number as case_id, 'one' as test_set, 'terminology' as judge_id,
    'low' as complexity_level, 7 as n_configurations, 7 as n_found, 1.0 as share_found,
    if(number = 1, 0, 4 * number - 4) as n_findings, 0.5 as discrimination
from range(1, 4) as t (number);
"""


def test_complexity_is_said_to_be_relative(tmp_path):
    database = served_marts.make(tmp_path / "serve" / "kernel29.duckdb", [DIFFICULTIES])
    write_paper(database, tmp_path / "paper", Choice(test_sets=["one"]))
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    table = text.partition(". Complexity of the cases")[2].partition("**Table")[0]
    assert "relative to the 7 configurations of this build, chosen here or not" in table
    assert "| one | low | 3 | 100.0 | 2 | 6.00 | – | – | 0.50 | 7 |" in table


def test_two_configurations_have_no_discrimination(tmp_path):
    two = DIFFICULTIES.replace("'low'", "'not known'").replace("7 as n_conf", "2 as n_conf")
    database = served_marts.make(tmp_path / "serve" / "kernel29.duckdb", [two])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert "| one | not known | 3 | 100.0 | 2 | 6.00 | – | – | – | 2 |" in text
    cases = rows(next((tmp_path / "paper").glob("*_case_difficulty.csv")))
    assert [case["discrimination"] for case in cases] == ["", "", ""]
    assert "can be estimated once terminology has judged at least 4 models on all cases" in text


SHARED_CASES = """
insert into fct_case_score by name
select 'alpha/plain/two' as configuration_id, case_id, judge_id, 'two' as test_set,
    true as is_scored
from fct_case_score
where configuration_id = 'alpha/plain/one' and case_id in ('one/1', 'one/2', 'one/3');
"""


def test_answers_of_cases_in_two_sets_are_told(database, paper, tmp_path):
    shared = served_marts.make(tmp_path / "kernel29.duckdb", [SHARED_CASES])
    text = page(shared, tmp_path / "both")
    assert "3 of them are answers of the same model and prompt to a case that another of" in text
    assert "must not be added" not in page(shared, tmp_path / "one", test_sets=["one"])
    assert "must not be added" not in (paper / "paper.md").read_text(encoding="utf-8")


def test_composition_nests_blocks_and_categories_under_chapters(paper):
    lines = (paper / "paper.md").read_text(encoding="utf-8").splitlines()
    levels = [line.split(" | ")[1:3] for line in lines if line.startswith("| one | ")]
    nested = ["chapter X", "↳ block J09-J18", "↳ category J18", "chapter IX"]
    assert [" ".join(level) for level in levels if "J" in level[1] or "X" in level[1]] == nested


@pytest.mark.parametrize(
    ("choice", "configurations"),
    [
        (Choice(test_sets=["two"]), {"alpha/plain/two", "beta/plain/two", "gamma/plain/two"}),
        (Choice(models=["alpha"], prompts=["other"]), {"alpha/other/one"}),
    ],
)
def test_only_what_was_named_is_in_the_folder(database, tmp_path, choice, configurations):
    write_paper(database, tmp_path / "paper", choice)
    results = rows(tmp_path / "paper" / "table_5_results.csv")
    assert {row["configuration_id"] for row in results} == configurations
    drawn = {file.name.rpartition("_")[2] for file in (tmp_path / "paper").glob("figure_*")}
    assert drawn == {f"{row['test_set']}.svg" for row in results}


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        (Choice(test_sets=["won"]), "test set 'won'. The nearest: one, two."),
        (Choice(test_sets=["unasked"]), "test set 'unasked'"),
        (Choice(models=["alpah"]), "model 'alpah'. The nearest: alpha."),
        (Choice(prompts=["plane"]), "prompt 'plane'. The nearest: plain."),
        (Choice(judge="terminolgy"), "judge 'terminolgy'. The nearest: terminology."),
        (Choice(prompts=["other"], models=["beta"]), "leave one of the options out"),
    ],
)
def test_an_unknown_name_gets_the_nearest(database, tmp_path, choice, hint):
    with pytest.raises(UserError, match=hint.replace(".", r"\.")):
        write_paper(database, tmp_path / "paper", choice)
    assert not list(tmp_path.iterdir())


def test_a_name_without_a_configuration_is_told(database, tmp_path):
    told: list[str] = []
    choice = Choice(test_sets=["one", "two"], models=["alpha", "beta"], prompts=["other"])
    write_paper(database, tmp_path / "paper", choice, warn=told.append)
    assert told == [
        "Left out: test set 'two', because no configuration has it with the other names.",
        "Left out: model 'beta', because no configuration has it with the other names.",
    ]


def test_a_judge_of_lists_draws_no_scores(database, tmp_path):
    write_paper(database, tmp_path / "paper", Choice(judge="lists", test_sets=["one"]))
    names = {file.name for file in (tmp_path / "paper").glob("figure_*")}
    assert not {name for name in names if name.startswith(("figure_1", "figure_3", "figure_4"))}
    assert {name for name in names if name.startswith("figure_6")} == {"figure_6_accuracy_one.svg"}
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "grades whole lists. Figures 1 to 5 need a score of each case; figure 6 stands" in text
    assert not list((tmp_path / "paper").glob("*_aggregates.csv"))
    assert "| top-1, % | top-3, % | top-5, % | MRR |" in text
    assert "broad, %" not in text
    assert "Wilcoxon's signed-rank" not in text


def test_figures_without_a_score_are_left_out_and_told(tmp_path):
    ungraded = "update fct_configuration_score set mean_severity_score = null"
    database = served_marts.make(tmp_path / "kernel29.duckdb", [ungraded])
    write_paper(database, tmp_path / "paper", Choice(test_sets=["one"]))
    drawn = {file.name[:8] for file in (tmp_path / "paper").glob("figure_*_one.svg")}
    assert {"figure_1", "figure_6"} <= drawn
    assert not drawn & {"figure_2", "figure_3", "figure_4", "figure_5"}
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "the cases of one have no severity score, because no gold diagnosis has" in text
    assert "Figures 2 to 5 need one and are left out." in text


def test_every_figure_is_on_the_page_and_reads_as_svg(paper):
    text = (paper / "paper.md").read_text(encoding="utf-8")
    drawn = sorted(paper.glob("*.svg"))
    assert len(drawn) == 2 * 8
    for file in drawn:
        root = ET.parse(file).getroot()
        assert f"]({file.name})" in text
        assert root.find(f"{SVG}title").text
        width, height = float(root.get("width")), float(root.get("height"))
        for label in root.iter(f"{SVG}text"):
            assert 0 <= float(label.get("x")) <= width, label.text
            assert 0 <= float(label.get("y")) <= height, label.text
    assert not [file for file in paper.glob("table_*") if f"({file.name})" not in text]


def test_figures_show_the_numbers_of_the_tables(database, paper):
    assert "62.5 (50 to 75)" in words(paper / "figure_6_accuracy_strict_one.svg")
    assert "75.0 % (15)" in words(paper / "figure_7_composition_one.svg")
    assert "X: Respiratory <system>" in words(paper / "figure_7_composition_one.svg")
    texts = words(paper / "figure_4_cases_one.svg")
    corners = [
        f"{text} {texts[i + 1]}" for i, text in enumerate(texts) if text.endswith(" semantics,")
    ]
    numbers = dict(text.split(": ") for text in corners)
    first = rows(paper / "table_5_results.csv")[0]["configuration_id"]
    with duckdb.connect(str(database), read_only=True) as connection:
        (good,) = connection.execute(
            "select count(*) from fct_case_score where semantic_score > 8 "
            "and configuration_id = ? and judge_id = 'terminology'",
            [first],
        ).fetchone()
    assert 0 < good < 20
    assert numbers == {  # every severity is good
        "good semantics, severity far off": "0",
        "good semantics, severity close": str(good),
        "bad semantics, severity far off": "0",
        "bad semantics, severity close": str(20 - good),
    }


@pytest.mark.parametrize("figure", ["figure_3_plane_one.svg", "figure_4_cases_one.svg"])
def test_a_plane_has_the_words_and_line_of_the_report(paper, figure):
    page = (paths.project_root() / "python_llm" / "report" / "page.js").read_text(encoding="utf-8")
    drawn = {text.partition(":")[0] for text in words(paper / figure)}
    quadrants = re.findall(r'"((?:good|bad) semantics,<br>[^"]*)"', page)
    alone = re.search(r'FIRST_ALONE = .*text: "([^"]*)"', page)[1]
    assert len(set(quadrants)) == 4
    assert {line for text in quadrants for line in text.split("<br>")} <= drawn
    assert alone.replace("<br>", " ") in drawn
    svg = ET.parse(paper / figure).getroot()
    (dotted,) = [line for line in svg.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    ticks = {
        text.text: float(text.get("y")) - 4
        for text in svg.iter(f"{SVG}text")
        if text.get("text-anchor") == "end"
    }
    bottom, middle = ticks["−1"], ticks["0"]
    assert float(dotted.get("y1")) == pytest.approx(middle + (bottom - middle) / 3, abs=0.2)


CORNER = re.compile("(?:good|bad) semantics,$|severity (?:close|far off)(?:$|: )")


def extent(text: ET.Element) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a word, at the widest that a font draws it."""
    size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
    wide = 0.72 * size * len(text.text or "")
    left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    return left, left + wide, y - 0.8 * size, y + 0.2 * size


@pytest.mark.parametrize("count", [0, 5, 99, 6_255, 12_345])
def test_no_text_covers_another_at_any_count(count):
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    svg = ET.fromstring(figures.cases("Cases", corners * count))
    texts = [text for text in svg.iter(f"{SVG}text") if not text.get("transform")]
    assert sum(f": {count:,}" in (text.text or "") for text in texts) == 4
    for number, one in enumerate(texts):
        left, right, top, bottom = extent(one)
        assert (left >= 0 and right <= float(svg.get("width"))) or one.text == "Cases"
        for other in texts[number + 1 :]:
            start, end, high, low = extent(other)
            is_apart = right < start or end < left or bottom <= high or low <= top
            assert is_apart, (one.text, other.text)


def test_no_point_covers_the_name_of_a_quadrant():
    """However many cases share a corner, their point stays clear of the words and the axes."""
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    svg = ET.fromstring(figures.cases("Cases", [*corners * 186, (0.5, 0.5)]))
    points = [
        [float(point.get(name)) for name in ("cx", "cy", "r")] for point in svg.iter(f"{SVG}circle")
    ]
    assert len(points) == 5
    assert max(r for *_, r in points) == figures.LARGEST
    named = [text for text in svg.iter(f"{SVG}text") if CORNER.match(text.text or "")]
    assert len(named) == 8
    for text in named:
        y = float(text.get("y"))
        for _, middle, r in points:
            assert middle + r < y - 9 or middle - r > y + 2, text.text
    assert min(x - r for x, _, r in points) >= 62  # where the axis of semantics stands
    assert max(y + r for _, y, r in points) < 500  # the words below


def test_the_same_tables_give_the_same_folder(database, paper, tmp_path):
    write_paper(database, tmp_path / "again", Choice())
    assert files(tmp_path / "again") == files(paper)


def test_a_failure_leaves_nothing_and_keeps_what_was(database, tmp_path, monkeypatch):
    folder = tmp_path / "paper"
    write_paper(database, folder, Choice(test_sets=["one"]))
    before = files(folder)
    monkeypatch.setattr(Path, "write_text", _full)
    with pytest.raises(OSError, match="no space"):
        write_paper(database, folder, Choice(), replace=True)
    assert files(folder) == before
    assert [file.name for file in tmp_path.iterdir()] == ["paper"]


def _full(*_, **__):
    raise OSError("no space")


def test_files_of_others_are_not_replaced(database, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years")
    for replace in (False, True):
        with pytest.raises(UserError, match="--out"):
            write_paper(database, folder, Choice(), replace=replace)
    assert files(folder) == {"thesis.tex": b"years"}


def test_a_paper_is_written_again_only_if_asked(database, tmp_path):
    folder = tmp_path / "paper"
    write_paper(database, folder, Choice())
    with pytest.raises(UserError, match="--replace"):
        write_paper(database, folder, Choice(test_sets=["one"]))
    write_paper(database, folder, Choice(test_sets=["one"]), replace=True)
    assert not list(folder.glob("*_two.svg"))


def test_the_command_says_where_the_folder_is(database, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(database.parent))
    out = tmp_path / "paper"
    done = CliRunner().invoke(main, ["paper", "--test-sets", "one, two", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert str(out / "paper.md") in done.output
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(tmp_path / "nowhere"))
    done = CliRunner().invoke(main, ["paper", "--out", str(tmp_path / "other")])
    assert done.exit_code == 1
    assert "kernel29 build" in done.output


def test_tables_that_are_not_served_are_named(tmp_path):
    database = served_marts.make(tmp_path / "kernel29.duckdb", ["drop table fct_stratified_score"])
    with pytest.raises(UserError, match=r"fct_stratified_score.*run `kernel29 build`"):
        write_paper(database, tmp_path / "paper", Choice())
    assert not (tmp_path / "paper").exists()


def test_a_crowd_of_cases_is_drawn_with_few_points():
    scores = [number % 160 / 10 for number in range(6255)]
    points = figures._swarm(scores)
    assert len(points) == len(set(points)) <= 65 * 17
    assert len(figures._swarm(scores[:300])) == 300


def test_it_only_reads_the_served_database(database, paper):
    assert paper.is_dir()
    with duckdb.connect(str(database), read_only=True) as connection:
        names = {name for (name,) in connection.execute("show tables").fetchall()}
    assert names == set(served_marts.contracts())


def test_markdown_escapes_and_aligns():
    text = markdown(["name", "n"], [["a | b\nc", 1200], ["d", None]])
    assert text == "| name | n |\n| --- | --: |\n| a \\| b c | 1,200 |\n| d | – |\n"


def test_an_estimate_without_ends_stands_alone():
    assert estimate({"x": 0.5, "x_low": None, "x_high": None}, "x", 100, 1) == "50.0"
    assert estimate({"x": None, "x_low": None, "x_high": None}, "x") == "–"


def test_csv_keeps_every_digit():
    text = as_csv([{"name": "a,b", "value": 0.1 + 0.2, "pairs": ["x > y", "y > z"]}])
    assert text == 'name,value,pairs\n"a,b",0.30000000000000004,x > y; y > z\n'


def test_numbers_of_near_points_stand_apart():
    labels = figures._apart({1: (100, 100), 2: (101, 100), 3: (100, 102), 4: (300, 300)})
    points = list(labels.values())
    for order, (x, y) in enumerate(points):
        for other in points[:order]:
            assert abs(x - other[0]) + abs(y - other[1]) > 16


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_words_and_marks_stand_out_from_the_paper():
    for colours, least in (((INK, GREY), 7), (COLOURS, 4.5)):
        for colour in colours:
            assert 1.05 / (luminance(colour) + 0.05) >= least, colour


def test_a_drawing_escapes_its_words():
    drawing = Drawing(100, 50, "a < b", "c & d")
    drawing.text(Scale(0, 1, 0, 100)(0.5), 10, "e's <f>")
    root = ET.fromstring(drawing.svg())
    assert [text.text for text in root.iter(f"{SVG}text")] == ["e's <f>"]
    assert root.find(f"{SVG}title").text == "a < b"


# Two raters of a panel and a sole one label whole lists: three of alpha's lists have no label, of
# which one is a failed answer.
PEOPLE = """
insert into dim_judge by name select * from (values
    ('board/a', 'person', 'board', 'A person.'), ('board/b', 'person', 'board', 'A person.'),
    ('solo/x', 'person', 'solo', 'A person.')
) as t (judge_id, kind, panel, description);
insert into fct_configuration_score by name
select lists.* replace (
    people.judge_id as judge_id, if(configuration_id = 'alpha/plain/one', 3, 0) as n_unlabelled
)
from fct_configuration_score as lists
cross join (select judge_id from dim_judge where kind = 'person') as people
where lists.judge_id = 'lists';
insert into fct_case_score by name
select configuration_id, 'one/' || number as case_id, judge_id, test_set,
    number = 1 as is_failure, if(number = 1, 'parse_error', 'ok') as status,
    configuration_id = 'alpha/plain/one' and number <= 3 as is_unlabelled
from fct_configuration_score cross join range(1, 21) as n (number)
where setting = 'medium' and (contains(judge_id, '/'));
insert into rpt_judge_calibration by name
select judge_id, 'board' as panel, 'one' as test_set, scale || '_' || kind as scale,
    2 as n_raters, 18 as n_ranks, 20 as n_cases, 0.9 as agreement, kappa,
    kappa - 0.1 as kappa_low, kappa + 0.1 as kappa_high, 0.7 as lowest_rater,
    0.7 as highest_rater, judge_id != 'terminology' as is_rater, kappa >= 0.7 as is_calibrated
from (values ('terminology', 'top1', 0.75), ('terminology', 'top5', 0.6),
    ('board/a', 'top1', 0.7), ('board/a', 'top5', 0.7)) as t (judge_id, scale, kappa)
cross join (values ('strict'), ('broad')) as k (kind);
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return served_marts.make(tmp_path_factory.mktemp("people") / "kernel29.duckdb", [PEOPLE])


def page(database, folder, **names) -> str:
    write_paper(database, folder, Choice(**names))
    return (folder / "paper.md").read_text(encoding="utf-8")


def test_ranks_that_people_named_count_as_a_comparison(people, tmp_path):
    text = page(people, tmp_path / "paper", test_sets=["one"])
    assert "has not been compared with people" not in text
    assert "the people of board (2 raters; one, 20 cases), its kappa is 0.75 for top-1" in text
    assert "0.60 for top-5 (lowest among the raters: 0.70), which meets the criteria of" in text
    assert "calibration for top-1 only." in text
    assert "| one | board | 2 | top-5 broad | 18 | 20 |" in text


def test_what_a_person_labelled_in_part_is_named(tmp_path):
    in_part = """
        insert into rpt_leaderboard by name
        select 'delta/plain/one' as configuration_id, 'board/a' as judge_id, 'one' as test_set,
            'labelled in part' as state, 9 as n_unlabelled
    """
    people = served_marts.make(tmp_path / "kernel29.duckdb", [PEOPLE, in_part])
    text = page(people, tmp_path / "paper", test_sets=["one"], judge="board/a")
    told = (
        "Not compared, because it left lists of theirs without a label: delta/plain/one (9 lists)."
    )
    assert told in text
    assert told not in page(people, tmp_path / "other", test_sets=["one"], judge="board/b")


def test_a_judge_of_parts_alone_is_told_what_it_has_to_label(tmp_path):
    in_part = """
        insert into dim_judge by name
        select 'part/dan' as judge_id, 'person' as kind, 'part' as panel;
        insert into rpt_leaderboard by name
        select 'delta/plain/one' as configuration_id, 'part/dan' as judge_id, 'one' as test_set,
            'labelled in part' as state, 20 as n_unlabelled
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [in_part])
    says = r"part/dan has labelled no configuration whole.* without a label: delta/plain/one \(20\)"
    with pytest.raises(UserError, match=says):
        write_paper(database, tmp_path / "paper", Choice(judge="part/dan"))


def test_a_human_judge_is_said_to_be_human(people, tmp_path):
    text = page(people, tmp_path / "paper", test_sets=["one"], judge="board/a")
    assert "The judge is human: board/a, one of the 2 raters of the panel board" in text
    assert "among the raters is, as kappa, 0.70 for top-1 (one, 18 lists of 20 cases)" in text
    assert "It labelled 77 of 80 lists (17 to 20 lists per configuration)." in text
    assert "has not been compared with people" not in text
    assert "the judge itself, blind to the answers" not in text
    sole = page(people, tmp_path / "sole", test_sets=["one"], judge="solo/x")
    assert "a panel with a single rater on record, so that agreement" in sole


def test_lists_without_a_label_are_counted_per_table(tmp_path):
    compared = """
        insert into fct_configuration_comparison by name
        select 'alpha/plain/one' as configuration_a, 'beta/plain/one' as configuration_b,
            'board/a' as judge_id, 'one' as test_set, 'top1_strict' as metric, 20 as n_cases
    """
    people = served_marts.make(tmp_path / "kernel29.duckdb", [PEOPLE, compared])
    text = page(people, tmp_path / "paper", test_sets=["one"], judge="board/a")
    miss = "3 lists have no label by board/a and count as misses (1 of them are failed answers)."
    blocks = text.split("**Table ")
    told = {block.split(". ")[1].split(",")[0] for block in blocks[1:] if miss in block}
    assert {name.split(" by ")[0].split(" on ")[0] for name in told} >= {
        "Results",
        "Paired comparisons",
    }
    assert "| alpha/plain/one | 20 | 0 | 17 |" in text
    # what rests on all configurations of the set counts them all
    chosen = page(people, tmp_path / "beta", test_sets=["one"], models=["beta"], judge="board/a")
    above, difficulty = chosen.split("## How hard the cases are")
    assert "no label by board/a" not in above
    assert miss in difficulty


def test_a_panel_gives_its_only_rater_or_names_them_all(people, tmp_path):
    with pytest.raises(UserError, match=r"'board' has 2 raters.*--judge \(board/a, board/b\)"):
        write_paper(people, tmp_path / "paper", Choice(judge="board"))
    assert "Results by the judge solo/x" in page(people, tmp_path / "paper", judge="solo")


def test_failures_are_counted_by_kind(people, tmp_path):
    text = page(people, tmp_path / "paper", models=["beta"], test_sets=["one"], judge="board/a")
    assert "20 answers were requested; 3 failed (1 parse error)." in text


def test_rankers_are_not_said_to_have_been_asked(database, tmp_path, monkeypatch):
    assert methods.NO_PROMPT == terminal.NO_PROMPT
    monkeypatch.setattr(methods, "NO_PROMPT", "plain")
    text = page(database, tmp_path / "paper", models=["alpha"], test_sets=["one"])
    assert "20 answers were requested and 20 lists were ranked without a language model" in text
    assert "Prompts, with the hash of their text: other (p2)." in text
    text = page(database, tmp_path / "other", models=["beta"], test_sets=["one"])
    assert "We evaluate 1 configuration" in text
    assert "Prompts, with the hash of their text: " not in text


RECORDED = """
insert into rpt_recorded_run by name select configuration_id
from dim_configuration where {which};
"""


@pytest.mark.parametrize(
    ("which", "models", "answers"),
    [
        (
            "true",
            {("alpha", "recorded", ""), ("beta", "recorded", ""), ("gamma", "recorded", "")},
            ": 80 answers come from imported runs; 3 failed",
        ),
        (
            "prompt_alias = 'other'",
            {
                ("alpha", "here", "alpha-2025"),
                ("alpha", "recorded", ""),
                ("beta", "here", "beta-2025"),
                ("gamma", "here", "gamma-2025"),
            },
            ": 60 answers were requested and 20 answers come from imported runs; 3 failed",
        ),
    ],
)
def test_recorded_answers_take_nothing_from_registries(tmp_path, which, models, answers):
    database = served_marts.make(tmp_path / "kernel29.duckdb", [RECORDED.format(which=which)])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert answers in text
    named = rows(tmp_path / "paper" / "table_1_models.csv")
    assert {(row["model_alias"], row["provider"], row["api_model"]) for row in named} == models
    prompts = rows(tmp_path / "paper" / "table_2_prompts.csv")
    other = next(row for row in prompts if row["prompt_alias"] == "other")
    known = [other[name] for name in ("prompt_version", "language", "description")]
    assert known == ["recorded", "", ""]
    if which == "true":
        assert "alpha-2025" not in text
        assert "hash of their text" not in text
        assert "asked of their providers" not in text
        assert "| alias | service | configurations |" in text  # no column of dashes
    else:
        assert "| alias | service | model asked | parameters |" in text


def test_captions_name_the_judge_and_the_axes(paper):
    text = (paper / "paper.md").read_text(encoding="utf-8")
    captions = [line for line in text.splitlines() if line.startswith("*Figure ")]
    judged = [line for line in captions if not line.startswith("*Figure 7")]
    assert len(judged) == 2 * 7
    assert all("by the judge terminology" in line for line in judged)
    for line in captions:
        if line.startswith(("*Figure 4", "*Figure 5")):
            assert "(score / 8 − 1), without the weights of the sigmoid; the area of a dot" in line
    assert "semantic, 0 to 16" in text
    assert "has 5.3 of 16 points, which is −0.33" in text  # 16 · 1 / 3 for weights of 3.0
    assert "Wilson EB" in text


def test_methods_and_references_are_those_of_what_is_shown(paper, ordered, tmp_path):
    compared = page(ordered, tmp_path / "paper", test_sets=["one"])
    for work in ("Holm S", "McNemar Q", "Bonett DG", "Wilcoxon F"):
        assert f"- {work}" in compared
    assert "with the interval of Bonett and Price (2012)" in compared
    assert "with Student's interval of the mean difference" in compared
    alone = (paper / "paper.md").read_text(encoding="utf-8")
    assert "These configurations were not compared with each other" in alone
    for words in ("Bonett", "Holm S", "Pairs are compared", "Cohen"):
        assert words not in alone
    works = alone.partition("## References")[2].strip().splitlines()
    assert all(work.startswith("- ") for work in works)
    stratum = """
        insert into fct_stratified_score by name
        select 'alpha/plain/one' as configuration_id, 'one' as test_set, 'terminology' as judge_id,
            'medium' as setting, 'rarity' as stratum_kind, 'rare' as stratum, 20 as n_cases
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [stratum])
    text = page(database, tmp_path / "strata", test_sets=["one"])
    assert "Student's t on the linearised ratio (Cochran 1977) for the aggregates of strata" in text
    assert "- Cochran WG" in text
    assert "Cochran" not in alone


def test_a_ranker_without_findings_misread_nothing(tmp_path):
    failed = """
        insert into dim_configuration by name
        select 'ic/no_prompt/one' as configuration_id, 'ic' as model_alias,
            'no_prompt' as prompt_alias, 'one' as test_set;
        insert into fct_configuration_score by name
        select 'ic/no_prompt/one' as configuration_id, 'terminology' as judge_id,
            unnest(['easy', 'medium', 'hard']) as setting, 'ic' as model_alias,
            'no_prompt' as prompt_alias, 'one' as test_set, 20 as n_cases, 20 as n_with_severity,
            2 as n_failures, true as is_asked;
        insert into fct_case_score by name
        select configuration_id, 'one/' || number as case_id, 'terminology' as judge_id,
            'one' as test_set, true as is_failure, 'parse_error' as status
        from (values ('ic/no_prompt/one', 1), ('ic/no_prompt/one', 2), ('beta/plain/one', 3))
            as t (configuration_id, number)
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [failed])
    text = page(database, tmp_path / "paper", test_sets=["one"], models=["ic", "beta"])
    assert "failed (2 without anything to rank by, 1 parse error)" in text


def test_tables_say_how_many_cases_severity_rests_on(paper, tmp_path):
    ungraded = "update fct_configuration_score set n_with_severity = 17 where model_alias = 'beta'"
    database = served_marts.make(tmp_path / "kernel29.duckdb", [ungraded])
    lines = page(database, tmp_path / "paper", test_sets=["one"]).splitlines()
    for table in ("Table 5.", "Table 6."):
        start = next(i for i, line in enumerate(lines) if line.startswith(f"**{table}"))
        shown = [line.split(" | ") for line in lines[start + 2 : start + 8]]
        assert shown[0][-1] == "cases with severity |"
        assert {cells[0]: cells[-1] for cells in shown}["| beta/plain/one"] == "17 |"
        assert {cells[0]: cells[-1] for cells in shown}["| alpha/plain/one"] == "20 |"
    assert "cases with severity" not in (paper / "paper.md").read_text(encoding="utf-8")


def test_labels_of_rare_without_acuity_are_counted(paper, tmp_path):
    judged = """
        insert into fct_judged_diagnosis by name
        select 'alpha/plain/one' as configuration_id, 'one/1' as case_id, 'terminology' as judge_id,
            * from (values (1, 'rare', null), (2, 'rare', 'mild'), (3, 'mild', 'mild'),
            (6, 'rare', null)) as t (diagnosis_rank, severity, acuity)
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [judged])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert (
        "1 of the 3 diagnoses that answers to one have among their first five are labelled rare "
        "without a known acuity, and count in acuity and omission as wrong and as milder."
    ) in text
    assert "without a known acuity" not in (paper / "paper.md").read_text(encoding="utf-8")


def test_the_power_of_the_detectable_difference_is_stated(tmp_path):
    detectable = """
        insert into rpt_detectable_difference by name select 'one' as test_set, 20 as n_cases,
            0.3 as detectable_share_difference, 0.8 as test_power, 0.2 as assumed_discordant_share
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [detectable])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert "finds with a power of 0.8 (Connor 1987), if the two differ on 20 % of the cases" in text


def discordant(judge: str, n: int) -> str:
    return f"""
        insert into fct_configuration_comparison by name
        select 'alpha/plain/one' as configuration_a, 'beta/plain/one' as configuration_b,
            '{judge}' as judge_id, 'one' as test_set, 'top1_strict' as metric, 20 as n_cases,
            {n} as n_a_better, 0 as n_b_better
    """


def test_the_observed_disagreement_is_of_the_judge(tmp_path):
    pairs = [discordant("terminology", 4), discordant("lists", 12)]
    database = served_marts.make(tmp_path / "kernel29.duckdb", pairs)
    for judge, share in {"terminology": "0.2", "lists": "0.6"}.items():
        page(database, tmp_path / judge, test_sets=["one"], judge=judge)
        (row,) = rows(tmp_path / judge / "table_3_test_sets.csv")
        assert row["observed_discordant_share"] == share


def test_methods_state_the_parameters_of_the_build(tmp_path):
    other = """
        update fct_configuration_score set bootstrap_replicates = 500, bootstrap_seed = 7,
            steepness = case setting when 'easy' then 0.5 when 'medium' then 2 else 4 end,
            midpoint = if(setting = 'hard', -0.1, 0)
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [other])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert "with 500 replicates and seed 7 for the means" in text
    assert "(easy k = 0.5, x₀ = 0; medium k = 2, x₀ = 0; hard k = 4, x₀ = −0.1)" in text
    assert "at the hard setting (k = 4, x₀ = −0.1), from −1" in text
    assert "k = 3" not in text.replace("k = 3, x₀ = −0.3", "")
    assert "2,000" not in text


def test_methods_give_formulas_and_limits(paper):
    text = (paper / "paper.md").read_text(encoding="utf-8")
    for words_ in (
        "exact synonym 1, broad synonym 2, exact disease group 3, broad disease group 4",
        "Σ w (5 − D)² / Σ w",
        "1 / (1 + exp(k (s − x₀))) of the same s",
        "The omission of dangerous diagnoses is",
        "Means and aggregates of fewer than 10 cases have no interval.",
    ):
        assert words_ in text, words_


def test_a_withheld_name_is_known_as_one():
    assert tables.NO_NAME == deidentified.NO_NAME


def test_dependence_of_cases_is_stated_and_measured(tmp_path):
    golds = """
        update dim_case set gold_name = case when case_id < 'one/15' then 'Gout' else 'Lupus' end;
        update dim_test_set set n_exact_duplicates = 3, n_near_duplicates = 1;
        update fct_case_score set is_top1_strict = case_id < 'one/15'
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", golds.split(";"))
    text = page(database, tmp_path / "paper", test_sets=["one"], models=["alpha"])
    assert (
        "one has 20 cases of 2 distinct gold diagnoses (exact duplicates: 3, near ones: 1)." in text
    )
    effects = rows(next((tmp_path / "paper").glob("table_*_design_effects.csv")))
    assert {row["n_golds"] for row in effects} == {"2"}
    assert {row["correlation"] for row in effects} == {"1.0"}  # all alike within a diagnosis
    assert "Ridout MS" in text
    assert "Kerry SM" in text
    assert "Kish L" in text


@pytest.mark.parametrize(("between", "warns"), [(1, True), (2, False)])
def test_labels_that_say_fifth_for_found_are_told(tmp_path, between, warns):
    labels = f"""
        insert into fct_case_score by name
        select 'alpha/plain/one' as configuration_id, 'one/' || n as case_id, 'lists' as judge_id,
            'one' as test_set, true as is_scored, true as is_asked,
            case when n <= {between} then 4 when n <= {between} + 10 then 5 else 1 end
                as strict_rank
        from range(1, 21) as t (n)
    """
    database = served_marts.make(tmp_path / "kernel29.duckdb", [labels])
    text = page(database, tmp_path / "paper", test_sets=["one"], judge="lists")
    warning = "alpha/plain/one by lists (10 at rank 5, 1 at ranks 2 to 4). Top-3 and MRR"
    assert (warning in text) is warns


def test_a_title_fits_whatever_font_draws_it():
    title = "Order of pairs under other rankings on a_set_of_cases: semantics, judge terminology"
    root = ET.fromstring(figures.changes(title, ["a > b"], ["MRR"], {("a > b", "MRR")}))
    # DejaVu Sans Bold has 0.69 of its height in the mean of such letters
    assert float(root.attrib["width"]) >= 8 + 0.69 * 14 * len(title)


def test_the_observed_disagreement_stands_beside_the_assumed(tmp_path):
    detectable = """
        insert into rpt_detectable_difference by name select 'one' as test_set, 20 as n_cases,
            0.4211 as detectable_share_difference, 0.8 as test_power,
            0.5 as assumed_discordant_share, 0.3 as observed_discordant_share
    """
    database = served_marts.make(
        tmp_path / "kernel29.duckdb", [detectable, discordant("terminology", 14)]
    )
    text = page(database, tmp_path / "paper", test_sets=["one"])
    # rounded up, as the report does
    assert "| 0.43 | 0.70 | 0.50 |" in text
    assert "Observed disagreement is the share of the cases on which two" in text


# alpha is before beta in every ranking, which one judge has alone, and either is before gamma in
# some. The other judge has gamma before beta, except by top-1.
ORDERS = """
insert into rpt_rank_sensitivity by name
select 'one' as test_set, 'semantic_aggregate' as reference, judge_id, other_judge_id, ranked_by,
    swapped_pairs, kept_pairs, 3 as n_pairs, len(swapped_pairs) as n_swapped
from (values
    ('terminology', 'terminology', 'top1_strict',
        ['alpha/plain/one > gamma/plain/one', 'beta/plain/one > gamma/plain/one'],
        ['alpha/plain/one > beta/plain/one']),
    ('terminology', 'judge_model', 'semantic_aggregate',
        ['beta/plain/one > gamma/plain/one'], null),
    ('judge_model', 'judge_model', 'top1_strict', ['gamma/plain/one > beta/plain/one'], null),
    ('judge_model', 'judge_model', 'mrr_strict', null, ['gamma/plain/one > beta/plain/one']),
    ('all', 'all', 'all',
        ['alpha/plain/one > gamma/plain/one', 'beta/plain/one > gamma/plain/one'],
        ['alpha/plain/one > beta/plain/one'])
) as t (judge_id, other_judge_id, ranked_by, swapped_pairs, kept_pairs);
insert into rpt_rank_sensitivity by name
select 'one' as test_set, 'top5_broad' as reference, judge_id, other_judge_id, ranked_by,
    ['alpha/plain/one > beta/plain/one'] as kept_pairs, 1 as n_pairs
from (values ('judge_model', 'terminology', 'top5_broad'), ('all', 'all', 'all'))
    as t (judge_id, other_judge_id, ranked_by);
insert into fct_configuration_comparison by name
select a || '/plain/one' as configuration_a, b || '/plain/one' as configuration_b,
    'terminology' as judge_id, 'one' as test_set, 'semantic_aggregate' as metric, 20 as n_cases,
    0.0 as estimate_a, 0.0 as estimate_b, 0.0 as difference, p as p_value,
    adjusted as p_value_adjusted, 0.25 as p_value_fdr,
    3 as n_comparisons, 0 as n_a_better, 0 as n_b_better
from (values ('beta', 'alpha', 0.01, 0.02), ('beta', 'gamma', 0.0001, 0.0003),
    ('alpha', 'gamma', 0.5, 0.5)) as t (a, b, p, adjusted);
"""


@pytest.fixture(scope="module")
def ordered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ordered")
    return served_marts.make(folder / "kernel29.duckdb", [ORDERS])


def test_it_says_which_conclusions_survive(ordered, tmp_path):
    write_paper(ordered, tmp_path / "paper", Choice(prompts=["plain"], test_sets=["one"]))
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "**1 of 3 pairs keep their order**; reversed by some ranking: 2; tied in one: 0" in text
    assert "semantic aggregate that are significant by terminology (Holm, p < 0.05): 2" in text
    assert "2; of these keep their order: 1." in text
    assert "3 judges scored these answers: judge_model, lists and terminology." in text
    assert "one, semantics, 2 judges: **1 of 3 pairs" in text
    assert "one, top-5, 2 judges: **1 of 1 pairs" in text
    assert "Of those that keep it, 1 were scored by one judge only: untested by another." in text
    pairs = rows(tmp_path / "paper" / "table_9_sensitivity.csv")
    turned = {(row["ahead"], row["behind"]): row["turned_by"] for row in pairs}
    assert turned["beta/plain/one", "gamma/plain/one"].split("; ") == [
        "mrr_strict (judge_model)",
        "semantic_aggregate (judge_model)",
        "top1_strict (terminology)",
    ]
    assert turned["alpha/plain/one", "beta/plain/one"] == ""
    picture = words(tmp_path / "paper" / "figure_8_changes_semantic_aggregate_one.svg")
    assert "beta/plain > gamma/plain" in picture
    assert "alpha/plain > beta/plain" not in picture


def test_no_conclusion_survives_judges_of_different_cases(tmp_path):
    apart = ORDERS.replace(
        """'all', 'all', 'all',
        ['alpha/plain/one > gamma/plain/one', 'beta/plain/one > gamma/plain/one'],
        ['alpha/plain/one > beta/plain/one'])
) as t (judge_id, other_judge_id, ranked_by, swapped_pairs, kept_pairs)""",
        """'all', 'all', 'all',
        ['alpha/plain/one > gamma/plain/one', 'beta/plain/one > gamma/plain/one'], null)
) as t (judge_id, other_judge_id, ranked_by, swapped_pairs, kept_pairs);
update rpt_rank_sensitivity set incomparable_pairs = ['alpha/plain/one > beta/plain/one']
where ranked_by = 'all'""",
    )
    assert apart != ORDERS
    database = served_marts.make(tmp_path / "kernel29.duckdb", [apart])
    text = page(database, tmp_path / "paper", test_sets=["one"])
    assert (
        "one, semantics, 2 judges: **0 of 3 pairs keep their order**; reversed by some ranking: 2; "
        "tied in one: 0; not comparable across judges, who saw different cases: 1."
    ) in text
    assert "of these keep their order: 0." in text
    assert "| none: judges saw different cases |" in text
    picture = words(tmp_path / "paper" / "figure_8_changes_semantic_aggregate_one.svg")
    assert "alpha/plain > beta/plain" not in picture


def test_corrected_p_values_can_be_computed_again(ordered, tmp_path):
    text = page(ordered, tmp_path / "paper", test_sets=["one"], models=["alpha", "beta"])
    assert "one, 3 pairs (shown here: 1). It therefore holds whichever pairs" in text
    (shown,) = rows(tmp_path / "paper" / "table_8_comparisons.csv")
    family = rows(tmp_path / "paper" / "table_8_comparisons_all_pairs.csv")
    assert len(family) == int(shown["n_comparisons"]) == 3
    assert len({(row["configuration_a"], row["configuration_b"]) for row in family}) == 3
    _, corrected, _, _ = multipletests([float(row["p_value"]) for row in family], method="holm")
    assert corrected == pytest.approx([float(row["p_value_adjusted"]) for row in family])
    assert float(shown["p_value_adjusted"]) == pytest.approx(0.02)
    assert [row["p_value_fdr"] for row in family] == ["0.25", "0.25", "0.25"]


def test_rankings_are_named_in_words(ordered, tmp_path):
    text = page(ordered, tmp_path / "paper", test_sets=["one"], judge="lists")
    assert "MRR strict (judge_model); semantic aggregate (judge_model); top-1 strict" in text
    assert "lists gives no such score and hence no test of it; the rankings are those of" in text
    own = "(lists, the judge of the tables, gives no such score); on the right their number"
    assert f"by the judges judge_model and terminology {own}" in text
    picture = words(tmp_path / "paper" / "figure_8_changes_semantic_aggregate_one.svg")
    assert "top-1 strict (terminology)" in picture
    assert ranking("k 0.5, x0 -0.3 (terminology)") == "k = 0.5, x₀ = −0.3 (terminology)"
    named = ranking("balanced_mean_severity_score")
    assert named == "mean severity score over organ systems"


# On the set two the rules judge alone; of set one the judge of lists ranks the first five as well.
TWO_SETS = """
delete from rpt_rank_sensitivity where reference = 'top5_broad';
delete from fct_configuration_score where test_set = 'two' and judge_id = 'judge_model';
insert into rpt_rank_sensitivity by name
select test_set, reference, judge_id, other_judge_id, ranked_by, 1 as n_pairs, swapped_pairs
from (values
    ('one', 'top5_broad', 'judge_model', 'terminology', 'top5_broad',
        ['alpha/plain/one > beta/plain/one']),
    ('one', 'top5_broad', 'lists', 'judge_model', 'top5_broad', null),
    ('one', 'top5_broad', 'all', 'all', 'all', ['beta/plain/one > alpha/plain/one']),
    ('two', 'semantic_aggregate', 'terminology', 'terminology', 'top1_strict',
        ['alpha/plain/two > beta/plain/two']),
    ('two', 'semantic_aggregate', 'all', 'all', 'all', ['alpha/plain/two > beta/plain/two'])
) as t (test_set, reference, judge_id, other_judge_id, ranked_by, swapped_pairs);
update rpt_rank_sensitivity set swapped_pairs = ['beta/plain/one > alpha/plain/one']
where reference = 'top5_broad' and ranked_by != 'all' and judge_id = 'judge_model';
"""


def test_rankings_are_those_of_judges_of_the_set(tmp_path):
    both = served_marts.make(tmp_path / "kernel29.duckdb", [ORDERS, TWO_SETS])
    lines = page(both, tmp_path / "paper", judge="lists").splitlines()
    (two,) = [line for line in lines if line.startswith("- two, semantics")]
    assert "two, semantics, 1 judge: " in two
    assert two.endswith("the rankings are those of terminology.")
    (one,) = [line for line in lines if line.startswith("- one, semantics")]
    assert one.endswith("the rankings are those of judge_model and terminology.")
    (drawn,) = [line for line in lines if line.startswith("*Figure 8 (one, top-5)")]
    assert "(lists, the judge of the tables, reverses none)" in drawn


def test_only_pairs_of_chosen_configurations_count(ordered, tmp_path):
    choice = Choice(models=["alpha", "beta"], prompts=["plain"], test_sets=["one"])
    write_paper(ordered, tmp_path / "paper", choice)
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "**1 of 1 pairs keep their order**" in text
    assert not list((tmp_path / "paper").glob("figure_8*"))


def test_one_configuration_is_compared_with_nothing(ordered, tmp_path):
    text = page(ordered, tmp_path / "paper", test_sets=["one"], models=["alpha"], prompts=["plain"])
    assert "one, semantics: one configuration, so there is nothing to compare." in text
    assert "of 0 pairs" not in text


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ("alpha", "semantic_aggregate: alpha/plain/one > beta/plain/one under every metric of"),
        (
            "gamma",
            "the order depends on the choice; beta/plain/one > gamma/plain/one (",
        ),
    ],
)
def test_a_comparison_says_whether_the_order_survives(ordered, monkeypatch, other, sentence):
    monkeypatch.setenv("KERNEL29_SERVE_DIR", str(ordered.parent))
    done = CliRunner().invoke(main, ["compare", "beta/plain/one", f"{other}/plain/one"])
    assert sentence in done.output


LABELS = """
insert into rpt_label_grading by name
select model || '/plain/one' as configuration_id, 'lists' as judge_id, 'one' as test_set,
    20 as n_cases, 19 as n_labelled, 1 as n_contradictory, n as n_contradicted,
    n / 20 as share_contradicted, 0.01 as share_contradicted_low, 0.3 as share_contradicted_high,
    if(n > 1, 1, 0) as n_found_earlier, if(n > 2, 1, 0) as n_found_later, 0 as n_rank_not_read,
    0.5 as top1, 0.75 as top5, 0.8 as top5_of_labelled,
    if(n > 0, ['one/1'], null) as contradicted_cases
from (values ('alpha', 3), ('beta', 0)) as t (model, n);
insert into rpt_label_disagreement by name select * from (values
    ('alpha/plain/one', 'one/1', 'lists', 'rank was not read', 'P9 Mr Smith', 'labels.csv, line 2'),
    ('gamma/plain/two', 'two/1', 'lists', 'rank was not read', 'P9', 'labels.csv, line 3')
) as t (configuration_id, case_id, judge_id, rule, label_written, source);
"""


def test_labels_that_lists_contradict_are_counted(tmp_path):
    database = served_marts.make(tmp_path / "serve" / "kernel29.duckdb", [LABELS])
    write_paper(database, tmp_path / "paper", Choice(test_sets=["one"]))
    text = (tmp_path / "paper" / "paper.md").read_text(encoding="utf-8")
    assert "Of 40 labels of whole lists" in text
    assert "contradict **3** (7.5 %), at most 15.0 % in one configuration (alpha/plain/one)" in text
    assert "In 1 the gold diagnosis stands in the list" in text
    assert "Of the other 1 a label names a rank that the list does not have" in text
    label = "| alpha/plain/one (lists) | 20 | 3 | 15.0 (1.0 to 30.0) | 1 | 1 | 0 "
    assert f"{label}| 50.0 | 75.0 | 80.0 | 62.5 | 62.5 |" in text
    heads = "| top-5 of labelled, % | top-5 strict by rules, % | top-5 broad by rules, % |"
    assert heads in text
    assert "by labels a list without one is a miss" in text
    assert "is that of lists which these labels select" in text
    assert "contradicted in two ways has two rows and counts once above" in text
    (case,) = rows(next((tmp_path / "paper").glob("*_contradicted_labels.csv")))
    assert (case["case_id"], case["source"]) == ("one/1", "labels.csv, line 2")
    assert "Smith" not in text + (tmp_path / "paper" / "paper.md").read_text() + str(case)


def test_without_labels_there_is_no_word_of_them(paper):
    assert "labels fit" not in (paper / "paper.md").read_text(encoding="utf-8")
