"""What goes in and what comes out: one row for each request, in every mode."""

from __future__ import annotations

import asyncio
import gc
import json

import pyarrow as pa
import pytest
from asking import ANTHROPIC_KEY, OPENAI_KEY, many, request, table
from loopback import Fault, always, echo

from python_llm.engine import (
    ATTEMPT_SCHEMA,
    REQUEST_SCHEMA,
    RESPONSE_SCHEMA,
    EngineError,
    Settings,
    answer,
    attempts,
    runner,
)
from python_llm.engine.ledger import contract
from python_llm.engine.requests import BATCHES_JOINED, read_requests


def statuses(responses: pa.Table) -> list[str]:
    return responses.column("status").to_pylist()


def test_both_providers_are_asked_in_their_own_words(serve, live):
    server = serve()
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    extra = {"response_schema": json.dumps(schema)}
    answer(
        table(request("¿Qué tiene?", "openai", **extra), request("¿Qué?", "anthropic", **extra)),
        settings=live(),
    )
    seen = {one.provider: one for one in server.seen}
    assert seen["openai"].payload == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "You are a clinician."},
            {"role": "user", "content": "¿Qué tiene?"},
        ],
        "max_tokens": 50,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        },
    }
    assert seen["openai"].headers["authorization"] == f"Bearer {OPENAI_KEY}"
    assert seen["anthropic"].payload == {
        "model": "claude-test",
        "system": "You are a clinician.",
        "messages": [{"role": "user", "content": "¿Qué?"}],
        "max_tokens": 50,
        "temperature": 0,
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }
    assert seen["anthropic"].headers["authorization"] == f"Bearer {ANTHROPIC_KEY}"


def test_a_response_for_every_distinct_request_in_their_order(serve, live):
    server = serve(latency=0.01)
    rows = [request(f"case {n}", "openai" if n % 3 else "anthropic") for n in range(30)]
    requests = table(*rows, rows[4])  # the same request twice is asked once

    responses = answer(requests, settings=live())

    assert responses.schema == RESPONSE_SCHEMA
    assert responses.column("request_key") == table(*rows).column("request_key")
    texts = {echo(one.provider, one.payload) for one in server.seen}
    assert set(responses.column("answer_text").to_pylist()) == texts
    assert server.total == 30
    assert statuses(responses) == ["ok"] * 30
    assert responses.column("is_from_ledger").to_pylist() == [False] * 30
    by_key = {r["request_key"]: r for r in responses.to_pylist()}
    for row, seen_text in ((row, row["user_text"]) for row in rows):
        payload = {"messages": [{"content": seen_text}]}
        assert by_key[row["request_key"]]["answer_text"] == echo(row["provider"], payload)


def test_two_asks_that_are_one_request_are_sent_if_either_may(serve, live):
    """The ask that stands for it: allowed by policy, then selected, then the first alias. It holds
    a patient's data if any of its asks does."""
    server = serve()
    same, other = request("case 1"), request("case 2")
    asks = [
        {**same, "model_alias": "a", "is_blocked_by_policy": True, "contains_phi": True},
        {**same, "model_alias": "b", "is_selected": False},
        {**same, "model_alias": "d"},
        {**same, "model_alias": "c"},
        {**other, "is_selected": False},
    ]

    with read_requests(table(*asks), None) as requests:
        kept = requests.table.select(["model_alias", "contains_phi"]).to_pylist()
        texts = [requests.get(row).question.user_text for row in range(len(requests))]
    assert kept == [
        {"model_alias": "c", "contains_phi": True},
        {"model_alias": "openai_model", "contains_phi": False},
    ]
    assert texts == ["case 1", "case 2"]

    responses = answer(table(*asks), settings=live())
    assert statuses(responses) == ["ok", "not_requested"]
    assert [one.payload["messages"][-1]["content"] for one in server.seen] == ["case 1"]


def test_many_batches_of_requests_become_few():
    """Each small piece would hold the memory of the texts it lay between."""
    asks = many(BATCHES_JOINED + 3)
    reader = pa.RecordBatchReader.from_batches(asks.schema, asks.to_batches(max_chunksize=1))
    with read_requests(reader, None) as requests:
        assert requests.table.column("request_key").num_chunks <= 5
        assert requests.table.column("request_key").to_pylist() == (
            asks.column("request_key").to_pylist()
        )


def test_the_ledger_s_database_goes_with_a_large_answer(monkeypatch):
    """In memory it would keep for ever what the rows took."""
    lines = pa.table({"number": [1, 2, 3]})
    before = contract._memory()
    assert len(contract.answered("select * from log", {}, lines, None)) == 3
    assert contract._memory() is before
    monkeypatch.setattr(contract, "ROWS_PER_CHUNK", 2)
    assert len(contract.answered("select * from log", {}, lines, None)) == 3
    assert contract._memory() is not before


def test_tokens_and_times_are_recorded(serve, live):
    serve(latency=0.05)
    responses = answer(
        table(request("a case " * 10, "openai"), request("a case " * 10, "anthropic")),
        settings=live(),
    ).to_pylist()
    for response in responses:
        assert response["input_tokens"] == 70 // 4 + 20 // 4
        assert response["cached_input_tokens"] == 0
        assert response["output_tokens"] > 0
        assert json.loads(response["usage_json"])
        assert 50 <= response["latency_ms"] < 3000
        assert response["answered_at"] > response["requested_at"]
        assert str(response["requested_at"].tzinfo) == "UTC"
    models = [response["returned_model"] for response in responses]
    assert models == ["gpt-test", "claude-test"]


def test_an_answered_request_is_never_sent_again(serve, live):
    server = serve()
    requests = many(10)
    first = answer(requests, settings=live())
    server.answer = lambda *_: "something else"
    again = answer(requests, settings=live())
    assert server.total == 10
    assert again.drop_columns("is_from_ledger") == first.drop_columns("is_from_ledger")
    assert again.column("is_from_ledger").to_pylist() == [True] * 10


@pytest.mark.parametrize("mode", ["off", "replay"])
def test_only_live_sends(mode, serve, live):
    server = serve()
    answer(many(3), settings=live())
    responses = answer(many(5), settings=live(mode=mode))
    assert server.total == 3
    assert statuses(responses) == ["ok"] * 3 + ["not_requested"] * 2
    kind = "missing_in_ledger" if mode == "replay" else None
    assert responses.column("error_kind").to_pylist() == [None] * 3 + [kind] * 2
    assert responses.column("is_from_ledger").to_pylist() == [True] * 3 + [False] * 2


def test_off_needs_neither_ledger_nor_keys_nor_a_known_provider(tmp_path):
    responses = answer(
        table(request("a", "gemini"), request("b", "anthropic")),
        settings=Settings(ledger_dir=tmp_path / "ledger"),
    )
    assert statuses(responses) == ["not_requested"] * 2
    assert responses.schema == RESPONSE_SCHEMA
    assert not (tmp_path / "ledger").exists()
    assert attempts(tmp_path / "ledger").schema == ATTEMPT_SCHEMA
    assert attempts(tmp_path / "ledger").num_rows == 0


def test_no_requests_no_responses(live):
    responses = answer(REQUEST_SCHEMA.empty_table(), settings=live())
    assert responses.num_rows == 0
    assert responses.schema == RESPONSE_SCHEMA


def test_only_selected_requests_are_sent(serve, live):
    server = serve()
    answer(many(2), settings=live())
    rows = [request(f"case {n}", is_selected=n == 3) for n in range(4)]
    responses = answer(table(*rows), settings=live())
    assert statuses(responses) == ["ok", "ok", "not_requested", "ok"]
    assert server.total == 3


def test_policy_is_stronger_than_everything(serve, live):
    server = serve()
    answer(many(1), settings=live())
    rows = [request(f"case {n}", is_blocked_by_policy=True) for n in range(2)]
    for mode in ("off", "live"):
        responses = answer(table(*rows), settings=live(mode=mode))
        assert statuses(responses) == ["blocked_by_policy"] * 2
        assert responses.column("answer_text").to_pylist() == [None] * 2
    assert server.total == 1


def test_repeats_are_requests_of_their_own(serve, live):
    server = serve()
    rows = [request("a case", repeat_number=n) for n in (1, 2, 3)]
    assert statuses(answer(table(*rows), settings=live())) == ["ok"] * 3
    assert server.total == 3


@pytest.mark.usefixtures("quick_retries")
def test_a_failure_is_shown_until_a_live_run_asks_again(serve, live):
    server = serve(faults=lambda _: Fault("server_error"))
    assert statuses(answer(many(1), settings=live())) == ["provider_error"]
    [shown] = answer(many(1), settings=live(mode="off")).to_pylist()
    assert (shown["status"], shown["n_attempts"]) == ("provider_error", 8)
    assert shown["is_from_ledger"]
    server.faults = None
    [asked] = answer(many(1), settings=live()).to_pylist()
    assert (asked["status"], asked["n_attempts"]) == ("ok", 9)
    numbers = attempts(live().ledger_dir).column("attempt_number").to_pylist()
    assert numbers == list(range(1, 10))


def test_answer_runs_inside_a_running_loop_too(serve, live):
    serve()

    async def caller() -> pa.Table:
        return answer(many(3), settings=live())

    assert statuses(asyncio.run(caller())) == ["ok"] * 3


def test_a_compatible_server_gets_nothing_of_the_openai_account(serve, live, monkeypatch):
    server = serve()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-users-own-key")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-the-users-admin-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-user")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-user")
    answer(table(request("a case", "openai_compatible")), settings=live())
    sent = json.dumps(server.seen[0].headers)
    assert "user" not in sent.replace("user-agent", "")


@pytest.mark.parametrize(
    ("columns", "environment", "said"),
    [
        ({"provider": "oracle"}, {}, "Unknown provider 'oracle'"),
        ({}, {"TEST_OPENAI_KEY": ""}, "set the environment variable TEST_OPENAI_KEY"),
        ({}, {"TEST_OPENAI_KEY": "sk-two\nlines"}, "TEST_OPENAI_KEY has a space, a line break"),
        ({}, {"TEST_OPENAI_URL": "localhost:80"}, "TEST_OPENAI_URL is not a URL"),
        (
            {"provider": "openai_compatible", "base_url_env": "TEST_NOWHERE"},
            {},
            "set the environment variable TEST_NOWHERE",
        ),
        ({"parameters": "{'a': 1}"}, {}, "parameters of openai_model are not JSON"),
        ({"parameters": '{"stream": true}'}, {}, "may not contain stream"),
        ({"parameters": "{}", "provider": "anthropic"}, {}, "lack max_tokens"),
        ({"response_schema": "[]"}, {}, "response_schema of openai_model are not a JSON object"),
        ({"max_concurrency": 0}, {}, "max_concurrency of openai_model must be"),
        ({"input_usd_per_mtok": float("nan")}, {}, "input_usd_per_mtok of openai_model must be"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(
    columns, environment, said, serve, live, monkeypatch
):
    server = serve()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    rows = [request("a case", model_alias="good"), request("another case", **columns)]
    if environment:
        rows = rows[1:]
    with pytest.raises(EngineError, match=said):
        answer(table(*rows), settings=live())
    assert server.total == 0


@pytest.mark.parametrize(
    "options",
    [{"mode": "on"}, {"max_usd": "a lot"}, {"max_usd": -1}, {"max_attempts": 0}, {"run_id": ""}],
)
def test_settings_that_make_no_sense(options):
    with pytest.raises(EngineError):
        Settings(**options)


def test_a_table_without_its_columns(live):
    with pytest.raises(EngineError, match="lacks the columns user_text, max_output_tokens"):
        answer(many(1).drop_columns(["user_text", "max_output_tokens"]), settings=live())
    nameless = many(2).set_column(0, "request_key", pa.array(["a", None]))
    with pytest.raises(EngineError, match="1 rows without request_key"):
        answer(nameless, settings=live())


def test_a_reader_and_other_widths_are_read(serve, live):
    serve()
    requests = many(2)
    small = requests.set_column(
        requests.column_names.index("repeat_number"), "repeat_number", pa.array([1, 1], pa.int32())
    )
    assert statuses(answer(small.to_reader(), settings=live())) == ["ok", "ok"]


def test_no_key_anywhere(serve, live, capsys, tmp_path):
    """Not when the provider repeats it in its error, in its answer, nor in what is printed."""
    serve(
        answer=lambda *_: f"the key is {OPENAI_KEY}",
        faults=always(Fault("bad_key")),
    )
    requests = table(request("a case"), request("b", "anthropic"))
    first = answer(requests, settings=live(progress=True))
    second = answer(requests, settings=live(progress=True))
    assert statuses(first) == ["provider_error"] * 2
    assert "[key]" in first.column("error_message")[0].as_py()
    assert second.column("answer_text")[0].as_py() == "the key is [key]"
    everything = str(first.to_pylist()) + str(second.to_pylist()) + "".join(capsys.readouterr())
    everything += str(attempts(live().ledger_dir).to_pylist())
    for path in tmp_path.rglob("*"):
        if path.is_file():
            everything += path.read_bytes().decode("latin-1")
    assert OPENAI_KEY not in everything
    assert ANTHROPIC_KEY not in everything


def test_a_word_given_as_a_key_stays_in_the_answers(serve, live, monkeypatch):
    serve(answer=lambda *_: "none of these")
    monkeypatch.setenv("TEST_OPENAI_KEY", "none")
    [response] = answer(many(1), settings=live()).to_pylist()
    assert response["answer_text"] == "none of these"


def test_what_is_printed_counts_and_tells_no_text(serve, live, capsys):
    serve(answer=lambda *_: "the secret answer", faults=always(Fault("length")))
    answer(table(request("the secret case")), settings=live(progress=True, max_usd=2))
    printed = capsys.readouterr().out
    assert "1 requests to send (openai_model 1), estimated $0.0006" in printed
    assert "cap $2.00" in printed
    assert "1 truncated" in printed
    assert "secret" not in printed


def test_half_a_surrogate_pair_is_text_too(serve, live):
    serve(answer=lambda *_: "broken \ud83d here, whole \ud83d\ude00 there")
    [response] = answer(many(1), settings=live()).to_pylist()
    assert response["answer_text"] == "broken � here, whole 😀 there"


def test_a_run_that_sends_nothing_says_why(serve, live, capsys):
    server = serve()
    answer(many(2), settings=live())
    rows = [
        *(request(f"case {n}") for n in range(2)),
        *(request(f"case {n}", is_selected=False) for n in range(2, 5)),
        request("case 5", is_blocked_by_policy=True),
        request("case 6", input_usd_per_mtok=None),
    ]
    capsys.readouterr()
    answer(table(*rows), settings=live(progress=True))
    assert capsys.readouterr().out == (
        "engine: nothing to send for 7 requests: 2 answered before, 1 without a price, "
        "1 blocked by policy, 3 not part of this run\n"
    )
    assert server.total == 2
    answer(table(*rows[2:5]), settings=live(progress=True))  # nobody has asked for these
    answer(REQUEST_SCHEMA.empty_table(), settings=live(progress=True))
    assert capsys.readouterr().out == ""


def test_older_objects_are_not_collected_while_it_asks(serve, live):
    left_out = []
    serve(answer=lambda *_: left_out.append(gc.get_freeze_count()) or "1. Asthma")
    answer(many(1), settings=live())
    assert left_out[0] > 10_000
    assert gc.get_freeze_count() == 0


def test_answers_are_looked_up_some_at_a_time_and_in_order(serve, live, monkeypatch):
    server = serve()
    first = answer(many(5), settings=live())
    monkeypatch.setattr(runner, "ROWS_LOOKED_UP", 2)
    again = answer(many(5), settings=live())
    for name in ("request_key", "answer_text", "n_attempts"):
        assert again.column(name).to_pylist() == first.column(name).to_pylist()
    assert len(answer(many(0), settings=live())) == 0
    assert server.total == 5
