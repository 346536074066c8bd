"""`kernel29 check`, `recommend` and `baseline`."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import click


@click.command("check")
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option("--patient", type=click.Path(path_type=Path), help="JSON file of the patient.")
@click.option("--case", "case_id", help="Golden case of the patient, as in pe_03.")
@click.option("--json", "as_json", is_flag=True, help="JSON: verdicts, or items of several.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of what is read, and stop.")
@click.option("--no-keep", is_flag=True, help="Do not keep the checks in data/checks.")
@click.option("--last", type=float, metavar="HOURS", help="Report the checks of the last hours.")
def check_recommendation(
    source: Path | None,
    patient: Path | None,
    case_id: str | None,
    as_json: bool,
    schema: bool,
    no_keep: bool,
    last: float | None,
) -> None:
    """Check whether recommendations may be shown (tier 1).

    The exit code is 1 if one is unsafe, and 3 if none is but one could not be checked in full: then
    it must not be shown either, before a person has read it. SOURCE is a JSON file with one
    recommendation or many (an array, or JSON lines), or a folder of such files. Each is a
    recommendation by itself, or {"recommendation": …, "patient": …}, in the form of this project or
    of others (--schema).
    Without a patient the safety check fails, because it cannot be made. Checks are kept in
    data/checks and served as fct_recommendation_check; --last 24 reports those of the last day.
    """
    from python_llm.recommendations import command
    from python_llm.recommendations.interchange import Submission
    from python_llm.recommendations.kept import checks_folder, report

    if last is not None:
        click.echo(report(checks_folder(), datetime.now(UTC), last))
        return
    if schema:
        click.echo(json.dumps(Submission.model_json_schema(), indent=2))
        return
    if source is None:
        raise click.UsageError("give a file or a folder, --schema or --last")
    checked = command.check_all(source, patient, case_id)
    if not no_keep:
        command.keep(checked, checks_folder(), datetime.now(UTC))
    if as_json:
        rows = [
            {
                "item": row.item,
                "passed": row.passed,
                "outcome": row.outcome,
                "verdicts": command.as_rows(row.verdicts),
            }
            for row in checked
        ]
        shown = command.as_rows(checked[0].verdicts) if len(checked) == 1 else rows
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    elif len(checked) == 1:
        click.echo(command.format_verdicts(checked[0].verdicts, checked[0].took_ms))
    else:
        click.echo(command.format_many(checked))
    sys.exit(command.exit_code(checked))


@click.command()
@click.argument("patient")
@click.option("--configuration", default="balanced", show_default=True, help="Retrieval weights.")
def recommend(patient: str, configuration: str) -> None:
    """Print the rule-based recommendation for one patient.

    PATIENT is a golden case (pe_03) or a JSON file. What failed tier 1 stands on top, and the exit
    code is that of `check`. The output serves to evaluate software; it is not medical advice.
    """
    from python_llm.recommendations import command

    text, failures, code = command.recommend(command.patient_of(patient), configuration)
    for failure in failures:
        click.echo(f"DO NOT SHOW: {failure}", err=True)
    click.echo(text)
    sys.exit(code)


@click.group()
def baseline() -> None:
    """Promote, list and show baselines of the recommendations."""


@baseline.command("promote")
@click.argument("name")
@click.option("--why", required=True, help="Why this run is the new baseline, in one sentence.")
@click.option("--cases-changed", is_flag=True, help="Accept that cases were changed or removed.")
@click.option(
    "--corpus-changed",
    is_flag=True,
    help="Accept other retrieval: documents were added or changed.",
)
def promote_baseline(name: str, why: str, cases_changed: bool, corpus_changed: bool) -> None:
    """Make the last run the baseline of every tenant it evaluated.

    A run with a gating metric below the baseline it was compared with is refused.
    """
    from python_llm.recommendations.evaluation import baselines

    promoted = baselines.promote(
        name,
        why,
        evaluations=baselines.evaluations_folder(),
        baselines=baselines.baselines_folder(),
        cases_changed=cases_changed,
        corpus_changed=corpus_changed,
    )
    for row in promoted:
        click.echo(f"{row.tenant_id}: {row.recommender} baseline {row.baseline_number} is {name}")


@baseline.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def list_baselines(as_json: bool) -> None:
    """Print every baseline.

    The newest one of a tenant and recommender counts.
    """
    from python_llm.console import terminal
    from python_llm.recommendations.evaluation import baselines

    rows = baselines.list_baselines(baselines.baselines_folder())
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@baseline.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_baseline(name: str, as_json: bool) -> None:
    """Print the metrics of a baseline by tenant and condition."""

    from python_llm.console import terminal
    from python_llm.recommendations.evaluation import baselines

    rows = baselines.baseline_means(baselines.baselines_folder(), name)
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@click.command("mutations")
@click.option("--write", is_flag=True, help="Put the table into docs/mutation-suite.md.")
@click.option("--missed", is_flag=True, help="Print every mutant that no check caught.")
def mutations(write: bool, missed: bool) -> None:
    """Measure how many unsafe edits the checks catch.

    The exit code is 1 if a kind of edit is caught more rarely than it must be, or harmless
    rewordings fail too often.
    """
    from python_llm import paths
    from python_llm.recommendations.evaluation.mutations import suite, with_results

    outcome = suite().run()
    click.echo(outcome.table())
    for mutant in outcome.missed if missed else []:
        click.echo(f"missed {mutant.kind} {mutant.case_id}: {mutant.edit}")
    for harmless, checks in outcome.false_alarms:
        click.echo(f"false alarm {harmless.kind} {harmless.case_id}: {', '.join(checks)}")
    if write:
        page = paths.project_root() / "docs/mutation-suite.md"
        page.write_text(with_results(page.read_text("utf-8"), outcome), "utf-8")
    if complaints := outcome.complaints():
        raise click.ClickException("\n".join(complaints))
