"""Requests in, responses out: every outcome recorded once, nothing paid for twice."""

from python_llm.engine.errors import EngineError
from python_llm.engine.requests import READ_ROWS
from python_llm.engine.runner import answer, answered, attempts, requests_sent
from python_llm.engine.schema import ATTEMPT_SCHEMA, REQUEST_SCHEMA, RESPONSE_SCHEMA
from python_llm.engine.settings import Mode, Settings

__all__ = [
    "ATTEMPT_SCHEMA",
    "READ_ROWS",
    "REQUEST_SCHEMA",
    "RESPONSE_SCHEMA",
    "EngineError",
    "Mode",
    "Settings",
    "answer",
    "answered",
    "attempts",
    "requests_sent",
]
