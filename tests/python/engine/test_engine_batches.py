"""Batches: sent in one run, collected in another, paid for once and at half the price."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from asking import ANTHROPIC_KEY, OPENAI_KEY, request, table
from loopback import Fault

from python_llm.engine import EngineError, answer, attempts, batches
from python_llm.engine.ledger import open_ledger
from python_llm.providers import PROVIDERS as PROVIDER_ENTRIES

pytestmark = [pytest.mark.usefixtures("each_ledger"), pytest.mark.slow]

PROVIDERS = ["openai", "openai_responses", "anthropic"]
WORST = Decimal("0.0006")
IN_BATCH = ("not_requested", "in_batch")


def some(n: int, provider: str, **columns):
    return table(
        *(
            request(f"case {k}", provider, accepts_batch=True, batch_factor=0.5, **columns)
            for k in range(n)
        )
    )


def statuses(responses) -> list[tuple[str, str | None]]:
    return [(row["status"], row["error_kind"]) for row in responses.to_pylist()]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_is_collected_by_a_later_run(provider, serve, live, capsys):
    server = serve(answer=lambda *_: "x" * 200)
    asked = some(5, provider)
    batch = live(execution="batch")

    assert statuses(answer(asked, settings=batch)) == [("not_requested", "in_batch")] * 5
    # Still under way: said, not asked again, neither as a batch nor directly.
    for settings in (batch, live()):
        assert statuses(answer(asked, settings=settings)) == [("not_requested", "in_batch")] * 5
    assert "has not finished" in capsys.readouterr().out
    assert len(server.batches.made) == 1
    [(batch_id, items)] = server.batches.items.items()
    if provider != "anthropic":
        path = {"openai": "/v1/chat/completions", "openai_responses": "/v1/responses"}[provider]
        assert server.batches.made[batch_id]["endpoint"] == path
        assert {item["url"] for item in items} == {path}
    assert {item["custom_id"] for item in items} == set(asked.column("request_key").to_pylist())

    server.batches.finish()
    responses = answer(asked, settings=live())
    assert statuses(responses) == [("ok", None)] * 5
    assert server.total == 0  # nothing was asked by itself
    log = attempts(live().ledger_dir).to_pylist()
    assert {row["execution"] for row in log} == {"batch"}
    assert {row["run_id"] for row in log} == {batch.run_id}
    for row in log:
        prompt = row["input_tokens"] * Decimal("0.000001")
        assert row["charged_usd"] == (prompt + 50 * Decimal("0.00001")) / 2
    assert statuses(answer(asked, settings=batch)) == [("ok", None)] * 5
    assert len(server.batches.made) == 1


@pytest.mark.parametrize(
    ("provider", "fate", "kind"),
    [
        ("openai", "expired", "batch_expired"),
        ("openai_responses", "expired", "batch_expired"),
        ("anthropic", "expired", "batch_expired"),
        ("anthropic", "canceled", "batch_canceled"),
        ("anthropic", "errored", "server_error"),
    ],
)
def test_what_a_batch_did_not_answer_is_asked_again(provider, fate, kind, serve, live):
    server = serve()
    asked = some(4, provider)
    lost = asked.column("request_key")[1].as_py()
    answer(asked, settings=live(execution="batch"))
    server.batches.fates[lost] = fate
    server.batches.finish()
    responses = answer(asked, settings=live(max_attempts=1))
    assert statuses(responses) == [("ok", None)] * 4
    assert server.total == 1
    log = [row for row in attempts(live().ledger_dir).to_pylist() if row["request_key"] == lost]
    assert [row["error_kind"] for row in log] == [kind, None]
    assert [row["charged_usd"] > 0 for row in log] == [False, True]


def test_an_answer_that_comes_twice_is_one(serve, live):
    server = serve()
    asked = some(3, "openai")
    answer(asked, settings=live(execution="batch"))
    server.batches.fates[asked.column("request_key")[0].as_py()] = "twice"
    server.batches.finish()
    answer(asked, settings=live())
    assert attempts(live().ledger_dir).num_rows == 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_kill_between_submission_and_receipt(provider, serve, live, monkeypatch):
    """The batch exists and nobody has its name: it is found, not made a second time."""
    server = serve()
    asked = some(4, provider)
    server.batches.after_submit = "abort"
    first = answer(asked, settings=live(execution="batch"))
    assert statuses(first) == [("not_requested", "in_batch")] * 4
    server.batches.after_submit = ""
    assert len(server.batches.made) == 1
    again = answer(asked, settings=live(execution="batch"))
    assert statuses(again) == [("not_requested", "in_batch")] * 4
    server.batches.finish()
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 4
    assert len(server.batches.made) == 1
    assert server.total == 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_kill_before_submission(provider, serve, live, monkeypatch):
    """The provider has nothing: after a minute in doubt it is submitted again."""
    server = serve()
    asked = some(4, provider)
    name = PROVIDER_ENTRIES[provider].adapter.replace(":", ".")

    async def die(*_: object) -> str:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(f"python_llm.providers.{name}.submit", die)
        with pytest.raises(RuntimeError, match="killed"):
            answer(asked, settings=live(execution="batch"))
    in_doubt = answer(asked, settings=live(execution="batch"))
    assert statuses(in_doubt) == [("not_requested", "in_batch")] * 4
    assert not server.batches.made
    monkeypatch.setattr(batches, "UNSURE_SECONDS", 0.0)
    answer(asked, settings=live(execution="batch"))
    assert len(server.batches.made) == 1


def test_another_batch_of_the_account_is_not_taken_for_ours(serve, live, monkeypatch):
    """Anthropic's batches bear no name: one of the same size and time is ours only if its requests
    are."""
    server = serve()
    theirs = some(4, "anthropic", repeat_number=2)
    answer(theirs, settings=live(execution="batch", ledger_dir=live().ledger_dir / "theirs"))
    server.batches.finish()
    asked = some(4, "anthropic")
    monkeypatch.setattr(batches, "UNSURE_SECONDS", 0.0)
    server.batches.after_submit = "abort"
    answer(asked, settings=live(execution="batch"))
    server.batches.after_submit = ""
    server.batches.finish()
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 4
    assert server.total == 0


def test_the_cap_holds_for_batches_at_their_own_price(serve, live):
    server = serve()
    settings = live(execution="batch", max_usd=WORST * 2)
    responses = answer(some(10, "openai"), settings=settings)
    assert statuses(responses).count(("not_requested", "in_batch")) == 4
    assert statuses(responses).count(("blocked_by_budget", "over_cap")) == 6
    # What is promised to a batch is spent for every later call of the run.
    more = some(3, "anthropic")
    assert set(statuses(answer(more, settings=settings))) == {("blocked_by_budget", "over_cap")}
    assert len(server.batches.made) == 1


def test_models_without_a_batch_api_are_asked_directly(serve, live, capsys):
    server = serve()
    rows = [request("a", "openai_compatible"), request("b", "openai")]
    responses = answer(table(*rows), settings=live(execution="batch"))
    assert statuses(responses) == [("ok", None)] * 2
    assert server.total == 2
    assert "no batch API" in capsys.readouterr().out


def test_without_its_key_a_batch_is_left_alone(serve, live, monkeypatch, capsys):
    server = serve()
    asked = some(2, "openai")
    answer(asked, settings=live(execution="batch"))
    monkeypatch.delenv("TEST_OPENAI_KEY")
    answer(table(request("another", "anthropic")), settings=live())
    assert "its key is absent" in capsys.readouterr().out
    monkeypatch.setenv("TEST_OPENAI_KEY", "sk-test-openai-0123456789")
    server.batches.finish()
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 2


def test_batches_have_a_size(serve, live, monkeypatch):
    server = serve()
    monkeypatch.setattr(batches, "MOST_ITEMS", 3)
    answer(some(8, "openai"), settings=live(execution="batch"))
    assert [len(items) for items in server.batches.items.values()] == [3, 3, 2]


def test_a_kill_while_a_batch_is_collected(serve, live, monkeypatch):
    """Its rows are in the ledger and its file is still open: they are not entered twice."""
    server = serve()
    asked = some(3, "openai")
    answer(asked, settings=live(execution="batch"))
    server.batches.finish()

    def die(*_: object) -> None:
        raise EngineError("killed")

    store = type(open_ledger(live().ledger_dir).batches)
    with monkeypatch.context() as patch:
        patch.setattr(store, "close", die)
        with pytest.raises(EngineError, match="killed"):
            answer(asked, settings=live())
    assert statuses(answer(table(request("b", "anthropic")), settings=live())) == [("ok", None)]
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 3
    assert attempts(live().ledger_dir).num_rows == 4
    assert not open_ledger(live().ledger_dir).batches.open_batches()


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("kind", ["rate_limit", "overloaded"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_the_provider_ignored_is_submitted_again(provider, kind, serve, live):
    server = serve()
    asked = some(3, provider)
    server.batches.refusals = [Fault(kind)] * 3
    assert statuses(answer(asked, settings=live(execution="batch"))) == [IN_BATCH] * 3
    assert len(server.batches.made) == 1
    server.batches.finish()
    server.batches.refusals = [Fault("server_error"), Fault(kind), Fault("hang_up")]
    assert statuses(answer(asked, settings=live())) == [("ok", None)] * 3
    assert server.total == 0


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("provider", ["openai_responses", "anthropic"])
def test_a_batch_that_may_have_been_made_is_not_made_twice(provider, serve, live, capsys):
    server = serve()
    asked = some(3, provider)
    n_before = 0 if provider == "anthropic" else 1  # the file, which may well be there twice
    server.batches.refusals = [None] * n_before + [Fault("server_error")]
    assert statuses(answer(asked, settings=live(execution="batch"))) == [IN_BATCH] * 3
    assert "whether it was taken is not known yet" in capsys.readouterr().out
    assert not server.batches.refusals
    assert not server.batches.made


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("kind", ["bad_key", "invalid_request"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_is_refused_has_a_status_and_costs_nothing(
    provider, kind, serve, live, capsys
):
    server = serve()
    server.batches.refusals = [Fault(kind)]
    settings = live(execution="batch", max_usd=WORST)  # room for one batch of two
    responses = answer(some(2, provider), settings=settings)
    assert statuses(responses) == [("provider_error", "batch_refused")] * 2
    assert "was not taken" in capsys.readouterr().out
    assert statuses(answer(some(2, provider), settings=settings)) == [IN_BATCH] * 2
    said = str(responses.to_pylist())
    assert OPENAI_KEY not in said
    assert ANTHROPIC_KEY not in said


def test_two_calls_at_once_make_one_batch(serve, live):
    server = serve()
    asked = some(5, "openai")
    settings = live(execution="batch", run_id="one-build")
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: answer(asked, settings=settings), range(2)))
    assert [statuses(responses) for responses in both] == [[IN_BATCH] * 5] * 2
    assert len(server.batches.made) == 1
