"""`kernel29 check`, `recommend` and `baseline`."""

import json
import sys
from pathlib import Path

import click


@click.command("check")
@click.argument("recommendation", type=click.Path(path_type=Path))
@click.option("--patient", type=click.Path(path_type=Path), help="JSON file of the patient.")
@click.option("--case", "case_id", help="Golden case of the patient, as in pe_03.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of verdicts.")
def check_recommendation(
    recommendation: Path, patient: Path | None, case_id: str | None, as_json: bool
) -> None:
    """Check whether one recommendation may be shown (tier 1).

    The exit code is 1 if it must not be. RECOMMENDATION is a JSON file, by itself or as
    {"recommendation": …, "patient": …}. Without a patient the safety check fails, because it cannot
    be made.
    """
    from python_llm.recommendations import command

    verdicts, took_ms = command.check_file(recommendation, patient, case_id)
    if as_json:
        click.echo(json.dumps(command.as_rows(verdicts), indent=2, ensure_ascii=False))
    else:
        click.echo(command.format_verdicts(verdicts, took_ms))
    if not all(verdict.passed for verdict in verdicts):
        sys.exit(1)


@click.command()
@click.argument("patient")
@click.option("--configuration", default="balanced", show_default=True, help="Retrieval weights.")
def recommend(patient: str, configuration: str) -> None:
    """Print the rule-based recommendation for one patient.

    PATIENT is a golden case (pe_03) or a JSON file. The output serves to evaluate software; it is
    not medical advice.
    """
    from python_llm.recommendations import command

    click.echo(command.recommend(command.patient_of(patient), configuration))


@click.group()
def baseline() -> None:
    """Promote, list and show baselines of the recommendations."""


@baseline.command("promote")
@click.argument("name")
@click.option("--why", required=True, help="Why this run is the new baseline, in one sentence.")
@click.option("--cases-changed", is_flag=True, help="Accept that cases were changed or removed.")
def promote_baseline(name: str, why: str, cases_changed: bool) -> None:
    """Make the last run the baseline of every tenant it evaluated.

    A run with a gating metric below the baseline it was compared with is refused.
    """
    from python_llm.recommendations import baselines

    promoted = baselines.promote(
        name,
        why,
        evaluations=baselines.evaluations_folder(),
        baselines=baselines.baselines_folder(),
        cases_changed=cases_changed,
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
    from python_llm.recommendations import baselines

    rows = baselines.list_baselines(baselines.baselines_folder())
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@baseline.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")
def show_baseline(name: str, as_json: bool) -> None:
    """Print the metrics of a baseline by tenant and condition."""

    from python_llm.console import terminal
    from python_llm.recommendations import baselines

    rows = baselines.baseline_means(baselines.baselines_folder(), name)
    click.echo(terminal.as_json(rows) if as_json else terminal.format_rows(rows))


@click.command("mutations")
@click.option("--write", is_flag=True, help="Put the table into docs/mutation-suite.md.")
@click.option("--missed", is_flag=True, help="Print every mutant that no check caught.")
def mutations(write: bool, missed: bool) -> None:
    """Measure what the checks catch: unsafe edits of every golden case.

    The exit code is 1 if a kind of edit is caught more rarely than it must be, or harmless
    rewordings fail too often.
    """
    from python_llm import paths
    from python_llm.recommendations.mutations import suite, with_results

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
