"""The `kernel29` command, put together from its groups.

Each command imports what it needs when it runs, so that `kernel29 --help` answers at once.
"""

import errno
import sys
from typing import Any

import click

from python_llm.console import (
    STOPPED,
    audit,
    build,
    cases,
    experiments,
    forgetting,
    labels,
    lakehouse,
    ledger,
    lists,
    paper,
    phenotyping,
    projects,
    prompts,
    questions,
    recommendations,
    results,
    runs,
    terminology,
)
from python_llm.console.printing import fail_plainly, printing_plainly
from python_llm.errors import UserError

INTERRUPTED = 130  # what a shell says of a command that Ctrl-C ended


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
IMPORTING = {"cases", "runs", "labels", "questions", "terminology"}


class Commands(click.Group):
    """Commands that report what the user can fix in one sentence, without a traceback, and print
    nothing that a terminal would obey."""

    def main(self, *args: Any, **options: Any) -> Any:
        fail_plainly()
        with printing_plainly():
            return super().main(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        from python_llm.job.admission.protection import folders, made_private, refuse_links

        try:
            with made_private():
                # click keeps the name of the command apart from its arguments
                if {*[*getattr(ctx, "_protected_args", ()), *ctx.args][:1]} & IMPORTING:
                    refuse_links(*folders())
                return super().invoke(ctx)
        except UserError as error:
            raise click.ClickException(str(error)) from error
        except (KeyboardInterrupt, RuntimeError) as error:
            # DuckDB says "Query interrupted" in place of a signal that came while it worked
            if not isinstance(error, KeyboardInterrupt) and not _is_interrupted(error):
                raise
            click.echo(STOPPED, err=True)
            ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of the pipe has gone
                raise
            raise click.ClickException(_told(error)) from error


def _is_interrupted(error: BaseException) -> bool:
    return not isinstance(error, click.exceptions.Exit) and any(
        isinstance(e, KeyboardInterrupt) for e in (error.__context__, error.__cause__)
    )


def _told(error: OSError) -> str:
    """What the machine says, with what to do about a disk that is full: files are written beside
    those they replace, so what was stored before is whole."""
    reason = f"{error.filename}: {error.strerror}" if error.filename else str(error).rstrip(".")
    if error.errno in FULL:
        return (
            f"{reason}. The disk is full or the file too large for this user; what was stored "
            "before is whole. Make room, and run the same command again."
        )
    return f"{reason}."


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kernel29")
def main() -> None:
    """Measure how well language models diagnose. It evaluates; it does not treat."""


for command in (
    *(projects.init, projects.upgrade),
    *(experiments.new, experiments.run, build.demo, build.build, build.plan, build.docs),
    *(
        results.leaderboard,
        results.report,
        results.view,
        results.query,
        results.show_case,
        results.compare,
        paper.paper,
    ),
    *(audit.audit, forgetting.forget, cases.cases, runs.runs, labels.labels, questions.questions),
    *(terminology.terminology, prompts.prompts, ledger.ledger),
    *(lists.models, lists.judges, lists.test_sets),
    *(phenotyping.phenotype, recommendations.check_recommendation, recommendations.recommend),
    *(recommendations.baseline, recommendations.mutations, lakehouse.lakehouse),
):
    main.add_command(command)
main.add_command(click.Group("prompt", prompts.prompts.commands, hidden=True))  # its first name


if __name__ == "__main__":
    sys.exit(main())
