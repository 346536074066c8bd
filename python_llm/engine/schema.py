"""The three tables at the engine's border, and a request as the engine handles it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from python_llm.engine.errors import EngineError
from python_llm.providers import Question

TIME = pa.timestamp("us", tz="UTC")


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


# One row per ask; asks with one request_key are one request. Prices are US dollars per million
# tokens; null means nobody has priced it.
REQUEST_SCHEMA = pa.schema(
    [
        _required("request_key", pa.string()),
        _required("model_alias", pa.string()),
        _required("provider", pa.string()),
        _required("api_model", pa.string()),
        pa.field("base_url", pa.string()),
        pa.field("base_url_env", pa.string()),
        pa.field("hosts", pa.string()),
        pa.field("is_phi_reviewed", pa.bool_()),
        pa.field("api_key_env", pa.string()),
        _required("parameters", pa.string()),
        pa.field("system_text", pa.string()),
        _required("user_text", pa.string()),
        pa.field("response_schema", pa.string()),
        _required("repeat_number", pa.int64()),
        _required("is_selected", pa.bool_()),
        _required("is_blocked_by_policy", pa.bool_()),
        _required("max_concurrency", pa.int64()),
        pa.field("requests_per_minute", pa.int64()),
        pa.field("tokens_per_minute", pa.int64()),
        pa.field("requests_per_day", pa.int64()),
        pa.field("tokens_per_day", pa.int64()),
        _required("timeout_seconds", pa.float64()),
        _required("estimated_input_tokens", pa.int64()),
        _required("max_output_tokens", pa.int64()),
        pa.field("input_usd_per_mtok", pa.float64()),
        pa.field("cached_input_usd_per_mtok", pa.float64()),
        pa.field("output_usd_per_mtok", pa.float64()),
        pa.field("batch_factor", pa.float64()),
        pa.field("accepts_batch", pa.bool_()),
        pa.field("contains_phi", pa.bool_()),
        pa.field("task", pa.string()),
    ]
)
# What a request table need not have. base_url: an address in place of base_url_env; hosts: where
# the model may be asked besides its provider's own, separated by semicolons; is_phi_reviewed:
# whether two people approved it for patients' data, without which it sees them on loopback only;
# task: where a table has several; see `Settings.task`.
OPTIONAL_COLUMNS = frozenset(
    {
        *("base_url", "hosts", "is_phi_reviewed", "tokens_per_day", "batch_factor"),
        *("accepts_batch", "contains_phi", "task"),
    }
)

# What the attempts of a request have cost, for whoever sums it up.
ATTEMPTED = pa.schema(
    [
        ("provider", pa.string()),
        ("api_model", pa.string()),
        ("execution", pa.string()),
        ("input_tokens", pa.int64()),
        ("cached_input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("latency_ms", pa.float64()),
        ("started_at", TIME),
        ("charged_usd", pa.decimal128(18, 9)),
        ("is_final", pa.bool_()),
    ]
)

# One row per distinct request, in the order of the asks. The status, the text and the times are
# those of the attempt that counts: the first final answer, otherwise the last failure. n_attempts:
# all that were ever made, in every run; attempts: what they have cost. input_tokens includes cached
# and cache-written ones.
RESPONSE_SCHEMA = pa.schema(
    [
        _required("request_key", pa.string()),
        _required("status", pa.string()),
        pa.field("answer_text", pa.string()),
        pa.field("finish_reason", pa.string()),
        pa.field("returned_model", pa.string()),
        pa.field("response_id", pa.string()),
        pa.field("input_tokens", pa.int64()),
        pa.field("cached_input_tokens", pa.int64()),
        pa.field("cache_write_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("usage_json", pa.string()),
        _required("n_attempts", pa.int64()),
        pa.field("latency_ms", pa.float64()),
        pa.field("requested_at", TIME),
        pa.field("answered_at", TIME),
        pa.field("error_kind", pa.string()),
        pa.field("error_message", pa.string()),
        _required("is_from_ledger", pa.bool_()),
        _required("attempts", pa.list_(pa.struct(list(ATTEMPTED)))),
    ]
)

# What one line of the ledger holds. charged_usd: what the attempt took from the run's cap, the
# worst case where the true cost is unknown; session_id: the call of the engine that made it;
# execution: batch, or null for a request sent by itself; batch_id: the provider's own name of it.
LEDGER_SCHEMA = pa.schema(
    [
        _required("attempt_id", pa.string()),
        _required("run_id", pa.string()),
        _required("request_key", pa.string()),
        _required("attempt_number", pa.int64()),
        _required("model_alias", pa.string()),
        _required("provider", pa.string()),
        _required("api_model", pa.string()),
        pa.field("returned_model", pa.string()),
        pa.field("response_id", pa.string()),
        _required("status", pa.string()),
        pa.field("finish_reason", pa.string()),
        pa.field("http_status", pa.int64()),
        pa.field("error_kind", pa.string()),
        pa.field("error_message", pa.string()),
        pa.field("input_tokens", pa.int64()),
        pa.field("cached_input_tokens", pa.int64()),
        pa.field("cache_write_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("usage_json", pa.string()),
        pa.field("raw_response", pa.string()),
        pa.field("answer_text", pa.string()),
        pa.field("latency_ms", pa.float64()),
        _required("started_at", TIME),
        _required("ended_at", TIME),
        pa.field("charged_usd", pa.decimal128(18, 9)),
        _required("session_id", pa.string()),
        pa.field("execution", pa.string()),
        pa.field("batch_id", pa.string()),
    ]
)

# One row per attempt ever. is_final: the attempt that counts for its request, one per request.
ATTEMPT_SCHEMA = pa.schema(
    [
        *(field for field in LEDGER_SCHEMA if field.name != "session_id"),
        _required("is_final", pa.bool_()),
    ]
)

# One row per request that was ever attempted, beside the attempts: the words that were sent. The
# provider and the model are those of its attempts. text_withheld: why the texts are null.
RECORD_SCHEMA = pa.schema(
    [
        _required("request_key", pa.string()),
        _required("domain", pa.string()),
        _required("task", pa.string()),
        pa.field("system_text", pa.string()),
        pa.field("user_text", pa.string()),
        _required("parameters", pa.string()),
        pa.field("response_schema", pa.string()),
        _required("repeat_number", pa.int64()),
        _required("contains_phi", pa.bool_()),
        pa.field("text_withheld", pa.string()),
        _required("first_seen_at", TIME),
    ]
)

# What a record takes over from its request.
WORDS = [
    *("request_key", "system_text", "user_text", "parameters", "response_schema"),
    *("repeat_number", "contains_phi", "task"),
]

# The least each number may be.
LEAST = {
    "max_concurrency": 1,
    "requests_per_minute": 1,
    "tokens_per_minute": 1,
    "requests_per_day": 0,
    "tokens_per_day": 0,
    "timeout_seconds": 0.001,
    "estimated_input_tokens": 0,
    "max_output_tokens": 0,
    "input_usd_per_mtok": 0.0,
    "cached_input_usd_per_mtok": 0.0,
    "output_usd_per_mtok": 0.0,
    "batch_factor": 0.0,
}

# Names in `parameters` that would change what is asked behind the request's own columns, or how the
# answer arrives.
RESERVED_PARAMETERS = frozenset(
    {
        *("model", "messages", "system", "stream", "n", "response_format"),
        *("input", "instructions", "text", "contents", "systemInstruction"),
    }
)


@dataclass(frozen=True, slots=True)
class Request:
    """One row of the request table, as it is about to be sent."""

    request_key: str
    model_alias: str
    provider: str
    api_model: str
    question: Question
    estimated_input_tokens: int
    max_output_tokens: int
    input_price: Decimal
    cached_input_price: Decimal
    output_price: Decimal
    words: Mapping[str, Any]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Request:
        """A request from a priced row of REQUEST_SCHEMA; prices become dollars per token."""
        cached = row["cached_input_usd_per_mtok"]
        return cls(
            request_key=row["request_key"],
            model_alias=row["model_alias"],
            provider=row["provider"],
            api_model=row["api_model"],
            question=Question(
                api_model=row["api_model"],
                parameters=json.loads(row["parameters"]),
                system_text=row["system_text"],
                user_text=row["user_text"],
                response_schema=_parsed(row["response_schema"]),
                timeout_seconds=row["timeout_seconds"],
            ),
            estimated_input_tokens=row["estimated_input_tokens"],
            max_output_tokens=row["max_output_tokens"],
            input_price=per_token(row["input_usd_per_mtok"]),
            cached_input_price=per_token(row["input_usd_per_mtok"] if cached is None else cached),
            output_price=per_token(row["output_usd_per_mtok"]),
            words={name: row[name] for name in WORDS},
        )


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def per_token(usd_per_million: float) -> Decimal:
    """Exact: the shortest decimal that names the double, over a million."""
    return Decimal(repr(usd_per_million)).scaleb(-6)


def checked(table: pa.Table) -> pa.Table:
    """The requests in REQUEST_SCHEMA, further columns left out.

    Errors: EngineError naming the column that is missing, has a null it must not have, or another
    type; and the model whose parameters or response schema are not JSON objects.
    """
    needed = [name for name in REQUEST_SCHEMA.names if name not in OPTIONAL_COLUMNS]
    missing = [name for name in needed if name not in table.column_names]
    if missing:
        raise EngineError(f"The request table lacks the columns {', '.join(missing)}: add them.")
    columns = []
    for field in REQUEST_SCHEMA:
        if field.name not in table.column_names:
            columns.append(pa.nulls(len(table), field.type))
            continue
        column = table.column(field.name)
        if not field.nullable and column.null_count:
            raise EngineError(
                f"The request table has {column.null_count} rows without {field.name}: fill it in."
            )
        try:
            columns.append(column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise EngineError(
                f"Column {field.name} of the request table is {column.type} and cannot be read as "
                f"{field.type}: change its type."
            ) from error
    result = pa.table(columns, schema=REQUEST_SCHEMA)
    _check_ranges(result)
    _check_json(result)
    return result


def _check_ranges(requests: pa.Table) -> None:
    for name, least in LEAST.items():
        column = requests.column(name)
        wrong = pc.or_kleene(pc.less(column, least), pc.invert(pc.is_finite(column)))
        if pc.any(wrong).as_py():
            alias = requests.column("model_alias").filter(wrong)[0]
            raise EngineError(
                f"{name} of {alias} must be a number and at least {least}: correct it."
            )


def _check_json(requests: pa.Table) -> None:
    """Few distinct texts stand in these columns, so each is parsed once."""
    names = ["model_alias", "provider", "parameters", "response_schema"]
    distinct = requests.select(names).group_by(names).aggregate([])
    for row in distinct.to_pylist():
        alias = row["model_alias"]
        for name in ("parameters", "response_schema"):
            try:
                value = json.loads(row[name] or "{}")
            except ValueError as error:
                raise EngineError(f"The {name} of {alias} are not JSON ({error}).") from error
            if not isinstance(value, dict):
                raise EngineError(f"The {name} of {alias} are not a JSON object.")
            if name == "parameters":
                _check_parameters(alias, row["provider"], value)


def _check_parameters(alias: str, provider: str, parameters: Mapping[str, Any]) -> None:
    reserved = sorted(RESERVED_PARAMETERS & set(parameters))
    if reserved:
        raise EngineError(
            f"The parameters of {alias} may not contain {', '.join(reserved)}: the engine sets "
            "them from the request's own columns. Take them out."
        )
    if provider.startswith("anthropic") and "max_tokens" not in parameters:
        raise EngineError(
            f"The parameters of {alias} lack max_tokens, without which Anthropic refuses every "
            "request: add it."
        )
