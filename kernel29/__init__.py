"""Kernel29 in a notebook: ask models about cases, and look at what came of it.

    import kernel29
    results = kernel29.run(cases=df, models=["local"], prompts=["dxgpt_standard"],
                           real_patients=False, max_usd=2, yes=True)
    results.leaderboard

The same code as `kernel29 run` and the same tables as `kernel29 build`. It evaluates; it does not
treat.
"""

from kernel29.experiments import NotAgreed, RunFailed, plan, run
from kernel29.results import Results, query, table
from python_llm.errors import UserError as Error

__all__ = ["Error", "NotAgreed", "Results", "RunFailed", "plan", "query", "run", "table"]
